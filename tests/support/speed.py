"""The speed of this machine compared with the one on which the bounds of tests were measured."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from time import process_time

_REFERENCE = 0.045
"""Seconds of processor time that the reference work takes on that machine."""


@cache
def slowness() -> float:
    """How many times longer the reference work takes here; at least 1."""
    return max(1.0, min(_spent() for _ in range(3)) / _REFERENCE)


def within(seconds: float, work: Callable[[], object]) -> bool:
    """Whether the work takes at most the given processor time, scaled to the reference machine.

    Other programs slow every instruction down, perhaps only during the work. So work that takes too
    long is repeated, and the machine is measured before and after it.
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
