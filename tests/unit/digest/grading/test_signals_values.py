"""The numbers that signals have, for whole changes: sizes, contracts, notes and declarations."""

from __future__ import annotations

from dataclasses import replace
from math import log1p, log2

import pytest

from digest.core.change import FileStatus, Side
from digest.core.facts import (
    Action,
    Area,
    Clue,
    ClueKind,
    Evidence,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    Note,
    Undone,
)
from digest.core.grade import Level
from digest.facts.subject import read_subject
from digest.grading.importance import grade
from digest.grading.signals import signals
from tests.unit.digest.facts.changes import commit

CHANGED, ADDED, REMOVED, RENAMED = Action.CHANGED, Action.ADDED, Action.REMOVED, Action.RENAMED


def file(path: str, area: Area = Area.CORE, added: int = 1, deleted: int = 0, **more) -> FileFacts:
    more.setdefault("status", FileStatus.MODIFIED)
    return FileFacts(path=path, area=area, added=added, deleted=deleted, **more)


def fact(kind: FactKind, action: Action, name: str = "x", path: str = "a.py", **more) -> Fact:
    where = Evidence(path=path, line=1, side=Side.NEW)
    return Fact(kind=kind, action=action, name=name, evidence=where, **more)


def note(mark: str) -> Note:
    return Note(mark=mark, text="x", evidence=Evidence(path="NEWS.md", line=1, side=Side.NEW))


CODE = file("a.py")


def change(title: str = "Tune it", files=(CODE,), **facts) -> Facts:
    return Facts(subject=read_subject(title), files=tuple(files), **facts)


def values(facts: Facts, *starts: str, **more) -> dict[str, float]:
    """The signals whose names begin like that."""
    found = {s.name: s.value for s in signals(facts, **more)}
    return {name: value for name, value in found.items() if name.startswith(starts)}


def subjects(facts: Facts, **more) -> dict[str, str]:
    return {s.name: s.subject for s in signals(facts, **more)}


WIDE = [
    file("src/a.py", added=10, deleted=40),
    file("src/b.py", added=5, status=FileStatus.ADDED),
    file("src/include/x.h", added=0, deleted=3),
    file("tests/a.py", Area.TESTS, 7, 2),
    file("docs/x.md", Area.DOCS, 4, 1),
    file("docs/test_plan.md", Area.DOCS, 50, 50),
    file("CHANGELOG.md", Area.DOCS, 60, 60),
]
SIZES = {
    "core_added": 15,
    "core_deleted": 43,
    "core_files": 3,
    "files": 7,
    "core_new_files": 1,
    "tests_added": 7,
    "tests_changed": 2,
    "docs_added": 4,
    "docs_changed": 1,
    "header_changed": 3,
}


def test_sizes_of_a_wide_change_are_logarithms_of_what_they_count():
    told = change(files=WIDE)
    found = values(told, *SIZES)
    assert found == {name: pytest.approx(log1p(count)) for name, count in SIZES.items()}
    named = subjects(told)
    assert {name: named[name] for name in SIZES} == {n: str(c) for n, c in SIZES.items()}
    assert values(told, "core", "tests_with", "area", "mostly") == {
        **{name: found[name] for name in SIZES if name.startswith("core")},
        "core": 1,
        "tests_with_core": 1,
        "mostly_removed": 1,
    }
    assert not values(change(files=WIDE[:3]), "tests", "docs", "area")


@pytest.mark.parametrize("area", [Area.TESTS, Area.DOCS, Area.CI, Area.BUILD, Area.CONFIG])
def test_area_is_a_signal_only_without_code(area: Area):
    known = {f"area_{area}": 1.0} if area is not Area.CONFIG else {}
    assert values(change(files=[file("x", area)]), "area", "core") == known
    assert not values(change(files=[file("x", area), file("a.py")]), "area")


@pytest.mark.parametrize(
    ("added", "deleted", "mostly"),
    [(0, 20, False), (0, 21, True), (20, 30, False), (20, 31, True), (100, 90, False)],
)
def test_change_is_mostly_a_removal_from_more_than_20_lines_and_half_as_many_again(
    added: int, deleted: int, mostly: bool
):
    told = change(files=[file("a.py", added=added, deleted=deleted)])
    assert bool(values(told, "mostly_removed")) is mostly


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([fact(FactKind.FLAG, ADDED, n) for n in "abc"], {"flag_added": 2.0}),
        ([fact(FactKind.FLAG, REMOVED, n) for n in "abc"], {"flag_removed": 1.0}),
        ([fact(FactKind.ROUTE, RENAMED), fact(FactKind.ROUTE, RENAMED)], {"route_renamed": 1.0}),
        (
            [fact(FactKind.CONFIG, CHANGED, detail="default")],
            {"config_changed": 1.0, "default_changed": 1.0},
        ),
        ([fact(FactKind.METRIC, CHANGED, detail="default")], {"metric_changed": 1.0}),
        ([fact(FactKind.FLAG, ADDED, detail="default")], {"flag_added": 1.0}),
        ([fact(FactKind.FLAG, CHANGED, detail="type")], {"flag_changed": 1.0}),
        ([fact(FactKind.SYMBOL, REMOVED, public=False)], {}),
        ([fact(FactKind.SYMBOL, REMOVED, public=True)], {"symbol_removed": 1.0}),
        ([fact(FactKind.SYMBOL, CHANGED, detail="moved")], {}),
        ([fact(FactKind.FLAG, REMOVED, path="docs/x.md")], {}),
    ],
)
def test_contract_counts_what_outsiders_may_rely_on(items: list[Fact], found: dict[str, float]):
    told = change(files=[file("a.py"), file("docs/x.md", Area.DOCS)], items=tuple(items))
    kinds = ("flag", "route", "config", "metric", "symbol", "default")
    assert values(told, *kinds) == found


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([fact(FactKind.SCHEMA, ADDED, n) for n in "abc"], {"schema": 2.0}),
        ([fact(FactKind.SCHEMA, REMOVED, n) for n in "abc"], {"schema_changed": 1.0}),
        ([fact(FactKind.TOOLCHAIN, CHANGED)], {"toolchain": 1.0}),
        (
            [fact(FactKind.DEPRECATION, ADDED, n, after="v2") for n in "ab"],
            {"deprecation": log2(3), "deprecation_added": 1.0},
        ),
        (
            [fact(FactKind.DEPRECATION, ADDED, after="v2", path="docs/x.md")],
            {"deprecation": 1.0},
        ),
        (
            [fact(FactKind.SECURITY, CHANGED, n, detail="advisory") for n in "ab"],
            {"advisory": 1.0, "security": 1.0},
        ),
        ([fact(FactKind.SECURITY, CHANGED, n, detail="words") for n in "ab"], {"security": 1.0}),
        ([fact(FactKind.SECURITY, CHANGED, n) for n in "abc"], {"security_code": 2.0}),
    ],
)
def test_items_are_counted_by_their_distinct_names(items: list[Fact], found: dict[str, float]):
    told = change(files=[file("a.py"), file("docs/x.md", Area.DOCS)], items=tuple(items))
    assert values(told, "schema", "toolchain", "deprecation", "advisory", "security") == found


def test_subject_of_a_signal_is_the_only_name_or_the_first_with_the_number_of_others():
    three = change(items=tuple(fact(FactKind.FLAG, REMOVED, n) for n in ("--a", "--b", "--c")))
    assert subjects(three)["flag_removed"] == "--a +2"
    one = [fact(FactKind.SECURITY, CHANGED, n, detail="advisory") for n in ("CVE-1", "CVE-2")]
    assert subjects(change(items=tuple(one)))["advisory"] == "CVE-1"


@pytest.mark.parametrize(
    ("files", "notes"),
    [
        ([file("a.py")], {"note": 1.0, "note_fixed": 1.0, "note_added": 1.0}),
        ([file("a.py", added=0, deleted=1)], {"note": 1.0, "note_fixed": 1.0, "note_added": 1.0}),
        ([file("setup.py", Area.BUILD)], {"note": 1.0, "note_fixed": 1.0, "note_added": 1.0}),
        ([file("a.py", added=0)], {}),
        ([file("tests/a.py", Area.TESTS)], {}),
    ],
)
def test_notes_count_once_for_each_mark_and_only_beside_code(files, notes: dict[str, float]):
    told = change(files=files, notes=(note("fixed"), note("added"), note("fixed"), note("")))
    assert values(told, "note") == notes


@pytest.mark.parametrize(
    ("title", "labels", "found"),
    [
        ("Link files by name", (), {}),
        ("Link files by name", ("semver: breaking change",), {"breaking": "semver: breaking change"}),
        ("Link files by name", ("api-change",), {"breaking": "api-change"}),
        ("Link files by name", ("breaks api",), {"breaking": "breaks api"}),
        ("Link files by name", (" major ",), {"breaking": " major "}),
        ("Link files by name", ("not breaking anything",), {}),
        ("[Breaking] Link files", (), {"breaking": "Breaking"}),
        ("feat!: link files", (), {"breaking": ""}),
        ("feat!(links): link files", (), {"breaking": ""}),
        ("Link files", ("area/security", "deprecates"), {
            "label_security": "area/security", "label_deprecation": "deprecates",
        }),
        ("Link files", ("insecurity",), {}),
    ],
)  # fmt: skip
def test_declarations_are_read_from_title_tags_and_labels(title, labels, found: dict[str, str]):
    told = subjects(change(title), labels=labels)
    assert {n: s for n, s in told.items() if n.startswith(("breaking", "label"))} == found


def test_message_explains_by_its_length_and_declares_only_beside_code():
    body = ("It will now wait.", "x" * 100)
    told = change(paragraphs=body, co_authors=("Grace",))
    assert values(told, "explained", "body", "co_") == {
        "explained": pytest.approx(log1p(117)),
        "body_behaviour": 1.0,
        "co_authors": 1.0,
    }
    assert subjects(told)["body_behaviour"] == "will now"
    assert not values(change(paragraphs=body, reverts=Undone(title="x")), "body", "co_")
    assert not values(change(files=[file("a", Area.DOCS)], paragraphs=body), "body")
    late = ("x" * 4000, "It will now wait.")
    assert not values(change(paragraphs=late), "body")


def test_words_of_a_very_long_title_count_up_to_a_bound():
    long = change("Tune " + "x" * 900)
    assert values(long, "title_length") == {"title_length": pytest.approx(log1p(400))}
    assert values(change("Tune"), "title_length") == {"title_length": pytest.approx(log1p(4))}
    assert not values(change("x" * 400 + " perf 30% Turbo-7 `a b` unused"), "title_p", "title_f")


def test_merged_branch_and_bots_are_signals():
    assert not values(change("Merge v1 into main"), "branch", "bot")
    assert values(change("Merge v1 into main", merge=True), "branch") == {"branch_merge": 1.0}
    for author, bot in (("renovate[bot]", {"bot": 1.0}), ("Ada Lovelace", {})):
        assert values(change(), "bot", commit=commit("Tune it", author=author)) == bot


@pytest.mark.parametrize(
    ("title", "files", "found"),
    [
        ("Drop support for Node 18", [file("ci.yml", Area.CI)], set()),
        ("Drop support for Node 18", [file("setup.cfg", Area.BUILD)], {"support_dropped"}),
        ("Rename `--a` to `--b`", [file("setup.cfg", Area.BUILD)], set()),
        ("Rename `--a` to `--b`", [file("Dockerfile", Area.BUILD)], {"rename"}),
        ("Rename `--a` to `--b`", [file("a.py")], {"rename"}),
        ("Rename `--a` to `--b`, unused", [file("a.py")], set()),
        ("Switch events from array to map encoding", [file("a.py")], {"format", "behaviour"}),
        ("Make it the default, unused", [file("a.py")], {"default"}),
        ("Remove docker images", [file("docker/x.yml", Area.CI)], {"support_dropped"}),
        ("ci: update default url", [file(".github/workflows/release.yml", Area.CI)], set()),
        ("Publish images of 3.14", [file("docker/x.yml", Area.CI)], {"shipped"}),
        ("Provide images of 3.14", [file("a.py")], set()),
        ("Move building of images away", [file("docker/x.yml", Area.CI)], set()),
        ("Move publishing packages away", [file("docker/x.yml", Area.CI)], set()),
        ("Remove Python 3.9 from Dockerfile", [file("docker/Dockerfile", Area.BUILD)], set()),
        ("Update tox.ini to remove Python 3.8", [file("tox.ini", Area.BUILD)], set()),
        ("Remove Python 3.9", [file("setup.py", Area.BUILD)], {"requirement"}),
        ("Bump minimum CMake version", [file("build.cmake", Area.BUILD)], {"requirement"}),
    ],
)
def test_demands_of_a_title_count_where_the_change_can_make_them(title, files, found: set[str]):
    told = values(change(title, files), "says_")
    assert found <= {name.removeprefix("says_") for name in told}
    assert bool(told) is bool(found)


def test_image_that_is_built_by_default_is_no_other_default() -> None:
    built = change("Build arm images by default", [file("docker/x.yml", Area.CI)])
    assert set(values(built, "says_")) == {"says_shipped"}


def test_weakness_that_only_the_text_mentions_is_no_security_fix():
    named = fact(FactKind.SECURITY, CHANGED, "DoS", detail="words")
    item = replace(named, evidence=replace(named.evidence, line=9))
    assert values(change("Stream the patch", items=(item,)), "security") == {"security_named": 1.0}
    both = change("Prevent a DoS", items=(named, item))
    assert values(both, "security") == {"security": 1.0}


@pytest.mark.parametrize(("public", "asks"), [(False, False), (None, True), (True, True)])
def test_rename_of_a_function_that_nobody_outside_uses_asks_for_nothing(public, asks):
    item = fact(FactKind.SYMBOL, RENAMED, "new_pool", before="old_pool", public=public)
    graded = change("Rename `old_pool` to `new_pool`", items=(item,))
    assert ("says_rename" in values(graded, "says_")) is asks


@pytest.mark.parametrize(("detail", "signal"), [("field", "config_added"), ("", "flag_added")])
def test_new_flag_that_is_made_of_a_field_weighs_what_a_setting_weighs(detail, signal):
    item = fact(FactKind.FLAG, ADDED, "--pool-size", detail=detail)
    told = values(change("Size the pool", items=(item,)), "")
    assert {"config_added", "flag_added"} & {*told} == {signal}


def test_entry_about_speed_among_changes_asks_nobody_to_act():
    for text, listed in (("Improve the performance of pools", False), ("Read pools twice", True)):
        files = (file("src/pool.py"), file("CHANGELOG.md"))
        told = change(files=files, notes=(replace(note("changed"), text=text),))
        names = {s.name for s in signals(told)}
        assert "note" in names
        assert ("note_changed" in names) is listed


@pytest.mark.parametrize(
    ("tables", "gone"),
    [
        ({Side.OLD: "_TEXT_MODELS"}, True),
        ({Side.OLD: "_TEXT_MODELS", Side.NEW: "_PREVIOUSLY_SUPPORTED_MODELS"}, True),
        ({Side.OLD: "_TEXT_MODELS", Side.NEW: "_IMAGE_MODELS"}, False),
        ({Side.NEW: "_TEXT_MODELS"}, False),
    ],
)
def test_key_that_a_registry_loses_asks_those_who_use_it_to_act(tables, gone):
    clues = tuple(
        Clue(
            kind=ClueKind.REGISTERED,
            name="OldModel",
            text=table,
            evidence=Evidence(path="src/registry.py", line=3, side=side),
        )
        for side, table in tables.items()
    )
    told = replace(change("Remove OldModel"), clues=clues)
    assert ("registered_removed" in {s.name for s in signals(told)}) is gone
    assert (grade(told).level is Level.HIGH) is gone


@pytest.mark.parametrize(
    ("title", "breaks"),
    [
        ("Move the size of `Pool.open` out", True),
        ("[Refactor] Move the size out of `Pool.open`", True),
        ("[Refactor] Move the methods of pools", False),
    ],
)
def test_refactoring_breaks_callers_of_what_it_names(title, breaks):
    more = {"detail": "parameter removed", "public": True}
    for name, path in (("Pool.open", "a.py"), ("Pool::open", "src/a.rs")):
        item = fact(FactKind.SYMBOL, CHANGED, name, path=path, **more)
        assert ("code_broken" in values(change(title, items=(item,)), "")) is breaks


def test_deprecated_name_that_was_never_public_is_not_high():
    for name, level in (("_parser", Level.MEDIUM), ("parser", Level.HIGH)):
        told = change(f"[Deprecation] Remove `{name}` of pools", files=[file("a.py", added=9)])
        assert grade(told).level is level
