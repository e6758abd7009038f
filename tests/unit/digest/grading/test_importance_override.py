"""A level moved by a model: one step, once, and made again over the facts' own grade."""

from __future__ import annotations

from dataclasses import replace
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.grade import Grade, Level, Reason, Thresholds
from digest.grading.importance import LevelOverride, by_model, laid_over, level_of, move_of

LEVELS = list(Level)

REASON = Reason(rule="flag_removed", weight=1.5, subject="--fast")


def grade(score: float, thresholds: Thresholds | None = None) -> Grade:
    level = level_of(score, thresholds or Thresholds())
    return Grade(score=score, level=level, reasons=(REASON,), by="1 0.55 0.25")


moves = st.builds(
    LevelOverride,
    rule=st.sampled_from(["contract", "user_visible"]),
    of=st.sampled_from(LEVELS),
    to=st.sampled_from(LEVELS),
    subject=st.just("src/a.py"),
)

scores = st.floats(0, 1).map(lambda score: round(score, 4))


@given(scores, moves)
def test_a_move_is_one_step_and_its_score_is_of_the_new_level(
    score: float, move: LevelOverride
) -> None:
    before = grade(score)
    after = laid_over(before, move)
    assert abs(after.level.rank - before.level.rank) <= 1
    assert level_of(after.score, Thresholds()) is after.level
    assert after.by == before.by
    if after != before:
        assert after.level is move.to
        assert after.reasons[0] == REASON
        assert by_model(after.reasons)
        assert move_of(before, after) == move


def test_a_move_of_another_level_is_let_be() -> None:
    move = LevelOverride(rule="contract", of=Level.MEDIUM, to=Level.HIGH, subject="src/a.py")
    assert laid_over(grade(0.1), move) == grade(0.1)
    assert laid_over(grade(0.3), move).level is Level.HIGH
    assert laid_over(grade(0.3), None) == grade(0.3)
    down = LevelOverride(rule="user_visible", of=Level.HIGH, to=Level.MEDIUM, subject="src/a.py")
    assert laid_over(grade(1.0), down).level is Level.MEDIUM


def test_thresholds_that_leave_a_level_no_room_leave_the_grade() -> None:
    thresholds = Thresholds(high=0.0, medium=0.0)
    move = LevelOverride(rule="user_visible", of=Level.HIGH, to=Level.MEDIUM, subject="src/a.py")
    assert laid_over(grade(0.4, thresholds), move, thresholds) == grade(0.4, thresholds)


def test_facts_alone_are_no_model() -> None:
    assert not by_model(grade(0.9).reasons)
    assert move_of(grade(0.9), grade(0.9)) is None
    assert move_of(grade(0.9), replace(grade(0.3), reasons=())) is None


def odds(score: float) -> float:
    return log(score / (1 - score))


@pytest.mark.parametrize(
    ("before", "to", "after", "weight"),
    [
        (0.8, Level.MEDIUM, 0.5499, odds(0.5499) - odds(0.8)),
        (1.0, Level.MEDIUM, 0.5499, odds(0.5499) - odds(0.9999)),
        (0.55, Level.MEDIUM, 0.5499, odds(0.5499) - odds(0.55)),
        (0.3, Level.LOW, 0.2499, odds(0.2499) - odds(0.3)),
        (0.3, Level.HIGH, 0.55, odds(0.55) - odds(0.3)),
        (0.0, Level.MEDIUM, 0.25, odds(0.25) - odds(0.0001)),
    ],
)
def test_the_score_moves_to_the_near_end_of_the_new_level(
    before: float, to: Level, after: float, weight: float
) -> None:
    move = LevelOverride(rule="contract", of=grade(before).level, to=to, subject="a.py")
    moved = laid_over(grade(before), move)
    assert moved.score == after
    reason = Reason(rule="model_contract", weight=round(weight, 4), subject="a.py")
    assert moved.reasons == (REASON, reason)


@pytest.mark.parametrize(("medium", "level"), [(0.0, Level.MEDIUM), (0.0001, Level.LOW)])
def test_a_change_is_low_only_if_a_score_is_left_for_it(medium: float, level: Level) -> None:
    thresholds = Thresholds(high=0.9, medium=medium)
    move = LevelOverride(rule="contract", of=Level.MEDIUM, to=Level.LOW, subject="a.py")
    moved = laid_over(grade(0.3, thresholds), move, thresholds)
    assert (moved.level, moved.score) == (level, 0.0 if level is Level.LOW else 0.3)
