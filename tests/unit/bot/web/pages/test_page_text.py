import re
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.web.pages import page_text
from bot.web.pages.page_text import day_words, month_words, week_words
from digest.core.enums import Language
from digest.window import minute

DAY = date(2026, 8, 13)


@pytest.mark.parametrize(
    ("language", "short", "words"),
    [
        (Language.EN, False, "Thursday 13 August 2026"),
        (Language.EN, True, "Thu 13 Aug"),
        (Language.ZH, False, "2026年8月13日 周四"),
        (Language.ZH, True, "8月13日 周四"),
    ],
)
def test_day_in_words(language, short, words):
    assert day_words(DAY, language, short=short) == words


@pytest.mark.parametrize(
    ("monday", "words"),
    [
        (date(2026, 8, 10), "Week 33: 10 – 16 August 2026"),
        (date(2026, 7, 27), "Week 31: 27 July – 2 August 2026"),
        (date(2024, 12, 30), "Week 1: 30 December 2024 – 5 January 2025"),
    ],
)
def test_week_in_words(monday, words):
    assert week_words(monday, Language.EN) == words
    assert week_words(monday, Language.EN, short=True) == words.partition(":")[0]


def test_month_in_words():
    assert month_words(DAY, Language.EN) == "August 2026"
    assert month_words(DAY, Language.ZH) == "2026年8月"


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ("UTC", "2026-08-13 23:22 UTC"),
        ("Europe/Berlin", "2026-08-14 01:22 CEST"),
        ("America/Sao_Paulo", "2026-08-13 20:22 UTC-03"),
    ],
)
def test_times_are_told_to_the_minute_with_their_zone(zone, words):
    at = datetime(2026, 8, 13, 23, 22, 41, tzinfo=UTC)
    assert minute(at, ZoneInfo(zone)) == words


def test_every_phrase_is_used_and_every_used_phrase_exists():
    folder = Path(page_text.__file__).parent
    texts = [
        *folder.glob("templates/*"),
        *(f for f in folder.glob("*.py") if f.stem != "page_text"),
    ]
    source = "\n".join(file.read_text(encoding="utf-8") for file in texts)
    quoted = set(re.findall(r"[\"'](\w+)[\"']", source))
    assert set(page_text.PHRASES) - quoted == set()
    assert set(re.findall(r"\bt\([\"'](\w+)[\"']", source)) - set(page_text.PHRASES) == set()
