"""A level changed by a model, stored apart from the grade so that it can be applied again.

Facts always grade first; the same override is then applied to the same level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

from digest.core.grade import Grade, Level, Reason, Thresholds
from digest.grading.importance import level_of

PREFIX = "model_"
"""Prefix of the names of reasons that a model gave."""

_LEAST = 0.0001  # the step of a rounded score, subtracted to get just below a threshold


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
    score = _score(grade.score, move, thresholds or Thresholds())
    if score is None:
        return grade
    weight = round(_odds(score) - _odds(grade.score), 4)
    reason = Reason(rule=f"{PREFIX}{move.rule}", weight=weight, subject=move.subject)
    return replace(grade, score=score, level=move.to, reasons=(*grade.reasons, reason))


def by_model(reasons: Sequence[Reason]) -> bool:
    """Whether these reasons include one by a model."""
    return any(reason.rule.startswith(PREFIX) for reason in reasons)


def _score(score: float, move: LevelOverride, thresholds: Thresholds) -> float | None:
    """The nearest score of the new level; ``None`` if the thresholds leave no room for it."""
    least = {Level.HIGH: thresholds.high, Level.MEDIUM: thresholds.medium}
    if move.to.rank < move.of.rank:
        found = max(score, least[move.to])
    else:
        found = min(score, round(least[move.of] - _LEAST, 4))
    return found if found >= 0 and level_of(found, thresholds) is move.to else None


def _odds(score: float) -> float:
    inside = min(max(score, _LEAST), 1 - _LEAST)
    return log(inside / (1 - inside))


def move_of(before: Grade, after: Grade) -> LevelOverride | None:
    """The override that leads from one grade to the other, if a model made one."""
    if before.level is after.level or not after.reasons:
        return None
    last = after.reasons[-1]
    rule = last.rule.removeprefix(PREFIX)
    return LevelOverride(rule=rule, of=before.level, to=after.level, subject=last.subject)
