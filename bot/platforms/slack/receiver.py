"""Slack's messages to the bot: stored, acknowledged, then read.

Also puts a listening bot together from its configuration.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import aiohttp
import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.messaging.inbox import Arrival, Inbox, hearing
from bot.messaging.receiver import Asgi, Ear, Incoming, Remembered
from bot.messaging.sender import Part, Receipt, SendError, SendReason
from bot.platforms.slack import Config, installations
from bot.platforms.slack.blocks import home_blocks
from bot.platforms.slack.events import HomeOpened, SlackMessage, read
from bot.platforms.slack.rich_text import fallback
from bot.platforms.slack.sender import SlackSender, ThreadInfo, blocks_of
from bot.platforms.slack.socket_mode import SocketMode, Timing
from bot.platforms.slack.web_api import SlackRefusal, SlackWebApi, classify, quiet
from bot.platforms.slack.web_events import SlackWebEvents
from digest.document import Document

log = structlog.get_logger(__name__)

Json = dict[str, Any]
SOCKET, CALL = "socket", "call"
"""The transport of a delivery, stored with it: Socket Mode or HTTP."""

# https://docs.slack.dev/interactivity/handling-user-interaction: a response_url expires after that.
RESPONSE_SECONDS = 29 * 60.0


def parsed(content: str) -> Json:
    """A delivery as Slack sends it: JSON, or a form whose field ``payload`` may hold JSON."""
    if content.startswith("{"):
        return dict(json.loads(content))
    form = dict(parse_qsl(content, keep_blank_values=True))
    return dict(json.loads(form["payload"])) if "payload" in form else form


def _event_of(body: Json) -> str:
    event = body.get("event")
    return str(event.get("type", "")) if isinstance(event, dict) else ""


def _team(body: Json) -> str:
    team = body.get("team")
    inner = team.get("id", "") if isinstance(team, dict) else ""
    return str(body.get("team_id") or inner)


_NOT_THERE = frozenset({"channel_not_found", "not_in_channel"})
_FOR_NEWS = 3
"""Uses of a ``response_url`` for progress: of five, two are left for the answer.
https://docs.slack.dev/interactivity/handling-user-interaction"""


class Slack(SlackSender):
    """Posts and listens; ``web`` is what Slack calls over HTTP, if configured."""

    _receives = ""

    # The content of the bot's home page.
    page: Callable[[str], Awaitable[Document | None]] | None = None

    def __init__(
        self,
        calls: SlackWebApi,
        accounts: installations.Accounts,
        app_token: str = "",
        timing: Timing | None = None,
    ) -> None:
        """Without ``app_token``, of Socket Mode, deliveries come only through calls of ``web``."""
        super().__init__(calls, accounts)
        self._surroundings = ThreadInfo(calls)
        self._app_token = app_token
        self._timing = timing
        self._showing: set[asyncio.Task[None]] = set()
        self._used: Remembered[int] = Remembered(RESPONSE_SECONDS)
        self._responses: Remembered[str] = Remembered(RESPONSE_SECONDS)
        self.inbox = Inbox()
        self.ear = Ear()
        self.web: Asgi | None = None

    async def listen(self) -> AsyncIterator[Incoming]:
        """The messages as they arrive. Raises ``SendError`` if Slack refuses the tokens."""
        # Look up the bot's identity once, before every reader asks for it.
        if not self._accounts.many:
            await self._accounts.of("")
        bringing = None
        if self._app_token:
            keep = partial(self.inbox.put, kind=SOCKET)
            bringing = SocketMode(
                self._calls, self._app_token, keep, self._timing, ear=self.ear
            ).run()
        try:
            async with aclosing(hearing(self.inbox, self._read, bringing, self.ear)) as heard:
                async for incoming in heard:
                    yield incoming
        finally:
            await asyncio.gather(*self._showing, return_exceptions=True)

    async def keep(self, body: str) -> None:
        """Store a delivery that came over HTTP. Raises ``Unkept``."""
        await self.inbox.put(body, CALL)

    async def _read(self, arrival: Arrival) -> Incoming | None:
        """The message in a delivery. Raises ``SendError`` if a needed query to Slack fails."""
        body = parsed(arrival.content)
        try:
            return await self._read_body(body, arrival.at)
        except SendError:
            raise
        except Exception:
            # Repeating what cannot be read would not help.
            log.exception("slack.unread")
            return None

    async def _read_body(self, body: Json, at: datetime) -> Incoming | None:
        if _event_of(body) == "app_uninstalled":
            await self._accounts.forget(_team(body))
            return None
        account = await self._accounts.of(_team(body))
        match read(body, account, at):
            case HomeOpened() as visit:
                self._show(visit)
            case SlackMessage() as heard:
                return await self._completed_message(heard, account)
        return None

    async def _completed_message(
        self, heard: SlackMessage, account: installations.SlackAccount
    ) -> Incoming | None:
        incoming, around = heard.incoming, self._surroundings
        if heard.thread and not await around.takes_part(account, incoming.chat, heard.thread):
            return None
        if heard.response and incoming.receipt is not None:
            self._responses.keep(incoming.receipt.message, heard.response)
        if not heard.known:
            external = await around.external(account, incoming.chat)
            incoming = replace(incoming, external=external)
        if self._accounts.many:
            incoming = replace(incoming, chat=f"{account.team}/{incoming.chat}")
        return incoming

    async def probe(self, chat: str) -> str:
        """As of a sender, and whether deliveries can be received."""
        description = await super().probe(chat)
        if not self._app_token:
            return f"{description}, is called over HTTP"
        # This only requests an address; nothing connects to it.
        await self._calls.post("apps.connections.open", self._app_token)
        return f"{description}, listens through Socket Mode"

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post; if the bot is not a member but was asked by a command, answer only the asker."""
        try:
            receipt = await super().send(chat, part, reply_to)
        except SlackRefusal as error:
            address = self._responses.get(reply_to.message) if reply_to else None
            if error.code not in _NOT_THERE or not address or not reply_to:
                raise
            await self._respond(address, part)
            return reply_to
        self._surroundings.joined(chat.rpartition("/")[2], receipt.thread)
        return receipt

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:
        """Replace a message, or an answer that only the asker sees."""
        if address := self._responses.get(receipt.message):
            self._spare(address)
            await self._respond(address, part, replace=True)
            return receipt
        return await super().edit(chat, receipt, part)

    def _spare(self, address: str) -> None:
        """Raise ``SendError`` once an address has few uses left: those are for the answer."""
        if self._used.get(address) == _FOR_NEWS:
            self._used.keep(address, _FOR_NEWS + 1)
            raise SendError(SendReason.RATE_LIMITED, "response_url: few uses left", retry_after=0.1)

    async def _respond(self, address: str, part: Part, *, replace: bool = False) -> None:
        client = AsyncWebhookClient(
            address, session=self._calls.client.session, retry_handlers=[], logger=quiet
        )
        client.proxy = None  # the session knows the environment's
        body = {
            "text": fallback(part.text),
            "blocks": blocks_of(part),
            "response_type": "ephemeral",
            "replace_original": replace,
        }
        try:
            told = await client.send_dict(body)
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
            # The address is as good as a token, and aiohttp's errors can contain it.
            raise classify(error, "response_url") from None
        self._used.keep(address, (self._used.get(address) or 0) + 1)
        if told.status_code != 200:
            raise SendError(SendReason.REJECTED, f"response_url: HTTP {told.status_code}")

    def _show(self, visit: HomeOpened) -> None:
        task = asyncio.create_task(self._publish(visit))
        self._showing.add(task)
        task.add_done_callback(self._showing.discard)

    async def _publish(self, visit: HomeOpened) -> None:
        try:
            document = await self.page(visit.person) if self.page else None
            if document is not None:
                view = {"type": "home", "blocks": home_blocks(document)}
                await self._calls.post(
                    "views.publish", visit.account.token, user_id=visit.person, view=view
                )
        except SendError as error:
            log.warning("slack.page_refused", error=str(error))
        except Exception:
            log.exception("slack.page_broken")


def listening(config: Config, calls: SlackWebApi) -> Slack:
    """The bot of one workspace or of many, by Socket Mode or called over HTTP."""
    installing = None
    accounts: installations.Accounts
    if config.installations is not None and config.client_secret is not None:
        # Bolt is slow to import.
        from bot.platforms.slack.oauth import Installing

        store = installations.Installations(config.installations, config.workspaces)
        secret = config.client_secret.get_secret_value()
        installing = Installing(
            calls, store, config.client_id, secret, redirect_url=config.redirect_url
        )
        accounts = store
    else:
        assert config.bot_token is not None
        accounts = installations.OneAccount(calls, config.bot_token.get_secret_value())
    if config.events != "http":
        assert config.app_token is not None
        return Slack(calls, accounts, config.app_token.get_secret_value())
    assert config.signing_secret is not None
    slack = Slack(calls, accounts)
    signing = config.signing_secret.get_secret_value()
    slack.web = SlackWebEvents(slack.keep, signing, installing)
    return slack
