"""Scores, levels and reasons under a model of known weights."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import pytest

from digest.core.change import FileStatus
from digest.core.facts import Action, Area, Fact, FactKind, Facts, FileFacts, Undone
from digest.core.grade import Grade, Level, Reason, Thresholds
from digest.grading.importance import (
    RESEMBLES,
    Demand,
    Weights,
    demands_high,
    grade,
    graded_by,
    level_of,
    urgency,
    weights,
)
from tests.unit.digest.grading.test_signals_values import change, fact, file, note

PLAIN = Weights(version="t", bias=-1.0, weights={})
LEAST = Thresholds(high=0.6, medium=0.3)


def reasons(graded: Grade) -> dict[str, float]:
    return {reason.rule: reason.weight for reason in graded.reasons}


def test_score_is_the_logistic_of_bias_and_weighted_signals_to_four_digits() -> None:
    told = change(items=(fact(FactKind.FLAG, Action.ADDED),), files=[file("a.py", added=9)])
    model = replace(PLAIN, weights={"core": 0.3, "flag_added": 0.7, "route_added": 9.0})
    assert grade(told, model=model).score == 0.5
    assert grade(told, model=replace(model, bias=-2.0)).score == round(1 / (1 + exp(1)), 4)
    assert grade(told, model=PLAIN).score == round(1 / (1 + exp(1)), 4) == 0.2689
    size = reasons(grade(told, LEAST, model=replace(PLAIN, weights={"core_added": 0.5})))
    assert size == {"core_added": 1.1513}


@pytest.mark.parametrize(
    ("score", "level"),
    [(0.6, Level.HIGH), (0.5999, Level.MEDIUM), (0.3, Level.MEDIUM), (0.2999, Level.LOW)],
)
def test_a_level_begins_at_its_threshold(score: float, level: Level) -> None:
    assert level_of(score, LEAST) is level
    assert graded_by(LEAST, PLAIN) == "t 0.6 0.3"


def test_a_merged_branch_is_low_by_its_own_weight_under_any_model() -> None:
    merged = change("Merge v1 into main", merge=True)
    graded = grade(merged, model=replace(PLAIN, bias=5.0, demand_bias=5.0))
    assert graded.score == 0.2689
    assert reasons(graded) == {"branch_merge": -6.0}
    assert grade(change(), model=replace(PLAIN, bias=5.0)).score == 0.9933


SPOKEN = (fact(FactKind.FLAG, Action.CHANGED, "--x"),)
DOCS = file("docs", Area.DOCS, 0, 1)
TESTS = file("tests", Area.TESTS, 0, 1)


@pytest.mark.parametrize(
    ("told", "likeness", "level"),
    [
        (change(), 3.0, None),
        (change("Remove the pool"), 3.0, Level.MEDIUM),
        (change("Keep `pool run` apart"), 3.0, Level.MEDIUM),
        (change("Remove `Pool::run`"), 3.0, None),
        (change(items=SPOKEN), 3.0, Level.HIGH),
        (change(items=SPOKEN), 0.0, Level.MEDIUM),
        (change(items=SPOKEN), -3.0, None),
        (change("Refactor it"), 3.0, None),
        (change("Refactor it", items=SPOKEN), 3.0, Level.MEDIUM),
        (change("[CI] Tune it", items=SPOKEN), 3.0, None),
        (change("Write x instead of y"), 3.0, None),
        (change("Write x instead of y", [file("a.py"), DOCS]), 3.0, Level.HIGH),
        (change("Write x instead of y", [file("a.py"), DOCS]), 1.4, Level.MEDIUM),
        (change("Remove the pool", [file("a.py"), DOCS]), 3.0, Level.HIGH),
        (change("Tune it", [file("a.py"), DOCS, TESTS]), 3.0, Level.MEDIUM),
        (change(files=[file("a.py"), DOCS]), 3.0, None),
        (change("[Misc] Keep `pool run` apart"), 3.0, None),
        (change(items=SPOKEN, reverts=Undone(title="Add it")), 3.0, Level.MEDIUM),
        (change("Merge v1 into main", merge=True), 9.0, None),
    ],
)
def test_likeness_to_marked_changes_counts_for_what_somebody_outside_sees(
    told: Facts, likeness: float, level: Level | None
) -> None:
    graded = grade(told, model=replace(PLAIN, bias=-9.0, demand_bias=likeness))
    assert (graded.level, reasons(graded).get(RESEMBLES)) == (
        (Level.LOW, None) if level is None else (level, 0.5)
    )


def test_likeness_is_the_sum_of_weighted_signals() -> None:
    files = [file("a.py", status=FileStatus.ADDED) for _ in range(3)]
    for weight, alike in ((0.5, False), (2.0, True)):
        model = replace(
            PLAIN, bias=-9.0, demand_bias=-3.0, demand_weights={"core_new_files": weight}
        )
        assert (RESEMBLES in reasons(grade(change("Harden it", files=files), model=model))) is alike


@pytest.mark.parametrize(
    ("title", "files", "level"),
    [
        ("Tune it", [file("a.py")], Level.HIGH),
        ("Bump it", [file("a.py")], Level.MEDIUM),
        ("Tune it", [file("setup.cfg", Area.BUILD)], Level.MEDIUM),
    ],
)
def test_a_changelog_entry_of_a_changed_thing_is_high_unless_it_is_about_an_update(
    title: str, files: list[FileFacts], level: Level
) -> None:
    model = replace(PLAIN, bias=-9.0, demand_bias=-9.0, act=weights().act)
    assert grade(change(title, files, notes=(note("changed"),)), model=model).level is level


def removal(*kinds: FactKind) -> tuple[Fact, ...]:
    return tuple(fact(kind, Action.REMOVED, f"{kind}-a") for kind in kinds)


RULES = {
    "flag_removed": Demand(level=Level.HIGH, strength=3.0),
    "route_removed": Demand(level=Level.HIGH, strength=1.0),
    "metric_removed": Demand(level=Level.MEDIUM, strength=2.0),
    "config_removed": Demand(level=Level.LOW, strength=2.0),
}


@pytest.mark.parametrize(
    ("kinds", "low", "strength"),
    [
        ([FactKind.FLAG], 0.6, 3.0),
        ([FactKind.FLAG, FactKind.ROUTE], 0.6, 4.0),
        ([FactKind.FLAG, FactKind.METRIC], 0.6, 3.0),
        ([FactKind.METRIC, FactKind.CONFIG], 0.3, 2.0),
        ([FactKind.CONFIG], 0.0, 2.0),
    ],
)
def test_a_demand_lifts_to_the_foot_of_its_level_by_the_strength_of_the_most_urgent(
    kinds: list[FactKind], low: float, strength: float
) -> None:
    graded = grade(change(items=removal(*kinds)), LEAST, model=replace(PLAIN, bias=-9.0, act=RULES))
    assert graded.score == round(low + 0.08 * (1 - exp(-strength / 4)), 4)
    assert graded.level is level_of(low, LEAST)
    assert set(reasons(graded)) == {f"{kind}_removed" for kind in kinds}


def test_a_reason_weighs_what_its_rule_or_its_news_does_whichever_is_more() -> None:
    told = change(items=removal(FactKind.FLAG, FactKind.ROUTE))
    model = replace(PLAIN, act=RULES, weights={"flag_removed": 5.0, "route_removed": -2.0})
    assert reasons(grade(told, model=model)) == {"flag_removed": 5.0, "route_removed": 1.0}


WEIGHTS = {
    "core": 9.0,
    "files": 9.0,
    "title_length": 9.0,
    "flag_removed": 0.5,
    "route_removed": 0.4,
    "metric_removed": 0.08,
    "environment_removed": 0.079,
    "config_removed": -0.3,
    "title_housekeeping": -0.6,
}
ALL = removal(FactKind.FLAG, FactKind.ROUTE, FactKind.METRIC, FactKind.ENVIRONMENT, FactKind.CONFIG)
RAISED = ["flag_removed", "route_removed", "metric_removed"]


@pytest.mark.parametrize(
    ("level", "items", "told"),
    [
        (Level.HIGH, ALL, RAISED),
        (Level.MEDIUM, ALL, ["title_housekeeping", *RAISED[:2], "config_removed", RAISED[2]]),
        (Level.LOW, ALL, ["title_housekeeping", "config_removed"]),
        (Level.LOW, ALL[:1], ["flag_removed"]),
    ],
)
def test_reasons_fit_the_level_and_leave_out_what_weighs_little(
    level: Level, items: tuple[Fact, ...], told: list[str]
) -> None:
    least = {Level.HIGH: (0, 0), Level.MEDIUM: (1, 0), Level.LOW: (1, 1)}[level]
    title = "Tune unused" if len(items) > 1 else "Tune it"
    model = replace(PLAIN, bias=-30.0, weights=WEIGHTS, demand_bias=-99.0)
    graded = grade(
        change(title, items=items), Thresholds(high=least[0], medium=least[1]), model=model
    )
    assert graded.level is level
    assert [reason.rule for reason in graded.reasons] == told


def test_at_most_five_reasons_are_given_the_weightiest_first_and_then_by_name() -> None:
    names = [f"{kind}_removed" for kind in ("flag", "route", "metric", "symbol", "config")]
    kinds = (FactKind.FLAG, FactKind.ROUTE, FactKind.METRIC, FactKind.SYMBOL, FactKind.CONFIG)
    told = change("Tune unused", items=removal(*kinds))
    model = replace(PLAIN, weights=dict.fromkeys(names, 1.0) | {"title_housekeeping": 2.0})
    given = [reason.rule for reason in grade(told, model=model).reasons]
    assert given == ["title_housekeeping", *sorted(names)[:4]]


def test_urgency_adds_up_high_rules_from_a_strength_of_two() -> None:
    acts = weights().act
    rules = [name for name, demand in acts.items() if demand.level is Level.HIGH]
    assert {acts[rule].strength < 2 for rule in rules} == {True, False}
    graded = Grade(
        score=1.0,
        level=Level.HIGH,
        reasons=tuple(Reason(rule=rule, weight=1.0) for rule in (*acts, "unknown")),
    )
    urgent = [acts[rule].strength for rule in rules if acts[rule].strength >= 2]
    assert urgency(graded) == pytest.approx(sum(urgent))


def test_only_some_changes_demand_to_be_high() -> None:
    assert demands_high(change(items=removal(FactKind.FLAG)))
    assert not demands_high(change("Add a reader", files=[file("a.py", added=500)]))
    assert not demands_high(
        change(items=removal(FactKind.FLAG), reverts=Undone(title="Add a flag"))
    )
