"""What Slack delivers, read: pure functions over payloads, hostile ones included."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.messaging.receiver import Incoming
from bot.platforms.slack.events import HomeOpened, SlackMessage, read, words
from bot.platforms.slack.installations import SlackAccount

ME = SlackAccount(token="xoxb-secret", team="T0", user="U0BOT", bot="B0BOT")
NOW = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("<@U0BOT> explain #1", "explain #1"),
        ("<@U0BOT|digestbot>   help", "help"),
        ("what did <@U1|ada> and <@U2> do in <#C1|moe>?", "what did @ada and @U2 do in #moe?"),
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt;", "&lt;"),
        ("<https://example.org/pull/7>", "https://example.org/pull/7"),
        ("<http://vllm.ai|vllm.ai>", "vllm.ai"),
        ("<http://slack.py|slack.py> and <https://x.org/|https://x.org>", "slack.py and https://x.org"),
        ("<https://x.org/pull/7|that one>", "that one https://x.org/pull/7"),
        ("<mailto:a@example.org|a@example.org>", "a@example.org"),
        ("<!here> <!subteam^S1|@core> <!channel|channel>", "@here @core channel"),
        ("<!date^1700000000^{date}|yesterday>", "yesterday"),
        ("no <marks", "no <marks"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_message_is_read_as_it_was_written(written, said):
    assert words(written, "U0BOT") == said


@given(st.text())
def test_any_text_can_be_read(text):
    words(text, "U0BOT")


def test_the_moment_of_a_message_is_its_own():
    body = {
        "type": "event_callback",
        "team_id": "T0",
        "is_ext_shared_channel": True,
        "event": {
            "type": "app_mention",
            "user": "U1",
            "channel": "C1",
            "ts": "1700000000.000100",
            "text": "<@U0BOT> help",
        },
    }
    heard = read(body, ME, NOW)
    assert isinstance(heard, SlackMessage)
    assert heard.incoming.at == datetime(2023, 11, 14, 22, 13, 20, 100, tzinfo=UTC)
    assert heard.incoming.external
    assert heard.known


def test_a_page_is_looked_at_only_in_its_own_tab():
    def opened(tab):
        event = {"type": "app_home_opened", "user": "U1", "tab": tab}
        return read({"type": "event_callback", "team_id": "T0", "event": event}, ME, NOW)

    assert opened("home") == HomeOpened(account=ME, person="U1")
    assert opened("messages") is None


@pytest.mark.parametrize("stamp", ["", "x", "-1", "1e5", "nan", "1700000000.1\n", "9" * 40])
def test_a_message_without_a_time_is_none(stamp):
    event = {"type": "app_mention", "user": "U1", "channel": "C1", "ts": stamp, "text": "x"}
    assert read({"type": "event_callback", "event": event}, ME, NOW) is None


KEYS = st.sampled_from(
    [
        "type", "event", "command", "team", "team_id", "user", "channel", "channel_id", "ts",
        "thread_ts", "text", "actions", "action_id", "container", "message", "id", "trigger_id",
        "callback_id", "channel_type", "subtype", "tab", "response_url",
    ]
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from(["event_callback", "message", "app_mention", "block_actions", "message_action", "im", "home", "U0BOT", "U1"]),
        st.text(max_size=8),
    ),
    lambda inner: st.one_of(
        st.lists(st.dictionaries(KEYS, inner, max_size=3), max_size=2),
        st.dictionaries(KEYS, inner, max_size=6),
    ),
    max_leaves=8,
)  # fmt: skip


KINDS = st.sampled_from(["event_callback", "block_actions", "message_action", "other"])
EVENTS = st.sampled_from(["message", "app_mention", "app_home_opened", "other"])


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(KEYS, VALUES, max_size=8),
    KINDS,
    st.dictionaries(KEYS, VALUES, max_size=8),
    EVENTS,
)
def test_no_payload_breaks_the_reading(body, kind, event, name):
    body = {"event": event | {"type": name}} | body | {"type": kind}
    found = read(body, ME, NOW)
    assert found is None or isinstance(found, SlackMessage | HomeOpened)
    if isinstance(found, SlackMessage):
        incoming: Incoming = found.incoming
        assert incoming.at.tzinfo is not None
        assert all(
            isinstance(one, str)
            for one in (incoming.chat, incoming.person, incoming.text, incoming.id)
        )


def test_an_account_does_not_tell_its_token():
    assert "xoxb" not in repr(ME)
