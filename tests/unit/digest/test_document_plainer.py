"""What a platform does not draw is told by what it does."""

from __future__ import annotations

from digest.document import (
    Chart,
    Code,
    CodeBlock,
    Divider,
    Image,
    Link,
    Paragraph,
    Strong,
    Table,
    Text,
    charts_as_text,
    plain,
    rows_as_lines,
    strong,
)


def test_a_chart_becomes_lines_and_a_picture_a_link():
    drawn = charts_as_text(Chart(title="Changes", labels=("Mon", "Tue"), values=(1, 2)))
    assert isinstance(drawn, CodeBlock)
    assert [line.split()[0] for line in drawn.text.splitlines()] == ["Mon", "Tue"]
    picture = charts_as_text(Image("https://example.org/a.png", "a graph"))
    assert picture == Paragraph((Link("[a graph]", "https://example.org/a.png"),))


def test_other_blocks_stay_what_they_are():
    block = Divider()
    assert charts_as_text(block) is block


def test_words_with_a_role_keep_it():
    assert strong((Text("a"), Code("b"))) == (Strong("a"), Code("b"))


def test_rows_are_lines_with_the_header_first():
    table = Table(((Text("n"),), (Code("k"),)), (((Text("1"),), (Text("2"), Text("3"))),))
    head, row = rows_as_lines(table)
    assert head == (Strong("n"), Strong(" · "), Code("k"))
    assert plain(row) == "1 · 23"


def test_table_without_columns_is_empty_lines():
    assert list(rows_as_lines(Table((), ((),)))) == [(), ()]
