"""What a chat is to the commands that change its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.access import Verdict
    from bot.platforms.base import Incoming
    from handlers.chats import Room


class Rooms(Protocol):
    """Makes the room in which a command is given."""

    async def room(self, account: str, asked: Incoming, admission: Verdict) -> Room:
        """The chat, with what the gate lets the asker do there. ``account`` is configured."""
