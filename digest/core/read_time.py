"""The time of a branch that has been read: periods that are joined, and the gaps in between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from digest.window import Window


def joined(stretches: Iterable[Window]) -> tuple[Window, ...]:
    """The same time as disjoint periods, the earliest first, without empty ones."""
    out: list[Window] = []
    for one in sorted(stretches, key=lambda w: w.since):
        if one.since == one.until:
            continue
        if out and one.since <= out[-1].until:
            out[-1] = replace(out[-1], until=max(out[-1].until, one.until))
        else:
            out.append(one)
    return tuple(out)


def gaps(window: Window, read: Sequence[Window]) -> tuple[Window, ...]:
    """The parts of a window that were not read, the earliest first.

    ``read`` are periods as :func:`joined` returns them.
    """
    out: list[Window] = []
    begin = window.since
    for one in read:
        if one.until <= begin:
            continue
        if one.since >= window.until:
            break
        if one.since > begin:
            out.append(replace(window, since=begin, until=one.since))
        begin = one.until
    if begin < window.until:
        out.append(replace(window, since=begin))
    return tuple(out)
