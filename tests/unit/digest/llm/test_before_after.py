"""What a sentence says of before and after, against hunks, facts, the message and files."""

from __future__ import annotations

import pytest

from digest.core.change import FileChange, FileStatus
from digest.core.enums import Language
from digest.llm.change_index import ChangeIndex
from digest.llm.format_check import Failed, Rejection
from digest.llm.statement_check import judge_words
from tests.support import materials


def fault(text, *files, message="Change it", cited=None):
    material = materials.material(message, *files)
    ground = ChangeIndex(material.change, material.facts)
    hunks = [] if cited is None else [material.change.files[0].hunks[cited]]
    found = judge_words(text, ground, Language.EN, hunks)
    return found.fault if isinstance(found, Failed) else None


FAR = "".join(f"row {n} of many\n" for n in range(30))


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("limit = 4\n", "limit = 8\n", None),
        ("limit = 8\n", "limit = 4\n", Rejection.SHIFT),
        ("limit = 4\n", "limit = 8\nmore = 8, 8\na = 4\nb = 4\n", None),
        ("limit = 8\nmore = 8, 8\na = 4\nb = 4\n", "limit = 4\n", Rejection.SHIFT),
        ("limit = 4\n", "limit = 8\na = 4\nb = 4\n", Rejection.SHIFT),
        ("a = 4\nb = 8\n", "a = 8\nb = 4\n", Rejection.SHIFT),
        ("limit = 40\n", "limit = 8\n", Rejection.NUMBER),
        ("limit = 4\nmore = 8\n", "limit = 8\n", None),
        ("limit = 4, 4\nmore = 8, 8\n", "limit = 4\nmore = 8\n", Rejection.SHIFT),
        ("a = 4\n" + FAR, FAR + "b = 8\n", Rejection.SHIFT),
    ],
)
def test_value_goes_from_a_removed_line_to_an_added_one_of_the_same_hunk(old, new, wrong):
    assert fault("The value goes from 4 to 8.", ("a.txt", old, new)) is wrong


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("The value goes from 14 to 4.", "a = 14\nb = 4\n", "a = 4\n"),
        ("`mode` goes from `abc` to `xyz`.", "mode = abc\n", "mode = get(1)\nother = xyz\n"),
        ("It goes from `abc` to `xyz`.", "abc\n", "xyz\nabc_a\nabc_b\n"),
        ("The value of `limit` goes from 4 to 8.", "limit = 4\n", "size = 8\n"),
        ("The value of `size` goes from 4 to 8.", "limit = 4\n", "size = 8\n"),
        ("Replaces `start()` with `begin()`.", "start(1)\n", "begin(1)\n"),
        ("The value of `Pool.a` goes from 4 to 8.", "x = 4  # Pool\n", "x = 8  # Pool\n"),
        ("The value of `a.py` goes from 4 to 8.", "x = 4\n", "x = 8\n"),
        (
            "The `alpha` of the `parser` goes from 4 to 8.",
            "alpha = 4\nparser()\n",
            "alpha = 8\nparser(1)\n",
        ),
        ("The value goes from 4,096 to 8,192.", "limit = 4096\n", "limit = 8192\n"),
        ("It goes from `None` to 8.", "a = None\nb = 8\n", "a, b, c = 8, 8, 8\nd = None, None\n"),
        (
            "The default of `--size` of the `parser` goes from 4 to 8.",
            f'parser.add_argument("--size", default=4)\n{FAR}',
            f'{FAR}parser.add_argument("--size", default=8)\n',
        ),
    ],
)
def test_value_may_be_written_otherwise_or_move(text, old, new):
    assert fault(text, ("a.py", old, new)) is None


def test_one_of_many_hunks_is_enough_and_every_hunk_is_looked_at():
    files = [("a.txt", "x = 1\n", "y = 2\n"), ("b.txt", "limit = 4\n", "limit = 8\n")]
    for some in (files, files[::-1]):
        assert fault("The value goes from 4 to 8.", *some) is None
        assert fault("The value goes from 8 to 4.", *some) is Rejection.SHIFT


def test_swapped_values_are_told_by_their_names():
    swap = ("a.txt", "alpha = 4\nbeta = 8\n", "alpha = 8\nbeta = 4\n")
    assert fault("The value of `alpha` goes from 4 to 8.", swap) is None
    assert fault("The value of `beta` goes from 4 to 8.", swap) is Rejection.SHIFT
    assert fault("The value of `beta` goes from 8 to 4.", swap) is None
    assert fault("The value of `alpha` goes from 4 to 8.", swap, cited=0) is None
    other = ("a.txt", "alpha = 4\nbeta = 8\n", "alpha()\nbeta = 4\nother = 8\n")
    assert fault("The value of `alpha` goes from 4 to 8.", other) is Rejection.SHIFT


def test_name_with_another_value_on_its_lines_does_not_have_this_one():
    texts = ("a.txt", "limit = 4\n", "limit = 9\nprint(limit)\nother = 8\n")
    assert fault("The value of `limit` goes from 4 to 8.", texts) is Rejection.SHIFT
    assert fault("The value of `limit` goes from 4 to 9.", texts) is None


def test_cited_hunk_that_shows_the_reverse_is_a_contradiction():
    texts = ("a.txt", f"x = 4\n{FAR}y = 8\n", f"x = 8\n{FAR}y = 4\n")
    assert fault("The value goes from 4 to 8.", texts) is None
    assert fault("The value goes from 4 to 8.", texts, cited=0) is None
    assert fault("The value goes from 4 to 8.", texts, cited=1) is Rejection.SHIFT


@pytest.mark.parametrize(
    ("files", "wrong"),
    [
        ([("a.txt", f"OldThing\n{FAR}x\n", f"y\n{FAR}NewThing\n")], None),
        ([("a.txt", f"OldThing\n{FAR}x\n", f"NewThing\n{FAR}OldThing\n")], None),
        ([("a.txt", f"NewThing\n{FAR}x\n", f"OldThing\n{FAR}NewThing\n")], Rejection.SHIFT),
        (
            [
                (
                    "a.txt",
                    f"NewThing\n{FAR}OldThing\n{FAR.upper()}y\n",
                    f"OldThing\n{FAR}x\n{FAR.upper()}NewThing\n",
                )
            ],
            Rejection.SHIFT,
        ),
        ([("a.txt", "OldThing\n", "x\n"), ("b.txt", "x\n", "NewThing\n")], Rejection.SHIFT),
        ([("a.txt", "x\n", "OldThing NewThing\n")], Rejection.SHIFT),
        ([("a.txt", "OldThing NewThing\n", "x\n")], Rejection.SHIFT),
        ([("a.txt", f"OldThing\n{FAR}x\n", f"y\n{FAR}NewThing OldThing\n")], None),
    ],
)
def test_name_is_replaced_within_one_file(files, wrong):
    assert fault("Replaces `OldThing` with `NewThing`.", *files) is wrong


def test_version_may_be_written_otherwise_in_the_message():
    texts, message = ("a.txt", "x==2.8.0\n", "x==2.9.1\n"), "Use v2.9.1\n\nNo more v2.8.0"
    assert fault("Raises `x` from `v2.8.0` to `v2.9.1`.", texts, message=message) is None
    assert fault("It goes from `v2.8.0` to `v2.9.1`.", texts, message=message) is None
    assert fault("Raises `x` from `v2.9.1` to `v2.8.0`.", texts, message=message) is not None


def test_swapped_values_are_no_change_of_their_file():
    swap = ("a.py", "alpha = 4\nbeta = 8\n", "alpha = 8\nbeta = 4\n")
    assert fault("The value of `a.py` goes from 4 to 8.", swap) is Rejection.SHIFT


def test_amount_is_no_name_that_is_replaced_within_one_file():
    far = ("a.txt", f"wait 5min\n{FAR}x\n", f"y\n{FAR}wait 10min\n")
    assert fault("Replaces `5min` with `10min`.", far) is Rejection.SHIFT


def test_short_name_is_replaced_within_one_hunk_only():
    for new, wrong in (("Now", Rejection.SHIFT), ("Next", None), ("new_thing2", None)):
        far = ("a.txt", f"OldThing\n{FAR}x\n", f"y\n{FAR}{new}\n")
        assert fault(f"Replaces `OldThing` with `{new}`.", far) is wrong
    assert fault("Replaces `OldThing` with `Now`.", ("a.txt", "OldThing\n", "Now\n")) is None


@pytest.mark.parametrize(
    ("text", "message", "wrong"),
    [
        ("The limit goes from 4 to 8.", "Raise it from 4 to 8", None),
        ("The limit goes from 8 to 4.", "Raise it from 4 to 8", Rejection.SHIFT),
        ("Uses `alpha` instead of `beta`.", "Use alpha instead of beta", None),
        ("Uses `beta` instead of `alpha`.", "Use beta\n\nalpha", Rejection.SHIFT),
        ("Uses `alpha` instead of `beta`.", "Use alpha and beta", Rejection.SHIFT),
        ("Uses `beta` instead of `alpha`.", "Use alpha instead of beta", Rejection.SHIFT),
        ("Uses `alpha` instead of `beta`.", "Replace beta with alpha", None),
        ("The limit goes from 8 to 4.", "Use 8 instead of 4", Rejection.SHIFT),
        ("The limit goes from 4 to 8.", "Use 8 instead of 4", None),
        ("The limit goes from 4 to 8.", "Instead of 4, use 8", None),
        ("The limit goes from 8 to 4.", "The limit is 8 (was 4)", Rejection.SHIFT),
        ("The limit goes from 4 to 8.", "4 was replaced by 8", None),
        ("The limit goes from 4 to 8.", "上限改为 8，原为 4", None),
    ],
)
def test_author_may_say_it_in_one_line(text, message, wrong):
    assert fault(text, ("a.txt", "x\n", "y\n"), message=message) is wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("`limit` is 8 now.", None),
        ("`limit` is 9 now.", Rejection.SHIFT),
        ("`limit` is `8` now.", None),
        ("`limit` is `9` now.", Rejection.SHIFT),
        ("`other` is 9 now.", None),
        ("`other` is 8 now.", Rejection.SHIFT),
        ("Adds `limit`.", None),
        ("Adds `gone`.", Rejection.SIDE),
        ("Removes `gone`.", None),
        ("Removes `limit`.", Rejection.SIDE),
        ("Removes `b.txt`.", None),
        ("Adds `c.txt`.", None),
        ("Removes `c.txt`.", Rejection.SIDE),
        ("`limit` is 77 now.", Rejection.SHIFT),
        ("`a.limit` is 8 now.", None),
        ("`depth` is 5 now.", None),
        ("`depth` is 12 now.", None),
        ("`limit` is 12 now.", Rejection.SHIFT),
        ("Adds `limit other`.", None),
        ("`e.txt` goes from 3 to 5.", None),
        ("`d.txt` goes from 3 to 5.", Rejection.SHIFT),
        ("`c.txt` is 77 now.", Rejection.SHIFT),
        ("`d.txt` is 77 now.", None),
        ("The value of `gone` goes from 3 to 5.", Rejection.SHIFT),
        ("`depth` is 3 now.", None),
        ("Adds `--thing`.", Rejection.SIDE),
        ("Adds `logo.png`.", None),
        ("Adds `images/`.", None),
        ("Adds `images`.", Rejection.SIDE),
    ],
)
def test_names_have_their_values_and_sides(text, wrong):
    files = [
        ("a.txt", "gone = 1\n", "limit = 8\nother = 9\n"),
        ("b.txt", "text of it\n", None),
        ("c.txt", None, "text of it\n"),
        ("d.txt", "", "size = 77\n"),
        ("e.txt", "depth = 3\n--thing\n", "depth = 5\nthing\n"),
        *(
            FileChange(path=path, status=FileStatus.ADDED, old_id="0" * 40, new_id="1" * 40)
            for path in ("logo.png", "images/a.png")
        ),
    ]
    assert fault(text, *files, message="Name it\n\ndepth was 12 once") is wrong


@pytest.mark.parametrize(
    ("text", "message", "wrong"),
    [
        ("Moves `helper` to `b.py`.", "Do it", None),
        ("Moves `helper` to `a.py`.", "Move helper\n\nLeave a.py", Rejection.SHIFT),
        ("Moves `helper` to `a.py`.", "Move helper to a.py", None),
        ("Moves `helper` to `a.py`.", "Do it\n\nMove helper to a.py.\nThat is all.", None),
        ("Moves `helper` to `c.py`.", "Do it", Rejection.SHIFT),
        ("Moves `helper` to async.", "Do it", None),
    ],
)
def test_name_moves_to_the_file_that_gains_it(text, message, wrong):
    files = [("a.py", "def helper(): ...\n", ""), ("b.py", "", "def helper(): ...\n")]
    files.append(("c.py", "x = 1\n", "x = 2\n"))
    assert fault(text, *files, message=message) is wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Replaces `old.py` with `new.py`.", None),
        ("Replaces `new.py` with `old.py`.", Rejection.SHIFT),
        ("Replaces `old.py` with `apart.py`.", Rejection.SHIFT),
        ("Replaces `apart.py` with `new.py`.", Rejection.SHIFT),
        ("Replaces `shrunk.py` with `new.py`.", None),
        ("Replaces `grown.py` with `new.py`.", Rejection.SHIFT),
        ("Replaces `old.py` with `grown.py`.", None),
        ("Replaces `old.py` with `shrunk.py`.", Rejection.SHIFT),
    ],
)
def test_file_is_replaced_by_one_that_gains_lines(text, wrong):
    files = [
        ("old.py", "x = 1\n", None),
        ("new.py", None, "y = 2\n"),
        ("grown.py", "a = 1\n", "a = 1\nb = 1\n"),
        ("shrunk.py", "c = 1\nd = 1\n", "d = 1\n"),
    ]
    assert fault(text, *files, message="Do it\n\nLeave apart.py") is wrong
