"""Names and values of facts, in the words of a sentence."""

from __future__ import annotations

import pytest

from digest.analysis.analyse import analyse
from digest.analysis.context import read
from digest.analysis.explanations import name_list
from digest.analysis.wording import (
    choices_of,
    hot_places,
    kind_of,
    name_with_values,
    names,
    places,
    registered,
    shared_start,
    undone_change,
    value,
)
from digest.core.change import FileStatus, Side
from digest.core.enums import Language
from digest.core.facts import OVERLOAD, Action, Clue, ClueKind, FactKind, Undone
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
    beside = [samples.file(f"one/{name}.py") for name in "ab"]
    assert [place.path for place in places(beside, 2)] == ["one/a.py", "one/b.py"]
    assert [place.path for place in places(beside, 1)] == ["one/"]
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
    for called, told in (("abc", "src/ (3 files, +6 −3)"), ("ab", "src/ (2 files, +4 −2)")):
        files = [samples.file(f"src/{name}.py", added=2, deleted=1) for name in called]
        (place,) = places(files, 1)
        assert plain(place.described(Language.EN)) == told


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
        ([["src/a.py"]], [("src/", 1)]),
        ([["src/a.py", "src/core/a.py"], ["src/core/b.py", "src/b.py"]], [("src/core/", 2)]),
    ],
)
def test_hot_places_are_the_folders_that_several_changes_touch(changes, hot):
    assert hot_places([touching(*paths) for paths in changes], 3) == hot
    assert hot_places([touching(*paths) for paths in changes], 1) == hot[:1]


def listed(*items, level=samples.Level.HIGH, language=Language.EN, values=False):
    reading = read(samples.change(1, "Do it", level), language)
    return plain(names(items, reading, values=values))


def of_class(name, action=Action.REMOVED, **more):
    place = samples.at("a.py", 3)
    return samples.fact(FactKind.SYMBOL, action, name, place, detail="method", **more)


@pytest.mark.parametrize(
    ("called", "english", "chinese"),
    [
        (["A.take", "B.put"], "A.take and B.put", "A.take 和 B.put"),
        (["A.take", "B.take"], "take (2 classes)", "take（2 个类）"),
        # What holds for three classes comes before a function, and a function before other methods.
        (["A.put", "A.take", "B.take", "C.take", "run"], "take (3 classes), run and A.put",
         "take（3 个类）、run 和 A.put"),
        (["A.take", "A.take", "run", "run"], "run and A.take", "run 和 A.take"),  # overloads
        (["A.take", "B.take", "run"], "run and take (2 classes)", "run 和 take（2 个类）"),
        (["A.__init__", "B.__init__"], "the constructors of 2 classes", "__init__（2 个类）"),
    ],
)  # fmt: skip
def test_methods_of_one_name_are_one_entry(called, english, chinese) -> None:
    items = [of_class(name) for name in called]
    assert listed(*items) == english
    assert listed(*items, language=Language.ZH) == chinese


def test_renamed_methods_are_one_entry_with_both_names_if_they_changed_alike() -> None:
    alike = [of_class(f"{c}.get", Action.RENAMED, before=f"{c}.take") for c in "AB"]
    assert listed(*alike, values=True) == "take → get (2 classes)"
    assert listed(*alike) == "get (2 classes)"
    other = of_class("C.get", Action.RENAMED, before="C.put")
    assert listed(*alike, other, values=True) == "take → get (2 classes) and C.put → C.get"
    moved = of_class("C.get", Action.RENAMED, before="put")
    assert listed(moved, values=True) == "put → get"


def test_short_lists_end_where_a_small_screen_does_and_longer_ones_do_not() -> None:
    long = [
        samples.fact(FactKind.FLAG, ADDED, f"--{'pool-' * 8}{n}", samples.at("a.py", n))
        for n in range(5)
    ]
    for level, count in ((samples.Level.LOW, 2), (samples.Level.MEDIUM, 4)):
        told = listed(*long, level=level)
        assert told.count("--pool-") == count
        assert told.endswith(f" and {5 - count} more")


def test_choices_are_compared_only_where_all_of_them_are_known() -> None:
    for before, after, known in (
        ('["a", "b"]', '["b", "c"]', (["a"], ["c"])),
        (None, '["b"]', ([], [])),
        ('["a"]', None, ([], [])),
        ('["a", OTHER]', '["b"]', ([], [])),
        ('["a"]', '["b", OTHER]', ([], [])),
    ):
        place = samples.at("a.py", 3)
        sides = {"before": before, "after": after}
        item = samples.fact(FactKind.FLAG, CHANGED, "--x", place, detail="choices", **sides)
        assert choices_of(item) == known
        typed = samples.fact(FactKind.FLAG, CHANGED, "--x", place, detail="type", **sides)
        assert choices_of(typed) == ([], [])


@pytest.mark.parametrize(
    ("pairs", "start"),
    [
        (["a_x b_x", "a_y b_y", "a_z b_z"], ("a_*", "b_*")),
        (["a.xs b.xs", "a.xt b.xt", "a.xu b.xu"], ("a.*", "b.*")),
        (["a_x b_x", "a_y b_y", "a_z b_q"], ("", "")),
        (["a_x b_x", "a_y b_y"], ("", "")),
        (["x b_x", "y b_y", "z b_z"], ("", "")),
        (["a_x x", "a_y y", "a_z z"], ("", "")),
    ],
)
def test_names_share_a_start_if_only_that_changed_of_at_least_three(pairs, start) -> None:
    assert shared_start([tuple(pair.split()) for pair in pairs]) == start


@pytest.mark.parametrize(
    ("undone", "english", "chinese"),
    [
        (Undone(number=12), "#12", " #12 "),
        (Undone(number=12, title="Add it"), "#12 (“Add it”)", " #12（“Add it”）"),
        (Undone(sha="0123456789abcdef"), "0123456789", "0123456789"),
        (Undone(title="Add it"), "an earlier change (“Add it”)", "此前的一项变更（“Add it”）"),
    ],
)
def test_change_that_is_undone_is_told_as_far_as_it_is_named(undone, english, chinese) -> None:
    assert plain(undone_change(undone, Language.EN, "#")) == english
    assert plain(undone_change(undone, Language.ZH, "#")) == chinese


def test_names_that_enter_one_table_are_told_together() -> None:
    clues = tuple(
        Clue(kind=ClueKind.REGISTERED, name=n, text="CARD_POOLS", evidence=samples.at("a.py", 3))
        for n in ("Red", "Blue")
    )
    for count, told in ((1, "Red is now among"), (2, "Red and Blue are now among")):
        graded = samples.change(1, "Do it", samples.Level.HIGH, clues=clues[:count])
        (_, [(spans, places_of)]) = registered(read(graded, Language.EN))
        assert plain(spans) == f"{told} the card pools"
        assert len(places_of) == count
