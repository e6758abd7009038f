"""Lines: no wider than the terminal, nothing lost, nothing that acts."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from bot.util.terminal import StyledText, Terminal, TextStyle, lay_out, plain_text, width_of, wrap
from digest.document import (
    Actions,
    Button,
    CodeBlock,
    Document,
    Heading,
    Item,
    Link,
    Listing,
    Paragraph,
    Strong,
    Table,
    Text,
)
from tests.support.strategies import documents


def text_of(*blocks, width=40, urls=True) -> str:
    return plain_text(lay_out(Document(title="", blocks=blocks), width, urls=urls))


@settings(max_examples=60, deadline=None)
@given(document=documents, width=st.integers(20, 120), urls=st.booleans())
def test_no_line_is_wider_than_the_terminal(document, width, urls):
    for line in lay_out(document, width, urls=urls):
        assert width_of(line) <= width


def test_words_break_at_spaces():
    assert text_of(Paragraph((Text("one two three four five six seven eight"),)), width=20) == (
        "one two three four\nfive six seven eight\n"
    )


def test_words_of_two_spans_do_not_break_where_they_touch():
    lines = list(
        wrap([StyledText("see ("), StyledText("abcdef", TextStyle.CODE), StyledText(") now")], 10)
    )
    assert ["".join(run.text for run in line) for line in lines] == ["see", "(abcdef)", "now"]


def test_chinese_takes_two_cells_and_breaks_anywhere_but_before_a_comma():
    out = text_of(Paragraph((Text("一二三四五六七八九十，十一十二"),)), width=20)
    assert out == "一二三四五六七八九\n十，十一十二\n"
    assert all(cell_len(line) <= 20 for line in out.splitlines())


def test_latin_words_inside_chinese_stay_whole():
    out = text_of(Paragraph((Text("默认启用了新的 FlashAttention 后端实现"),)), width=22)
    assert "FlashAttention" in out
    assert out.splitlines()[0] == "默认启用了新的"


def test_line_breaks_between_chinese_and_latin_words():
    out = text_of(Paragraph((Text("一二三四五六七abcdefgh一二三"),)), width=20)
    assert out.splitlines() == ["一二三四五六七", "abcdefgh一二三"]


def test_long_word_is_folded_and_not_cut():
    out = text_of(Paragraph((Text("x" * 50),)), width=20)
    assert out == f"{'x' * 20}\n{'x' * 20}\n{'x' * 10}\n"


def test_links_show_their_address_where_words_cannot_carry_it():
    paragraph = Paragraph((Link("docs", "https://e.org/1"), Text(", "), Link("top", "#top")))
    assert text_of(paragraph) == "docs (https://e.org/1), top\n"
    assert text_of(paragraph, urls=False) == "docs, top\n"


def test_addresses_of_numbers_are_listed_once_at_the_end():
    one, two = Link("#1", "https://e.org/1"), Link("!2", "https://e.org/2")
    elsewhere = Link("#1", "https://f.org/1")
    blocks = [Paragraph((Text("a ("), one, Text(")"))), Paragraph((one, Text(" "), two))]
    assert text_of(*blocks, Paragraph((elsewhere,))) == (
        "a (#1)\n\n#1 !2\n\n#1 (https://f.org/1)\n\n#1: https://e.org/1\n!2: https://e.org/2\n"
    )
    assert text_of(*blocks, urls=False) == "a (#1)\n\n#1 !2\n"


def test_address_of_a_title_that_ends_with_its_number_is_listed_at_the_end():
    title = Link("Remove the flag (#12)", "https://example.com/pull/12")
    document = Document(title="x", blocks=(Paragraph((title,)),))
    assert plain_text(lay_out(document, 80, urls=True)) == (
        "Remove the flag (#12)\n\n#12: https://example.com/pull/12\n"
    )


def test_path_is_shown_even_where_words_carry_links():
    paragraph = Paragraph((Link("the report", "out/report.md"),))
    assert text_of(paragraph, urls=False) == "the report (out/report.md)\n"


def test_nested_lists_hang_under_their_words():
    inner = Item((Text("inner words that go on"),))
    assert text_of(Listing((Item((Text("outer"),), (inner,)),), ordered=True), width=20) == (
        "1. outer\n   • inner words\n     that go on\n"
    )


def test_table_columns_line_up_with_wide_characters():
    table = Table(((Text("作者"),), (Text("Subject"),)), (((Text("张三"),), (Text("fix"),)),))
    assert text_of(table) == "作者  Subject\n────  ───────\n张三  fix\n"


def test_table_cells_wrap_when_there_is_no_room():
    table = Table(((Text("a"),), (Text("b"),)), (((Text("1"),), (Text("one two three four"),)),))
    assert text_of(table, width=20).splitlines()[2:] == ["1   one two three", "    four"]


def test_table_with_too_many_columns_becomes_a_list():
    row = tuple((Text(f"v{n}"),) for n in range(8))
    head = tuple((Text(f"h{n}"),) for n in range(8))
    assert text_of(Table(head, (row,)), width=20).splitlines()[:2] == ["  h0: v0", "  h1: v1"]


def test_buttons_show_what_can_be_typed_or_opened():
    actions = Actions((Button("Explain", "explain", "#1"), Button("Open", url="https://e.org")))
    assert text_of(actions, width=60) == "[Explain: explain #1] [Open (https://e.org)]\n"


def test_headings_are_underlined_and_stand_apart():
    assert text_of(Heading(1, (Text("A"),)), Paragraph((Text("b"),)), Heading(3, (Text("C"),))) == (
        "A\n═\nb\n\nC\n"
    )


def test_code_keeps_its_lines_and_shows_tabs_as_spaces():
    assert text_of(CodeBlock("if x:\n\treturn\n")) == "    if x:\n        return\n"


def test_spans_keep_their_roles():
    (line,) = lay_out(
        Document(title="", blocks=(Paragraph((Text("a "), Strong("b c"))),)), 40, urls=True
    )
    assert line == (StyledText("a "), StyledText("b c", TextStyle.STRONG))


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "variables", "styled"),
    [
        (Screen(), {}, True),
        (Screen(), {"NO_COLOR": "1"}, False),
        (Screen(), {"NO_COLOR": ""}, True),
        (Screen(), {"TERM": "dumb"}, False),
        (Screen(), {"FORCE_COLOR": ""}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_a_terminal_has_styles_unless_they_are_refused(
    stream: io.StringIO, variables: dict[str, str], styled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Terminal.of(stream).styled == styled


@pytest.mark.parametrize(("columns", "width"), [("132", 132), ("0", 80), ("wide", 80)])
def test_the_width_is_the_one_of_the_environment_if_it_is_a_number(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("os.get_terminal_size", lambda _: (_ for _ in ()).throw(OSError()))
    assert Terminal.of(Screen()).width == width
    assert Terminal.of(Screen(), 60).width == 60
