"""Quality of past grades: compares the grades of a window with what became of its changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from digest.core.grade import Graded, Thresholds
from digest.core.reference import Query
from digest.errors import ForgeFailed, InvalidWindow
from digest.grading.outcomes import (
    SOON,
    LaterFacts,
    Outcome,
    Quality,
    named_in,
    outcomes_of,
    quality,
)
from digest.window import Window
from handlers.context import Context
from handlers.digests.ingest import fill, tip_of
from handlers.ports.forge_port import Publishing

DAYS = timedelta(days=90)
"""The length of the default window, which ends ``SOON`` before now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityResult:
    """The quality of a window's grades, with the fates of its changes by full name."""

    window: Window
    changes: Sequence[Graded]
    fates: dict[str, frozenset[Outcome]]
    quality: Quality


def usual_window(ctx: Context) -> Window:
    """The last ``DAYS`` in which the fates of changes are known by now."""
    until = ctx.clock.now().replace(microsecond=0) - SOON
    return Window(since=until - DAYS, until=until, zone=ctx.zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedByNotes:
    """Request numbers that are named in release notes, and the number of releases read.

    ``unread`` says why the forge returned none, if it was asked.
    """

    named: frozenset[int] = frozenset()
    releases: int = 0
    unread: str = ""


async def released(ctx: Context, since: datetime) -> NamedByNotes:
    """The release notes since a moment, from a forge that may be queried unprompted."""
    forge = ctx.watched.forge
    if forge is None or not forge.eager or not isinstance(forge, Publishing):
        return NamedByNotes()
    try:
        found = [one for one in await forge.releases() if one.published_at >= since]
    except ForgeFailed as error:
        return NamedByNotes(unread=str(error))
    named = frozenset[int]().union(*(named_in(one.body) for one in found))
    return NamedByNotes(named=named, releases=len(found))


async def judge_grades(ctx: Context, window: Window, later: LaterFacts) -> QualityResult:
    """Grade a window, where the archive lacks it, and check what followed within ``SOON``.

    Raises ``InvalidWindow`` for a window that ends too late for anything to have followed.
    """
    now = ctx.clock.now()
    if window.since > now - SOON:
        raise InvalidWindow(
            f"nothing is known yet of what was merged less than {SOON.days} days ago; "
            "name an earlier --since"
        )
    reached = Window(
        since=window.since, until=min(window.until + SOON, max(now, window.until)), zone=window.zone
    )
    await fill(ctx, reached, await tip_of(ctx))
    changes = await ctx.archive.select(ctx.watched.repository, Query(window=reached))
    judged = [g for g in changes if g.commit.committed_at < window.until]
    names = {g.sha for g in judged}
    fates = {sha: found for sha, found in outcomes_of(changes, later).items() if sha in names}
    thresholds = ctx.watched.thresholds or Thresholds()
    return QualityResult(
        window=window, changes=judged, fates=fates, quality=quality(judged, fates, thresholds)
    )
