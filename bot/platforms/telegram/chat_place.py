"""A chat in Telegram's notation: ``-1001234567890``, ``@channel``, or either with ``/topic``."""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.messaging.sender import SendError, SendReason

# User names: 4 to 32 letters, digits and underscores. Ids: at most 52 significant bits,
# https://core.telegram.org/bots/api#chat
_CHAT = re.compile(r"(@[A-Za-z]\w{3,31}|-?\d{1,16})(?:/(\d{1,10}))?", re.ASCII)


class ChatPlace(NamedTuple):
    """The destination of a message. ``topic`` is the id of a forum's topic; General has none."""

    chat: int | str
    topic: int | None = None

    @property
    def is_group(self) -> bool:
        """Whether the stricter rate of groups and channels applies; their ids are negative."""
        return isinstance(self.chat, str) or self.chat < 0

    def __str__(self) -> str:
        return str(self.chat) if self.topic is None else f"{self.chat}/{self.topic}"


def place_of(chat: str) -> ChatPlace:
    """The configured place. Raises ``SendError``."""
    match = _CHAT.fullmatch(chat.strip())
    if not match:
        raise SendError(
            SendReason.NO_CHANNEL,
            f"{chat[:80]!r} is no chat; write an id such as -1001234567890, or @channel, "
            "with /5 behind it for topic 5",
        )
    name, topic = match.groups()
    return ChatPlace(
        name if name.startswith("@") else int(name),
        int(topic) if topic and int(topic) > 1 else None,  # 1 is General, which takes no id
    )
