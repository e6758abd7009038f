"""Lookups in a change: whole words, whole lines, and where they stand."""

from __future__ import annotations

import dataclasses

import pytest

from digest.core.change import FileStatus, Side
from digest.llm.change_index import ChangeIndex, occurs, places
from tests.support import materials

MATERIAL = materials.material(
    "Use fused_moe (LoRAConfig)",
    ("src/old.py", "limit = 4\nother = 5\n", "limit = 8\nother = 6\n"),
    ("src/gone.py", "gone = 1\nlimit = 2\n", None),
    ("src/é.py", None, "fresh = 3\n"),
)
INDEX = ChangeIndex(MATERIAL.change, MATERIAL.facts)


@pytest.mark.parametrize(
    ("literal", "text", "at"),
    [
        ("max_len", "max_len, max_length max_len", [0, 20]),
        ("len", "max_len", []),
        ("len", "len_max", []),
        ("len", "len中 中len", [0, 6]),
        ("--use", "--use --use-pool ---use a--use --use=1", [0, 31]),
        ("-x", "--x -x", [4]),
        (".", "a.b.", [1, 3]),
        ("aa", "aa aaa aa", [0, 7]),
        (".", "a..", [1, 2]),
        ("", "a", []),
    ],
)
def test_text_occurs_as_a_whole_word_or_flag(literal, text, at):
    assert list(places(literal, text)) == at
    assert occurs(literal, text) is bool(at)


def test_file_that_was_moved_is_known_under_both_paths():
    moved = materials.renamed()
    index = ChangeIndex(moved.change, moved.facts)
    before = [file.old_path for file in moved.change.files if file.old_path]
    assert before
    assert {*index.paths} == {*before, *(file.path for file in moved.change.files)}


def test_rows_are_whole_lines_and_each_comes_once():
    texts = ChangeIndex.of_texts(["limit = limit", "second", "x limit"])
    assert list(texts.rows("limit")) == ["limit = limit", "x limit"]
    assert list(ChangeIndex.of_texts(["limit"]).rows("limit")) == ["limit"]
    assert list(INDEX.rows("limit")) == ["limit = 4", "limit = 2", "limit = 8"]


def test_files_are_those_with_the_word_in_path_or_lines():
    assert list(INDEX.files_with("limit")) == [0, 1]
    assert list(INDEX.files_with("gone")) == [1]
    assert list(INDEX.files_with("fresh")) == [2]


def test_words_have_their_parts_in_any_case():
    assert {"fused_moe", "fused", "moe", "loraconfig", "config"} <= INDEX.humps
    assert "Fused" not in INDEX.words
    assert INDEX.spelled["loraconfig"] == "LoRAConfig"
    assert "fused_moe" not in INDEX.spelled


def test_name_is_located_on_its_side_and_otherwise_at_the_hunk():
    changed, gone, fresh = MATERIAL.change.files

    def located(name: str, file) -> tuple[str, int, Side]:
        found = INDEX.locate([name, ""], file, file.hunks[0])
        return found.path, found.line, found.side

    assert located("other", changed) == ("src/old.py", 2, Side.NEW)
    assert located("5", changed) == ("src/old.py", 2, Side.OLD)
    assert located("nothing", changed) == ("src/old.py", 1, Side.NEW)
    both = INDEX.locate(["nothing", "other"], changed, changed.hunks[0])
    assert (both.line, both.side) == (2, Side.NEW)
    assert located("the", changed) == ("src/old.py", 1, Side.NEW)
    moved = dataclasses.replace(changed, path="src/new.py", old_path="src/old.py")
    assert located("6", moved) == ("src/new.py", 2, Side.NEW)
    assert located("5", moved) == ("src/old.py", 2, Side.OLD)
    assert gone.status is FileStatus.DELETED
    assert located("limit", gone) == ("src/gone.py", 2, Side.OLD)
    assert located("nothing", gone) == ("src/gone.py", 1, Side.OLD)
    assert located("fresh", fresh)[1:] == (1, Side.NEW)


def test_texts_that_are_no_change_count_as_its_message_a_line_each():
    index = ChangeIndex.of_texts(["one\ntwo", "three"])
    assert index.message == "one two\nthree"
    assert index.holds("two")
    assert index.paths == ()
