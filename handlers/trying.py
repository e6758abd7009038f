"""What filters would do: tried on the last week of every repository that a chat follows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from digest.errors import SourceUnavailable
from digest.filtering import Filters, left_out
from digest.graded import Graded
from digest.window import Window
from handlers.chats import Room
from handlers.context import Context
from handlers.ingest import ensure
from handlers.labelling import Labels, labels_of
from handlers.watched import Watched

WEEK = timedelta(days=7)
"""What a filter is tried on before it is saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """The changes of a repository in the last week, with the labels of its forge."""

    repository: str
    changes: Sequence[Graded]
    labels: Labels


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What filters are tried on; ``unread`` are repositories that cannot be read now."""

    weeks: tuple[Week, ...]
    unread: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many changes there are."""
        return sum(len(week.changes) for week in self.weeks)

    @property
    def names(self) -> str:
        """The repositories that were read."""
        return ", ".join(week.repository for week in self.weeks)

    def kept(self, filters: Filters) -> tuple[int, ...]:
        """How many changes of each week filters keep."""
        return tuple(len(left_out(filters, w.changes, w.labels)[0]) for w in self.weeks)

    def rules(self, filters: Filters) -> list[str]:
        """The rule that leaves a change out, for each that is."""
        return [
            rule
            for week in self.weeks
            for rule in left_out(filters, week.changes, week.labels)[1].values()
        ]


async def last_week(ctx: Context, room: Room) -> Tried:
    """The last week of all that the chat follows; of what was asked in, where it follows nothing.

    Raises ``SourceUnavailable`` where nothing at all can be read.
    """
    weeks: list[Week] = []
    unread: list[str] = []
    lost: SourceUnavailable | None = None
    async for watched in _followed(ctx, room):
        try:
            weeks.append(await _week(replace(ctx, watched=watched)))
        except SourceUnavailable as error:
            unread.append(watched.repository.name)
            lost = error
    if lost is not None and not weeks:
        raise lost
    return Tried(weeks=tuple(weeks), unread=tuple(unread))


async def _followed(ctx: Context, room: Room) -> AsyncIterator[Watched]:
    """Each repository of the chat's subscriptions on its branch, that of a daily digest first."""
    runs = sorted(await room.runs(), key=lambda run: run.weekly)
    branches = {name: run.timing.branch for run in reversed(runs) for name in run.repositories}
    if not branches or room.watch is None:
        yield ctx.watched
        return
    for name in sorted(branches):
        yield await room.watch(name, branches[name])


async def _week(ctx: Context) -> Week:
    now, repository = ctx.clock.now(), ctx.watched.repository
    tip = await ctx.watched.source.tip(ctx.watched.branch)
    changes = await ensure(ctx, Window(since=now - WEEK, until=now, zone=ctx.zone), tip)
    labels = await labels_of(ctx.requests, repository, changes)
    return Week(repository=repository.name, changes=changes, labels=labels)
