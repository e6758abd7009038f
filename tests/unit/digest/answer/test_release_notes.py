"""What an upgrade meets: the first and the last step of a stretch of history."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from digest.answer.answers import Seen
from digest.answer.release_notes import met, met_words, notes_document, notes_of
from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import Action, Evidence, Fact, FactKind
from digest.core.request import Release
from digest.document import Text, plain
from digest.markdown import markdown
from digest.window import days_window
from tests.support.fakes import REPOSITORY, graded
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


@pytest.mark.parametrize(
    ("before", "after"), [("off", "on"), ("ON", "OFF"), ("16_777_216", "64 * 1024 * 1024")]
)
def test_switch_and_product_are_values(before, after):
    assert found([default(before, after)]) == [(Action.CHANGED, "--size", before, after)]


def test_first_and_last_default_are_told():
    assert found([default("1", "2")], [default("2", "3")]) == [(Action.CHANGED, "--size", "1", "3")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'auto'", '"auto"'),
        ("None", "Config.size"),
        ("1", "limit()"),
        ("1", None),
        ("16_777_216", "16 * 1024 * 1024"),
        ("1048576", "1 << 20"),
    ],
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


NOW = datetime(2026, 1, 23, 9, tzinfo=UTC)
SEEN = Seen(
    repository=REPOSITORY,
    tip="a" * 40,
    at=NOW,
    zone=ZoneInfo("Asia/Shanghai"),
    language=Language.EN,
)


def notes(page: int, **more) -> list[str]:
    """The lines of notes with one change of high importance and five fixes, two of a group."""
    fixes = [
        graded(str(n), f"Fix {n} (#{n})", {"src/a.py": 9}, author="Bob" if n % 2 else "Ada")
        for n in range(1, 6)
    ]
    span = days_window(date(2026, 1, 1), date(2026, 1, 22), ZoneInfo("UTC"))
    document = notes_document(notes_of([*fixes, flag_change()]), span, SEEN, 2, page=page, **more)
    return [line for line in markdown(document).splitlines() if line]


def test_each_page_of_notes_has_the_next_changes_of_each_group_and_counts_the_rest():
    first, second, last = notes(1), notes(2), notes(3)
    assert first[1] == "6 changes by 4 people"
    assert first[2] == "**Breaking changes (1 change)**"
    assert first[4].startswith("  - 👉 Check if you use `--use-pool`")
    titles = [[f"Fix {n} (#{n})" for n in (5, 4, 3, 2, 1) if f"[Fix {n} (" in "".join(one)]
              for one in (first, second, last)]  # fmt: skip
    assert titles == [
        ["Fix 5 (#5)", "Fix 4 (#4)"],
        ["Fix 3 (#3)", "Fix 2 (#2)"],
        ["Fix 1 (#1)"],
    ]
    rest = [[line for line in one if line.startswith("and ")] for one in (first, second, last)]
    assert [[line.partition(":")[0] for line in one] for one in rest] == [
        ["and 3 more"],
        ["and 1 more"],
        [],
    ]
    assert "changed kind:fix" in rest[0][0]
    assert first[-2] == "Contributors: Bob (3), Ada (2), Ada Lovelace (1) and Grace Hopper (1)"
    assert notes(9) == last


def test_notes_tell_the_day_and_the_own_name_of_a_release():
    late = datetime(2026, 1, 20, 17, tzinfo=UTC)
    releases = [
        Release(tag="v1", name=" v1 ", published_at=late),
        Release(tag="v2", name="The  second", published_at=NOW),
    ]
    assert notes(1, releases=releases)[2:4] == [
        "v1, published on 2026-01-21",
        "v2 (The second), published on 2026-01-23",
    ]
