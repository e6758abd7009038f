from __future__ import annotations

from bot.util.machine import Newest


def test_of_too_many_entries_the_one_set_first_is_dropped() -> None:
    newest = Newest[str, int](2)
    for name in "abac":
        newest[name] = len(newest)
    assert list(newest) == ["a", "c"]
