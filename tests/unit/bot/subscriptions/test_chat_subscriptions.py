"""The log of who changed what in a chat."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from structlog.testing import capture_logs

from bot.access.gate import policy_of
from bot.config.channel_section import Preferences
from bot.config.reader import read
from bot.subscriptions.chat_subscriptions import RecordedChats, Subscribing, spec_of, timing_of
from bot.telemetry.logs import into_file
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
from handlers.ports.chat_port import ChatKey, Chats

CHAT = ChatKey(platform="slack", account="work", chat="T1/C1")


class OneChat(Chats):
    """The settings and subscriptions of one chat, in memory."""

    def __init__(self) -> None:
        self.kept = ChatSettings()
        self.asked: list[Subscribed] = []

    async def settings(self, chat: ChatKey) -> ChatSettings:
        return self.kept

    async def change(
        self, chat: ChatKey, change: Callable[[ChatSettings], ChatSettings]
    ) -> ChatSettings:
        self.kept = change(self.kept)
        return self.kept

    async def subscribed(self, chat: ChatKey) -> Sequence[Subscribed]:
        return tuple(self.asked)

    async def subscribe(self, chat: ChatKey, one: Subscribed) -> None:
        same = (one.repository, one.kind)
        self.asked = [old for old in self.asked if (old.repository, old.kind) != same] + [one]

    async def unsubscribe(
        self, chat: ChatKey, repository: str = "", kind: Frequency | None = None
    ) -> int:
        before = len(self.asked)
        self.asked = [
            one
            for one in self.asked
            if repository not in {"", one.repository} or kind not in {None, one.kind}
        ]
        return before - len(self.asked)


@pytest.fixture
def recorded() -> RecordedChats:
    return RecordedChats(OneChat(), "slack:U1")


def changes(logs) -> list[tuple[str, str, str]]:
    assert all(one["event"] == "setting.changed" for one in logs)
    return [(one["setting"], one["before"], one["after"]) for one in logs]


async def test_change_of_a_setting_is_logged_with_person_chat_and_both_values(recorded) -> None:
    with capture_logs() as logs:
        await recorded.change(CHAT, lambda kept: replace(kept, language=Language.ZH))
        await recorded.change(CHAT, lambda kept: replace(kept, language=Language.EN))
    assert changes(logs) == [("language", "", "zh"), ("language", "zh", "en")]
    assert {(one["person"], one["chat"], one["account"]) for one in logs} == {
        ("slack:U1", "slack:T1/C1", "work")
    }


async def test_every_setting_that_differs_has_an_event_and_no_other(recorded) -> None:
    rule = Rule(field=RuleField.AUTHOR, pattern="ada")
    timing = DigestTiming(at=time(9), weekdays=frozenset({0, 4}), zone=ZoneInfo("Europe/Berlin"))
    until = datetime(2026, 3, 8, tzinfo=UTC)
    wanted = ChatSettings(
        timing=timing,
        filters=Filters(exclude=(rule,), bots=True),
        muted=("moe", "量化"),
        paused_since=until,
        paused_until=until,
    )
    with capture_logs() as logs:
        await recorded.change(CHAT, lambda _: wanted)
        await recorded.change(CHAT, lambda kept: kept)
    assert changes(logs) == [
        ("zone", "", "Europe/Berlin"),
        ("time", "", "09:00"),
        ("weekdays", "", "mon,fri"),
        ("bots", "off", "on"),
        ("exclude", "", "author ada"),
        ("muted", "", "moe, 量化"),
        ("paused_until", "", "2026-03-08T00:00:00+00:00"),
    ]


async def test_change_that_is_refused_is_not_logged(recorded) -> None:
    def refuse(_: ChatSettings) -> ChatSettings:
        raise ValueError

    with capture_logs() as logs, pytest.raises(ValueError):
        await recorded.change(CHAT, refuse)
    assert logs == []


async def test_subscriptions_are_logged_as_the_commands_that_make_them(recorded) -> None:
    first = Subscribed(repository="a/b", timing=DigestTiming(at=time(9)))
    with capture_logs() as logs:
        await recorded.subscribe(CHAT, first)
        await recorded.subscribe(CHAT, replace(first, timing=DigestTiming(at=time(10))))
        await recorded.subscribe(CHAT, Subscribed(repository="c/d", kind=Frequency.WEEKLY))
        assert await recorded.unsubscribe(CHAT, "a/b") == 1
        assert await recorded.unsubscribe(CHAT, "a/b") == 0
    assert changes(logs) == [
        ("subscription", "", "subscribe a/b daily 09:00"),
        ("subscription", "subscribe a/b daily 09:00", "subscribe a/b daily 10:00"),
        ("subscription", "", "subscribe c/d weekly"),
        ("subscription", "subscribe a/b daily 10:00", ""),
    ]


async def test_secrets_in_a_setting_are_masked_in_the_log(recorded, tmp_path) -> None:
    muted = ("s3cr3t-value", "https://ada:pw@host/x")
    with into_file(tmp_path / "log", ["s3cr3t-value"]):
        await recorded.change(CHAT, lambda kept: replace(kept, muted=muted))
    (event,) = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert event["event"] == "setting.changed"
    assert "s3cr3t" not in event["after"]
    assert "pw" not in event["after"]
    assert "host/x" in event["after"]


def test_what_a_chat_leaves_open_is_posted_as_the_defaults_say():
    defaults = Preferences(weekdays=["mon", "wed"], time="07:00", zone="Asia/Shanghai")
    usual = spec_of(DigestTiming(), defaults, Frequency.DAILY)
    assert (usual.at, usual.weekdays, usual.zone) == (time(7), {0, 2}, ZoneInfo("Asia/Shanghai"))
    assert usual == spec_of(timing_of(defaults), defaults, Frequency.DAILY)
    assert spec_of(DigestTiming(), defaults, Frequency.WEEKLY).weekdays == {0}
    given = DigestTiming(at=time(12), weekdays=frozenset({2, 4}), zone=ZoneInfo("UTC"))
    own = spec_of(given, defaults, Frequency.DAILY)
    assert (own.at, own.weekdays, own.zone) == (time(12), {2, 4}, ZoneInfo("UTC"))


async def test_a_configured_chat_keeps_its_settings_in_what_it_asks_for(tmp_path) -> None:
    file = tmp_path / "digestbot.toml"
    file.write_text(f"""
[access]
anyone = true
[[repositories]]
place = {str(tmp_path)!r}
name = "ada/open"
[platforms.work]
kind = "webhook"
url = "http://127.0.0.1:9"
[[channels]]
name = "team"
platform = "work"
chat = "team"
time = "08:12"
language = "zh"
least = "low"
exclude = ["author ada"]
""")
    config = read(file)
    subscribing = Subscribing(
        SimpleNamespace(database=None), config, policy_of(config, {}), {"work": "webhook"}
    )
    chat = ChatKey(platform="webhook", account="work", chat="team")
    own = ChatSettings(filters=Filters(exclude=(Rule(field=RuleField.LABEL, pattern="ci"),)))
    monthly = Subscribed(repository="ada/open", kind=Frequency.MONTHLY, person="U1")

    class Every(OneChat):
        async def every(self):
            return {chat: own}, [(chat, monthly)]

    subscribing.chats = Every()
    daily, asked = await subscribing.subscriptions()
    assert (daily.spec.kind, asked.spec.kind) == (Frequency.DAILY, Frequency.MONTHLY)
    for one in (daily, asked):
        assert (one.spec.at, one.language, one.least) == (time(8, 12), Language.ZH, Level.LOW)
        assert list(map(str, one.filters.exclude)) == ["author ada", "label ci"]


async def test_a_chat_of_an_account_that_the_configuration_lost_is_not_served(tmp_path) -> None:
    file = tmp_path / "digestbot.toml"
    file.write_text(
        f"[[repositories]]\nplace = '{tmp_path}'\nname = 'ada/open'\n[access]\nanyone = true\n"
    )
    wanted = Subscribed(repository="ada/open", kind=Frequency.DAILY, person="U1")

    class Every(OneChat):
        async def every(self):
            return {}, [(CHAT, wanted), (replace(CHAT, account="lost"), wanted)]

    config = read(file)
    app = SimpleNamespace(database=None)
    subscribing = Subscribing(app, config, policy_of(config, {}), {"work": "slack"})
    subscribing.chats = Every()
    (served,) = await subscribing.subscriptions()
    assert (served.platform, served.chat) == ("work", "T1/C1")
