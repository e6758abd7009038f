"""Answers made shorter, and where they were looked up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from digest.answer.answers import AnswerRow, Seen, as_of, lengthen, shorten
from digest.core.enums import Language
from digest.core.grade import Level
from digest.document import CodeBlock, Document, Item, Listing, Paragraph, Quote, Text, plain
from tests.support import samples


def said(text: str) -> Paragraph:
    return Paragraph((Text(text),))


def test_a_short_answer_keeps_a_list_although_much_stands_before_it():
    listing = Listing((Item((Text("one"),)),))
    blocks = (*map(said, ["title", "note", "counts", "group", "more"]), listing, said("end"))
    short = shorten(Document(title="t", blocks=blocks, language="en"))
    assert listing in short.blocks
    assert short.blocks[-1] == said("end")
    assert len(short.blocks) == 5


def test_a_shortened_answer_has_five_rows_without_what_stands_below_them_and_twelve_lines():
    rows = tuple(Item((Text(str(n)),), children=(Item((Text("more"),)),)) for n in range(9))
    code = CodeBlock("\n".join(map(str, range(20))))
    short = shorten(Document(title="t", blocks=(Listing(rows), code), language="en"))
    listing, cut = short.blocks
    assert listing.items == tuple(replace(row, children=()) for row in rows[:5])
    assert cut.text.split("\n") == [str(n) for n in range(12)]


def test_a_lengthened_answer_quotes_the_beginnings_of_ten_messages():
    texts = ["wait", *(f"{n} {'x' * 900}" for n in range(5))]
    rows = [
        AnswerRow(graded=samples.change(n, f"Add part {n}", Level.LOW, paragraphs=texts), why="")
        for n in range(12)
    ]
    silent = AnswerRow(graded=samples.change(12, "Tidy", Level.LOW), why="")
    told = lengthen(Document(title="t", blocks=(), language="en"), [silent, *rows]).blocks
    quotes = [block for block in told if isinstance(block, Quote)]
    assert len(told) == 2 * len(quotes) == 18
    assert [plain(line)[:4] for line in quotes[0].paragraphs] == ["wait", "0 xx", "1 xx", "2 xx"]
    assert max(len(plain(line)) for line in quotes[0].paragraphs) < 700


def test_an_answer_that_is_short_stays_as_it_is():
    document = Document(title="t", blocks=(said("title"), said("end")), language="en")
    assert shorten(document) == document


def test_place_of_an_answer_is_its_time_alone_if_nobody_looked_at_the_branch():
    seen = Seen(
        repository=samples.REPOSITORY,
        tip="",
        at=datetime(2026, 4, 3, 16, tzinfo=UTC),
        zone=ZoneInfo("Europe/Berlin"),
        language=Language.EN,
    )
    assert plain(as_of(seen)) == "2026-04-03 18:00 CEST"
    assert plain(as_of(replace(seen, tip=None))) == "the branch has no commit yet"
