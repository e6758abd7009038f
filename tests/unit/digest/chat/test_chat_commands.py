"""What chats are told about themselves, in both languages; and what is left to questions."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.chat.chat_commands import read_managing, read_rule
from digest.chat.chat_intents import (
    Filter,
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
    format_managing,
)
from digest.chat.chat_settings import DigestTiming, Rule, RuleField
from digest.chat.schedule_parser import PauseEnd, pause_end, read_time
from digest.core.enums import ChatSetting, Frequency, Language
from digest.core.grade import Level
from digest.errors import UnknownZone, UsageError

BERLIN, WORKDAYS = ZoneInfo("Europe/Berlin"), frozenset(range(5))


def rule(field: str, pattern: str) -> Rule:
    return Rule(field=RuleField(field), pattern=pattern)


COMMANDS = {
    r"exclude keyword /^(fix|mend)(es)? typo/": Filter(
        rule=rule("keyword", "/^(fix|mend)(es)? typo/"), include=False
    ),
    r"save include path /\.(rs|toml)$/": Filter(
        rule=rule("path", r"/\.(rs|toml)$/"), include=True, save=True
    ),
    "include owner @octo/core": Filter(rule=rule("owner", "@octo/core"), include=True),
    "排除负责人 ada": Filter(rule=rule("owner", "ada"), include=False),
    "include path /src/core/": Filter(rule=rule("path", "src/core/"), include=True),
    "remove filter author /^ada\\b/": Unfilter(rule=rule("author", "/^ada\\b/")),
    "exclude keyword /tag and path handling/": Filter(
        rule=rule("keyword", "/tag and path handling/"), include=False
    ),
    "include path docs and tools": Filter(rule=rule("path", "docs and tools"), include=True),
    "subscribe libstdc++ daily": Subscribe(repository="libstdc++"),
    "subscribe": Subscribe(),
    "subscribe vllm daily 09:00 Europe/Berlin level medium": Subscribe(
        repository="vllm", timing=DigestTiming(at=time(9), zone=BERLIN, least=Level.MEDIUM)
    ),
    "subscribe to ada/engine weekly on friday at 5 pm": Subscribe(
        repository="ada/engine",
        kind=Frequency.WEEKLY,
        timing=DigestTiming(at=time(17), weekdays=frozenset({4})),
    ),
    "Subscribe ada/engine mon-fri 8:30 branch release/1.x": Subscribe(
        repository="ada/engine",
        timing=DigestTiming(at=time(8, 30), weekdays=WORKDAYS, branch="release/1.x"),
    ),
    "subscribe ada/engine weekdays UTC": Subscribe(
        repository="ada/engine", timing=DigestTiming(weekdays=WORKDAYS, zone=ZoneInfo("UTC"))
    ),
    "subscibe vllm": Subscribe(repository="vllm"),
    "订阅 vllm 每天 09:00 Asia/Shanghai 级别 中": Subscribe(
        repository="vllm",
        timing=DigestTiming(at=time(9), zone=ZoneInfo("Asia/Shanghai"), least=Level.MEDIUM),
    ),
    "订阅vllm每天下午3点半": Subscribe(repository="vllm", timing=DigestTiming(at=time(15, 30))),
    "订阅 vllm 每周一 9点": Subscribe(
        repository="vllm", timing=DigestTiming(at=time(9), weekdays=frozenset({0}))
    ),
    "订阅 vllm 工作日": Subscribe(repository="vllm", timing=DigestTiming(weekdays=WORKDAYS)),
    "订阅 vllm 周一到周三": Subscribe(
        repository="vllm", timing=DigestTiming(weekdays=frozenset({0, 1, 2}))
    ),
    "订阅 vllm 周一到周三、周五": Subscribe(
        repository="vllm", timing=DigestTiming(weekdays=frozenset({0, 1, 2, 4}))
    ),
    "subscribe vllm mon, wed-fri": Subscribe(
        repository="vllm", timing=DigestTiming(weekdays=frozenset({0, 2, 3, 4}))
    ),
    "订阅 vllm 每周": Subscribe(repository="vllm", kind=Frequency.WEEKLY),
    "subscribe vllm monthly": Subscribe(repository="vllm", kind=Frequency.MONTHLY),
    "subscribe vllm every month on monday 9:00": Subscribe(
        repository="vllm",
        kind=Frequency.MONTHLY,
        timing=DigestTiming(at=time(9), weekdays=frozenset({0})),
    ),
    "subscribe vllm on the last day of the month": Subscribe(
        repository="vllm", kind=Frequency.MONTH_END
    ),
    "subscribe vllm month-end weekdays": Subscribe(
        repository="vllm", kind=Frequency.MONTH_END, timing=DigestTiming(weekdays=WORKDAYS)
    ),
    "subscribe vllm every second week on friday": Subscribe(
        repository="vllm",
        kind=Frequency.FORTNIGHTLY,
        timing=DigestTiming(weekdays=frozenset({4})),
    ),
    "subscribe fortnightly": Subscribe(kind=Frequency.FORTNIGHTLY),
    "订阅 vllm 每月": Subscribe(repository="vllm", kind=Frequency.MONTHLY),
    "订阅 vllm 每月最后一天 18:00": Subscribe(
        repository="vllm", kind=Frequency.MONTH_END, timing=DigestTiming(at=time(18))
    ),
    "订阅 vllm 隔周五": Subscribe(
        repository="vllm",
        kind=Frequency.FORTNIGHTLY,
        timing=DigestTiming(weekdays=frozenset({4})),
    ),
    "订阅 vllm 每两周一次": Subscribe(repository="vllm", kind=Frequency.FORTNIGHTLY),
    "unsubscribe": Unsubscribe(),
    "unsubscribe from ada/engine": Unsubscribe(repository="ada/engine"),
    "unsubscribe vllm": Unsubscribe(repository="vllm"),
    "unsubscribe weekly": Unsubscribe(kind=Frequency.WEEKLY),
    "unsubscribe from ada/engine monthly": Unsubscribe(
        repository="ada/engine", kind=Frequency.MONTHLY
    ),
    "取消订阅 每周": Unsubscribe(kind=Frequency.WEEKLY),
    "取消订阅": Unsubscribe(),
    "取消订阅 vllm": Unsubscribe(repository="vllm"),
    "退订 vllm": Unsubscribe(repository="vllm"),
    "subscriptions": Subscriptions(),
    "list subscriptions": Subscriptions(),
    "show my subscriptions": Subscriptions(),
    "what are we subscribed to": Subscriptions(),
    "订阅列表": Subscriptions(),
    "我的订阅": Subscriptions(),
    "pause": Pause(),
    "pause digests": Pause(),
    "暂停": Pause(),
    "暂停推送": Pause(),
    "pause until friday": Pause(until="fri"),
    "Pause the digests until Tomorrow": Pause(until="tomorrow"),
    "pause until 2026-12-24": Pause(until=date(2026, 12, 24)),
    "pause for 3 days": Pause(until=timedelta(days=3)),
    "pause for a week": Pause(until=timedelta(days=7)),
    "pause for one week": Pause(until=timedelta(days=7)),
    "pause for an hour": Pause(until=timedelta(hours=1)),
    "暂停一周": Pause(until=timedelta(days=7)),
    "pause posts for 12 hours": Pause(until=timedelta(hours=12)),
    "暂停到周五": Pause(until="fri"),
    "暂停推送至明天": Pause(until="tomorrow"),
    "暂停3天": Pause(until=timedelta(days=3)),
    "暂停 两周": Pause(until=timedelta(days=14)),
    "resume": Resume(),
    "恢复": Resume(),
    "mute moe": Mute(topic="moe"),
    "mute topic expert parallel": Mute(topic="expert parallel"),
    "静音 moe": Mute(topic="moe"),
    "静音量化": Mute(topic="量化"),
    "屏蔽话题 量化": Mute(topic="量化"),
    "mute moe until friday": Mute(topic="moe", until="fri"),
    "mute support for rocm for 3 days": Mute(
        topic="support for rocm", until=timedelta(days=3)
    ),
    "mute support for rocm": Mute(topic="support for rocm"),
    "mute waiting until ready": Mute(topic="waiting until ready"),
    "mute docs until 2026-12-24": Mute(topic="docs", until=date(2026, 12, 24)),
    "静音 文档 到周五": Mute(topic="文档", until="fri"),
    "静音量化3天": Mute(topic="量化", until=timedelta(days=3)),
    "unmute moe": Unmute(topic="moe"),
    "取消静音 moe": Unmute(topic="moe"),
    "settings": ShowSettings(),
    "show filters": ShowSettings(),
    "设置": ShowSettings(),
    "settings language zh": Set(setting=ChatSetting.LANGUAGE, value=Language.ZH),
    "set language to English": Set(setting=ChatSetting.LANGUAGE, value=Language.EN),
    "设置语言为中文": Set(setting=ChatSetting.LANGUAGE, value=Language.ZH),
    "set time zone to Europe/Berlin": Set(setting=ChatSetting.ZONE, value=BERLIN),
    "设置 时间 8:30": Set(setting=ChatSetting.TIME, value=time(8, 30)),
    "settings weekdays mon-fri": Set(setting=ChatSetting.WEEKDAYS, value=WORKDAYS),
    "settings weekdays fri-mon": Set(setting=ChatSetting.WEEKDAYS, value=frozenset({4, 5, 6, 0})),
    "settings level low": Set(setting=ChatSetting.LEVEL, value=Level.LOW),
    "设置 级别 高": Set(setting=ChatSetting.LEVEL, value=Level.HIGH),
    "settings branch main": Set(setting=ChatSetting.BRANCH, value="main"),
    "settings bots on": Set(setting=ChatSetting.BOTS, value=True),
    "settings private off": Set(setting=ChatSetting.PRIVATE, value=False),
    "include path vllm/v1/**": Filter(rule=rule("path", "vllm/v1/**"), include=True),
    "save include path vllm/v1/**": Filter(
        rule=rule("path", "vllm/v1/**"), include=True, save=True
    ),
    "only label kernel": Filter(rule=rule("label", "kernel"), include=True),
    "exclude author dependabot": Filter(rule=rule("author", "dependabot"), include=False),
    'exclude keyword "typo fix"': Filter(rule=rule("keyword", "typo fix"), include=False),
    "只看 路径 src/engine/": Filter(rule=rule("path", "src/engine/"), include=True),
    "排除作者 dependabot": Filter(rule=rule("author", "dependabot"), include=False),
    "保存 排除 标签 文档": Filter(rule=rule("label", "文档"), include=False, save=True),
    "remove filter path vllm/v1/**": Unfilter(rule=rule("path", "vllm/v1/**")),
    "remove exclude author dependabot": Unfilter(rule=rule("author", "dependabot")),
    "删除过滤 作者 dependabot": Unfilter(rule=rule("author", "dependabot")),
    "clear filters": Unfilter(),
    "清除过滤": Unfilter(),
}  # fmt: skip

NO_COMMANDS = [
    "what changed in the subscription handler this week",
    "explain #123",
    "settings module changes this week",
    "changes in settings since Monday",
    "subscribe me to the newsletter of the week please",
    "pause button changes",
    "who muted the logger",
    "exclude",
    "include everything",
    "mute",
    "resume from checkpoint last week",
    "本周订阅模块有什么变化",
    "暂停功能改了什么",
    "",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_command_is_read(text: str) -> None:
    assert read_managing(text) == COMMANDS[text]


@pytest.mark.parametrize(
    ("words", "on"),
    [
        ("on yes true show allow 开 打开 开启 允许 ON", True),
        ("off no false hide forbid 关 关闭 禁止 Off", False),
    ],
)
def test_switch_is_turned_by_any_of_its_words(words: str, on: bool) -> None:
    for word in words.split():
        for setting in (ChatSetting.BOTS, ChatSetting.PRIVATE):
            assert read_managing(f"settings {setting} {word}") == Set(setting=setting, value=on)


@pytest.mark.parametrize("text", NO_COMMANDS)
def test_what_is_no_command_is_left_to_questions(text: str) -> None:
    assert read_managing(text) is None


@pytest.mark.parametrize("text", COMMANDS)
def test_command_is_read_back_from_how_it_is_written(text: str) -> None:
    assert read_managing(format_managing(COMMANDS[text])) == COMMANDS[text]


@pytest.mark.parametrize(
    "text",
    [
        "include path crates/resolver/** and author ada",
        "include path src/** and not path src/generated/**",
        "exclude author ada, author bob",
        "remove filter path src/** or label kernel",
    ],
)
def test_two_rules_in_one_command_are_refused(text):
    with pytest.raises(UsageError, match="is a second rule; write one rule at a time"):
        read_managing(text)


@pytest.mark.parametrize(
    "text",
    ["settings language klingon", "settings time 25:00", "set level huge", "settings bots maybe",
     "settings branch --upload-pack=x", "settings branch a..b", "pause until christmas",
     "pause for ever", "pause until mon-fri", "暂停到春节", "暂停3年"],
)  # fmt: skip
def test_value_that_cannot_be_is_named_with_what_can(text: str) -> None:
    with pytest.raises(UsageError, match="write "):
        read_managing(text)


def test_an_expression_that_cannot_be_used_is_refused_with_its_reason() -> None:
    with pytest.raises(
        UsageError, match=r"/\(fix/ is not a valid RE2 regular expression .*missing \)"
    ):
        read_managing("exclude keyword /(fix/")
    with pytest.raises(ValueError, match="is not a valid RE2 regular expression"):
        read_rule("keyword /(fix/")


@pytest.mark.parametrize("text", ["settings zone Mars/Olympus", "subscribe vllm Europe/Berlen"])
def test_unknown_zone_is_named(text: str) -> None:
    with pytest.raises(UnknownZone):
        read_managing(text)


@given(st.text(max_size=400))
def test_any_text_is_read_or_left_or_refused(text: str) -> None:
    for begin in ("", "subscribe ", "settings time ", "订阅", "include path "):
        with suppress(UsageError):
            read_managing(f"{begin}{text}")


@pytest.mark.parametrize(
    ("until", "end"),
    [
        ("wed", datetime(2026, 3, 31, 22, tzinfo=UTC)),
        ("mon", datetime(2026, 3, 29, 22, tzinfo=UTC)),
        ("sat", datetime(2026, 4, 3, 22, tzinfo=UTC)),
        ("tomorrow", datetime(2026, 3, 28, 23, tzinfo=UTC)),
        (date(2026, 3, 29), datetime(2026, 3, 28, 23, tzinfo=UTC)),
        (timedelta(days=3), datetime(2026, 3, 30, 23, 30, tzinfo=UTC)),
    ],
)
def test_pause_ends_with_the_first_instant_of_a_day_or_after_its_length(
    until: PauseEnd, end: datetime
) -> None:
    saturday_in_berlin = datetime(2026, 3, 27, 23, 30, tzinfo=UTC)
    assert pause_end(until, saturday_in_berlin, BERLIN) == end


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("9 am", time(9)),
        ("9:30 am", time(9, 30)),
        ("12 am", time(0)),
        ("12:15 am", time(0, 15)),
        ("1 pm", time(13)),
        ("11:59 pm", time(23, 59)),
        ("12 pm", time(12)),
        ("0 am", None),
        ("13 pm", None),
        ("23:59", time(23, 59)),
        ("0:00", time(0)),
        ("24:00", None),
        ("下午1点", time(13)),
        ("下午12点", time(12)),
        ("晚上11点半", time(23, 30)),
        ("上午9点5分", time(9, 5)),
        ("中午12点", time(12)),
    ],
)
def test_time_of_day_is_read_with_either_clock(written, at):
    assert read_time(written) == at
