"""Which time is known to have been read after a selection was."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from digest.errors import SourceUnavailable
from digest.facts import extract
from digest.window import Window
from handlers.digests.ingest import enrich, fill, ingest, with_descriptions
from handlers.ports.storage import Range
from tests.support.fakes import REPOSITORY, FakeSource, change, context

NOON = datetime(2026, 1, 20, 12, tzinfo=UTC)

KEY = (REPOSITORY.name, "")


def window(since: datetime, until: datetime) -> Window:
    return Window(since=since, until=until, zone=ZoneInfo("UTC"))


async def test_forge_is_asked_for_all_requests_since_the_oldest_change_without_a_description():
    asked = []

    class Forge:
        async def recent(self, since):
            asked.append(since)
            yield []

    days = [NOON - timedelta(days=back) for back in (1, 5, 9)]
    source = FakeSource([change("abc"[n], f"Any (#{n + 1})", at=at) for n, at in enumerate(days)])
    ctx = context(source, at=NOON)
    ctx = replace(ctx, requests=Kept(), watched=replace(ctx.watched, forge=Forge()))
    names, _ = await fill(ctx, window(days[-1], NOON), await tip(ctx))
    graded = await ctx.archive.load(REPOSITORY, names)
    await with_descriptions([*graded.values()], ctx)
    assert asked == [days[-1]]


@pytest.mark.parametrize("until", [None, NOON])
async def test_forge_is_asked_for_what_changed_shortly_before_the_last_time_too(until):
    asked = []

    class Forge:
        eager = True

        async def recent(self, since):
            asked.append(since)
            yield []

    class Until(Kept):
        async def read_until(self, repository):
            return until

    ctx = context(FakeSource(), at=NOON)
    ctx = replace(ctx, requests=Until(), watched=replace(ctx.watched, forge=Forge()))
    assert await enrich(ctx) == 0
    assert asked == [until and until - timedelta(minutes=5)]


async def test_change_that_cannot_be_read_is_told_and_does_not_keep_the_others(monkeypatch):
    def reads(changed, *given):
        if changed.commit.message.startswith("Odd"):
            raise ValueError("an odd commit")
        return extract.bare(changed)

    monkeypatch.setattr(extract, "extract", reads)
    changes = [change("a", "Odd (#2)", at=NOON), change("b", "Plain (#1)", at=NOON)]
    ctx = context(FakeSource(changes), at=NOON)
    read = await ingest(ctx, [one.sha for one in changes], await tip(ctx))
    assert [graded.sha for graded in read.changes] == [one.sha for one in changes]
    assert read.failures == {changes[0].sha: "ValueError: an odd commit"}


async def test_failure_of_git_ends_the_grading_of_what_was_read_before_it():
    ended = []

    class Workers:
        at_once = 2

        async def few(self, work, given):
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(len(given.changes))

    class Breaking(FakeSource):
        async def changes(self, branch, selection):
            yield self.branch_changes
            await asyncio.sleep(0)
            raise SourceUnavailable("the pack is damaged")

    source = Breaking([change("a", "One", at=NOON)])
    ctx = replace(context(source, at=NOON), workers=Workers())
    with pytest.raises(SourceUnavailable, match="the pack is damaged"):
        await fill(ctx, [source.branch_changes[0].sha], await tip(ctx))
    assert ended == [1]


class Kept:
    """Stored requests: none."""

    async def keep(self, repository, requests, now):
        pass

    async def load(self, repository, numbers):
        return {}


async def test_window_is_read_up_to_now():
    source = FakeSource([change("a", "One", at=NOON - timedelta(hours=1))])
    ctx = context(source, at=NOON)
    await fill(ctx, window(NOON - timedelta(hours=3), NOON + timedelta(hours=3)), await tip(ctx))
    (read,) = ctx.coverage.stretches[KEY]
    assert (read.since, read.until) == (NOON - timedelta(hours=3), NOON)


async def test_time_that_has_not_come_is_not_read():
    ctx = context(FakeSource(), at=NOON)
    await fill(ctx, window(NOON + timedelta(hours=1), NOON + timedelta(hours=2)), await tip(ctx))
    assert KEY not in ctx.coverage.stretches


async def test_single_changes_read_no_time():
    source = FakeSource([change("a", "One", at=NOON)])
    ctx = context(source, at=NOON)
    await fill(ctx, [source.branch_changes[0].sha], await tip(ctx))
    assert KEY not in ctx.coverage.stretches


async def test_range_to_the_tip_reads_on_and_leaves_no_hole():
    days = [NOON - timedelta(hours=30), NOON - timedelta(hours=20), NOON - timedelta(hours=2)]
    old, between, new = (change(name, "Any", at=at) for name, at in zip("abc", days, strict=True))
    source = FakeSource([new, between, old])
    ctx = context(source, at=NOON)
    await ctx.coverage.cover(REPOSITORY, "", window(days[0], NOON - timedelta(hours=24)))
    # What came before the range and after what was read would else be missing for ever.
    await fill(ctx, Range(base=between.sha, tip=new.sha), await tip(ctx))
    (read,) = ctx.coverage.stretches[KEY]
    assert (read.since, read.until) == (days[0], NOON)
    assert between.sha in await ctx.archive.load(REPOSITORY, [between.sha])


async def test_range_that_ends_before_the_tip_reads_no_time():
    old, new = (
        change("a", "One", at=NOON - timedelta(hours=9)),
        change("b", "Two", at=NOON - timedelta(hours=1)),
    )
    ctx = context(FakeSource([new, old]), at=NOON)
    first = window(NOON - timedelta(hours=20), NOON - timedelta(hours=10))
    await ctx.coverage.cover(REPOSITORY, "", first)
    await fill(ctx, Range(base=None, tip=old.sha), await tip(ctx))
    assert ctx.coverage.stretches[KEY] == (first,)


async def tip(ctx):
    return await ctx.watched.source.tip()
