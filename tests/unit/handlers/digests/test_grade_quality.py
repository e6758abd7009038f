"""A digest after a release learns weights from what the release's changelog names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from digest.core.grade import Repository
from digest.grading.local_weights import LocalWeights
from handlers.context import Context
from handlers.digests.grade_quality import taught
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
