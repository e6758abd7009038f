from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.enums import Alerts
from digest.core.profile import EntryKind, ProfileEntry, parse_entry
from digest.question.intent import (
    Affected,
    Alert,
    EditProfile,
    ProfileFrom,
    ShowProfile,
    Touched,
)
from digest.question.parser import parse
from digest.question.profile_rules import read_profiling
from digest.question.questions import format_intent

FLAG, VARIABLE = parse_entry("--max-len"), parse_entry("APP_PORT")


@pytest.mark.parametrize(
    "words",
    [
        "am i affected",
        "are we affected",
        "is my deployment affected",
        "affected",
        "what affects us",
        "which changes break us",
        "does anything break my plugin",
        "what may break what we use",
        "影响我们",
        "影响我们吗",
        "有什么变更会影响我们",
        "我们会受影响",
        "我受到影响",
        "受影响的变更",
    ],
)
def test_whether_one_is_affected_is_asked_in_many_ways(words: str) -> None:
    assert read_profiling(words) == Affected()


@pytest.mark.parametrize(
    "words",
    [
        "what happened to the flag `block size`",
        "explain the new feature flag `block size`",
        'explain the endpoint "block size"',
    ],
)
def test_quoted_words_after_a_kind_of_name_are_its_name(words: str) -> None:
    now = datetime(2026, 1, 23, 12, tzinfo=UTC)
    assert parse(words, now, ZoneInfo("UTC")) == Touched(name="block size")


@pytest.mark.parametrize(
    ("words", "intent"),
    [
        ("profile", ShowProfile()),
        ("show my profile", ShowProfile(mine=True)),
        ("查看档案", ShowProfile()),
        ("profile add --max-len, APP_PORT", EditProfile(add=(FLAG, VARIABLE))),
        ("my profile add --max-len", EditProfile(add=(FLAG,), mine=True)),
        ("we use --max-len and APP_PORT", EditProfile(add=(FLAG, VARIABLE))),
        ("档案 添加 --max-len、APP_PORT", EditProfile(add=(FLAG, VARIABLE))),
        ("我们使用 --max-len 和 APP_PORT", EditProfile(add=(FLAG, VARIABLE))),
        ("profile remove --max-len", EditProfile(remove=(FLAG,))),
        ("档案 删除 APP_PORT", EditProfile(remove=(VARIABLE,))),
        ("profile clear", EditProfile(clear=True)),
        ("clear my profile", EditProfile(clear=True, mine=True)),
        ("profile from ../plugin", ProfileFrom(place="../plugin")),
        ("alerts on", Alert(alerts=Alerts.BREAKING)),
        ("alert me", Alert(alerts=Alerts.BREAKING)),
        ("alerts all", Alert(alerts=Alerts.ALL)),
        ("alert me about every change", Alert(alerts=Alerts.ALL)),
        ("全部提醒", Alert(alerts=Alerts.ALL)),
        ("turn off alerts", Alert(alerts=Alerts.OFF)),
        ("关闭提醒", Alert(alerts=Alerts.OFF)),
        ("打开我的提醒", Alert(alerts=Alerts.BREAKING, mine=True)),
    ],
)
def test_profiles_are_shown_and_changed(words: str, intent: object) -> None:
    assert read_profiling(words) == intent


@pytest.mark.parametrize(
    "words",
    [
        "we use it a lot",
        "i use this",
        "profiler changes",
        "what changed in profile",
        "moe",
        "alert",
    ],
)
def test_other_questions_are_left_to_others(words: str) -> None:
    assert read_profiling(words) is None


_ENTRY = st.builds(
    ProfileEntry,
    kind=st.sampled_from(EntryKind),
    name=st.from_regex(r"[a-zA-Z][\w./*-]{0,20}", fullmatch=True),
).filter(
    # Words for "and" part entries from each other; no entry can hold them.
    lambda e: ".." not in e.name and e.name.lower() not in {"and", "flag"} and "和" not in e.name
)


@given(
    st.one_of(
        st.just(Affected()),
        st.builds(ShowProfile, mine=st.booleans()),
        st.builds(Alert, alerts=st.sampled_from(Alerts), mine=st.booleans()),
        st.builds(
            EditProfile, add=st.lists(_ENTRY, min_size=1, max_size=4).map(tuple), mine=st.booleans()
        ),
    )
)
def test_what_is_written_down_is_read_back(intent) -> None:
    assert read_profiling(format_intent(intent)) == intent


@pytest.mark.parametrize(
    ("question", "watched", "alerts"),
    [
        ("watch src/core/", "path:src/core/", Alerts.ALL),
        ("watch the KV cache and --fast", "topic:KV cache|flag:--fast", Alerts.ALL),
        ("tell me at once when src/a.py changes", "path:src/a.py", Alerts.ALL),
        ("let us know as soon as anything changes in src/core/", "path:src/core/", Alerts.ALL),
        ("ping me when the scheduler is changed", "topic:scheduler", Alerts.ALL),
        ("tell me when somebody touches src/a.py", "path:src/a.py", Alerts.ALL),
        ("notify us about changes in src/core/", "path:src/core/", Alerts.ALL),
        ('watch author:"Ada Lovelace"', "author:Ada Lovelace", Alerts.BREAKING),
        ("watch Ada's commits", "author:Ada", Alerts.BREAKING),
        ("tell me at once when Ada Lovelace commits", "author:Ada Lovelace", Alerts.BREAKING),
        ("tell me when Ada changes something", "author:Ada", Alerts.BREAKING),
        ("notify us about changes by Ada", "author:Ada", Alerts.BREAKING),
        ("盯住 src/core/", "path:src/core/", Alerts.ALL),
        ("src/a.py 有变化时马上告诉我", "path:src/a.py", Alerts.ALL),
        ("调度器有改动就通知我", "topic:调度器", Alerts.ALL),
        ("只要 Ada 合并东西就告诉我", "author:Ada", Alerts.BREAKING),
    ],
)
def test_what_is_to_be_watched_is_read_with_the_alerts_that_it_takes(question, watched, alerts):
    intent = read_profiling(question)
    assert isinstance(intent, Alert)
    assert ("|".join(map(str, intent.add)), intent.alerts) == (watched, alerts)
    assert read_profiling(format_intent(intent)) == intent


@pytest.mark.parametrize(
    "question",
    [
        "watch out for breaking changes",
        "watch it",
        "tell me if it changes",
        "tell me what changes this week",
        "今天有什么变化告诉我",
        "tell me when #12 changes",
    ],
)
def test_questions_about_changes_watch_nothing(question):
    assert read_profiling(question) is None


def test_what_is_watched_is_removed_by_name():
    intent = read_profiling("stop watching src/core/ and author:Ada")
    assert isinstance(intent, EditProfile)
    assert [str(entry) for entry in intent.remove] == ["path:src/core/", "author:Ada"]
