"""Names and values of facts, in the words of a sentence."""

from __future__ import annotations

import pytest

from digest.analysis.analyse import analyse
from digest.analysis.explanations import name_list
from digest.analysis.wording import hot_places, kind_of, name_with_values, places, value
from digest.core.change import FileStatus, Side
from digest.core.enums import Language
from digest.core.facts import OVERLOAD, Action, FactKind
from digest.document import plain
from tests.support import samples
from tests.support.fakes import graded

CHANGED, ADDED = Action.CHANGED, Action.ADDED


def words(kind: FactKind, action: Action, **more: str | None) -> str:
    found = samples.fact(kind, action, "x", samples.at("a.py", 3), **more)
    return plain(name_with_values(found, Language.EN))


@pytest.mark.parametrize(
    ("kind", "action", "more", "said"),
    [
        (FactKind.FLAG, CHANGED, {"before": "1", "after": "2", "detail": "default"},
         "x (default 1 → 2)"),
        (FactKind.FLAG, CHANGED, {"after": "2", "detail": "default"}, "x (default none → 2)"),
        (FactKind.CONFIG, CHANGED, {"after": "2", "detail": "default"},
         "x (default required → 2)"),
        (FactKind.SYMBOL, CHANGED, {"before": "2", "detail": "default"},
         "x (2 → required)"),
        (FactKind.FLAG, CHANGED, {}, "x"),
        (FactKind.FLAG, Action.RENAMED, {"before": "y"}, "y → x"),
        (FactKind.FLAG, Action.RENAMED, {}, "x"),
        (FactKind.FLAG, ADDED, {"before": "1", "after": "2"}, "x (default 2)"),
        (FactKind.FLAG, Action.REMOVED, {"before": "1", "after": "2"}, "x (default was 1)"),
        (FactKind.DEPENDENCY, ADDED, {"before": "1", "after": "2"}, "x (2)"),
        (FactKind.DEPENDENCY, Action.REMOVED, {"before": "1", "after": "2"}, "x (1)"),
        (FactKind.FLAG, ADDED, {"after": "x"}, "x"),
        (FactKind.FLAG, ADDED, {"after": "cpus()"}, "x"),
        (FactKind.SYMBOL, ADDED, {"after": "2"}, "x"),
        (FactKind.FLAG, CHANGED, {"before": "cpus()", "after": "2", "detail": "default"}, "x"),
        (FactKind.DEPENDENCY, CHANGED, {"before": "1", "after": "2"}, "x (1 → 2)"),
        (FactKind.FLAG, CHANGED, {"before": "a", "after": "b", "detail": "choices"}, "x (a → b)"),
    ],
)  # fmt: skip
def test_a_name_is_told_with_the_values_that_are_known(kind, action, more, said) -> None:
    assert words(kind, action, **more) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [("a" * 40, "a" * 10), ("a" * 39, "a" * 39), ("z" * 40, "z" * 40), ("", "none")],
)
def test_a_commit_as_a_value_is_shortened(text: str, said: str) -> None:
    part = value(text, Language.EN)
    assert (part if isinstance(part, str) else plain((part,))) == said


@pytest.mark.parametrize(
    ("kind", "detail", "name", "version", "is_pin"),
    [
        (FactKind.DEPENDENCY, "cmake", "kernels", "a" * 40, True),
        (FactKind.DEPENDENCY, "cmake", "kernels", "1.2", False),
        (FactKind.DEPENDENCY, "python", "numpy", "a" * 40, False),
        (FactKind.DEPENDENCY, "python dev", "pytest", "9.0", True),
        (FactKind.DEPENDENCY, "docker", "debian", "13", True),
        (FactKind.DEPENDENCY, "python", "CUDA_VERSION", "13.1", True),
        (FactKind.CONFIG, "docker", "debian", "13", False),
    ],
)  # fmt: skip
def test_a_version_that_only_a_build_uses_is_called_a_pin(kind, detail, name, version, is_pin):
    for sides in ({"after": version}, {"before": version}):
        pin = samples.fact(kind, CHANGED, name, samples.at("a.txt", 3), detail=detail, **sides)
        other = samples.fact(FactKind.DEPENDENCY, CHANGED, "b", samples.at("a.txt", 4))
        assert (kind_of([pin], Language.EN) == "pinned version") == is_pin
        assert (kind_of([pin, pin], Language.EN) == "pinned versions") == is_pin
        assert "pinned" not in kind_of([pin, other], Language.EN)


def test_moved_names_are_told_together_for_each_pair_of_files() -> None:
    items = [
        samples.fact(
            FactKind.SYMBOL, CHANGED, name, samples.at("b.py", 3, Side.NEW),
            before=before, after="b.py", detail="moved", public=True,
        )
        for name, before in (("One", "a.py"), ("Two", "a.py"), ("Three", "c.py"))
    ]  # fmt: skip
    graded = samples.change(
        1, "Move it", samples.Level.HIGH, files=[samples.file("b.py")], items=items
    )
    texts = [statement.text for statement in analyse(graded, Language.EN).risks]
    moved = [text for text in texts if "a.py" in text or "c.py" in text]
    assert len(moved) == 2
    assert {("One" in text, "Two" in text, "Three" in text) for text in moved} == {
        (True, True, False),
        (False, False, True),
    }


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "n0"), (4, "n0, n1, n2 and n3"), (5, "n0, n1, n2, n3 and 1 more")],
)
def test_a_sentence_has_at_most_four_names(count: int, said: str) -> None:
    items = [
        samples.fact(FactKind.FLAG, Action.REMOVED, f"n{n}", samples.at("a.py", n, Side.OLD))
        for n in range(count)
    ]
    assert plain(name_list(items, Language.EN)) == said


def test_a_removed_overload_is_told_with_its_parameters() -> None:
    items = [
        samples.fact(
            FactKind.SYMBOL, Action.REMOVED, "load_options", samples.at("include/options.h", line, Side.OLD),
            before=before, detail=OVERLOAD, public=True,
        )
        for line, before in ((3, "(Slice path, Env env) -> void"), (9, "(Env env) -> void"))
    ]  # fmt: skip
    assert [plain(name_with_values(item, Language.EN)) for item in items] == [
        "load_options(Slice path, Env env)",
        "load_options(Env env)",
    ]
    graded = samples.change(
        1, "Tidy up", samples.Level.HIGH, files=[samples.file("include/options.h")], items=items
    )
    whole = analyse(graded, Language.EN)
    told = " ".join(statement.text for statement in whole.risks)
    assert "load_options(Env env)" in told
    assert "load_options(Slice path, Env env)" in told


def test_folders_are_joined_upwards_until_they_are_few():
    touched = graded("1", "Tidy", {f"src/core/{name}/a.py": 1 for name in "abcd"}).facts.files
    assert [place.path for place in places(touched, 4)] == [
        f"src/core/{name}/a.py" for name in "abcd"
    ]
    assert [place.path for place in places(touched, 3)] == ["src/core/"]


def test_places_come_by_the_lines_that_change_in_them_and_then_by_name():
    files = [
        samples.file("a.py", added=5, deleted=0),
        samples.file("b.py", added=1, deleted=9),
        samples.file("c.py", added=3, deleted=2),
    ]
    assert [place.path for place in places(files, 4)] == ["b.py", "a.py", "c.py"]
    deep = [samples.file(f"one/two/three/{name}/a.py") for name in "abcde"]
    assert [place.path for place in places([*deep, *files[:1]], 2)] == ["one/two/three/", "a.py"]
    apart = [samples.file(f"one/two/{name}/a.py") for name in "ab"]
    apart += [samples.file(f"one/three/{name}/a.py") for name in "ab"]
    assert [place.path for place in places(apart, 1)] == ["one/three/", "one/two/"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "a.py (+1,234 −2)"),
        ({"deleted": 0}, "a.py (+1,234)"),
        ({"added": 0}, "a.py (−2)"),
        ({"added": 0, "deleted": 0}, "a.py (±0)"),
        ({"status": FileStatus.ADDED, "deleted": 0}, "a.py (new, +1,234)"),
        ({"status": FileStatus.DELETED, "added": 0}, "a.py (removed, −2)"),
        ({"binary": True}, "a.py"),
        ({"omitted": True}, "a.py"),
    ],
)
def test_place_is_told_with_what_happened_there(more, said):
    (place,) = places([samples.file("a.py", **{"added": 1234, "deleted": 2} | more)], 1)
    assert plain(place.described(Language.EN)) == said


def test_place_of_several_files_is_told_with_their_number_and_lines():
    (place,) = places([samples.file(f"src/{name}.py", added=2, deleted=1) for name in "abc"], 1)
    assert plain(place.described(Language.EN)) == "src/ (3 files, +6 −3)"


def touching(*paths):
    return samples.change(
        1, "Do it", samples.Level.LOW, files=[samples.file(p) for p in paths]
    ).facts


@pytest.mark.parametrize(
    ("changes", "hot"),
    [
        ([["src/core/a.py"]], [("src/core/", 1)]),
        (
            [["src/core/a.py", "src/core/b.py"], ["src/api/a.py"]],
            [("src/api/", 1), ("src/core/", 1)],
        ),
        ([["src/core/a.py"], ["src/core/deep/a.py"], ["src/api/a.py"]], [("src/core/", 2)]),
        ([["src/a.py"], ["src/core/a.py"], ["src/core/b.py"]], [("src/core/", 2)]),
        ([["a.py"], ["a.py"]], []),
    ],
)
def test_hot_places_are_the_folders_that_several_changes_touch(changes, hot):
    assert hot_places([touching(*paths) for paths in changes], 3) == hot
    assert hot_places([touching(*paths) for paths in changes], 1) == hot[:1]
