"""Which values the pages keep, and for how long."""

from __future__ import annotations

from bot.web.pages.site import Memo


async def test_value_that_was_used_longest_ago_is_dropped_first():
    made = []
    memo = Memo(most=2)

    async def value(key: str) -> str:
        async def make() -> str:
            made.append(key)
            return key.upper()

        return await memo.of(key, make)

    assert [await value(key) for key in "abacab"] == [*"ABACAB"]
    assert made == [*"abcb"], "a was used after b, when c came"
