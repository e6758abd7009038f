"""The page on questions: every example on it is read as what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from digest.core.enums import Language
from digest.question.intent import Changed, DigestOf, Unknown
from digest.question.lexicon import language_of
from digest.question.parser import parse
from digest.question.questions import QUESTIONS

NOW, ZONE = datetime(2026, 1, 23, 12, tzinfo=UTC), ZoneInfo("UTC")

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "questions.md").read_text(encoding="utf-8")

KINDS = {one.name: intent for intent, one in QUESTIONS.items()}


def rows(columns: int) -> Iterator[list[str]]:
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == columns and "`" in line:
            yield cells


SHOWN = [
    (kind, question)
    for kind, *cells in rows(3)
    for cell in cells
    for question in re.findall(r"`([^`]+)`", cell)
]

PERIODS = [
    (re.findall(r"`([^`]+)`", en)[0], re.findall(r"`([^`]+)`", zh)[0], since, until)
    for en, zh, since, until in rows(4)
]


def test_every_question_is_read_as_its_kind():
    read = [(type(parse(question, NOW, ZONE)), question) for _, question in SHOWN]
    assert read == [(KINDS[kind], question) for kind, question in SHOWN]


@pytest.mark.parametrize(("english", "chinese", "since", "until"), PERIODS)
def test_every_period_has_its_bounds_in_both_languages(english, chinese, since, until):
    for asked in (f"what changed in core {english}", f"{chinese} core 有什么变化"):
        intent = parse(asked, NOW, ZONE)
        assert isinstance(intent, Changed)
        bounds = (intent.window.since, intent.window.until)
        assert tuple(f"{at:%Y-%m-%d %H:%M}" for at in bounds) == (since, until)


def test_the_page_has_every_kind_in_both_languages():
    shown = {type(parse(question, NOW, ZONE)) for _, question in SHOWN}
    assert shown == QUESTIONS.keys() - {Unknown}
    assert {language_of(question) for _, question in SHOWN} >= {Language.EN, Language.ZH}
    assert len(PERIODS) > 10


def test_a_digest_without_a_period_is_of_a_day_and_changes_are_of_seven():
    digest, changes = parse("digest", NOW, ZONE), parse("changes in core", NOW, ZONE)
    assert isinstance(digest, DigestOf)
    assert (digest.window.until - digest.window.since).total_seconds() == 86_400
    assert f"{changes.window.since:%Y-%m-%d %H:%M}" == "2026-01-17 00:00"
