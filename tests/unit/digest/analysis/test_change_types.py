from dataclasses import replace

import pytest

from digest.analysis.change_types import change_types
from digest.analysis.context import read
from digest.core.change import FileStatus
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, Area, FactKind, Undone
from digest.core.grade import Level
from digest.core.statement import ChangeType
from digest.topics.terms import kinds_of
from tests.support import samples
from tests.support.fakes import graded

CORE, MAKE = samples.file("src/a.py"), samples.file("Makefile", Area.BUILD, added=90)
DOC, TEST = samples.file("docs/a.md", Area.DOCS), samples.file("tests/a.py", Area.TESTS)
EXAMPLE, BENCH = (samples.file(f"{a}/a.py", a) for a in (Area.EXAMPLES, Area.BENCHMARKS))

CODE, TESTS, DOCS, CI = (
    {path: 9} for path in ("src/a.py", "tests/test_a.py", "docs/a.md", ".github/workflows/a.yml")
)


@pytest.mark.parametrize(
    ("kind", "title", "files"),
    [
        (ChangeKind.SECURITY, "Fix DoS via sample-rate forgery (#1)", CODE),
        (ChangeKind.SECURITY, "Bump grpc to v1.82.1 (GHSA-hrxh-6v49-42gf)", CODE),
        (ChangeKind.SECURITY, "Sanitize server file paths from error responses", CODE),
        (ChangeKind.SECURITY, "Reject a request forgery in the proxy", CODE),
        (ChangeKind.FIX, "promtool: Fixed tsdb dump dropping samples", CODE),
        (ChangeKind.FIX, "fix(css): keep the order", CODE),
        (ChangeKind.FIX, "discovery/aws: don't panic on absent fields", CODE),
        (ChangeKind.FIX, "discovery/aws: guard nil fields to avoid panic", CODE),
        (ChangeKind.FIX, "Avoid rejection sampler OOM by chunking", CODE),
        (ChangeKind.DEPENDENCIES, "fix(deps): update module octo/cli to v2", CODE),
        (ChangeKind.PERFORMANCE, "tsdb: Add fast paths to chunk reading", CODE),
        (ChangeKind.PERFORMANCE, "scrape: stop scrape pools in parallel", CODE),
        (ChangeKind.PERFORMANCE, "Avoid metadata lookups during compilation", CODE),
        (ChangeKind.PERFORMANCE, "[Kernel] Fuse the norm into the quantization", CODE),
        (ChangeKind.PERFORMANCE, "Enable PGO for Linux releases", CI),
    ],
)
def test_kinds_of_a_change_follow_from_the_words_of_its_title(kind, title, files):
    assert kind in kinds_of(graded("1", title, files))


@pytest.mark.parametrize(
    ("kind", "title", "files"),
    [
        (ChangeKind.SECURITY, "Sanitize logits before the top-k", CODE),
        (ChangeKind.SECURITY, "Skip padding, bypassing the scaled kernel", CODE),
        (ChangeKind.SECURITY, "Honor the security protocol of the listener", CODE),
        (ChangeKind.FEATURE, "POOL-1234: Delete the old pool", CODE),
        (ChangeKind.FIX, "docs: fix grammar", CODE),
        (ChangeKind.FIX, "audit: `--ignore` and `--ignore-until-fixed`", CODE),
        (ChangeKind.FIX, "chore: fix redundantSprint issues from gocritic", CODE),
        (ChangeKind.FIX, "Fix a flaky test", TESTS),
        (ChangeKind.FIX, "fix(deps): update module octo/cli to v2", CODE),
        (ChangeKind.FIX, "Fix a typo", DOCS),
        (ChangeKind.PERFORMANCE, "test: speed up the suite", CODE),
        (ChangeKind.PERFORMANCE, "discovery: run tests in parallel", TESTS),
    ],
)
def test_a_word_that_means_something_else_makes_no_kind(kind, title, files):
    assert kind not in kinds_of(graded("1", title, files))


def change(title, *items, files=("src/a.py",), subject=None, **more):
    files = [samples.file(f) if isinstance(f, str) else f for f in files]
    graded = samples.change(
        1, title, Level.HIGH, files=files, items=items, subject=subject or {}, **more
    )
    return change_types(read(graded, Language.EN))


def fact(kind, action, name="x", **more):
    return samples.fact(kind, action, name, samples.at("src/a.py", 3), **more)


@pytest.mark.parametrize(
    ("title", "subject", "files", "types"),
    [
        # A tag that names both counts as what most of the change is about.
        ("Do it", {"tags": ("CI/Build",)}, [CORE], ["ci"]),
        ("Do it", {"tags": ("CI/Build",)}, [MAKE, CORE], ["ci", "build"]),
        ("Do it", {"tags": ("Build",)}, [CORE], ["build"]),
        ("Do it", {"type": "chore", "scope": "ci"}, [CORE], ["ci"]),
        ("Do it", {"type": "feat", "scope": "docs"}, [CORE], ["feature"]),
        # Every file of one area makes the type, files of several do not.
        ("Do it", {}, [DOC], ["documentation"]),
        ("Do it", {}, [DOC, CORE], ["other"]),
        ("Fix a typo", {}, [DOC, TEST, EXAMPLE, BENCH], ["other"]),
        ("Fix a typo", {}, [DOC, TEST, CORE], ["fix"]),
        ("Fix it", {"tags": ("Perf", "Security", "CI", "Test"), "breaking": True}, [CORE],
         ["breaking", "performance", "security", "ci"]),
    ],
)  # fmt: skip
def test_types_follow_from_tags_and_from_where_all_of_the_change_is(title, subject, files, types):
    assert [one.value for one in change(title, files=files, subject=subject)] == types


@pytest.mark.parametrize(
    ("title", "items", "more", "types"),
    [
        ("Do it", [fact(FactKind.SYMBOL, Action.ADDED)], {}, ["feature"]),
        ("Fix it", [fact(FactKind.SYMBOL, Action.ADDED)], {}, ["fix"]),
        ("Undo", [fact(FactKind.SYMBOL, Action.ADDED)], {"reverts": Undone(number=1)}, ["revert"]),
        ("Do it", [fact(FactKind.SYMBOL, Action.ADDED), fact(FactKind.SYMBOL, Action.REMOVED, "y")],
         {}, ["other"]),
        ("Do it", [fact(FactKind.SYMBOL, Action.REMOVED, public=True)], {}, ["removal"]),
        ("Do it", [fact(FactKind.METRIC, Action.REMOVED)], {}, ["removal"]),
        ("Do it", [fact(FactKind.DEPENDENCY, Action.REMOVED)], {}, ["dependency"]),
        ("Fix it", [fact(FactKind.DEPENDENCY, Action.CHANGED)], {}, ["fix", "dependency"]),
        ("Do it", [fact(FactKind.DEPENDENCY, Action.CHANGED, detail="pip dev")], {}, ["dependency"]),
        ("Do it", [fact(FactKind.SYMBOL, Action.CHANGED)], {}, ["other"]),
        ("Do it", [fact(FactKind.METRIC, Action.ADDED)], {}, ["other"]),
        ("Do it", [fact(FactKind.FLAG, Action.ADDED)], {}, ["configuration"]),
    ],
)  # fmt: skip
def test_types_follow_from_what_the_diff_shows(title, items, more, types):
    assert [one.value for one in change(title, *items, **more)] == types


def test_two_moves_or_two_other_bases_change_the_architecture_and_one_does_not():
    moved = [
        fact(FactKind.SYMBOL, Action.CHANGED, n, detail="moved", before="b.py", after="a.py")
        for n in "xy"
    ]
    based = [fact(FactKind.SYMBOL, Action.CHANGED, n, detail="bases") for n in "xy"]
    files = [samples.file(f"src/{n}.py", status=FileStatus.RENAMED) for n in "ab"]
    of_tests = [replace(one, area=Area.TESTS) for one in files]
    for count, types in ((1, (ChangeType.OTHER,)), (2, (ChangeType.ARCHITECTURE,))):
        assert change("Do it", *moved[:count]) == types
        assert change("Do it", *based[:count]) == types
        assert change("Do it", files=files[:count]) == types
    changed = [replace(one, detail="types of it") for one in based]
    assert change("Do it", *changed) == (ChangeType.OTHER,)
    assert ChangeType.ARCHITECTURE not in change("Do it", files=of_tests)
