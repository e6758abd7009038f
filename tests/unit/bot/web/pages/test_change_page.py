"""Which other changes the page of a change names."""

from __future__ import annotations

from types import SimpleNamespace

from bot.web.pages.change_page import mentions_of
from bot.web.pages.site import SiteRepository
from digest.core.grade import Repository
from tests.support.fakes import graded

SHOWN = SiteRepository(repository=Repository(name="owner/open"))
PUSHED = graded("a" * 40, "Hold less")
MERGED = graded("b" * 40, "Hold more (#7)")


async def test_mentions_are_neither_the_change_nor_commits_of_its_request():
    others = [graded("c" * 40, f"Undo {'a' * 10}"), graded("d" * 40, "Go on with #7 (#8)")]
    of_request = graded("e" * 40, "Hold more, second part (#7)")

    async def select(_repository, query):
        return [PUSHED, MERGED, of_request, *others] if query.terms else []

    asked = SimpleNamespace(
        site=SimpleNamespace(archive=SimpleNamespace(select=select)), shown=lambda: SHOWN
    )
    assert await mentions_of(asked, MERGED) == [PUSHED, *others]
    assert await mentions_of(asked, PUSHED) == [MERGED, of_request, *others]
