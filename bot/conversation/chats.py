"""Which channel of the configuration a chat is, by all the names that it goes by."""

from __future__ import annotations

from collections.abc import Iterable

from bot.config.sections import ChannelConfig
from bot.platforms.base import Incoming


class Chats:
    """Channels by account and chat: two accounts of one platform do not share theirs."""

    def __init__(self, channels: Iterable[ChannelConfig]) -> None:
        self._channels: dict[tuple[str, str], ChannelConfig] = {}
        for channel in channels:
            self._channels.setdefault((channel.platform, _folded(channel.chat)), channel)

    def channel(self, account: str, asked: Incoming) -> ChannelConfig | None:
        """The channel of a chat, the one of its narrowest name: a topic's before its group's."""
        for name in (asked.chat, *asked.also):
            if found := self._channels.get((account, _folded(name))):
                return found
        return None


def _folded(chat: str) -> str:
    """Public names are the same in any case; ids are not."""
    return chat.casefold() if chat.startswith("@") else chat
