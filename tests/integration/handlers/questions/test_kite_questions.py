"""Whole answers to questions about the made-up project, alone and in conversations."""

import pytest

from tests.support.kite import Kite, blocks

ANSWERS = blocks("questions.txt")


@pytest.mark.parametrize("conversation", ANSWERS)
def test_answers(conversation: str, kite: Kite) -> None:
    assert kite.answers(conversation) == ANSWERS[conversation]
