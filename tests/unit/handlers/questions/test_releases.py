"""Which releases there are, with their dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from digest.errors import NoRelease
from digest.markdown import markdown
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)
CHANGES = [change("aaaaaaa1", "Two (#2)", at=NOW), change("bbbbbbb2", "One (#1)", at=NOW)]


@pytest.fixture
def ctx():
    tags = {"v2.0.0": CHANGES[0].sha, "v1.0.0": CHANGES[1].sha}
    return context(FakeSource(CHANGES, tags=tags, tagged=NOW - timedelta(days=2)))


@pytest.mark.parametrize(
    "question", ["list all releases", "which versions were released this year"]
)
async def test_releases_are_listed_with_their_dates(ctx, question):
    answer = await ask(question, ctx)
    assert answer.intent == "releases"
    shown = markdown(answer.document)
    assert "`v2.0.0`, tagged on 2026-01-21" in shown
    assert "`v1.0.0`" in shown


async def test_a_period_without_a_release_names_the_latest(ctx):
    shown = markdown((await ask("which releases were made in December?", ctx)).document)
    assert "the latest is `v2.0.0`" in shown


async def test_a_repository_without_releases_says_so():
    answer = await ask("list all releases", context(FakeSource(CHANGES)))
    assert isinstance(answer.error, NoRelease)
