"""The author's words: whole sentences, code kept apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.authors import (
    CodeOwners,
    clip_title,
    code_as_spans,
    excerpt,
    is_owner,
    names_code,
    sentences,
    without_backticks,
    without_presented,
)
from digest.document import Code, Text, plain


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("See e.g. Foo or i.e. Bar. Done.", ["See e.g. Foo or i.e. Bar.", "Done."]),
        ("Version 2.10 is out. It is fast.", ["Version 2.10 is out.", "It is fast."]),
        ("He said so (really.) Then left.", ["He said so (really.)", "Then left."]),
        ("Reads `tool ... --flag x` now. Next.", ["Reads `tool ... --flag x` now.", "Next."]),
        ("One ` alone. Next.", ["One ` alone.", "Next."]),
        ("修复崩溃。提升性能！", ["修复崩溃。", "提升性能！"]),
        ("- one\n- two\n  goes on\n* three", ["one", "two goes on", "three"]),
        ("1. first\n2. second", ["first", "second"]),
        ("wrapped\nline. Next", ["wrapped line.", "Next"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_stops(text, found):
    assert sentences(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("use `a b` now", (Text("use "), Code("a b"), Text(" now"))),
        ("``a ` b``", (Code("a ` b"),)),
        ("the kernel`f` runs", (Text("the kernel "), Code("f"), Text(" runs"))),
        ("one ` alone", (Text("one ` alone"),)),
        ("**bold** word", (Text("bold word"),)),
        ("a  \n b", (Text("a b"),)),
        ("a  b", (Text("a  b"),)),
        ("", ()),
    ],
)
def test_authored_reads_backticks_and_nothing_else(text, found):
    assert code_as_spans(text) == found


def test_unticked_keeps_the_words_of_code():
    assert without_backticks("Add `get_name` to\n all") == "Add get_name to all"


@given(st.text(max_size=200), st.integers(1, 80))
def test_excerpt_is_whole_sentences_within_its_limit(text, limit):
    kept, whole = excerpt(text, limit)
    assert len(kept) <= limit
    pieces = sentences(text)
    assert not kept or kept.startswith(pieces[0])
    assert not whole or all(piece in kept or piece[-1] in ":：" for piece in pieces)


@given(st.text(alphabet="ab `*.\n", max_size=60))
def test_authored_drops_no_word(text):
    letters = [c for c in text if c in "ab"]
    assert [c for c in plain(code_as_spans(text)) if c in "ab"] == letters


def test_runs_of_one_sign_are_read_in_one_go() -> None:
    # Once for each of their characters would take minutes.
    for text in ("`" * 50_000, "a" + " " * 50_000 + "b", "**a " * 10_000):
        assert "".join(span.text for span in code_as_spans(text)) == text.strip()
        assert without_backticks(text) == text.strip()


@given(st.text(max_size=900))
def test_clipped_titles_begin_alike_and_are_bounded(text):
    cut = clip_title(text)
    assert len(cut) <= 400
    assert cut == text if len(text) <= 400 else text.startswith(cut.removesuffix("…"))


def test_titles_are_cut_at_a_word():
    assert clip_title("one two three", 10) == "one two…"
    assert clip_title("x" * 12, 10) == "x" * 9 + "…"


GITHUB = r"""
# Who reviews what
*            @ada
/docs/*      docs@example.org   # not what is below
src/         @octo/core @bob
/src/gen/
*.rs         @octo/rust
a\ b/*.txt   @eve
\#odd        @odd
src/**/deep/**/x.py @deep
"""
GITLAB = """
[Core][2] @lead
/core/
/core/api/ @api
!/core/api/old.py
^[Documentation]
*.md @writers @@developer
[core]
/core/api/new.py @late
"""


@pytest.mark.parametrize(
    ("text", "path", "owners"),
    [
        (GITHUB, "README", ("@ada",)),
        (GITHUB, "docs/a.md", ("docs@example.org",)),
        (GITHUB, "docs/deep/a.md", ("@ada",)),
        (GITHUB, "lib/src/a.py", ("@octo/core", "@bob")),
        (GITHUB, "src/gen/a.py", ()),
        (GITHUB, "src/gen/a.rs", ("@octo/rust",)),
        (GITHUB, "a b/c.txt", ("@eve",)),
        (GITHUB, "#odd", ("@odd",)),
        (GITHUB, "src/1/deep/2/x.py", ("@deep",)),
        (GITLAB, "core/a.py", ("@lead",)),
        (GITLAB, "core/api/a.py", ("@api",)),
        (GITLAB, "core/api/old.py", ()),
        (GITLAB, "core/api/new.py", ("@late",)),
        (GITLAB, "core/api/a.md", ("@api", "@writers", "@@developer")),
        (GITLAB, "setup.py", ()),
        ("", "a", ()),
        ("[\n@ada\n\\\n!\n* nobody", "a", ()),
    ],
)
def test_last_pattern_of_each_section_says_who_owns_a_file(text, path, owners):
    assert CodeOwners(text=text).of([path]) == owners


def test_lines_beyond_the_first_two_thousand_own_nothing():
    text = "\n".join(f"/src/{n}.py @u{n}" for n in range(3_000))
    assert CodeOwners(text=text).of(["src/1999.py", "src/2000.py"]) == ("@u1999",)


@pytest.mark.parametrize(
    ("title", "left"),
    [
        ("Show advisories of a package", ""),
        ("Fix a path traversal and show a clear error", "Fix a path traversal"),
        ("Tell both versions, and advise no old default", ""),
        ("List old options, and remove --fast", "remove --fast"),
        ("Shows all updates and removes --fast", "removes --fast"),
        ("Grade blocked defaults, aligned ones and updates against a CVE", ""),
        ("Name a list, and reject in one wording", ""),
        ("Read one text, and no talk of security", "Read one text"),
        ("Read one text and no longer two", "Read one text and no longer two"),
        ("Leave out of a hint that what was removed went", ""),
        ("Showcase the reader", "Showcase the reader"),
    ],
)
def test_parts_of_a_title_about_what_is_shown_are_left_out(title, left):
    assert without_presented(title) == left


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("PoolReader: require Debug", True),
        ("Fix races in PoolReader", True),
        ("Fix `PoolReader`", False),
        ("Reject pools", False),
        ("Read src/PoolReader.ts", False),
    ],
)
def test_classes_in_plain_words_are_seen(title, named):
    assert names_code(title) is named


def test_owners_of_several_files_are_named_once():
    owners = CodeOwners(text="*.py @ada\n*.md @bob\n/src @ada @eve")
    assert owners.of(["a.py", "b.md", "c.py", "src/a.py"]) == ("@ada", "@bob", "@eve")


@pytest.mark.parametrize(
    ("name", "owner", "meant"),
    [
        ("@octo/core", "@octo/core", True),
        ("OCTO/Core", "@octo/core", True),
        ("core", "@octo/core", True),
        ("ada", "@ada", True),
        ("ad", "@ada", False),
        ("core", "@octo/hardcore", False),
        ("octo", "@octo/core", False),
        ("@", "@ada", False),
    ],
)
def test_owners_are_meant_by_their_whole_name(name, owner, meant):
    assert is_owner(name, owner) is meant
