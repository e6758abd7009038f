"""What to do about the risks, by rule. Imports ``concerns``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from digest.analysis.concerns import concerns
from digest.analysis.reading import Reading
from digest.statement import Statement


def suggestions(reading: Reading) -> tuple[Statement, ...]:
    """The advice that answers the risks, in their order, within the bound of the level."""
    return tuple(islice(_unlike(reading), reading.bounds.suggestions))


def _unlike(reading: Reading) -> Iterator[Statement]:
    """Advice in the order of concerns, each piece once."""
    seen: set[str] = set()
    for concern in concerns(reading):
        if concern.advice is not None and concern.advice.text not in seen:
            seen.add(concern.advice.text)
            yield concern.advice
