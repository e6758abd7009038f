"""What is said of every change of the made-up project, in both languages, with its evidence."""

import pytest

from tests.support.kite import Kite, blocks

SAID = blocks("analysis.txt")


@pytest.mark.parametrize("change", SAID)
def test_analysis(change: str, kite: Kite) -> None:
    assert kite.analyses[change] == SAID[change]
