"""Rules of the configuration set levels."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from digest.core.facts import FactKind
from digest.core.grade import Level, Reason, Thresholds
from digest.grading.importance import graded_by, level_of, weights
from digest.grading.local_weights import LocalWeights
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


HIGH, LOW = CHANGE, samples.documents()


@pytest.mark.parametrize(
    ("change", "level", "score"),
    [
        (HIGH, Level.MEDIUM, 0.5499),
        (HIGH, Level.LOW, 0.2499),
        (LOW, Level.MEDIUM, 0.25),
        (LOW, Level.HIGH, 0.55),
        (HIGH, Level.HIGH, None),
        (LOW, Level.LOW, None),
    ],
)
def test_a_rule_moves_the_score_no_further_than_to_its_level(change, level, score) -> None:
    plain = GradingPolicy().regrade(change).grade
    rule = GradingRule(level=level, path="**", author=change.commit.author)
    found = GradingPolicy(rules=(rule,)).regrade(change).grade
    assert found.score == (plain.score if score is None else score)
    forced = Reason(rule="forced", weight=0.0, subject=f"path **, author {change.commit.author}")
    assert found.reasons == (forced, *plain.reasons)


def test_a_grade_names_its_weights_thresholds_and_rules() -> None:
    least = Thresholds(high=0.7, medium=0.2)
    assert GradingPolicy(thresholds=least).regrade(CHANGE).grade.by == graded_by(least)
    rules = [GradingRule(level=level, path="**") for level in (Level.HIGH, Level.LOW)]
    marks = {
        GradingPolicy(rules=one).regrade(CHANGE).grade.by
        for one in ((), (rules[0],), (rules[1],), tuple(rules))
    }
    assert len(marks) == 4


def test_of_several_learned_weights_the_latest_that_were_known_count() -> None:
    made = CHANGE.commit.committed_at
    local = tuple(
        LocalWeights(
            release=f"v{days}",
            since=made + timedelta(days=days),
            weights=replace(weights(), version=f"after {days}"),
        )
        for days in (-9, 0, -3, 1)
    )
    assert GradingPolicy(local=local).weights_at(CHANGE.commit).version == "after 0"
    assert GradingPolicy(local=local[3:]).weights_at(CHANGE.commit) == weights()


@pytest.mark.parametrize(
    "condition",
    [{"path": "old/**"}, {"label": "Frontend"}, {"label": "FEAT"}, {"author": "@EXAMPLE"}],
)
def test_a_rule_reads_old_paths_tags_types_and_addresses(condition: dict) -> None:
    file = replace(CHANGE.facts.files[0], old_path="old/cli.py")
    subject = replace(CHANGE.facts.subject, type="feat")
    facts = replace(CHANGE.facts, files=(file,), subject=subject)
    assert GradingRule(level=Level.LOW, **condition).meets(CHANGE.commit, facts)
