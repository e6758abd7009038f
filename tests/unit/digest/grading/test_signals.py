"""What titles and paths say to the grade, and what only seems to."""

from __future__ import annotations

import pytest

from digest.core.change import FileStatus, Side
from digest.core.facts import Action, Area, Evidence, Fact, FactKind, Facts, FileFacts, Subject
from digest.grading.signals import signals


def told(title: str, *items: Fact, path: str = "src/a.py", area: Area = Area.CORE) -> set[str]:
    file = FileFacts(path=path, status=FileStatus.MODIFIED, area=area, added=3, deleted=1)
    facts = Facts(subject=Subject(title=title, words=title), files=(file,), items=items)
    return {signal.name for signal in signals(facts)}


@pytest.mark.parametrize(
    "title",
    [
        "Add a scheduler",
        "[Model] Support three models",
        "[New Model] Tiny",
        "New sampler",
        "Added a sampler",
        "feat(api): new route",
        "[Core] Enabled by default",
    ],
)
def test_announced_feature_is_one(title):
    assert "title_feature" in told(title)


@pytest.mark.parametrize(
    "title",
    [
        "[Bugfix] Fix a list consumed when logging is enabled",
        "[XPU] properly handle a scale that is not supported",
        "Remove a file in the new layout",
    ],
)
def test_condition_in_a_title_announces_nothing(title):
    assert "title_feature" not in told(title)


@pytest.mark.parametrize("title", ["Improve help of an option", "guard a field to avoid panic"])
def test_improving_and_avoiding_are_no_performance(title):
    assert "title_performance" not in told(title)


@pytest.mark.parametrize(
    ("path", "area", "counts"),
    [
        ("src/a.py", Area.CORE, True),
        ("setup.py", Area.BUILD, True),
        ("tests/a.py", Area.TESTS, False),
        ("scripts/fuzz.ts", Area.BUILD, False),
    ],
)
def test_variables_of_tests_and_scripts_weigh_nothing(path, area, counts):
    where = Evidence(path=path, line=1, side=Side.NEW)
    item = Fact(kind=FactKind.ENVIRONMENT, action=Action.ADDED, name="DEPTH", evidence=where)
    assert ("environment_added" in told("Fuzz", item, path=path, area=area)) is counts
