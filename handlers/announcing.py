"""Which digest told of a change first, for what is said of it later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from digest.document import Link, Span, Text
from digest.graded import Graded, Repository
from digest.language import Language
from handlers.ports import Archive


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """A digest that was posted: the day that it is of, and its page, empty where it has none."""

    day: date
    page: str = ""

    @property
    def shown(self) -> Span:
        """The day, leading to the page where there is one."""
        day = self.day.isoformat()
        return Link(day, self.page) if self.page else Text(day)


class Announcements(Protocol):
    """Knows the digests that were posted. May raise ``UserError``."""

    async def announced(
        self, repository: Repository, change: Graded, language: Language
    ) -> Announced | None:
        """The first digest that showed a change, with its page in a language."""


async def undone_by(archive: Archive, repository: Repository, by: Graded) -> Sequence[Graded]:
    """The changes that a revert undoes, as far as the archive has them."""
    undone = by.facts.reverts
    if undone is None or not (undone.number is not None or undone.sha):
        return ()
    found = await archive.find(repository, undone.number, undone.sha)
    if not found and undone.sha:
        found = await archive.find(repository, None, undone.sha)
    # A number is also its own revert's, where that was merged under it.
    return [g for g in found if g.sha != by.sha and g.facts.reverts is None]
