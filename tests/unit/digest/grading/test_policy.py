"""Rules of the configuration set levels."""

from __future__ import annotations

import pytest

from digest.core.facts import FactKind
from digest.core.grade import Level, Thresholds
from digest.grading.importance import level_of
from digest.grading.policy import GradingPolicy, GradingRule
from tests.support import samples

CHANGE = samples.flag_change()
PATH = CHANGE.facts.files[0].path


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize(
    "condition",
    [
        {"path": PATH},
        {"label": "urgent"},
        {"author": CHANGE.commit.author[:4].upper()},
        {"keyword": CHANGE.facts.subject.words[:6].upper()},
        {"kind": FactKind.FLAG},
        {"path": "**", "kind": FactKind.FLAG},
    ],
)
def test_a_rule_sets_the_level_of_what_meets_it(level: Level, condition: dict) -> None:
    policy = GradingPolicy(rules=(GradingRule(level=level, **condition),))
    found = policy.regrade(CHANGE, ["Urgent"]).grade
    assert found.level is level
    assert level_of(found.score, Thresholds()) is level
    assert found.reasons[0].rule == "forced"


@pytest.mark.parametrize(
    "condition",
    [
        {"path": "elsewhere/**"},
        {"label": "urgent"},
        {"author": "nobody"},
        {"keyword": "nothing of it"},
        {"kind": next(kind for kind in FactKind if not CHANGE.facts.of(kind))},
        {"path": PATH, "author": "nobody"},
    ],
)
def test_a_rule_that_is_not_met_changes_nothing_but_its_mark(condition: dict) -> None:
    policy = GradingPolicy(rules=(GradingRule(level=Level.LOW, **condition),))
    plain = GradingPolicy().regrade(CHANGE).grade
    found = policy.regrade(CHANGE).grade
    assert (found.score, found.reasons) == (plain.score, plain.reasons)
    assert found.by != plain.by
    assert found.by in policy.versions


def test_the_first_rule_that_is_met_counts() -> None:
    rules = tuple(GradingRule(level=level, path="**") for level in (Level.MEDIUM, Level.LOW))
    assert GradingPolicy(rules=rules).regrade(CHANGE).grade.level is Level.MEDIUM
