"""Telegram, by long polling and by webhook."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bot.platforms.telegram.sender import Telegram
from tests.e2e.parity.stage import until
from tests.integration.bot.platforms.telegram.test_receiver import account
from tests.integration.bot.platforms.telegram.test_sender_webhook import call, hooked
from tests.servers.telegram import BOT, PRIVATE, Shown, TelegramServer


class _Telegram:
    account, chat, presses, restates = "telegram", str(PRIVATE), True, True

    def __init__(self, server: TelegramServer, sender: Telegram, name: str) -> None:
        self.name = name
        self.server = server
        self.sender = sender
        self._said: dict[str, Any] = {}
        self._pressed: list[str] = []

    async def say(self, text: str) -> None:
        self._said = self.server.say(text)

    async def reply(self, text: str, answer: Shown) -> None:
        """The person replies to a message of the bot."""
        answered = {"message_id": answer.id, "date": 0, "chat": self.server.chats[answer.chat]}
        self._said = self.server.say(
            text, answer.chat, reply_to_message=answered | {"from": BOT, "text": answer.text}
        )

    async def restate(self, text: str) -> None:
        self._said = self._said | {"text": text, "edit_date": self._said["date"] + 1}
        self.server.update(edited_message=self._said)

    async def press(self, label: str) -> None:
        shown, data = next(
            (shown, key["callback_data"])
            for shown in reversed(self.server.screen(PRIVATE))
            for row in shown.keyboard
            for key in row
            if key["text"] == label
        )
        self._pressed.append(self.server.press(shown, data))

    def texts(self) -> list[str]:
        return self.server.texts(PRIVATE)

    def edits(self) -> int:
        return sum(shown.edits for shown in self.server.screen(PRIVATE))

    def acknowledged(self) -> bool:
        return set(self._pressed) <= set(self.server.answered)


@asynccontextmanager
async def by_polling() -> AsyncIterator[_Telegram]:
    with TelegramServer() as server:
        telegram = account(server)
        yield _Telegram(server, telegram, "telegram, polling")
        await telegram.aclose()


@asynccontextmanager
async def by_webhook() -> AsyncIterator[_Telegram]:
    with TelegramServer() as server:
        telegram = hooked(server)
        recorded, statuses, calling = server.update, [], set()

        def update(**content: Any) -> None:
            """What happens is kept as always, and delivered by a call."""
            recorded(**content)
            task = asyncio.create_task(deliver(content))
            calling.add(task)
            task.add_done_callback(calling.discard)

        async def deliver(content: dict[str, Any]) -> None:
            await until(lambda: server.webhook)
            secret = server.webhook["secret_token"]
            number = len(statuses) + 1
            statuses.append(await call(telegram.web, {"update_id": number, **content}, secret))

        server.update = update  # type: ignore[method-assign]  # this server calls, none polls it
        yield _Telegram(server, telegram, "telegram, webhook")
        assert set(statuses) == {200}
        await telegram.aclose()
