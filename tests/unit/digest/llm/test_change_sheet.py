"""The layout of a change: which hunk a place is in, and what each piece shows."""

from __future__ import annotations

import dataclasses

import pytest

from digest.core.change import FileChange, FileStatus, Hunk, Side
from digest.core.enums import Privacy
from digest.core.facts import Action, Area, Evidence, Fact, FactKind
from digest.llm.change_sheet import HunkIds, cut_into_pieces, head
from digest.llm.model_input import Masked, material
from digest.llm.prompt_text import Cause
from tests.support import materials

HUNKS = (
    Hunk(old_start=5, new_start=5, removed=("a", "b"), added=("c",), section="def a():"),
    Hunk(old_start=20, new_start=19, removed=(), added=("d", "e", "f")),
)


def file(path, hunks=HUNKS, **more):
    return FileChange(
        path=path,
        status=more.pop("status", FileStatus.MODIFIED),
        added=more.pop("added", sum(len(h.added) for h in hunks)),
        deleted=more.pop("deleted", sum(len(h.removed) for h in hunks)),
        hunks=tuple(hunks),
        old_id="1" * 40,
        new_id="2" * 40,
        **more,
    )


@pytest.mark.parametrize(
    ("path", "line", "side", "name"),
    [
        ("a.py", 4, Side.NEW, "F1"),
        ("a.py", 5, Side.NEW, "F1.H1"),
        ("a.py", 6, Side.NEW, "F1"),
        ("a.py", 18, Side.NEW, "F1"),
        ("a.py", 19, Side.NEW, "F1.H2"),
        ("a.py", 21, Side.NEW, "F1.H2"),
        ("a.py", 22, Side.NEW, "F1"),
        ("a.py", 0, Side.NEW, "F1"),
        ("a.py", 5, Side.OLD, "F1.H1"),
        ("a.py", 6, Side.OLD, "F1.H1"),
        ("a.py", 7, Side.OLD, "F1"),
        ("a.py", 20, Side.OLD, "F1"),
        ("new.py", 19, Side.NEW, "F2.H2"),
        ("old.py", 5, Side.OLD, "F2.H1"),
        ("new.py", 5, Side.OLD, "M"),
        ("old.py", 5, Side.NEW, "M"),
        ("gone.py", 5, Side.NEW, "M"),
        ("a.py", 5, Side.MESSAGE, "M"),
        ("", 0, Side.REQUEST, "M"),
    ],
)
def test_place_is_in_the_hunk_that_has_its_line_or_in_its_file(path, line, side, name):
    renamed = file("new.py", old_path="old.py", status=FileStatus.RENAMED)
    change = materials.material("Do it", file("a.py"), renamed).change
    assert HunkIds(change).id_of(Evidence(path=path, line=line, side=side)) == name


def test_hunk_that_is_too_long_is_cut_between_its_lines_and_counts_each_once():
    hunk = Hunk(
        old_start=1, new_start=1, removed=("r" * 9,), added=("a" * 9, "b" * 9, "c" * 50, "d"),
        section="\tdef a():",
    )  # fmt: skip
    made = materials.material("Do it", file("engine/a.py", [hunk]))
    rows = ["-" + "r" * 9, *("+" + one for one in hunk.added)]
    for longest, cuts in ((5, [1] * 5), (32, [2, 1, 1, 1]), (33, [3, 1, 1]), (1000, [5])):
        pieces = cut_into_pieces(made, longest).pieces
        assert [piece.lines for piece in pieces] == cuts
        told = [piece.text.split("\n") for piece in pieces]
        assert [row for shown in told for row in shown[1:]] == rows
        assert [shown[0] for shown in told] == [
            "@ F1.H1 in def a():",
            *["@ F1.H1 (continued) in def a():"] * (len(cuts) - 1),
        ]
        assert [piece.rank[-1] for piece in pieces] == list(range(len(cuts)))


@pytest.mark.parametrize(("count", "rest"), [(24, 0), (25, 1)])
def test_removed_lines_beyond_the_first_ones_are_counted(count, rest):
    rows = tuple(f"row {n}" for n in range(count))
    hunk = Hunk(old_start=1, new_start=1, removed=rows, added=("new",))
    cut = cut_into_pieces(materials.material("Do it", file("engine/a.py", [hunk])), 1000)
    (piece,) = cut.pieces
    more = [f"~ and {rest} more removed lines"] * bool(rest)
    assert piece.text.split("\n")[1:] == [*(f"-{one}" for one in rows[:24]), *more, "+new"]
    assert [one.lines for one in cut.omitted] == [rest] * bool(rest)


def test_lines_that_no_hunk_has_are_counted_by_why_they_are_missing():
    part = file("engine/a.py", added=9, deleted=4)
    made = materials.material("Do it", part, file("engine/b.py"))
    (left,) = cut_into_pieces(made, 1000).omitted
    assert (left.cause, left.paths, left.lines) == (Cause.LARGE, ("engine/a.py",), 13 - 6)

    def redactor(change, facts):
        return Masked(change=change, facts=facts, secrets=0)

    bare = material(made.change, made.graded, Privacy.METADATA, redactor)
    (left,) = cut_into_pieces(bare, 1000).omitted
    assert (left.cause, left.lines) == (Cause.PRIVATE, 13 + 6)
    assert left.paths == ("engine/a.py", "engine/b.py")


def fact(action=Action.CHANGED, line=5, **more):
    place = Evidence(path="engine/a.py", line=line, side=Side.NEW)
    return Fact(kind=FactKind.FLAG, action=action, name="--n", evidence=place, **more)


def test_facts_raise_a_hunk_of_code_and_not_one_of_tests():
    made = materials.material("Do it", file("tests/a.py"), file("engine/a.py"))
    hunks = [(1, 0), (1, 1), (0, 0), (0, 1)]
    for path, order in (
        (None, hunks),
        ("engine/a.py", [(1, 1), (1, 0), *hunks[2:]]),
        ("tests/a.py", hunks),
    ):
        place = Evidence(path=path or "", line=19, side=Side.NEW)
        items = (dataclasses.replace(fact(), evidence=place),) if path else ()
        facts = dataclasses.replace(made.facts, items=items)
        pieces = cut_into_pieces(dataclasses.replace(made, facts=facts), 1000).pieces
        assert [(piece.file, piece.hunk) for piece in pieces] == order
    assert [one.area for one in made.facts.files] == [Area.TESTS, Area.CORE]


@pytest.mark.parametrize(
    ("item", "row"),
    [
        (fact(before="1", after="2", detail="default"), "* flag changed: --n, default, from 1, to 2 [F1.H1]"),
        (fact(before="1"), "* flag changed: --n, from 1 [F1.H1]"),
        (fact(after="2", line=3), "* flag changed: --n, to 2 [F1]"),
        (fact(Action.RENAMED, before="--m", after="--n"), "* flag renamed: --n, from --m, to --n [F1.H1]"),
        (fact(Action.ADDED, before="1", after="2"), "* flag added: --n, 2 [F1.H1]"),
        (fact(Action.REMOVED, before="1", after="2"), "* flag removed: --n, 1 [F1.H1]"),
        (fact(Action.ADDED, after="--n"), "* flag added: --n [F1.H1]"),
        (fact(Action.ADDED), "* flag added: --n [F1.H1]"),
    ],
)  # fmt: skip
def test_fact_is_told_with_its_known_values_and_its_place(item, row):
    made = materials.material("Do it", file("engine/a.py"))
    facts = dataclasses.replace(made.facts, items=(item, item))
    rows = head(dataclasses.replace(made, facts=facts), len, 100_000).split("\n")
    assert [one for one in rows if one.startswith("* ")] == [row]
    plain = dataclasses.replace(made, facts=dataclasses.replace(made.facts, items=()))
    assert "# Facts" not in head(plain, len, 100_000)
