"""Quality of past grades: compares the grades of a window with what became of its changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from digest.core.grade import Graded, Thresholds
from digest.core.reference import Query
from digest.errors import ForgeFailed, InvalidWindow
from digest.frozen import frozen
from digest.grading.local_weights import MOST_PAST, LocalWeights, learn
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

DAYS = timedelta(days=90)  # the length of the default window, which ends SOON before now


@frozen
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


@frozen
class NamedByNotes:
    """Request numbers that are named in release notes, and the number of releases read."""

    named: frozenset[int] = frozenset()
    releases: int = 0
    unread: str = ""  # why the forge returned none, if it was asked


async def names_in_release_notes(
    ctx: Context, since: datetime, until: datetime | None = None
) -> NamedByNotes:
    """The release notes of a period, from a forge that may be queried unprompted."""
    forge = ctx.watched.forge
    if forge is None or not forge.eager or not isinstance(forge, Publishing):
        return NamedByNotes()
    try:
        listed = await forge.releases()
    except ForgeFailed as error:
        return NamedByNotes(unread=str(error))
    releases = [
        release
        for release in listed
        if release.published_at >= since and (until is None or release.published_at <= until)
    ]
    named = frozenset[int]().union(*(named_in(release.body) for release in releases))
    return NamedByNotes(named=named, releases=len(releases))


async def judge_grades(ctx: Context, window: Window, later: LaterFacts) -> QualityResult:
    """Grade a window, where the archive lacks it, and check what followed within ``SOON``."""
    # Raises ``InvalidWindow`` for one that ends too late for anything to have followed.
    now = ctx.clock.now()
    if window.since > now - SOON:
        raise InvalidWindow(
            f"nothing is known yet about what was merged less than {SOON.days} days ago; give an "
            "earlier --since"
        )
    reached = Window(
        since=window.since, until=min(window.until + SOON, max(now, window.until)), zone=window.zone
    )
    await fill(ctx, reached, await tip_of(ctx))
    changes = await ctx.archive.select(ctx.watched.repository, Query(window=reached))
    judged = [g for g in changes if g.commit.committed_at < window.until]
    names = {g.sha for g in judged}
    fates = {sha: fate for sha, fate in outcomes_of(changes, later).items() if sha in names}
    thresholds = ctx.watched.thresholds or Thresholds()
    return QualityResult(
        window=window, changes=judged, fates=fates, quality=quality(judged, fates, thresholds)
    )


PAST = timedelta(days=540)
"""How far before a release is learned from: what maintainers name changes with the years."""

_MOST_FILES = 20


async def taught(ctx: Context) -> Context:
    """The context with the weights of the newest release, learned if they are not yet."""
    newest = await _newest(ctx)
    known = ctx.watched.grading.local
    if ctx.weights is None or newest is None or newest[0] in {weights.release for weights in known}:
        return ctx
    learned = await _learn_from_release(ctx, *newest)
    if learned is None:
        return ctx
    await ctx.weights.keep(ctx.watched.repository, learned)
    grading = replace(ctx.watched.grading, local=(learned, *known))
    return replace(ctx, watched=replace(ctx.watched, grading=grading))


async def _newest(ctx: Context) -> tuple[str, datetime] | None:
    """The newest final release and when it was made."""
    if ctx.weights is None:
        return None
    releases = await ctx.watched.source.releases()
    tag, at = next(iter(releases.items()), ("", None))
    return (tag, at) if at else None


async def _learn_from_release(ctx: Context, tag: str, at: datetime) -> LocalWeights | None:
    window = Window(since=at - PAST, until=at, zone=ctx.zone)
    query = Query(window=window, limit=MOST_PAST)
    past = await ctx.archive.select(ctx.watched.repository, query)
    notes = await names_in_release_notes(ctx, at - PAST, until=at + timedelta(days=7))
    # The requests that the changelogs of a release name; past changes show where those are.
    from digest.facts.change_notes import is_change_note

    touched = Counter(file.path for change in past for file in change.facts.files)
    paths = [path for path, _ in touched.most_common() if is_change_note(path)][:_MOST_FILES]
    commit = await ctx.watched.source.resolve(tag)
    texts = await ctx.watched.source.contents({(commit, path) for path in paths})
    named = notes.named | frozenset[int]().union(*(named_in(text) for text in texts.values()))
    return await ctx.workers.few(lambda given: learn(*given), (tag, at, past, named))
