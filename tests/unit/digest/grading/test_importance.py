"""Grades: the same for the same facts, explained, and never lower for a broken contract."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.change import FileStatus, Side
from digest.core.facts import Action, Area, Evidence, Fact, FactKind, Facts, FileFacts, Subject
from digest.core.grade import Level, Thresholds
from digest.grading.importance import grade, weights
from digest.grading.signals import signals

TITLES = st.sampled_from(
    [
        "Add a scheduler",
        "[Bugfix] Fix a crash in the scheduler",
        "chore: tidy",
        "Refactor the scheduler",
        "[CI] Run nightly",
        "docs: spelling",
        "Speed up sorting",
        "调度器",
        "",
    ]
)

AREAS = st.sampled_from(list(Area))

CONTRACT = [
    (kind, action)
    for kind in (
        FactKind.FLAG,
        FactKind.ENVIRONMENT,
        FactKind.CONFIG,
        FactKind.ROUTE,
        FactKind.METRIC,
        FactKind.SYMBOL,
    )
    for action in Action
] + [(FactKind.DEPRECATION, Action.ADDED), (FactKind.SCHEMA, Action.CHANGED)]


def file(area: Area, number: int) -> FileFacts:
    return FileFacts(
        path=f"{area}/{number}", status=FileStatus.MODIFIED, area=area, added=number, deleted=1
    )


def fact(kind: FactKind, action: Action, name: str) -> Fact:
    return Fact(
        kind=kind, action=action, name=name, evidence=Evidence(path="a", line=1, side=Side.NEW)
    )


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    title = draw(TITLES)
    areas = draw(st.lists(AREAS, max_size=6))
    items = draw(st.lists(st.sampled_from(CONTRACT), max_size=4))
    return Facts(
        subject=Subject(title=title, words=title, breaking=draw(st.booleans())),
        files=tuple(file(area, n) for n, area in enumerate(areas)),
        items=tuple(fact(kind, action, f"n{n}") for n, (kind, action) in enumerate(items)),
    )


@given(facts(), st.sampled_from(CONTRACT))
def test_another_contract_fact_never_lowers_a_grade(given_facts: Facts, contract) -> None:
    more = replace(given_facts, items=(*given_facts.items, fact(*contract, "another")))
    assert grade(more).score >= grade(given_facts).score


@given(facts())
def test_grade_is_in_bounds_and_the_same_again(given_facts: Facts) -> None:
    first = grade(given_facts)
    assert 0 <= first.score <= 1
    assert first == grade(given_facts)
    assert list(first.reasons) == sorted(first.reasons, key=lambda r: (-abs(r.weight), r.rule))


@given(facts())
def test_signals_have_distinct_names_and_known_weights(given_facts: Facts) -> None:
    names = [s.name for s in signals(given_facts)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "kind", [FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.ROUTE, FactKind.METRIC]
)
def test_removed_contract_in_a_one_line_change_is_at_least_medium(kind: FactKind) -> None:
    title = "Drop what nobody uses"
    told = Facts(
        subject=Subject(title=title, words=title),
        files=(file(Area.CORE, 1),),
        items=(fact(kind, Action.REMOVED, "x"),),
    )
    assert grade(told).level is not Level.LOW
    assert grade(told).reasons[0].rule.endswith("_removed")


@pytest.mark.parametrize("action", [Action.REMOVED, Action.RENAMED])
@pytest.mark.parametrize("kind", [FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.ROUTE])
def test_what_users_type_going_away_is_high_however_small_it_is_called(
    kind: FactKind, action: Action
) -> None:
    title = "[Misc] Remove what was deprecated"
    told = Facts(
        subject=Subject(title=title, words=title),
        files=(file(Area.CORE, 1), file(Area.CORE, 2)),
        items=(fact(kind, action, "x"), fact(FactKind.CONFIG, action, "x")),
    )
    assert grade(told).level is Level.HIGH


def test_advisory_lifts_an_update_once_however_many_it_names() -> None:
    title = "chore(deps): update x to v2"
    plain = Facts(subject=Subject(title=title, words=title), files=(file(Area.BUILD, 1),))
    named = [
        replace(fact(FactKind.SECURITY, Action.CHANGED, f"CVE-2026-{n}"), detail="advisory")
        for n in range(1000, 1004)
    ]
    one, four = (
        {s.name: s.value for s in signals(replace(plain, items=tuple(named[:n])))} for n in (1, 4)
    )
    assert one["advisory"] == four["advisory"] == 1
    assert grade(replace(plain, items=tuple(named[:1]))).score > 5 * grade(plain).score


def test_documentation_alone_is_low() -> None:
    title = "docs: spelling"
    told = Facts(subject=Subject(title=title, words=title), files=(file(Area.DOCS, 3),))
    assert grade(told).level is Level.LOW


def test_thresholds_move_the_level_and_not_the_score() -> None:
    told = Facts(subject=Subject(title="Add x", words="Add x"), files=(file(Area.CORE, 20),))
    low, high = (grade(told, Thresholds(high=h, medium=0.0)) for h in (1.0, 0.0))
    assert (low.level, high.level) == (Level.MEDIUM, Level.HIGH)
    assert low.score == high.score
    assert low.by != high.by


def test_no_signal_knows_a_project() -> None:
    known = re.compile(
        r"vllm|cuda|moe|rocm|torch|kernel|lora|llm|gpu|attention|quant", re.IGNORECASE
    )
    assert not [name for name in weights().weights if known.search(name)]
    from digest.grading.signals import _TITLE_RULES

    assert not [name for name, rule in _TITLE_RULES.items() if known.search(rule.pattern)]
