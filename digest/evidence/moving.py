"""A model's proposal to move a level, read: one step, by a named rule, with a citation; or nothing.

Imports ``grade``, ``move``, ``material`` and values. What a move does to a grade is told there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from digest.change import Change, printable
from digest.grade import Grade, Level, Thresholds
from digest.material import cited
from digest.move import PREFIX, Move, laid_over
from digest.prompting.schemas import RULES

__all__ = ["PREFIX", "moved"]

_STEPS = {"raise": -1, "lower": 1}


def moved(
    grade: Grade, proposal: object, change: Change, thresholds: Thresholds | None = None
) -> Grade:
    """The grade after a model's proposal; the same grade where the proposal does not hold.

    A proposal is ``{"move": "raise" or "lower", "rule": one of RULES, "cites": ids}`` with at
    least one hunk or file among the ids. The new score is the nearest one of the new level.
    """
    step, rule, places = _read(proposal, change)
    levels = list(Level)
    at = grade.level.rank + step
    if not step or not places or not 0 <= at < len(levels):
        return grade
    move = Move(rule=rule, of=grade.level, to=levels[at], subject=places[0])
    return laid_over(grade, move, thresholds)


def _read(proposal: object, change: Change) -> tuple[int, str, list[str]]:
    """Step, rule and the cited paths; a step of 0 where anything is not as it has to be."""
    nothing: tuple[int, str, list[str]] = (0, "", [])
    if not isinstance(proposal, Mapping):
        return nothing
    table: Mapping[str, Any] = proposal
    rule, cites = table.get("rule"), table.get("cites")
    step = _STEPS.get(str(table.get("move")), 0)
    if not step or rule not in RULES or not isinstance(cites, Sequence) or isinstance(cites, str):
        return nothing
    found = [cited(one, change) if isinstance(one, str) else None for one in cites]
    if not found or None in found:
        return nothing
    paths = [printable(one.file.path) for one in found if one is not None and one.file]
    return step, str(rule).replace("-", "_"), paths
