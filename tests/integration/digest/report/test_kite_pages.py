"""The digest and the full report of five weeks of the made-up project, in both languages."""

import pytest

from tests.support.kite import GOLDEN, Kite

PAGES = sorted(path.name for path in GOLDEN.glob("*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, kite: Kite) -> None:
    assert kite.pages[page] == (GOLDEN / page).read_text(encoding="utf-8")


def test_every_page_is_compared(kite: Kite) -> None:
    assert sorted(kite.pages) == PAGES
