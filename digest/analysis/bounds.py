"""How much is said of a change: depth follows its level. Imports ``grade`` only."""

from __future__ import annotations

from dataclasses import dataclass

from digest.grade import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The most that each section holds.

    Sections count statements; ``names`` counts the names that one statement lists before "and N
    more"; ``quote`` counts characters of the author's words in one statement.
    """

    summary: int
    impact: int
    insights: int
    risks: int
    suggestions: int
    names: int
    quote: int


# A reader gives a high change a minute, a medium one a glance and a low one a line.
BOUNDS = {
    Level.HIGH: Bounds(
        summary=7, impact=7, insights=12, risks=6, suggestions=5, names=6, quote=420
    ),
    Level.MEDIUM: Bounds(
        summary=5, impact=4, insights=4, risks=3, suggestions=3, names=4, quote=280
    ),
    Level.LOW: Bounds(summary=1, impact=0, insights=0, risks=0, suggestions=0, names=3, quote=200),
}

VALUE = 60
"""The most characters of a value (a default, a version, a signature) that are shown."""

EVIDENCE = 8
"""The most places that one statement cites."""
