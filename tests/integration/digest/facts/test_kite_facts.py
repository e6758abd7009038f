"""What is known of every change of the made-up project, and its grade with the reasons."""

import pytest

from tests.support.kite import Kite, blocks

KNOWN = blocks("facts.txt")


@pytest.mark.parametrize("change", KNOWN)
def test_facts_and_grade(change: str, kite: Kite) -> None:
    assert kite.facts[change] == KNOWN[change]


def test_no_change_is_left_out(kite: Kite) -> None:
    assert list(kite.facts) == list(KNOWN)
