"""The menus, and the questions that commands stand for."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.platforms.telegram.menu import COMMANDS, language_of, question
from digest.core.enums import Language
from digest.question.intent import Changed, DigestOf, Explain, Help, Search
from digest.question.lexicon import language_of as language_asked
from digest.question.parser import parse

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)

ZONE = ZoneInfo("UTC")

ASKED = [
    ("digest", "", DigestOf),
    ("digest", "yesterday", DigestOf),
    ("digest", "昨天", DigestOf),
    ("changed", "", Changed),
    ("changed", "MoE this week", Changed),
    ("changed", "本周 MoE", Changed),
    ("explain", "123", Explain),
    ("explain", "#123", Explain),
    ("explain", "abcdef1234", Explain),
    ("search", "memory leak", Search),
    ("search", "内存泄漏", Search),
    ("help", "", Help),
    ("help", "me please", Help),
    ("start", "payload_1", Help),
    ("HELP", "", Help),
]


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(("name", "rest", "intent"), ASKED)
def test_a_command_is_read_as_what_it_stands_for_in_its_language(language, name, rest, intent):
    asked = question(name, rest, language)
    assert isinstance(parse(asked, NOW, ZONE), intent)
    if language is Language.ZH or not re.search("[一-鿿]", rest):
        assert language_asked(asked) is language


def test_a_topic_is_the_same_in_both_languages():
    english, chinese = (
        parse(question("changed", "MoE", language), NOW, ZONE) for language in Language
    )
    assert english.topic.lower() == chinese.topic.lower() == "moe"


def test_there_is_no_other_command():
    assert question("mute", "x", Language.EN) is None


@pytest.mark.parametrize("language", list(Language))
def test_menus_are_such_as_telegram_takes_and_offer_the_same(language):
    for command in COMMANDS[language]:
        assert re.fullmatch("[a-z0-9_]{1,32}", command.name)
        assert 1 <= len(command.description) <= 256
    assert [c.name for c in COMMANDS[language]] == [c.name for c in COMMANDS[Language.EN]]


@pytest.mark.parametrize(
    ("code", "language"),
    [("zh-hans", "zh"), ("zh", "zh"), ("ZH-TW", "zh"), ("en", "en"), ("de", "en"), (None, "en")],
)
def test_the_language_is_that_of_the_menu(code, language):
    assert language_of(code) == language
