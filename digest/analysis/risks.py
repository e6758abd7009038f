"""Risks of a change: named things that were removed, renamed or changed. Imports ``concerns``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from digest.analysis.bounds import Bounds
from digest.analysis.concerns import Concern
from digest.statement import Statement


def risks(concerns: Iterable[Concern], bounds: Bounds) -> tuple[Statement, ...]:
    """The risks, the surest first, within the bound of the level."""
    return tuple(islice((c.risk for c in concerns if c.risk is not None), bounds.risks))
