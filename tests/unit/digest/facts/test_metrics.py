"""How a metric may be written in programs that add a prefix and a suffix to it."""

from __future__ import annotations

import pytest

from digest.facts.metrics import spellings, written


def test_a_metric_may_lack_up_to_three_parts_and_its_suffix() -> None:
    found = spellings("engine_pool_busy_seconds_total")
    assert found[:2] == ("engine_pool_busy_seconds_total", "engine_pool_busy_seconds")
    assert {"pool_busy_seconds", "busy_seconds_total"} <= set(found)
    shortest = [one for one in found if "seconds" in one and "busy" not in one]
    assert sorted(shortest) == ['"seconds"', "seconds_total"]
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        ('Name: "busy_seconds"', "busy_seconds"),
        ('Subsystem: "pool", Name: "busy_seconds"', "busy_seconds"),
        ('Name: "seconds"', "seconds"),
        ('Name: "engine_pool_busy_seconds"', ""),
        ("Name: busy_seconds", ""),
    ],
)
def test_the_part_that_is_written_as_one_string_is_found(lines: str, part: str) -> None:
    assert written("engine_pool_busy_seconds", lines) == part
