"""What is remembered of chats for a while: threads the bot is in, who else reads, where to answer.

All of it can be forgotten: it is asked for again, or the message is mentioned again.
"""

from __future__ import annotations

from bot.platforms.base import SendError
from bot.platforms.slack.accounts import Account
from bot.platforms.slack.calls import Calls
from bot.transport.remembered import Remembered


class Surroundings:
    """Threads that the bot is in, and chats that people of other organisations read."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._threads: Remembered[bool] = Remembered(24 * 3600)
        self._strange: Remembered[bool] = Remembered(600)
        self._external: Remembered[bool] = Remembered(600)

    def joined(self, chat: str, thread: str) -> None:
        """The bot has written there."""
        self._threads.keep(f"{chat}/{thread}", value=True)

    async def takes_part(self, account: Account, chat: str, thread: str) -> bool:
        """Whether the bot has written in the thread; not, where Slack does not tell."""
        key = f"{chat}/{thread}"
        if self._threads.get(key):
            return True
        if self._strange.get(key):
            return False
        try:
            told = await self._calls.read(
                "conversations.replies", account.token, channel=chat, ts=thread, limit=200
            )
        except SendError:
            return False
        mine = any(one.get("user") == account.user for one in told.get("messages", ()))
        (self._threads if mine else self._strange).keep(key, value=True)
        return mine

    async def external(self, account: Account, chat: str) -> bool:
        """Whether people of other organisations read the chat; yes, where Slack does not tell."""
        if chat.startswith(("U", "W")):
            return False
        if (known := self._external.get(chat)) is not None:
            return known
        try:
            told = await self._calls.read("conversations.info", account.token, channel=chat)
        except SendError:
            return True
        about = told.get("channel", {})
        found = bool(about.get("is_ext_shared") or about.get("is_pending_ext_shared"))
        self._external.keep(chat, found)
        return found
