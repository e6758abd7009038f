"""Why a change should be read first, and the order that follows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.answer.buttons import Mark, marks_of, urgency
from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import Action, Evidence, Fact, FactKind
from digest.core.statement import Analysis, ChangeType
from tests.support.samples import flag_change

PLACE = Evidence(path="engine/cli.py", line=3, side=Side.NEW)


def changed(*items: Fact):
    graded = flag_change()
    subject = replace(graded.facts.subject, breaking=False)
    return replace(graded, facts=replace(graded.facts, items=items, subject=subject))


def flag(action: Action, **said):
    return Fact(kind=FactKind.FLAG, action=action, name="--size", evidence=PLACE, **said)


@pytest.mark.parametrize(
    ("fact", "marks"),
    [
        (flag(Action.REMOVED), (Mark.BREAKING,)),
        (flag(Action.CHANGED, before="1", after="2", detail="default"), (Mark.DEFAULT,)),
        (flag(Action.ADDED), ()),
    ],
    ids=["removed flag", "other default", "new flag"],
)
def test_interfaces_mark_a_change(fact, marks):
    assert marks_of(changed(fact)) == marks


def test_model_adds_marks():
    analysis = Analysis(language=Language.EN, change_types=(ChangeType.SECURITY,))
    assert marks_of(changed(flag(Action.REMOVED)), analysis) == (Mark.BREAKING, Mark.SECURITY)


def test_urgent_changes_stand_before_those_with_higher_scores():
    changes = [
        ("plain", (), 0.9),
        ("revert", (Mark.REVERT,), 0.95),
        ("deprecation", (Mark.DEPRECATION,), 0.5),
        ("default", (Mark.DEFAULT,), 0.5),
        ("security", (Mark.SECURITY, Mark.REVERT), 0.5),
        ("breaking", (Mark.BREAKING, Mark.SECURITY), 0.4),
        ("breaking more", (Mark.BREAKING,), 0.6),
    ]
    ordered = [name for name, *rest in sorted(changes, key=lambda one: urgency(one[1], one[2]))]
    assert ordered == [
        *("breaking more", "breaking", "security", "default", "deprecation"),
        *("revert", "plain"),
    ]
