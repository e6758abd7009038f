"""Slack as a place to post to.

A post carries its identity as message metadata, so that it is found again after a crash:
https://docs.slack.dev/messaging/message-metadata
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import structlog

from bot.platforms.base import Ability, Limit, Part, Receipt, SendError, SendReason
from bot.platforms.slack.accounts import Account, Accounts
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.faults import BLOCKS_REFUSED, Refusal
from bot.platforms.slack.messages import LIMIT, render
from bot.platforms.slack.spoken import LONGEST, escape, fallback
from digest.document import Document

log = structlog.get_logger(__name__)

EVENT = "digestbot_part"
"""The type of our metadata; its payload holds the part's identity."""

REACH = 8 * 24 * 3600.0
"""Seconds back that a message is looked for: a missed digest is caught up for a week at most."""

_PAGE = 200  # messages a call; Slack advises no more
_MOST_PAGES = 50
_CHAT = re.compile(r"(?:(?P<team>[TE][A-Z0-9]+)/)?(?P<channel>[CGDUW][A-Z0-9]{2,})")


class SlackSender:
    """Posts as the bot. A chat is a channel's id, behind the workspace's where there are many."""

    name = "slack"
    limit: Limit = LIMIT
    abilities = frozenset({Ability.EDIT, Ability.FIND, Ability.THREAD})

    def __init__(
        self, calls: Calls, accounts: Accounts, clock: Callable[[], float] = time.time
    ) -> None:
        self._calls = calls
        self._accounts = accounts
        self._clock = clock
        self._conversations: dict[str, str] = {}

    def render(self, document: Document) -> tuple[Part, ...]:
        """Header, rich text, buttons and tables, in as few messages as hold them."""
        return render(document)

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post; the words alone where Slack refuses the layout."""
        account, channel = await self._at(chat)
        thread = reply_to.thread if reply_to else ""
        values = {
            "channel": channel,
            "thread_ts": thread or None,
            "metadata": _metadata(part),
            "unfurl_links": False,
            "unfurl_media": False,
            "parse": "none",
            "mrkdwn": False,
        }
        blocks = _blocks(part)
        try:
            told = await self._calls.post(
                "chat.postMessage",
                account.token,
                text=fallback(part.text),
                blocks=blocks,
                **values,
            )
        except Refusal as error:
            if error.code not in BLOCKS_REFUSED:
                raise
            log.warning("slack.layout_refused", code=error.code, blocks=len(blocks))
            told = await self._calls.post(
                "chat.postMessage", account.token, text=escape(part.text), **values
            )
        message = str(told.get("ts", ""))
        if not message:
            raise SendError(SendReason.NO_ANSWER, "chat.postMessage: no ts")
        return Receipt(message=message, thread=thread or message)

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:
        """Put other blocks in the place of a message; its metadata stay."""
        text, blocks = fallback(part.text), _blocks(part)
        if not self.limit.holds(part) or len(text) > LONGEST:
            raise SendError(SendReason.REJECTED, "chat.update: longer than Slack takes")
        account, channel = await self._at(chat)
        if channel.startswith(("U", "W")):
            channel = await self._conversation(account, channel)
        await self._calls.post(
            "chat.update",
            account.token,
            channel=channel,
            ts=receipt.message,
            text=text,
            blocks=blocks,
            parse="none",
        )
        return receipt

    async def find(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt | None:
        """Look through the channel, or the thread, for our message with the part's identity."""
        if not part.identity:
            return None
        account, channel = await self._at(chat)
        if channel.startswith(("U", "W")):
            channel = await self._conversation(account, channel)
        thread = reply_to.thread if reply_to else ""
        async for message in self._messages(account, channel, thread):
            if _is(message, part, account):
                found = str(message["ts"])
                return Receipt(message=found, thread=thread or found)
        return None

    async def probe(self, chat: str) -> str:
        """Whose token it is, what the channel is called, and whether the bot is in it."""
        account, channel = await self._at(chat)
        told = f"{account.name} in {account.workspace}"
        if channel.startswith(("U", "W", "D")):
            return f"{told}, direct messages"
        found = await self._calls.read("conversations.info", account.token, channel=channel)
        about = found.get("channel", {})
        name = about.get("name", channel)
        if about.get("is_archived"):
            raise SendError(SendReason.NO_CHANNEL, f"#{name} is archived")
        if not about.get("is_member"):
            raise SendError(
                SendReason.NO_CHANNEL, f"the bot is not in #{name}; invite it with /invite there"
            )
        external = ", shared with another organisation" if about.get("is_ext_shared") else ""
        return f"{told}, #{name}{external}"

    async def aclose(self) -> None:
        """Close the connections."""
        await self._calls.aclose()

    async def _at(self, chat: str) -> tuple[Account, str]:
        found = _CHAT.fullmatch(chat)
        if not found:
            raise SendError(
                SendReason.NO_CHANNEL, "a chat is a channel's id such as C0123456789, not its name"
            )
        return await self._accounts.of(found["team"] or ""), found["channel"]

    async def _conversation(self, account: Account, person: str) -> str:
        """The direct conversation with a person: histories and edits know only those."""
        if person not in self._conversations:
            told = await self._calls.post("conversations.open", account.token, users=person)
            self._conversations[person] = str(told.get("channel", {}).get("id", ""))
        return self._conversations[person]

    async def _messages(
        self, account: Account, channel: str, thread: str
    ) -> AsyncIterator[dict[str, Any]]:
        method = "conversations.replies" if thread else "conversations.history"
        cursor = None
        for _ in range(_MOST_PAGES):
            page = await self._calls.read(
                method,
                account.token,
                channel=channel,
                ts=thread or None,
                oldest=f"{self._clock() - REACH:.6f}",
                include_all_metadata=True,
                limit=_PAGE,
                cursor=cursor,
            )
            for message in page.get("messages", ()):
                yield message
            cursor = page.get("response_metadata", {}).get("next_cursor")
            if not cursor:
                return
        raise SendError(SendReason.BROKEN, f"{method}: more messages than can be looked through")


def _metadata(part: Part) -> dict[str, Any] | None:
    if not part.identity:
        return None
    return {"event_type": EVENT, "event_payload": {"identity": part.identity}}


def _blocks(part: Part) -> list[dict[str, Any]]:
    blocks = json.loads(part.body)
    assert isinstance(blocks, list)
    return blocks


def _is(message: dict[str, Any], part: Part, account: Account) -> bool:
    """Whether it is the part, posted by us: anybody's app can write metadata."""
    metadata = message.get("metadata") or {}
    payload = metadata.get("event_payload") or {}
    ours = account.bot and message.get("bot_id") == account.bot
    ours = ours or (account.user and message.get("user") == account.user)
    same = metadata.get("event_type") == EVENT and payload.get("identity") == part.identity
    return bool(ours and same)
