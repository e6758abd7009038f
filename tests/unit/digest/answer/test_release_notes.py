"""What an upgrade meets: the first and the last step of a stretch of history."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.answer.release_notes import met, met_words
from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import Action, Evidence, Fact, FactKind
from digest.document import Text, plain
from tests.support.samples import flag_change

PLACE = Evidence(path="engine/cli.py", line=3, side=Side.NEW)


def fact(action, name="--size", kind=FactKind.FLAG, **said):
    return Fact(kind=kind, action=action, name=name, evidence=PLACE, **said)


def default(before, after, **said):
    return fact(Action.CHANGED, before=before, after=after, detail="default", **said)


def history(*steps):
    """A change for each group of facts, the newest first."""
    graded = flag_change()
    made = [replace(graded, facts=replace(graded.facts, items=tuple(step))) for step in steps]
    return made[::-1]


def found(*steps):
    return [(one.action, one.name, one.before, one.after) for one in met(history(*steps))]


def test_what_is_gone_is_met_with_its_proof():
    (one,) = met(history([fact(Action.REMOVED)]))
    assert (one.action, one.name, one.evidence) == (Action.REMOVED, "--size", PLACE)
    assert one.sha == flag_change().sha


@pytest.mark.parametrize(
    "steps",
    [
        [[fact(Action.ADDED)], [fact(Action.REMOVED)]],
        [[fact(Action.REMOVED)], [fact(Action.ADDED)]],
        [[default("1", "2")], [default("2", "1")]],
        [[fact(Action.ADDED)]],
    ],
    ids=["came and went", "went and came back", "went back", "is new"],
)
def test_what_is_as_before_is_not_met(steps):
    assert found(*steps) == []


def test_first_and_last_default_are_told():
    assert found([default("1", "2")], [default("2", "3")]) == [(Action.CHANGED, "--size", "1", "3")]


@pytest.mark.parametrize(
    ("before", "after"),
    [("'auto'", '"auto"'), ("None", "Config.size"), ("1", "limit()"), ("1", None)],
)
def test_value_that_may_be_the_same_is_not_met(before, after):
    assert found([default(before, after)]) == []


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [(">=3.9", ">=3.11", True), (None, ">=3.11", False), (">=3.9", None, False), ("3", "3", False)],
)
def test_requirement_is_met_where_both_ends_are_known_and_differ(before, after, told):
    step = fact(Action.CHANGED, "python", FactKind.TOOLCHAIN, before=before, after=after)
    assert bool(found([step])) is told


def test_renamed_thing_is_known_by_its_old_name():
    steps = [[fact(Action.RENAMED, "--limit", before="--size")]]
    assert found(*steps) == [(Action.RENAMED, "--size", "", "--limit")]


def test_setting_behind_a_flag_is_not_told_twice():
    setting = fact(Action.REMOVED, "Arguments.pool_size", FactKind.CONFIG)
    other = fact(Action.REMOVED, "Arguments.wait", FactKind.CONFIG)
    names = [name for _, name, _, _ in found([fact(Action.REMOVED, "--pool-size"), setting, other])]
    assert names == ["--pool-size", "Arguments.wait"]


def test_what_is_gone_comes_first():
    steps = [[default("1", "2", name="--a"), fact(Action.REMOVED, "--z")]]
    assert [name for _, name, _, _ in found(*steps)] == ["--z", "--a"]


@pytest.mark.parametrize("language", list(Language))
def test_everything_met_has_words(language):
    required = fact(Action.CHANGED, "python", FactKind.TOOLCHAIN, before=">=3.9", after=">=3.11")
    renamed = fact(Action.RENAMED, "--limit", before="--old")
    steps = [[fact(Action.REMOVED), default("1", "2", name="--wait"), renamed, required]]
    said = [plain(met_words(one, Text("#1"), language)) for one in met(history(*steps))]
    assert len(said) == 4
    assert all("#1" in words for words in said)
    assert any(">=3.11" in words and ">=3.9" in words for words in said)
