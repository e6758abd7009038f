"""What a chat is told of its settings, in words of the language it is spoken to."""

from __future__ import annotations

from dataclasses import replace
from datetime import time
from zoneinfo import ZoneInfo

import pytest

from digest.chat.chat_intents import ShowSettings
from digest.chat.chat_settings import ChatSettings, DigestTiming
from digest.core.enums import Language
from digest.core.grade import Level
from digest.document import Listing, plain
from handlers.chat.settings import show_settings
from handlers.ports.chat_port import ChatKey, Room
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
