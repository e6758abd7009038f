"""Which channel a chat is, by all the names that it goes by."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.chat.repository_choice import ChannelsByChat
from bot.config.channel_section import ChannelConfig
from bot.messaging.receiver import Incoming

CHANNELS = [
    ChannelConfig(name="topic", platform="telegram", chat="-100/5"),
    ChannelConfig(name="group", platform="telegram", chat="-100"),
    ChannelConfig(name="public", platform="telegram", chat="@AcmeTeam"),
    ChannelConfig(name="second account", platform="other", chat="-100"),
]


@pytest.mark.parametrize(
    ("account", "chat", "also", "found"),
    [
        ("telegram", "-100", (), "group"),
        ("telegram", "-100/5", ("-100",), "topic"),
        ("telegram", "-100/7", ("-100",), "group"),
        ("telegram", "-200", ("@acmeteam",), "public"),
        ("telegram", "-200/3", ("@acmeteam/3", "-200", "@acmeteam"), "public"),
        ("other", "-100", (), "second account"),
        ("other", "-100/5", ("-100",), "second account"),
        ("telegram", "-300", (), None),
    ],
)
def test_channel_is_the_one_of_the_narrowest_name(account, chat, also, found):
    message = Incoming(
        platform="telegram", chat=chat, person="7", text="", id="1", at=datetime.now(UTC),
        also=also,
    )  # fmt: skip
    channel = ChannelsByChat(CHANNELS).channel(account, message)
    assert (channel.name if channel else None) == found
