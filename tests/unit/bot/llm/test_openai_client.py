"""What is read of the answers of servers that speak the interface of OpenAI."""

from __future__ import annotations

import pytest

from bot.llm.openai_client import metered
from bot.llm.transport_values import Metered


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 5}, (5, 5, 0)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, None),
        ({"prompt_tokens": 5}, None),
        ({"completion_tokens": 5}, None),
        ({"prompt_tokens": -5, "completion_tokens": 5}, None),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 4}, (9, 1, 4)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 1,
                "prompt_tokens_details": {"cached_tokens": 99},
            },
            (9, 1, 9),
        ),
        ("many", None),
    ],
)
def test_only_plausible_counts_of_tokens_are_believed(usage: object, read: tuple[int, ...]) -> None:
    expected = Metered(input=read[0], output=read[1], cached=read[2]) if read else None
    assert metered(usage) == expected
