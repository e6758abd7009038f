"""What is meant for the bot, and what was asked."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from telegram import Update

from bot.messaging.receiver import MessageEvent
from bot.messaging.sender import Receipt
from bot.platforms.telegram.client import Me
from bot.platforms.telegram.receiver import incoming
from tests.servers.telegram_text import found

ME = Me(7, "Digest_Bot")

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)

ADA = {"id": 42, "is_bot": False, "first_name": "Ada", "language_code": "en"}

LIN = {"id": 43, "is_bot": False, "first_name": "林", "language_code": "zh-hans"}

BOT = {"id": 7, "is_bot": True, "first_name": "Digest", "username": "Digest_Bot"}

OTHER = {"id": 8, "is_bot": True, "first_name": "Other", "username": "other_bot"}

GROUP = {"id": -100, "type": "supergroup", "title": "G"}

DIRECT = {"id": 42, "type": "private", "first_name": "Ada"}


def message(text: str | None, chat=GROUP, entities=None, **more) -> dict:
    found_ = [] if text is None else found(text, [])
    made = {
        "message_id": 11,
        "date": 1773144000,
        "chat": chat,
        "from": ADA,
        "entities": [{"type": e.type, "offset": e.offset, "length": e.length} for e in found_],
        **more,
    }
    if text is not None:
        made["text"] = text
    if entities is not None:
        made["entities"] = entities
    return made


def heard(content: dict, kind: str = "message"):
    return incoming(Update.de_json({"update_id": 1, kind: content}, None), ME, NOW)


def asked(text: str | None, chat=GROUP, **more) -> str | None:
    got = heard(message(text, chat, **more))
    return got.text if got else None


def test_a_direct_message_is_a_question_as_it_is():
    got = heard(message("what changed in MoE?", DIRECT))
    assert (got.platform, got.chat, got.person) == ("telegram", "42", "42")
    assert (got.text, got.id, got.direct) == ("what changed in MoE?", "11", True)
    assert got.receipt == Receipt(message="11")
    assert got.at == datetime(2026, 3, 10, 12, tzinfo=UTC)
    assert got.at.tzinfo is not None


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("/explain 5", "explain 5"),
        ("/explain@digest_bot 5", "explain 5"),
        ("/explain\n5", "explain 5"),
        ("/help", "help"),
        ("/start", "help"),
        ("/help@other_bot", None),
        ("/roll", None),
        ("/roll@digest_bot", "/roll@digest_bot"),
        ("/", None),
        ("hello all", None),
        ("@digest_bot explain #5", "explain #5"),
        ("explain #5 @DIGEST_BOT please", "explain #5   please"),
        ("@digest_bot", "help"),
        ("@other_bot explain #5", None),
        ("mail digest_bot@forge.example", None),
        ("👨‍👩‍👧 @digest_bot 解释 #5", "👨‍👩‍👧   解释 #5"),
    ],
)
def test_in_groups_only_what_is_addressed_to_it(text, question):
    assert asked(text) == question


def test_a_command_in_a_private_chat_may_be_any():
    assert asked("/roll", DIRECT) == "/roll"
    assert asked("/roll@other_bot", DIRECT) is None


def test_a_command_is_asked_in_the_language_of_the_menu():
    assert asked("/explain 5", **{"from": LIN}) == "解释 5"
    assert asked("/changed@digest_bot MoE", **{"from": LIN}) == "MoE 有什么变化"


def test_a_mention_of_somebody_without_a_user_name_is_told_by_its_id():
    mention = {"type": "text_mention", "offset": 0, "length": 6, "user": BOT}
    assert asked("Digest explain #5", entities=[mention]) == "explain #5"
    mention["user"] = ADA
    assert asked("Digest explain #5", entities=[mention]) is None


def test_a_reply_to_the_bot_is_addressed_to_it():
    mine = message("a digest", **{"from": BOT})
    assert asked("and #6?", reply_to_message=mine) == "and #6?"
    assert asked("and #6?", reply_to_message=message("x")) is None
    assert asked("and #6?", reply_to_message=message("x", **{"from": OTHER})) is None


def test_every_message_of_a_topic_replies_to_its_first_which_means_nothing():
    first = message(None, **{"from": BOT})
    first["forum_topic_created"] = {"name": "Digests", "icon_color": 1}
    topic = {"is_topic_message": True, "message_thread_id": 5}
    assert asked("hello", reply_to_message=first, **topic) is None


def test_a_topic_is_part_of_the_chat_and_a_chain_of_replies_is_not():
    topic = {"is_topic_message": True, "message_thread_id": 5}
    assert heard(message("/help", **topic)).chat == "-100/5"
    assert heard(message("/help", message_thread_id=9)).chat == "-100"


@pytest.mark.parametrize(
    "more",
    [
        {"from": BOT},
        {"from": OTHER},
        {"via_bot": OTHER},
        {"is_automatic_forward": True, "sender_chat": {"id": -5, "type": "channel", "title": "N"}},
    ],
)
def test_bots_and_copies_of_posts_are_not_answered(more):
    assert heard(message("/help", **more)) is None


def test_an_admin_without_a_name_counts_as_the_group():
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
    assert heard(message("/help", **{"from": anonymous, "sender_chat": GROUP})).person == "-100"


@pytest.mark.parametrize("kind", ["channel_post", "edited_channel_post"])
def test_posts_of_channels_are_not_answered(kind):
    assert heard(message("/help"), kind) is None


def test_an_edit_is_the_same_message_with_other_words():
    got = heard(message("/help"), "edited_message")
    assert (got.fate, got.id, got.text) == (MessageEvent.EDITED, heard(message("/help")).id, "help")


def test_a_chat_is_known_by_its_public_name_and_a_topic_by_its_group():
    public = {"id": -100, "type": "supergroup", "title": "Team", "username": "AcmeTeam"}
    topic = {"is_topic_message": True, "message_thread_id": 5}
    assert heard(message("/help", chat=public)).also == ("@AcmeTeam",)
    assert heard(message("/help", chat=public, **topic)).also == (
        "@AcmeTeam/5",
        "-100",
        "@AcmeTeam",
    )
    assert heard(message("/help", **topic)).also == ("-100",)


def test_a_message_without_words_is_nothing():
    assert heard(message(None)) is None


def press(**more) -> dict:
    query = {"id": "77", "from": ADA, "chat_instance": "1", "data": "explain #812"}
    shown = message("digest", is_topic_message=True, message_thread_id=5, **{"from": BOT})
    return {**query, "message": shown, **more}


def test_a_press_is_the_action_of_its_button():
    got = heard(press(), "callback_query")
    assert (got.action, got.text, got.id) == ("explain", "#812", "press 77")
    assert (got.chat, got.person, got.at) == ("-100/5", "42", NOW)
    assert got.receipt == Receipt(message="11", thread="re:11")
    assert not got.direct


def test_reply_to_an_answer_goes_on_in_its_chain():
    mine = message("The scheduler.", **{"from": BOT})
    chain = heard(message("why?", reply_to_message=mine)).receipt
    assert chain.thread == f"re:{mine['message_id']}"
    other = heard(message("@test_bot why?", reply_to_message=message("x")))
    assert other is None or other.receipt.thread == ""


def test_a_press_without_a_value_has_none():
    got = heard(press(data="help"), "callback_query")
    assert (got.action, got.text) == ("help", "")


def test_a_press_under_a_message_that_is_too_old_to_be_told_still_counts():
    got = heard(press(message={"chat": GROUP, "message_id": 11, "date": 0}), "callback_query")
    assert (got.chat, got.text, got.receipt) == (
        "-100",
        "#812",
        Receipt(message="11", thread="re:11"),
    )


@pytest.mark.parametrize(
    "more", [{"data": None, "game_short_name": "x"}, {"message": None, "inline_message_id": "x"}]
)
def test_a_press_that_is_not_of_our_buttons_is_nothing(more):
    query = {name: value for name, value in press(**more).items() if value is not None}
    assert heard(query, "callback_query") is None
