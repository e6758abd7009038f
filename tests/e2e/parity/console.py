"""The terminal: what is typed comes through a pipe, what is printed is kept."""

from __future__ import annotations

import io
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.messaging.receiver import Incoming
from bot.platforms.console import Console, Keyboard

_STYLE = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\")


class _Printed(Console):
    """Listens to what is typed, and keeps apart what it prints."""

    def __init__(self, typed: io.TextIOBase) -> None:
        super().__init__(io.StringIO(), width=1000, styled=True)
        self.keyboard = Keyboard(typed)
        self.texts: list[str] = []

    async def send(self, chat, part, reply_to=None):
        self.texts.append(_STYLE.sub("", part.body))
        return await super().send(chat, part, reply_to)

    async def listen(self) -> AsyncIterator[Incoming]:
        async for one in self.keyboard.listen():
            yield one


class _Terminal:
    name, account, chat, presses, restates = "console", "console", "", False, False

    def __init__(self, typing: io.TextIOBase, sender: _Printed) -> None:
        self._typing = typing
        self.sender = sender

    async def say(self, text: str) -> None:
        self._typing.write(f"{text}\n")
        self._typing.flush()

    async def press(self, label: str) -> None:
        raise AssertionError("there is nothing to press")

    async def restate(self, text: str) -> None:
        raise AssertionError("what is typed stays")

    def texts(self) -> list[str]:
        return self.sender.texts

    def edits(self) -> int:
        return 0

    def acknowledged(self) -> bool:
        return True


@asynccontextmanager
async def at_a_terminal() -> AsyncIterator[_Terminal]:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as typing, os.fdopen(reading) as typed:
        yield _Terminal(typing, _Printed(typed))
        typing.close()
