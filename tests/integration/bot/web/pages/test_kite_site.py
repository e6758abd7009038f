"""The main parts of web pages about the made-up project, in all their forms."""

import pytest

from tests.support.kite import Kite, blocks

SHOWN = blocks("site.txt")


@pytest.mark.parametrize("path", SHOWN)
def test_page(path: str, kite: Kite) -> None:
    assert kite.site_page(path) == SHOWN[path]
