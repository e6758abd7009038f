"""Risks of a change: named things that were removed, renamed or changed. Imports ``concerns``."""

from __future__ import annotations

from itertools import islice

from digest.analysis.concerns import concerns
from digest.analysis.reading import Reading
from digest.statement import Statement


def risks(reading: Reading) -> tuple[Statement, ...]:
    """The risks, the surest first, within the bound of the level."""
    found = (c.risk for c in concerns(reading) if c.risk is not None)
    return tuple(islice(found, reading.bounds.risks))
