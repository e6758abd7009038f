"""The ports to the process's status and to the digests that were posted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Protocol
from zoneinfo import ZoneInfo

from digest.core.enums import Language
from digest.core.facts import Undone
from digest.core.grade import Graded, Repository
from digest.core.reference import Query
from digest.document import Link, Span, Text
from digest.frozen import frozen
from digest.grading.outcomes import SOON, bare_title
from digest.topics.terms import undoing_terms
from digest.window import Window
from handlers.ports.storage import Archive

_LATER = 20  # most changes that are looked at for what undoes one


@frozen
class ScheduledRun:
    """A scheduled digest: its name, its last due date or empty, and when the next is due."""

    channel: str
    last: str
    next: datetime | None


@frozen
class Budget:
    """Model cost since midnight in UTC; ``most`` is its cap, if there is one."""

    spent: Decimal
    currency: str
    most: Decimal | None = None


@frozen
class BotStatus:
    """The status of the process: its runs, the number of waiting digests, its budget if any."""

    runs: Sequence[ScheduledRun] = ()
    waiting: int = 0
    budget: Budget | None = None


class StatusSource(Protocol):
    """Knows the status of the process."""

    async def standing(self) -> BotStatus:
        """The current status. Raises ``UserError`` if it is not available."""


@frozen
class Announced:
    """A posted digest: its day, and its page, empty if it has none."""

    day: date
    page: str = ""

    @property
    def shown(self) -> Span:
        """The day, linked to the page if there is one."""
        day = self.day.isoformat()
        return Link(day, self.page) if self.page else Text(day)


class Announcements(Protocol):
    """Finds the digests that were posted. May raise ``UserError``."""

    async def announced(
        self, repository: Repository, change: Graded, language: Language
    ) -> Announced | None:
        """The first digest that showed a change, with its page in a language."""

    async def beside(self, repository: Repository, change: Graded) -> Sequence[str]:
        """The commits of the first digest that covered a change, newest first; none without it."""


async def undone_by(archive: Archive, repository: Repository, by: Graded) -> Sequence[Graded]:
    """The changes that a revert undoes, as far as the archive has them.

    If only the title is known, the archived changes of the weeks before are searched for it.
    """
    undone = by.facts.reverts
    if undone is None:
        return ()
    found: Sequence[Graded] = ()
    if undone.number is not None or undone.sha:
        found = await archive.find(repository, undone.number, undone.sha)
    # The revert itself has the number too if it was merged under it.
    named = [g for g in found if g.sha != by.sha and g.facts.reverts is None]
    return named or await _of_title(archive, repository, by, undone.title)


async def undoings_of(
    archive: Archive, repository: Repository, change: Graded
) -> tuple[Sequence[Graded], Sequence[Graded]]:
    """The archived changes that revert one, and those that land it again, newest first each."""
    names = undoing_terms(change.sha, change.number, change.title)
    found = await archive.select(repository, Query(topics=names, limit=_LATER))
    return (
        [later for later in found if _is_meant(later.facts.reverts, change, later)],
        [later for later in found if _is_meant(later.facts.relands, change, later)],
    )


def _is_meant(undone: Undone | None, change: Graded, by: Graded) -> bool:
    """Whether a later change names this one; its title counts if it names nothing more exact."""
    if undone is None or by.sha == change.sha:
        return False
    if undone.sha:
        return change.sha.startswith(undone.sha)
    if undone.number is not None:
        return undone.number == change.number
    since = by.commit.committed_at - change.commit.committed_at
    same = bool(undone.title) and bare_title(undone.title) == bare_title(change.title)
    return same and timedelta(0) <= since <= SOON


async def _of_title(
    archive: Archive, repository: Repository, by: Graded, title: str
) -> Sequence[Graded]:
    """The newest change before a revert that has the title, with or without a number after it."""
    wanted, words = bare_title(title), re.findall(r"\w+", title)
    if not words:
        return ()
    at = by.commit.committed_at
    until = at + timedelta(seconds=1)
    query = Query(
        window=Window(since=at - SOON, until=until, zone=ZoneInfo("UTC")),
        # The archive searches words; the whole title is compared here.
        terms=(max(words, key=len),),
    )
    found = await archive.select(repository, query)
    same = [
        g
        for g in found
        if bare_title(g.title) == wanted and g.sha != by.sha and g.facts.reverts is None
    ]
    return same[:1]
