"""Reads Slack's deliveries with Bolt, after they are stored and acknowledged."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.messaging.asgi import Remembered
from bot.messaging.inbox import Arrival
from bot.messaging.receiver import Incoming
from bot.messaging.sender import SendError, SendReason
from bot.platforms.slack.events import HomeOpened, SlackMessage, read
from bot.platforms.slack.installations import Accounts, SlackAccount
from bot.platforms.slack.sender import ThreadInfo
from bot.platforms.slack.web_api import SlackWebApi, quiet

log = structlog.get_logger(__name__)

Json = dict[str, Any]

SOCKET, CALL = "socket", "call"
"""The transport of a delivery, stored with it: Socket Mode or HTTP."""

_READING = "reading"
_EVERY = re.compile(r".*", re.DOTALL)

# https://docs.slack.dev/interactivity/handling-user-interaction: a response_url expires after that.
RESPONSE_SECONDS = 29 * 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Somebody opened the bot's home page."""

    account: SlackAccount
    person: str


Found = Incoming | Visit | None
"""The content of a delivery for the bot."""


@dataclass(slots=True, kw_only=True)
class _Reading:
    """A delivery on its way through Bolt, and its result."""

    arrival: Arrival
    found: Found = None
    error: SendError | None = None


class BoltAdapter:
    """Bolt's application, with one listener for each kind of delivery.

    Bolt warns of deliveries without a listener, so everything has one.
    """

    def __init__(self, calls: SlackWebApi, accounts: Accounts, surroundings: ThreadInfo) -> None:
        self.responses: Remembered[str] = Remembered(RESPONSE_SECONDS)
        self._accounts = accounts
        self._surroundings = surroundings
        self._app = AsyncApp(
            name="digestbot",
            client=calls.client,
            authorize=_authorizing(accounts),
            # Requests are verified and acknowledged before they come here.
            request_verification_enabled=False,
            process_before_response=True,
            signing_secret="",
            logger=quiet,
        )
        self._app.event(_EVERY)(self._hear)
        self._app.action(_EVERY)(self._take)
        self._app.shortcut(_EVERY)(self._take)
        self._app.view(_EVERY)(self._take)
        self._app.command(_EVERY)(self._take)

    async def read(self, arrival: Arrival) -> Found:
        """The content of a delivery. Raises ``SendError`` if a needed query to Slack fails."""
        reading = _Reading(arrival=arrival)
        socket = arrival.kind == SOCKET
        request = AsyncBoltRequest(
            body=json.loads(arrival.content) if socket else arrival.content,
            mode="socket_mode" if socket else "http",
            context={_READING: reading},
        )
        response = await self._app.async_dispatch(request)
        if reading.error is not None:
            raise reading.error
        if response.status >= 500:
            raise SendError(SendReason.BROKEN, f"Bolt answers with {response.status}")
        return reading.found

    async def _take(self, ack: AsyncAck, body: Json, context: AsyncBoltContext) -> None:
        await ack()
        await self._hear(body, context)

    async def _hear(self, body: Json, context: AsyncBoltContext) -> None:
        reading: _Reading = context[_READING]
        try:
            reading.found = await self._found(body, reading.arrival)
        except SendError as error:
            reading.error = error
        except Exception:
            # Repeating what cannot be read would not help.
            log.exception("slack.unread")

    async def _found(self, body: Json, arrival: Arrival) -> Found:
        if _event_of(body) == "app_uninstalled":
            await self._accounts.forget(_team(body))
            return None
        account = await self._accounts.of(_team(body))
        found = read(body, account, arrival.at)
        if isinstance(found, HomeOpened):
            return Visit(account=account, person=found.person)
        return None if found is None else await self._weighed(found, account)

    async def _weighed(self, heard: SlackMessage, account: SlackAccount) -> Incoming | None:
        incoming, around = heard.incoming, self._surroundings
        if heard.thread and not await around.takes_part(account, incoming.chat, heard.thread):
            return None
        if heard.response and incoming.receipt is not None:
            self.responses.keep(incoming.receipt.message, heard.response)
        if not heard.known:
            external = await around.external(account, incoming.chat)
            incoming = replace(incoming, external=external)
        if self._accounts.many:
            incoming = replace(incoming, chat=f"{account.team}/{incoming.chat}")
        return incoming


def _authorizing(accounts: Accounts) -> Callable[[str | None], Awaitable[AuthorizeResult]]:
    """Tells Bolt the bot's identity; a function, as Bolt would pass a method another ``self``."""

    async def authorize(team_id: str | None) -> AuthorizeResult:
        account = await accounts.of(team_id or "")
        return AuthorizeResult(
            enterprise_id=None,
            team_id=account.team,
            bot_token=account.token,
            bot_id=account.bot,
            bot_user_id=account.user,
        )

    return authorize


def _event_of(body: Json) -> str:
    event = body.get("event")
    return str(event.get("type", "")) if isinstance(event, dict) else ""


def _team(body: Json) -> str:
    team = body.get("team")
    inner = team.get("id", "") if isinstance(team, dict) else ""
    return str(body.get("team_id") or inner)
