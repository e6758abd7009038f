"""The few changed lines below a statement, and a patch with its colours."""

from __future__ import annotations

import re

import pytest

from bot.web.pages.diffs import Colours, excerpt, patch_of, patch_pages
from digest.core.change import Change, FileChange, FileStatus, Hunk, Side
from digest.core.facts import Evidence
from tests.support.samples import flag_change


def change(*hunks: Hunk, path: str = "engine/cli.py", **said) -> Change:
    added = sum(len(hunk.added) for hunk in hunks)
    deleted = sum(len(hunk.removed) for hunk in hunks)
    file = FileChange(
        path=path, status=FileStatus.MODIFIED, added=added, deleted=deleted, hunks=hunks, **said
    )
    return Change(commit=flag_change().commit, files=(file,))


def text(lines) -> list[str]:
    return [f"{one.sign}{one.number} {re.sub('<[^>]+>', '', one.html)}" for one in lines]


LONG = Hunk(
    old_start=10,
    new_start=20,
    removed=tuple(f"old {n}" for n in range(9)),
    added=tuple(f"new {n}" for n in range(9)),
)


@pytest.mark.parametrize(
    ("side", "line", "shown"),
    [
        (Side.NEW, 24, "-13 -14 -15 +22 +23 +24 +25 +26"),
        (Side.OLD, 14, "-12 -13 -14 -15 -16 +23 +24 +25"),
        (Side.NEW, 20, "-10 -11 -12 +20 +21 +22"),
        (Side.NEW, 28, "-16 -17 -18 +26 +27 +28"),
    ],
)
def test_excerpt_is_the_lines_around_the_evidence(side, line, shown):
    found = excerpt(
        change(LONG), [Evidence(path="engine/cli.py", line=line, side=side)], Colours(), {}
    )
    assert found is not None
    assert " ".join(f"{one.sign}{one.number}" for one in found.lines) == shown
    assert 3 <= len(found.lines) <= 8
    assert found.place == f"cli.py:{line}"


TEXT = [f"line {n}" for n in range(1, 13)]


@pytest.mark.parametrize(
    ("hunks", "side", "line", "shown"),
    [
        ([(5, 5, 1, 1)], Side.NEW, 5, " 3  4 -5 +5  6  7"),
        ([(5, 5, 1, 1)], Side.OLD, 5, " 3  4 -5 +5  6  7"),
        ([(1, 1, 0, 1)], Side.NEW, 1, "+1  2  3"),
        ([(12, 12, 1, 1)], Side.NEW, 12, " 10  11 -12 +12"),
        ([(5, 4, 1, 0)], Side.OLD, 5, " 3  4 -5  5  6"),
        ([(3, 3, 1, 1), (5, 5, 1, 1), (7, 7, 1, 1)], Side.NEW, 5, " 4 -5 +5  6"),
        ([(4, 3, 1, 0), (6, 5, 1, 1), (7, 5, 1, 0)], Side.NEW, 5, " 4 -6 +5"),
        ([(5, 5, 3, 3)], Side.NEW, 6, " 4 -5 -6 -7 +5 +6 +7  8"),
        ([(5, 5, 0, 7)], Side.NEW, 5, " 3  4 +5 +6 +7"),
        ([(5, 5, 0, 7)], Side.NEW, 11, "+9 +10 +11  12"),
        ([(99, 99, 1, 1)], Side.NEW, 99, "-99 +99"),
    ],
)
def test_excerpt_has_unchanged_lines_where_there_is_room(hunks, side, line, shown):
    made = [
        Hunk(
            old_start=old,
            new_start=new,
            removed=tuple(f"old {n}" for n in range(gone)),
            added=tuple(f"line {new + n}" for n in range(come)),
        )
        for old, new, gone, come in hunks
    ]
    evidence = Evidence(path="engine/cli.py", line=line, side=side)
    found = excerpt(change(*made), [evidence], Colours(), {"engine/cli.py": TEXT})
    assert found is not None
    assert " ".join(f"{one.sign}{one.number}" for one in found.lines) == shown
    assert len(found.lines) <= 8
    unchanged = [line for line in text(found.lines) if line[0] == " "]
    assert all(re.fullmatch(r" (\d+) line \1", line) for line in unchanged)


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence(path="engine/cli.py", line=99, side=Side.NEW),
        Evidence(path="engine/cli.py", line=0, side=Side.NEW),
        Evidence(path="other.py", line=24, side=Side.NEW),
        Evidence(path="", line=1, side=Side.MESSAGE),
    ],
    ids=["another line", "whole file", "another file", "message"],
)
def test_what_the_patch_does_not_hold_has_no_excerpt(evidence):
    assert excerpt(change(LONG), [evidence], Colours(), {}) is None
    assert excerpt(None, [evidence], Colours(), {}) is None


def test_renamed_file_is_found_by_its_old_path_on_the_old_side():
    moved = change(LONG, old_path="engine/old.py")
    found = excerpt(moved, [Evidence(path="engine/old.py", line=12, side=Side.OLD)], Colours(), {})
    assert found is not None


HOSTILE = ['x = "<script>alert(1)</script>"', "\x1b[31m\u202e<img src=x>", "'''", "</pre>" * 200]


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.html", "a.unknown", "a.css", "Makefile"])
def test_lines_of_others_are_text(path):
    lines = Colours().of(path, HOSTILE)
    assert len(lines) == len(HOSTILE)
    for line in lines:
        assert re.sub(r'</?span( class="[a-z]")?>', "", line).count("<") == 0
        assert "\x1b" not in line
        assert len(re.sub("<[^>]+>", "", line)) < 2000


def test_colours_name_what_a_word_is():
    (line,) = Colours().of("a.py", ["def call(): return 'x'  # why"])
    assert '<span class="k">def</span>' in line
    assert '<span class="c"># why</span>' in line
    assert Colours(0).of("a.py", ["def call(): pass"]) == ["def call(): pass"]


def test_lines_stay_lines_whatever_they_hold():
    lines = ["a = '''x", "y'''", "", "b = 1\r"]
    assert len(Colours().of("a.py", lines)) == 4


def test_patch_is_told_in_pages_that_hold_every_line_once():
    (page,) = patch_pages(change(LONG).files)
    ((number, path, _, lines),) = patch_of(page)
    assert (number, path) == (0, "engine/cli.py")
    assert text(lines)[:2] == ["@20 ", "-10 old 0"]
    old = tuple(f"a = {n} # <old>" for n in range(900))
    new = tuple(f"b = {n} # 'new'" for n in range(2000))
    long = Hunk(old_start=5, new_start=7, removed=old, added=new)
    small = Hunk(old_start=1, new_start=1, removed=(), added=("x = 1",))
    files = (*change(long, small).files, *change(path="logo.png", binary=True).files)
    pages = [patch_of(page) for page in patch_pages(files)]
    assert len(pages) > 3
    for page in pages:
        lines = [line for *_, own in page for line in own]
        assert sum(len(line.html.encode()) + 50 for line in lines) < 90_000
    told = [line for page in pages for *_, own in page for line in text(own) if line[0] != "@"]
    assert told[:2] == ["-5 a = 0 # &lt;old&gt;", "-6 a = 1 # &lt;old&gt;"]
    assert told[900:902] == ["+7 b = 0 # &#39;new&#39;", "+8 b = 1 # &#39;new&#39;"]
    assert told[-2:] == ["+2006 b = 1999 # &#39;new&#39;", "+1 x = 1"]
    assert len(told) == 2901
    assert pages[-1][-1][:2] == (1, "logo.png")
    assert patch_pages(()) == [[]]


def test_no_page_ends_with_a_part_without_lines():
    wide = Hunk(old_start=1, new_start=1, removed=(), added=("x" * 300,), section="def f():")
    pages = patch_pages(change(*[wide] * 2000).files)
    hunks = [hunk for page in pages for _, _, hunks in page for hunk in hunks]
    assert len(pages) > 3
    assert [hunk.added for hunk in hunks] == [wide.added] * 2000


def test_line_of_tokens_alone_is_plain_where_its_colours_would_weigh_too_much():
    wide = Hunk(old_start=1, new_start=1, removed=(), added=("1 " * 200,) * 100)
    (page,) = patch_pages(change(wide).files)
    ((*_, lines),) = patch_of(page)
    assert sum(len(line.html) for line in lines) < 90_000
