"""The grade that a change has without a model."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from digest.core.grade import Reason
from digest.grading.importance import PREFIX
from digest.grading.policy import GradingPolicy
from handlers.llm.analyse import by_facts
from tests.support.fakes import graded


@pytest.mark.parametrize(("rule", "again"), [("core_added", False), (f"{PREFIX}raised", True)])
def test_grade_that_a_model_moved_is_made_anew_from_the_facts(rule, again):
    moved = graded("1", "Add a reader")
    grade = replace(moved.grade, score=0.99, reasons=(Reason(rule=rule, weight=0.0),))
    moved = replace(moved, grade=grade)
    ctx = SimpleNamespace(watched=SimpleNamespace(grading=GradingPolicy()))
    found = by_facts(ctx, moved)
    assert found == (GradingPolicy().regrade(moved) if again else moved)
    assert (found.grade.score == 0.99) is not again
