"""How fast this machine is beside the one on which the bounds of tests were found."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from time import process_time

_REFERENCE = 0.045
"""Seconds of processor time that the work takes there."""


@cache
def slowness() -> float:
    """At least 1: how many times longer than there the same work takes here."""
    return max(1.0, min(_spent() for _ in range(3)) / _REFERENCE)


def within(seconds: float, work: Callable[[], object]) -> bool:
    """Whether the work takes at most that much processor time where the bounds were found.

    Others on the machine slow every instruction down, for moments that may be those of the work
    alone. So what takes too long here is tried again, with the machine measured before and after.
    """
    return _cost(work) <= seconds or any(_adjusted_cost(work) <= seconds for _ in range(3))


def _adjusted_cost(work: Callable[[], object]) -> float:
    before = _spent()
    taken = _cost(work)
    return taken / max(1.0, max(before, _spent()) / _REFERENCE)


def _cost(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began


def _spent() -> float:
    began = process_time()
    text = "".join(f"{n:x} = {n * n}\n" for n in range(40_000))
    counted: dict[str, int] = {}
    for word in re.findall(r"\w+", text):
        counted[word[:3]] = counted.get(word[:3], 0) + 1
    return process_time() - began
