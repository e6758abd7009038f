"""Answers made shorter, and where they were looked up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from digest.answer.answers import Seen, as_of, shorten
from digest.core.enums import Language
from digest.document import Document, Item, Listing, Paragraph, Text, plain
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
