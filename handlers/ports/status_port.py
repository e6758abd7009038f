"""The port to how the process does: its runs, what waits, what models took.

Which digest told of a change first, for what is said of it later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Protocol
from zoneinfo import ZoneInfo

from digest.core.enums import Language
from digest.core.grade import Graded, Repository
from digest.core.reference import Query
from digest.document import Link, Span, Text
from digest.grading.outcomes import SOON, bare_title
from digest.window import Window
from handlers.ports.storage import Archive


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledRun:
    """A scheduled digest: its name, the date it was last due on or empty, when it comes next."""

    channel: str
    last: str
    next: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What models took since midnight in UTC; ``most`` is the cap on that, if there is one."""

    spent: Decimal
    currency: str
    most: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BotStatus:
    """How the process does: its runs, how many digests wait, its budget, if it has a model."""

    runs: Sequence[ScheduledRun] = ()
    waiting: int = 0
    budget: Budget | None = None


class StatusSource(Protocol):
    """Who knows how the process does."""

    async def standing(self) -> BotStatus:
        """How it does now. Raises ``UserError`` where that cannot be told."""


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
    """The changes that a revert undoes, as far as the archive has them.

    One of which the archive knows nothing but the title is looked for among those of the weeks
    before.
    """
    undone = by.facts.reverts
    if undone is None:
        return ()
    found: Sequence[Graded] = ()
    if undone.number is not None or undone.sha:
        found = await archive.find(repository, undone.number, undone.sha)
    if not found and undone.sha:
        found = await archive.find(repository, None, undone.sha)
    # A number is also its own revert's, where that was merged under it.
    named = [g for g in found if g.sha != by.sha and g.facts.reverts is None]
    return named or await _of_title(archive, repository, by, undone.title)


async def _of_title(
    archive: Archive, repository: Repository, by: Graded, title: str
) -> Sequence[Graded]:
    """The newest change before a revert that has the title, a number behind it or not."""
    wanted, words = bare_title(title), re.findall(r"\w+", title)
    if not words:
        return ()
    at = by.commit.committed_at
    until = at + timedelta(seconds=1)
    query = Query(
        window=Window(since=at - SOON, until=until, zone=ZoneInfo("UTC")),
        # The archive knows words; that they are the whole title is seen here.
        terms=(max(words, key=len),),
    )
    found = await archive.select(repository, query)
    same = [
        g
        for g in found
        if bare_title(g.title) == wanted and g.sha != by.sha and g.facts.reverts is None
    ]
    return same[:1]
