"""Answers made shorter."""

from __future__ import annotations

from digest.answer.answers import shorten
from digest.document import Document, Item, Listing, Paragraph, Text


def said(text: str) -> Paragraph:
    return Paragraph((Text(text),))


def test_a_short_answer_keeps_a_list_although_much_stands_before_it():
    listing = Listing((Item((Text("one"),)),))
    blocks = (*map(said, ["title", "note", "counts", "group", "more"]), listing, said("end"))
    short = shorten(Document(title="t", blocks=blocks, language="en"))
    assert listing in short.blocks
    assert short.blocks[-1] == said("end")
    assert len(short.blocks) == 5


def test_an_answer_that_is_short_stays_as_it_is():
    document = Document(title="t", blocks=(said("title"), said("end")), language="en")
    assert shorten(document) == document
