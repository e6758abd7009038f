"""A level changed by a model, stored apart from the grade so that it can be applied again.

Facts always grade first; the same override is then applied to the same level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

from digest.core.grade import Grade, Level, Reason, Thresholds
from digest.grading.importance import STEP, level_of, nearest

PREFIX = "model_"
"""Prefix of the names of reasons that a model gave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelOverride:
    """One step from a level to the next, by a rule; ``subject`` is the path that supports it."""

    rule: str
    of: Level
    to: Level
    subject: str


def laid_over(
    grade: Grade, move: LevelOverride | None, thresholds: Thresholds | None = None
) -> Grade:
    """The grade with the override applied; unchanged if the override started from another level.

    The new score is the nearest one within the new level. The facts' reasons come first.
    """
    if move is None or grade.level is not move.of or abs(move.of.rank - move.to.rank) != 1:
        return grade
    least = thresholds or Thresholds()
    score = nearest(grade.score, move.to, least)
    if score < 0 or level_of(score, least) is not move.to:
        return grade  # the thresholds leave no room for the level
    weight = round(_odds(score) - _odds(grade.score), 4)
    reason = Reason(rule=f"{PREFIX}{move.rule}", weight=weight, subject=move.subject)
    return replace(grade, score=score, level=move.to, reasons=(*grade.reasons, reason))


def by_model(reasons: Sequence[Reason]) -> bool:
    """Whether these reasons include one by a model."""
    return any(reason.rule.startswith(PREFIX) for reason in reasons)


def _odds(score: float) -> float:
    inside = min(max(score, STEP), 1 - STEP)
    return log(inside / (1 - inside))


def move_of(before: Grade, after: Grade) -> LevelOverride | None:
    """The override that leads from one grade to the other, if a model made one."""
    if before.level is after.level or not after.reasons:
        return None
    last = after.reasons[-1]
    rule = last.rule.removeprefix(PREFIX)
    return LevelOverride(rule=rule, of=before.level, to=after.level, subject=last.subject)
