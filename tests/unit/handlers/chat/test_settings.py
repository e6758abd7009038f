"""What a chat is told of its settings, in words of the language it is spoken to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from digest.chat.chat_intents import (
    Filter,
    Managing,
    Mute,
    Pause,
    Resume,
    Set,
    ShowSettings,
    Subscribe,
    Subscriptions,
    Unfilter,
    Unmute,
    Unsubscribe,
)
from digest.chat.chat_settings import (
    MOST_TOPICS,
    ChatSettings,
    DigestTiming,
    Filters,
    Rule,
    RuleField,
    still_muted,
)
from digest.core.enums import ChatSetting, Frequency, Language
from digest.core.grade import Level
from digest.document import Listing, Paragraph, Text, plain
from digest.errors import UserError
from digest.i18n import chat_text as words
from handlers.chat.settings import SETTING_HANDLERS, minute, settings_answer, show_settings
from handlers.chat.subscribe import manage
from handlers.ports.chat_port import ChatDigest, ChatKey, Room
from tests.support.fakes import FakeSource, context

USUAL = DigestTiming(
    at=time(9), weekdays=frozenset(range(7)), zone=ZoneInfo("Europe/Berlin"), least=Level.HIGH
)


class Kept:
    """The settings of one chat."""

    def __init__(self, settings: ChatSettings) -> None:
        self._settings = settings

    async def settings(self, chat):
        return self._settings


async def lines(settings: ChatSettings, language: Language) -> list[str]:
    room = Room(
        chat=ChatKey(platform="slack", chat="C1"),
        chats=Kept(settings),
        repositories=("acme/engine",),
        person="slack:U1",
        admin=True,
        defaults=USUAL,
        zone=ZoneInfo("Europe/Berlin"),
        language=language,
    )
    answer = await show_settings(
        ShowSettings(), replace(context(FakeSource([])), language=language), room
    )
    (listing,) = (block for block in answer.document.blocks if isinstance(block, Listing))
    return [plain(item.spans) for item in listing.items]


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            Language.EN,
            [
                "language: English (default)",
                "zone: Europe/Berlin (default)",
                "time: 08:30",
                "weekdays: every day (default)",
                "level: High (default)",
                "changes of bots: off",
                "repositories: acme/engine",
                "muted topics: docs, moe",
            ],
        ),
        (
            Language.ZH,
            [
                "语言：中文（默认）",
                "时区：Europe/Berlin（默认）",
                "时间：08:30",
                "星期：每天（默认）",
                "级别：高（默认）",
                "机器人的变更：关",
                "仓库：acme/engine",
                "静音主题：docs、moe",
            ],
        ),
    ],
)
async def test_settings_are_told_in_words(language, told):
    kept = ChatSettings(timing=DigestTiming(at=time(8, 30)), muted=("docs", "moe"))
    assert await lines(kept, language) == told


UNSET = ChatSettings()


class Changing(Kept):
    """The same, and what became of them."""

    async def change(self, chat, change):
        self._settings = change(self._settings)


def room(kept: ChatSettings = UNSET, **more) -> Room:
    key = ChatKey(platform="slack", chat="C1")
    return Room(chat=key, chats=Changing(kept), repositories=("acme/engine", "acme/web"), **more)


async def did(intent, where: Room) -> str:
    answer = await SETTING_HANDLERS[type(intent)](intent, context(FakeSource([])), where)
    return plain(answer.document.blocks[0].spans)


async def kept_in(where: Room) -> ChatSettings:
    return await where.chats.settings(where.chat)


@pytest.mark.parametrize(
    ("setting", "value", "settings"),
    [
        (ChatSetting.LANGUAGE, Language.ZH, ChatSettings(language=Language.ZH)),
        (
            ChatSetting.ZONE,
            ZoneInfo("UTC"),
            ChatSettings(timing=DigestTiming(zone=ZoneInfo("UTC"))),
        ),
        (ChatSetting.TIME, time(8), ChatSettings(timing=DigestTiming(at=time(8)))),
        (ChatSetting.LEVEL, Level.LOW, ChatSettings(timing=DigestTiming(least=Level.LOW))),
        (ChatSetting.BRANCH, "dev", ChatSettings(timing=DigestTiming(branch="dev"))),
        (ChatSetting.BOTS, True, ChatSettings(filters=Filters(bots=True))),
    ],
)
async def test_setting_of_a_chat_is_kept_and_told_to_its_runs(setting, value, settings):
    told = []
    where = room(tell=lambda: told.append(1))
    assert await did(Set(setting=setting, value=value), where)
    assert await kept_in(where) == settings
    assert told == [1]


@pytest.mark.parametrize(("branch", "named"), [("dev", "dev"), ("", "the repository's own")])
async def test_change_of_a_branch_is_told_with_the_new_one(branch, named):
    assert named in await did(Set(setting=ChatSetting.BRANCH, value=branch), room())


RULE = Rule(field=RuleField.PATH, pattern="docs/*")
FOR_ADMINS = [
    Subscribe(),
    Unsubscribe(),
    Pause(),
    Resume(),
    Set(setting=ChatSetting.LEVEL, value=Level.LOW),
    Mute(topic="moe"),
    Unmute(topic="docs"),
    Filter(rule=RULE, include=True),
    Filter(rule=RULE, include=False, save=True),
    Unfilter(),
]


@pytest.mark.parametrize("intent", FOR_ADMINS)
async def test_who_is_no_admin_changes_nothing(intent):
    where = room(ChatSettings(muted=("docs",)), admin=False)
    with pytest.raises(UserError, match="admin"):
        await manage(intent, replace(context(FakeSource([])), room=where))
    assert await kept_in(where) == ChatSettings(muted=("docs",))


def test_everything_that_changes_a_chat_is_for_admins():
    assert {*map(type, FOR_ADMINS), ShowSettings, Subscriptions} == set(get_args(Managing))


@pytest.mark.parametrize(
    "intent",
    [Subscribe(timing=DigestTiming(branch="dev")), Set(setting=ChatSetting.BRANCH, value="dev")],
)
async def test_branch_that_a_repository_does_not_have_is_refused(intent):
    async def check(repository, branch):
        raise UserError(f"no {branch} in {repository}")

    where = room(check=check, admin=True)
    with pytest.raises(UserError, match="no dev in acme/engine"):
        await manage(intent, replace(context(FakeSource([])), room=where))
    assert await kept_in(where) == UNSET


async def test_private_repositories_are_shown_to_outsiders_by_named_admins_alone():
    shown = Set(setting=ChatSetting.PRIVATE, value=True)
    where = room()
    with pytest.raises(UserError):
        await did(shown, where)
    assert not (await kept_in(where)).private
    where = room(appointed=True)
    await did(shown, where)
    assert (await kept_in(where)).private
    where = room(ChatSettings(private=True))
    await did(Set(setting=ChatSetting.PRIVATE, value=False), where)
    assert not (await kept_in(where)).private


async def test_branch_is_kept_only_if_every_repository_of_the_chat_has_it():
    asked = []

    async def check(name: str, branch: str) -> None:
        asked.append((name, branch))
        if name == "acme/web":
            raise UserError("no such branch")

    where = room(check=check)
    with pytest.raises(UserError, match="no such branch"):
        await did(Set(setting=ChatSetting.BRANCH, value="dev"), where)
    assert asked == [("acme/engine", "dev"), ("acme/web", "dev")]
    assert await kept_in(where) == ChatSettings()
    asked.clear()
    await did(Set(setting=ChatSetting.BRANCH, value=""), where)
    await did(Set(setting=ChatSetting.LEVEL, value=Level.LOW), where)
    assert asked == []


async def test_topic_is_muted_once_and_unmuted():
    told = []
    where = room(ChatSettings(muted=("docs",)), tell=lambda: told.append(1))
    await did(Mute(topic="MoE"), where)
    await did(Mute(topic="moe"), where)
    assert (await kept_in(where)).muted == ("docs", "moe")
    assert "docs" in await did(Unmute(topic="docs"), where)
    assert (await kept_in(where)).muted == ("moe",)
    assert told == [1, 1, 1]
    await did(Unmute(topic="docs"), where)
    assert (await kept_in(where)).muted == ("moe",)
    assert told == [1, 1, 1]


async def test_topic_is_muted_until_an_end_and_then_shown_again():
    where = room(
        ChatSettings(muted=("docs",), muted_until={"docs": datetime(2026, 1, 1, tzinfo=UTC)})
    )
    said = await did(Mute(topic="moe", until=timedelta(days=3)), where)
    kept = await kept_in(where)
    (end,) = (kept.muted_until[one] for one in kept.muted if one == "moe")
    assert minute(end, ZoneInfo("UTC")) in said
    assert still_muted(kept.muted, kept.muted_until, end - timedelta(seconds=1)) == ("moe",)
    assert still_muted(kept.muted, kept.muted_until, end) == ()
    shown = await lines(kept, Language.EN)
    assert [one for one in shown if one.startswith("muted topics: moe (→ 2")]
    await did(Mute(topic="moe"), where)
    assert "moe" not in (await kept_in(where)).muted_until
    with pytest.raises(UserError, match="within a year"):
        await did(Mute(topic="moe", until=timedelta(days=900)), where)


async def test_chat_mutes_so_many_topics_and_no_more():
    full = tuple(f"topic {n}" for n in range(MOST_TOPICS))
    where = room(ChatSettings(muted=full[:-1]))
    await did(Mute(topic=full[-1]), where)
    with pytest.raises(UserError):
        await did(Mute(topic="another"), where)
    assert (await kept_in(where)).muted == full
    await did(Mute(topic=full[0]), where)
    assert set((await kept_in(where)).muted) == set(full)


async def test_permission_to_show_private_repositories_is_told_while_it_holds():
    shown = await lines(ChatSettings(private=True), Language.EN)
    assert "private repositories for outsiders: on" in shown
    assert not any("private" in line for line in await lines(UNSET, Language.EN))


def test_answer_is_titled_by_its_heading_or_its_first_paragraph():
    ctx = context(FakeSource([]))
    blocks = [Listing(()), Paragraph((Text("One"),)), Paragraph((Text("Two"),))]
    assert settings_answer(ctx, blocks).document.title == "One"
    assert settings_answer(ctx, blocks, words.SETTINGS).document.title == words.SETTINGS.template(
        Language.EN
    )


WORKDAYS = DigestTiming(
    at=time(9),
    weekdays=frozenset({0, 1}),
    zone=ZoneInfo("Europe/Berlin"),
    least=Level.HIGH,
    branch="dev",
)
DUE = datetime(2026, 1, 23, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (
            ChatDigest(repositories=("a/b", "c/d"), timing=WORKDAYS, following=DUE, fixed=True),
            (
                "a/b, c/d; daily Mon, Tue at 09:00 (Europe/Berlin); level High; branch dev; "
                "next 2026-01-23 09:00; by the configuration"
            ),
        ),
        (
            ChatDigest(
                repositories=("a/b",),
                timing=DigestTiming(at=time(17), weekdays=frozenset({4}), zone=ZoneInfo("UTC")),
                kind=Frequency.WEEKLY,
                following=DUE,
                paused_until=DUE,
            ),
            "a/b; weekly Fri at 17:00 (UTC); paused until 2026-01-23 08:00; next 2026-01-23 08:00",
        ),
        (
            ChatDigest(repositories=("a/b",), timing=DigestTiming()),
            "a/b; every day at 09:00 (UTC); paused",
        ),
    ],
)
async def test_subscription_is_told_with_what_it_sets_and_when_it_comes(run, told):
    async def runs():
        return (run,)

    answer = await manage(Subscriptions(), replace(context(FakeSource([])), room=room(runs=runs)))
    (listing,) = [one for one in answer.document.blocks if isinstance(one, Listing)]
    assert [plain(item.spans) for item in listing.items] == [told]
