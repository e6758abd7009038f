"""A level moved by a model: one step, by a named rule, with a citation; or not at all.

Imports ``grade``, ``material`` and values. Facts grade first and keep their reasons; the move is
one more reason, named ``model_`` and its rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log
from typing import Any

from digest.change import Change, printable
from digest.grade import Grade, Level, Reason, Thresholds
from digest.importance import level_of
from digest.material import cited
from digest.prompting.schemas import RULES

PREFIX = "model_"
"""What the name of a reason begins with that a model gave."""

_STEPS = {"raise": -1, "lower": 1}
_LEAST = 0.0001  # the step of a rounded score: the highest score that is below a threshold


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
    score = _score(grade.score, levels[at], step, thresholds or Thresholds())
    if score is None:
        return grade
    weight = round(_odds(score) - _odds(grade.score), 4)
    # Facts first: their reasons stay in front, whatever the move weighs.
    reason = Reason(rule=f"{PREFIX}{rule}", weight=weight, subject=places[0])
    return replace(grade, score=score, level=levels[at], reasons=(*grade.reasons, reason))


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


def _score(score: float, level: Level, step: int, thresholds: Thresholds) -> float | None:
    """The nearest score of a level; none where the thresholds leave that level no room."""
    least = {Level.HIGH: thresholds.high, Level.MEDIUM: thresholds.medium}
    found = least[level] if step < 0 else round(least[list(Level)[level.rank - 1]] - _LEAST, 4)
    found = max(score, found) if step < 0 else min(score, found)
    return found if 0 <= found <= 1 and level_of(found, thresholds) is level else None


def _odds(score: float) -> float:
    inside = min(max(score, _LEAST), 1 - _LEAST)
    return log(inside / (1 - inside))
