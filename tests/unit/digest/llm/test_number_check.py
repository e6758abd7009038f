"""Numbers of a sentence against a text: written otherwise they are the same, longer ones are not."""

from __future__ import annotations

import pytest

from digest.llm.change_index import ChangeIndex
from digest.llm.number_check import count_number, counts, has_number, wrong_number
from digest.llm.tokens import take_apart
from tests.support import materials

POOL = materials.pool()
GROUND = ChangeIndex(POOL.change, POOL.facts)


@pytest.mark.parametrize(
    ("number", "source"),
    [
        ("30", "30"), ("30", "waits 30, then"), ("30", "30.0"), ("30.0", "30"), ("30", "v30"),
        ("v30", "30"), ("V2.9", "2.9.1"), ("2.9", "2.9.1"), ("0", "a[0]"), ("5", "共5个"),
        ("4096", "4,096"), ("4096", "4_096"), ("4,096", "4096"), ("4_096", "4,096"),
        ("12", "12ms"), ("12", "x=12"), ("234", "f(a,234)"), ("234", ",234"), ("30", "30_a"),
        ("30", "300 and 30"), ("30", "30."), ("2", "2.x"), ("2", "é2"), ("1.4", "1.4.2"),
    ],
)  # fmt: skip
def test_number_is_found_however_it_is_written(number, source):
    assert has_number(number, source)


@pytest.mark.parametrize(
    ("number", "source"),
    [
        ("30", ""), ("30", "300"), ("30", "130"), ("30", "x30"), ("30", "_30"), ("30", "rev30"),
        ("30", "30_0"), ("2", "2.9"), ("4", "1.4"), ("4", ".4f"), ("0.9", "0.90"), ("9", "v2.9"),
        ("234", "1,234"), ("4096", "4,0961"), ("12", "12ab3 a"), ("12", "9v12"), ("30", "3 0"),
        ("3.0", "30"),
    ],
)  # fmt: skip
def test_part_of_a_longer_number_or_word_is_not_the_number(number, source):
    assert not has_number(number, source)


def test_number_is_counted_once_for_each_place():
    assert count_number("4096", "4096 4,096 4_096 40960") == 3
    assert count_number("1", "11 1") == 1


@pytest.mark.parametrize(
    ("source", "sentence", "right"),
    [
        ("waits 30 seconds", "It waits 30 s.", True),
        ("waits 30 ms", "It waits 30 s.", False),
        ("timeout = 30", "It waits 30 s.", True),
        ("limit = 30", "It waits 30 s.", False),
        ("timeout = 30 ms", "It waits 30 s.", False),
        ("limit = 30 of the timeout", "It waits 30 s.", True),
        ("limit = 4 and timeout_ms = 30", "It waits 30 ms.", True),
        ("limit = 30", "It waits 30 ms.", False),
        ("grew by 2x", "It is 2x faster.", True),
        ("size = 2", "It is 2x faster.", False),
        ("with 64 KB", "It takes 64 KB.", True),
        ("with 64 MB", "It takes 64 KB.", False),
        ("with 64 MB", "It takes 64 kB.", False),
        ("with 64 MB", "It takes 64 MB.", True),
        ("follows #4711", "It follows #4711.", True),
        ("[3/n] Do it", "It is part 3.", True),
        ("ratio = 40", "It takes 40% less.", True),
        ("size = 40", "It takes 40% less.", False),
        ("size = 40", "It takes 40 bytes.", True),
        ("stored as int16", "It is stored in 16 bits.", True),
        ("stored as int160", "It is stored in 16 bits.", False),
        ("needs a 5090Ti", "It needs a 5090ti.", True),
        ("needs a 5090", "It needs a 5090ti.", False),
        ("needs 7 experts", "It needs 7 experts.", True),
        ("needs 70 experts", "It needs 7 experts.", False),
        ("touches 7 files", "It touches 7 files.", True),
        ("touches 70 files", "It touches 7 files.", False),
        ("touches 7 parts", "It touches seven files.", False),
        ("a second one", "There are 2 of them.", False),
    ],
)
def test_number_needs_its_unit_or_a_name_beside_it_that_implies_one(source, sentence, right):
    ground = ChangeIndex.of_texts([source])
    assert (wrong_number(take_apart(sentence), ground) is None) is right


def test_lines_beside_the_number_imply_no_unit():
    index = materials.material("Do it", ("a.py", "", "timeout = a()\nlimit = 77\ntimeout = b()\n"))
    ground = ChangeIndex(index.change, index.facts)
    assert wrong_number(take_apart("It waits 77 seconds."), ground) is not None


@pytest.mark.parametrize(
    ("sentence", "about"),
    [
        ("There are 2 such cases.", None),
        ("There are 17 such cases.", "17"),
        ("It takes 45 % less.", "45 %"),
        ("Touches 5 files.", "5"),
        ("Touches five files.", "5 files"),
        ("Touches four files.", None),
        ("改了五个文件。", "5 files"),
        ("改了四个文件。", None),
        ("The 2 changed files are small.", None),
        ("Adds 12 lines.", None),
        ("Adds 11 lines.", "11"),
        ("Removes 5 lines.", "5"),
        ("Removes 1 flag and changes 2 options.", None),
    ],
)
def test_wrong_number_is_named_with_its_unit(sentence, about):
    failed = wrong_number(take_apart(sentence), GROUND)
    assert (failed and failed.about) == about


def test_counts_are_of_the_whole_of_areas_kinds_and_details():
    assert counts("files", GROUND) == {1, 2, 4}
    assert counts("lines", GROUND) == {0, 1, 2, 3, 7, 9, 12, 14, 21}
    assert counts("tests", GROUND) == {0, 1}
    assert counts("flag", GROUND) == {1, 2}
    assert counts("symbol", GROUND) == {1, 3}
    assert counts("metric", GROUND) == frozenset()
    new = "def a(): ...\ndef b(): ...\nclass C: ...\n"
    mixed = materials.material("Do it", ("a.py", "class Old: ...\n", new))
    assert counts("symbol", ChangeIndex(mixed.change, mixed.facts)) == {1, 2, 3, 4}


def test_kind_of_names_is_counted_apart_from_the_other_kinds():
    made = materials.material(
        "Do it",
        ("a.py", "", "def a(): ...\ndef b(): ...\ndef c(): ...\ndef d(): ...\nclass E: ...\n"),
        ("b.go", "", "package b\n\nconst F = 1\n\nconst G = 2\n"),
    )
    assert counts("symbol", ChangeIndex(made.change, made.facts)) == {4, 1, 2, 7}


def test_numbers_up_to_two_are_words_where_there_is_a_change():
    index = materials.material("Do it", ("a.py", "x\n", "y\n"))
    ground = ChangeIndex(index.change, index.facts)
    for number, right in ((1, True), (2, True), (3, False), (30, False)):
        assert (wrong_number(take_apart(f"There are {number} cases."), ground) is None) is right


def test_tests_are_counted_by_side_and_by_their_difference():
    rows = "def test_a():\n    ...\n\n", "func TestB(t *testing.T) {}\n", "@Test\n", "a\n"
    index = materials.material(
        "Test it",
        ("a_test.py", rows[0] * 4 + rows[1], rows[3]),
        ("b_test.go", "", rows[1] + rows[2]),
    )
    assert counts("tests", ChangeIndex(index.change, index.facts)) == {2, 5, 3}
