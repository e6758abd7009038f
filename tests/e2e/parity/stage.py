"""A place where a person talks with the bot: a real adapter before its strict server.

What is written on a stage goes the platform's own way to the bot, and what is read is what its
server shows to a person.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Protocol

from bot.messaging.sender import Sender

_BUTTONS = re.compile(r"\[[^\[\]\n]*\](?:\s+\[[^\[\]\n]*\])*")


class Stage(Protocol):
    """One chat of two: the person and the bot."""

    name: str
    account: str
    chat: str
    sender: Sender

    async def say(self, text: str) -> None:
        """The person writes."""

    async def press(self, label: str) -> None:
        """The person presses a button of the bot's last message that has it."""

    async def restate(self, text: str) -> None:
        """The person edits the last thing that was written, where the platform tells of it."""

    def texts(self) -> list[str]:
        """The bot's messages as they stand, in order."""

    def edits(self) -> int:
        """How often a message of the bot was edited."""

    def acknowledged(self) -> bool:
        """Whether the platform was answered about all that it delivered."""

    presses: bool
    restates: bool


async def until(holds: Callable[[], object], seconds: float = 120.0) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.005)


def words(text: str) -> list[str]:
    """The words of a text, without the marks and the buttons of a platform."""
    lines = (line for line in text.split("\n") if not _BUTTONS.fullmatch(line.strip()))
    return re.findall(r"\w+", "\n".join(lines))
