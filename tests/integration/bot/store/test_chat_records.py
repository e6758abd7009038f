"""What chats set up, in a real archive."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from bot.store.chat_records import SqlChats
from bot.store.database import Database
from digest.chat.chat_settings import (
    ChatSettings,
    DigestTiming,
    Filters,
    Rule,
    RuleField,
    Subscribed,
)
from digest.core.enums import Frequency, Language
from digest.core.grade import Level
from handlers.ports.chat_port import ChatKey

CHAT = ChatKey(platform="slack", chat="T1/C1")
TIMING = DigestTiming(
    at=time(9, 30),
    weekdays=frozenset({0, 4}),
    zone=ZoneInfo("Europe/Berlin"),
    least=Level.LOW,
    branch="main",
)
SETTINGS = ChatSettings(
    timing=TIMING,
    language=Language.ZH,
    filters=Filters(
        include=(Rule(field=RuleField.PATH, pattern="src/**"),),
        exclude=(Rule(field=RuleField.AUTHOR, pattern="ada"),),
        bots=True,
    ),
    muted=("moe", "量化"),
    muted_until={"量化": datetime(2026, 3, 9, 23, tzinfo=UTC)},
    paused=True,
    paused_since=datetime(2026, 3, 6, 12, tzinfo=UTC),
    paused_until=datetime(2026, 3, 9, 23, tzinfo=UTC),
    private=True,
)


@pytest.fixture
def kept(database: Database) -> SqlChats:
    return SqlChats(database)


async def test_chat_that_set_nothing_has_plain_settings(kept: SqlChats) -> None:
    assert await kept.settings(CHAT) == ChatSettings()


async def test_settings_are_what_was_set_and_of_this_chat_alone(kept: SqlChats) -> None:
    assert await kept.change(CHAT, lambda _: SETTINGS) == SETTINGS
    assert await kept.settings(CHAT) == SETTINGS
    assert await kept.settings(ChatKey(platform="telegram", chat="T1/C1")) == ChatSettings()


async def test_change_that_is_refused_changes_nothing(kept: SqlChats) -> None:
    await kept.change(CHAT, lambda _: SETTINGS)

    def refuse(_: ChatSettings) -> ChatSettings:
        raise ValueError

    with pytest.raises(ValueError):
        await kept.change(CHAT, refuse)
    assert await kept.settings(CHAT) == SETTINGS


async def test_subscription_takes_the_place_of_one_of_its_kind(kept: SqlChats) -> None:
    first = Subscribed(repository="a/b", timing=TIMING, person="slack:U1")
    weekly = Subscribed(repository="a/b", kind=Frequency.WEEKLY)
    again = Subscribed(repository="a/b", person="slack:U2")
    for one in (first, weekly, again):
        await kept.subscribe(CHAT, one)
    assert list(await kept.subscribed(CHAT)) == [again, weekly]
    settings, every = await kept.every()
    assert (settings, every) == ({}, [(CHAT, again), (CHAT, weekly)])


async def test_unsubscribing_tells_how_many_went(kept: SqlChats) -> None:
    for name in ("a/b", "c/d"):
        await kept.subscribe(CHAT, Subscribed(repository=name))
    assert await kept.unsubscribe(CHAT, "a/b") == 1
    assert await kept.unsubscribe(CHAT, "a/b") == 0
    await kept.subscribe(CHAT, Subscribed(repository="c/d", kind=Frequency.MONTHLY))
    assert await kept.unsubscribe(CHAT, kind=Frequency.WEEKLY) == 0
    assert await kept.unsubscribe(CHAT, kind=Frequency.MONTHLY) == 1
    assert await kept.unsubscribe(CHAT) == 1
    assert await kept.subscribed(CHAT) == []


async def test_accounts_of_one_platform_keep_the_same_chat_each_for_itself(kept: SqlChats) -> None:
    first, second = (ChatKey(platform="telegram", account=one, chat="7") for one in ("a", "b"))
    await kept.change(first, lambda _: SETTINGS)
    await kept.subscribe(first, Subscribed(repository="a/b"))
    await kept.subscribe(second, Subscribed(repository="c/d"))
    assert await kept.settings(second) == ChatSettings()
    _, every = await kept.every()
    assert [(key.account, one.repository, one.known) for key, one in every] == [
        ("a", "a/b", "a:7"),
        ("b", "c/d", "b:7"),
    ]


async def test_chats_from_before_accounts_go_to_one_and_take_no_place(kept: SqlChats) -> None:
    other = ChatKey(platform="slack", chat="C2")
    for key in (CHAT, other):
        await kept.change(key, lambda _: SETTINGS)
        await kept.subscribe(key, Subscribed(repository="a/b"))
    taken = replace(CHAT, account="work")
    await kept.change(taken, lambda _: ChatSettings(muted=("moe",)))
    for _ in range(2):
        await kept.adopt("slack", "work")
    assert (await kept.settings(taken)).muted == ("moe",)
    assert await kept.settings(replace(other, account="work")) == SETTINGS
    (adopted,) = await kept.subscribed(replace(other, account="work"))
    # As before, so that what was posted there is gone on from.
    assert adopted.known == "slack:C2"
    await kept.adopt("telegram", "work")
    assert await kept.settings(other) == ChatSettings()
