"""A digest after a release learns weights from what the release's changelog names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from digest.core.grade import Repository
from digest.core.request import Release
from digest.errors import ForgeFailed, InvalidWindow
from digest.grading.local_weights import LocalWeights
from digest.grading.outcomes import SOON, LaterFacts, Outcome
from digest.window import Window
from handlers.context import Context
from handlers.digests.grade_quality import (
    NamedByNotes,
    judge_grades,
    names_in_release_notes,
    taught,
)
from handlers.digests.ingest import fill
from tests.support import fakes


class FakeWeights:
    """Weights in memory."""

    def __init__(self) -> None:
        self.kept: list[LocalWeights] = []

    async def load(self, repository: Repository) -> Sequence[LocalWeights]:
        return self.kept

    async def keep(self, repository: Repository, learned: LocalWeights) -> None:
        self.kept.append(learned)


COUNT = 260


def title(number: int) -> str:
    return f"{('Fix a leak', 'Simplify a loop')[number % 2]} of readers (#{number})"


@pytest.fixture
async def ctx() -> Context:
    """A repository with a tagged commit whose changelog names the fixes; all of it is archived."""
    start = fakes.FakeClock().now() - timedelta(days=COUNT)
    made = [
        fakes.graded(
            f"{number:040x}",
            title(number),
            {"CHANGELOG.md": 1, "src/a.py": 9} if number == 2 else {"src/a.py": 9},
            start + timedelta(days=COUNT - number),
        )
        for number in range(COUNT)
    ]
    source = fakes.FakeSource([fakes.change(g.sha, g.commit.message) for g in made])
    source.tags["v2"] = made[10].sha
    source.tagged = made[10].commit.committed_at
    source.trees[made[10].sha, "CHANGELOG.md"] = "".join(
        f"- Readers (#{number})\n" for number in range(10, COUNT, 2)
    )
    archive = fakes.FakeArchive()
    found = fakes.context(source, archive)
    await archive.save(found.watched.repository, made)
    return replace(found, weights=FakeWeights())


async def test_what_the_changelog_of_a_release_names_teaches(ctx: Context) -> None:
    learned = await taught(ctx)
    (local,) = learned.watched.grading.local
    assert local.release == "v2"
    assert ctx.weights is not None
    assert list(await ctx.weights.load(ctx.watched.repository)) == [local]
    plain = ctx.watched.grading.local
    assert plain == ()
    assert local.weights.weights["title_fix"] > local.weights.weights["title_refactor"]


async def test_a_release_that_taught_is_not_learned_from_again(ctx: Context) -> None:
    once = await taught(ctx)
    again = await taught(once)
    assert again is once


async def test_a_repository_without_releases_keeps_the_shipped_weights(ctx: Context) -> None:
    source = ctx.watched.source
    assert isinstance(source, fakes.FakeSource)
    source.tags.clear()
    assert await taught(ctx) is ctx


async def test_nothing_is_learned_where_nothing_is_kept(ctx: Context) -> None:
    plain = replace(ctx, weights=None)
    assert await taught(plain) is plain


async def test_changes_are_graded_by_weights_that_another_process_taught(ctx: Context) -> None:
    (local,) = (await taught(ctx)).watched.grading.local
    source = ctx.watched.source
    assert isinstance(source, fakes.FakeSource)
    fresh = fakes.change("e" * 40, "Fix a reader", at=local.since + timedelta(days=400))
    source.branch_changes = [fresh, *source.branch_changes]
    await fill(ctx, [fresh.sha], await source.tip())
    held = await ctx.archive.load(ctx.watched.repository, [fresh.sha])
    known = replace(ctx.watched.grading, local=(local,))
    assert [one.grade.by for one in held.values()] == [known.versions[-1]]


@pytest.mark.parametrize(
    ("days", "fates"),
    [(1, {Outcome.REVERTED}), (13, {Outcome.REVERTED}), (15, set())],
)
@pytest.mark.parametrize("until", [18, 2, -30], ids=["long past", "lately", "in the future"])
async def test_revert_soon_after_the_window_counts_and_is_not_judged(days, fates, until) -> None:
    now = fakes.FakeClock().now()
    at = now - timedelta(days=20)
    change = fakes.change("a" * 40, "Add a reader (#1)", at=at)
    revert = fakes.change(
        "b" * 40, 'Revert "Add a reader (#1)"', at=at + timedelta(days=days, minutes=-1)
    )
    found = fakes.context(fakes.FakeSource([revert, change]), fakes.FakeArchive())
    end = now - timedelta(days=until)
    window = Window(since=at - timedelta(days=1), until=end, zone=found.zone)
    result = await judge_grades(found, window, LaterFacts())
    judged = [change.sha, *([revert.sha] if revert.commit.committed_at < end else [])]
    assert sorted(one.sha for one in result.changes) == judged
    assert result.fates.get(change.sha, frozenset()) == fates


async def test_window_too_young_for_outcomes_is_refused() -> None:
    found = fakes.context(fakes.FakeSource([]), fakes.FakeArchive())
    since = fakes.FakeClock().now() - SOON + timedelta(seconds=1)
    window = Window(since=since, until=since + timedelta(days=1), zone=found.zone)
    with pytest.raises(InvalidWindow, match="14 days"):
        await judge_grades(found, window, LaterFacts())


class Publisher:
    """A forge with two releases, or without an answer."""

    def __init__(self, *, eager: bool = True, down: bool = False) -> None:
        self.eager, self.down = eager, down

    async def releases(self, limit: int = 30) -> Sequence[Release]:
        if self.down:
            raise ForgeFailed("forge", "the forge does not answer")
        return [
            Release(tag=tag, name=tag, published_at=NEWER - timedelta(days=days), body=body)
            for tag, days, body in (("v2", 0, "* Stop the loop (#12)"), ("v1", 7, "* Begin (#3)"))
        ]


NEWER = datetime(2026, 1, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("forge", "days", "until", "named"),
    [
        (Publisher(), 0, None, NamedByNotes(named=frozenset({12}), releases=1)),
        (Publisher(), 7, None, NamedByNotes(named=frozenset({3, 12}), releases=2)),
        (Publisher(), 7, 7, NamedByNotes(named=frozenset({3}), releases=1)),
        (Publisher(), 7, 0, NamedByNotes(named=frozenset({3, 12}), releases=2)),
        (Publisher(eager=False), 7, None, NamedByNotes()),
        (Publisher(down=True), 7, None, NamedByNotes(unread="the forge does not answer")),
        (None, 7, None, NamedByNotes()),
    ],
)
async def test_requests_are_named_by_releases_of_the_period_of_a_forge_that_tells_them(
    forge, days, until, named
) -> None:
    ctx = fakes.context(fakes.FakeSource([]))
    ctx = replace(ctx, watched=replace(ctx.watched, forge=forge))
    since = NEWER - timedelta(days=days)
    end = None if until is None else NEWER - timedelta(days=until)
    assert await names_in_release_notes(ctx, since, end) == named
