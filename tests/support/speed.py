"""How fast this machine is beside the one on which the bounds of tests were found."""

from __future__ import annotations

import re
from functools import cache
from time import process_time

_REFERENCE = 0.045
"""Seconds of processor time that the work takes there."""


@cache
def slowness() -> float:
    """At least 1: how many times longer than there the same work takes here."""
    return max(1.0, min(_spent() for _ in range(3)) / _REFERENCE)


def _spent() -> float:
    began = process_time()
    text = "".join(f"{n:x} = {n * n}\n" for n in range(40_000))
    counted: dict[str, int] = {}
    for word in re.findall(r"\w+", text):
        counted[word[:3]] = counted.get(word[:3], 0) + 1
    return process_time() - began
