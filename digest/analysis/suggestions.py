"""What to do about the risks, by rule. Imports ``concerns``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from digest.analysis.bounds import Bounds
from digest.analysis.concerns import Concern
from digest.statement import Statement


def suggestions(concerns: Iterable[Concern], bounds: Bounds) -> tuple[Statement, ...]:
    """The advice that answers the risks, in their order and each once, within the bound."""
    unlike = {c.advice.text: c.advice for c in reversed([*concerns]) if c.advice is not None}
    return tuple(islice(reversed(unlike.values()), bounds.suggestions))
