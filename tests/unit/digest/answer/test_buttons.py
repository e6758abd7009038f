"""Buttons that fit the tightest platform and say enough alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.store.digests import mark_of
from digest.answer.answers import Answer, AnswerRow
from digest.answer.buttons import (
    MOST_EXPLAINED,
    answer_buttons,
    digest_buttons,
    explaining,
    main_topic,
    with_buttons,
    without_buttons,
)
from digest.core.enums import Language
from digest.document import Actions, Button, Document, Paragraph, Text
from tests.support.samples import everything, flag_change

PLAIN = Document(title="t", blocks=(Paragraph((Text("words"),)),))


def answer(intent: str, *changes, topic: str = "") -> Answer:
    rows = tuple(AnswerRow(graded=change, why="") for change in changes)
    return Answer(intent=intent, document=PLAIN, rows=rows, topic=topic)


def buttons(rows: tuple[Actions, ...]) -> list[Button]:
    return [button for row in rows for button in row.buttons]


@pytest.mark.parametrize("language", Language)
def test_every_press_fits_into_64_bytes(language):
    changes = everything()
    rows = (
        *explaining(changes, language),
        *digest_buttons(mark_of("daily:acme/engine:main:2026-01-23:team"), language),
        *(
            row
            for change in changes
            for row in answer_buttons(answer("explain", change), language, mutes=True)
        ),
    )
    assert all(len(f"{one.action} {one.value}".encode()) <= 64 for one in buttons(rows))


def test_first_changes_of_a_list_can_be_explained():
    found = buttons(explaining(everything(), Language.EN))
    assert len(found) == min(MOST_EXPLAINED, len(everything()))
    assert {one.action for one in found} == {"explain"}
    assert found[0].value == everything()[0].sha[:12]


def test_report_without_an_address_has_no_button():
    told = [one.label for one in buttons(digest_buttons("0" * 16, Language.EN))]
    assert told == ["Useful", "Not useful"]
    linked = buttons(digest_buttons("0" * 16, Language.EN, where="https://d.example/r"))
    assert (linked[0].label, linked[0].url) == ("Full report", "https://d.example/r")


def test_topics_are_muted_only_where_that_is_possible():
    change = flag_change()
    labels = [one.label for one in buttons(answer_buttons(answer("explain", change), Language.EN))]
    assert labels == ["Useful", "Not useful"]
    muted = buttons(answer_buttons(answer("explain", change), Language.EN, mutes=True))
    assert [one.value for one in muted if one.action == "mute"] == [main_topic(change)]
    for intent, mutes, topics in (
        ("changed", True, ["moe"]),
        ("changed", False, []),
        ("search", True, []),
    ):
        found = buttons(
            answer_buttons(answer(intent, change, topic="moe"), Language.EN, mutes=mutes)
        )
        assert [one.value for one in found if one.action == "mute"] == topics


def test_only_changes_on_the_page_that_is_shown_get_a_button():
    found = answer("changed", *everything())
    last = everything()[-1]
    page = replace(PLAIN, blocks=(Paragraph((Text(f"Tidy (#{last.number})"),)),))
    rows = answer_buttons(replace(found, document=page), Language.EN)
    assert [one.value for one in buttons(rows)] == [last.sha[:12]]


def test_answer_without_changes_has_none():
    assert answer_buttons(answer("help"), Language.EN) == ()


def test_buttons_come_and_go_without_a_trace():
    with_some = with_buttons(PLAIN, explaining(everything(), Language.EN))
    assert with_some != PLAIN
    assert without_buttons(with_some) == PLAIN
