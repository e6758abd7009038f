"""Posts to Slack, and caches which threads the bot is in and which chats are external.

A post carries its identity as message metadata, so that it is found again after a crash:
https://docs.slack.dev/messaging/message-metadata
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator

import structlog

from bot.messaging.rates import Paces, Rate
from bot.messaging.receiver import Remembered
from bot.messaging.sender import Ability, Limit, Part, Receipt, SendError, SendReason
from bot.messaging.wire import late_as_send_error
from bot.platforms.slack.blocks import LIMIT, render
from bot.platforms.slack.installations import Accounts, SlackAccount
from bot.platforms.slack.rich_text import LONGEST, escape, fallback
from bot.platforms.slack.web_api import BLOCKS_REFUSED, Json, SlackRefusal, SlackWebApi
from bot.util.chart_image import Picture
from digest.document import Document


class ThreadInfo:
    """Threads that the bot is in, and chats that people of other organisations read."""

    def __init__(self, calls: SlackWebApi) -> None:
        self._calls = calls
        self._threads: Remembered[bool] = Remembered(24 * 3600)
        self._strange: Remembered[bool] = Remembered(600)
        self._external: Remembered[bool] = Remembered(600)

    def joined(self, chat: str, thread: str) -> None:
        """Remember that the bot has written there."""
        self._threads.keep(f"{chat}/{thread}", value=True)

    async def takes_part(self, account: SlackAccount, chat: str, thread: str) -> bool:
        """Whether the bot has written in the thread; false if Slack does not tell."""
        key = f"{chat}/{thread}"
        if self._threads.get(key):
            return True
        if self._strange.get(key):
            return False
        try:
            replies = await self._calls.read(
                "conversations.replies", account.token, channel=chat, ts=thread, limit=200
            )
        except SendError:
            return False
        mine = any(reply.get("user") == account.user for reply in replies.get("messages", ()))
        (self._threads if mine else self._strange).keep(key, value=True)
        return mine

    async def external(self, account: SlackAccount, chat: str) -> bool:
        """Whether people of other organisations read the chat; true if Slack does not tell."""
        if chat.startswith(("U", "W")):
            return False
        if (known := self._external.get(chat)) is not None:
            return known
        try:
            info = await self._calls.read("conversations.info", account.token, channel=chat)
        except SendError:
            return True
        about = info.get("channel", {})
        shared = bool(about.get("is_ext_shared") or about.get("is_pending_ext_shared"))
        self._external.keep(chat, shared)
        return shared


log = structlog.get_logger(__name__)

EVENT = "digestbot_part"  # the type of our metadata; its payload holds the part's identity
REACH = 8 * 24 * 3600.0
"""Seconds to look back for a part without a date: digests are caught up for a week."""

# https://docs.slack.dev/apis/web-api/rate-limits: about one message per second and channel, and
# "several hundred" a minute in a workspace.
_IN_A_CHANNEL = (Rate(count=1, seconds=1.0),)
_IN_ALL = Rate(count=200, seconds=60.0)
_FOR_ANSWERS = Rate(count=60, seconds=60.0)
_NOT_TO_BE_READ = frozenset({"not_in_channel", "missing_scope"})
"""Errors of a channel that can be posted to, but not read."""

_TITLE, _ALT = 200, 900  # characters of a file; Slack documents only 1000 for the latter
_SKEW = 120.0  # seconds that Slack's clock and ours may differ
_PAGE = 200  # messages per call; Slack advises no more
_MOST_PAGES = 50
_CHAT = re.compile(r"(?:(?P<team>[TE][A-Z0-9]+)/)?(?P<channel>[CGDUW][A-Z0-9]{2,})")


class SlackSender:
    """Posts as the bot. A chat is a channel's id, prefixed with the workspace if there are many."""

    name = "slack"
    limit: Limit = LIMIT
    abilities = frozenset({Ability.EDIT, Ability.FIND, Ability.THREAD})
    _receives = " (receives nothing: there is no app_token)"

    def __init__(self, calls: SlackWebApi, accounts: Accounts) -> None:
        self._calls = calls
        self._accounts = accounts
        self._conversations: dict[str, str] = {}
        self.paces = Paces(_IN_ALL, _FOR_ANSWERS)  # by workspace: Slack limits each separately

    def render(self, document: Document) -> tuple[Part, ...]:
        """Header, rich text, buttons and tables, in as few messages as possible."""
        return render(document)

    async def ready(self, chat: str, *, answer: bool = False) -> None:
        """Wait for the channel's rate limit."""
        with late_as_send_error():
            await self.paces[_workspace(chat)].turn(chat, _IN_A_CHANNEL, answer=answer)

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post; only the text if Slack refuses the blocks."""
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
        try:
            posted = await self._post(account, part, values)
        except SendError as error:
            if error.reason is SendReason.RATE_LIMITED and error.retry_after:
                self.paces[_workspace(chat)].hold(chat, error.retry_after)
            raise
        message = str(posted.get("ts", ""))
        if not message:
            raise SendError(SendReason.NO_ANSWER, "chat.postMessage: no ts")
        return Receipt(message=message, thread=thread or message)

    async def _post(self, account: SlackAccount, part: Part, values: Json) -> Json:
        method, blocks = "chat.postMessage", blocks_of(part)
        try:
            return await self._calls.post(
                method, account.token, text=fallback(part.text), blocks=blocks, **values
            )
        except SlackRefusal as error:
            if error.code not in BLOCKS_REFUSED:
                raise
            log.warning("slack.layout_refused", code=error.code, blocks=len(blocks))
            return await self._calls.post(method, account.token, text=escape(part.text), **values)

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:
        """Replace the blocks of a message; its metadata stays."""
        text, blocks = fallback(part.text), blocks_of(part)
        if not self.limit.holds(part) or len(text) > LONGEST:
            raise SendError(SendReason.REJECTED, "chat.update: longer than Slack accepts")
        account, channel = await self._at(chat, conversation=True)
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

    async def show(self, chat: str, picture: Picture, below: Receipt) -> None:
        """As :class:`bot.messaging.Pictured`: a file in the message's thread."""
        account, channel = await self._at(chat, conversation=True)
        await self._calls.upload(
            account.token,
            channel=channel,
            thread=below.thread or below.message,
            content=picture.png,
            title=picture.title[:_TITLE],
            alt=picture.alt[:_ALT],
        )

    async def find(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt | None:
        """Find our message with the part's identity in the channel or the thread."""
        if not part.identity:
            return None
        account, channel = await self._at(chat, conversation=True)
        thread = reply_to.thread if reply_to else ""
        oldest = part.since.timestamp() - _SKEW if part.since else time.time() - REACH
        try:
            async for message in self._messages(account, channel, thread, oldest):
                if _is(message, part, account):
                    found = str(message["ts"])
                    return Receipt(message=found, thread=thread or found)
        except SlackRefusal as error:
            if error.code in _NOT_TO_BE_READ:
                raise SendError(SendReason.UNSUPPORTED, error.detail) from error
            raise
        return None

    async def probe(self, chat: str) -> str:
        """The owner of the token, the channel's name, and whether the bot is a member."""
        account, channel = await self._at(chat)
        description = f"{account.name} in {account.workspace}{self._receives}"
        if channel.startswith(("U", "W", "D")):
            return f"{description}, direct messages"
        info = await self._calls.read("conversations.info", account.token, channel=channel)
        about = info.get("channel", {})
        name = about.get("name", channel)
        if about.get("is_archived"):
            raise SendError(SendReason.NO_CHANNEL, f"#{name} is archived")
        if not about.get("is_member"):
            raise SendError(
                SendReason.NO_CHANNEL, f"the bot is not in #{name}; invite it with /invite there"
            )
        external = ", shared with another organisation" if about.get("is_ext_shared") else ""
        return f"{description}, #{name}{external}"

    async def external(self, chat: str) -> bool:
        """Whether the channel is shared with other workspaces; true if Slack does not tell."""
        try:
            account, channel = await self._at(chat)
        except SendError:
            return True
        return await ThreadInfo(self._calls).external(account, channel)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._calls.aclose()

    async def _at(self, chat: str, *, conversation: bool = False) -> tuple[SlackAccount, str]:
        """The account and the channel; for a person, the ``conversation`` with them if wanted."""
        match = _CHAT.fullmatch(chat)
        if not match:
            raise SendError(
                SendReason.NO_CHANNEL,
                "write a chat as a channel id such as C0123456789, not as its name",
            )
        account, channel = await self._accounts.of(match["team"] or ""), match["channel"]
        if conversation and channel.startswith(("U", "W")):
            if channel not in self._conversations:
                opened = await self._calls.post("conversations.open", account.token, users=channel)
                self._conversations[channel] = str(opened.get("channel", {}).get("id", ""))
            channel = self._conversations[channel]
        return account, channel

    async def _messages(
        self, account: SlackAccount, channel: str, thread: str, oldest: float
    ) -> AsyncIterator[Json]:
        method = "conversations.replies" if thread else "conversations.history"
        cursor = None
        for _ in range(_MOST_PAGES):
            page = await self._calls.read(
                method,
                account.token,
                channel=channel,
                ts=thread or None,
                oldest=f"{oldest:.6f}",
                include_all_metadata=True,
                limit=_PAGE,
                cursor=cursor,
            )
            for message in page.get("messages", ()):
                yield message
            cursor = page.get("response_metadata", {}).get("next_cursor")
            if not cursor:
                return
        raise SendError(SendReason.BROKEN, f"{method}: too many messages to search")


def _workspace(chat: str) -> str:
    """The workspace's id before the channel's; empty if there is one workspace."""
    return chat.rpartition("/")[0]


def _metadata(part: Part) -> Json | None:
    if not part.identity:
        return None
    return {"event_type": EVENT, "event_payload": {"identity": part.identity}}


def blocks_of(part: Part) -> list[Json]:
    """The blocks of a part."""
    blocks = json.loads(part.body)
    assert isinstance(blocks, list)
    return blocks


def _is(message: Json, part: Part, account: SlackAccount) -> bool:
    """Whether it is the part, posted by us: any app can write metadata."""
    metadata = message.get("metadata") or {}
    payload = metadata.get("event_payload") or {}
    ours = account.bot and message.get("bot_id") == account.bot
    ours = ours or (account.user and message.get("user") == account.user)
    same = metadata.get("event_type") == EVENT and payload.get("identity") == part.identity
    return bool(ours and same)
