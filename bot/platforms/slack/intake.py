"""What Slack delivers, taken in by Bolt: acknowledged at once, then read and queued."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.platforms.base import Ear, Incoming
from bot.platforms.slack.accounts import Account, Accounts
from bot.platforms.slack.calls import Calls, quiet
from bot.platforms.slack.heard import Heard, HomeOpened, read
from bot.platforms.slack.surroundings import Remembered, Surroundings

log = structlog.get_logger(__name__)

Json = dict[str, Any]

SAYS = {"slash_commands": {"response_type": "in_channel"}}
"""What an acknowledgement says: without it nobody but the asker sees what is being answered."""

_EVERY = re.compile(r".*", re.DOTALL)
# https://docs.slack.dev/interactivity/handling-user-interaction: a response_url is good for that.
_RESPONSE_SECONDS = 29 * 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Somebody looks at the bot's own page."""

    account: Account
    person: str


class Intake:
    """Bolt's application, with one listener for everything of a sort.

    What it has no listener for Bolt answers with 404, and Slack delivers it again for an hour;
    so there is none that is not listened to.
    """

    def __init__(self, calls: Calls, accounts: Accounts, surroundings: Surroundings) -> None:
        self.queue: asyncio.Queue[Incoming | Visit | Exception] = asyncio.Queue()
        self.ear = Ear()
        self.responses: Remembered[str] = Remembered(_RESPONSE_SECONDS)
        self._accounts = accounts
        self._surroundings = surroundings
        self._app = AsyncApp(
            name="digestbot",
            client=calls.client,
            authorize=_authorizing(accounts),
            # Requests are verified before they come here, and Bolt takes a time that is no number
            # for an error of its own.
            request_verification_enabled=False,
            signing_secret="",
            logger=quiet,
        )
        self._app.event(_EVERY)(self._hear)
        self._app.action(_EVERY)(self._take)
        self._app.shortcut(_EVERY)(self._take)
        self._app.view(_EVERY)(self._take)
        self._app.command(_EVERY)(self._obey)

    async def dispatch(
        self, body: Json | str, headers: Mapping[str, str] | None = None, mode: str = "socket_mode"
    ) -> BoltResponse:
        """Take in one delivery; the answer is ready before it is dealt with."""
        request = AsyncBoltRequest(body=body, headers=dict(headers or {}), mode=mode)
        return await self._app.async_dispatch(request)

    async def hear(self, payload: Json) -> None:
        """Take in what came through Socket Mode, where it is acknowledged already."""
        response = await self.dispatch(payload)
        if response.status >= 500:
            log.warning("slack.unread", status=response.status)

    async def _take(self, ack: AsyncAck, body: Json) -> None:
        await ack()
        await self._hear(body)

    async def _obey(self, ack: AsyncAck, body: Json) -> None:
        await ack(SAYS["slash_commands"])
        await self._hear(body)

    async def _hear(self, body: Json) -> None:
        try:
            if _event_of(body) == "app_uninstalled":
                await self._accounts.forget(_team(body))
                return
            account = await self._accounts.of(_team(body))
            found = read(body, account, datetime.now(UTC))
            if isinstance(found, HomeOpened):
                await self.queue.put(Visit(account=account, person=found.person))
            elif found is not None:
                await self._weigh(found, account)
        except Exception:
            log.exception("slack.unread")

    async def _weigh(self, heard: Heard, account: Account) -> None:
        incoming, around = heard.incoming, self._surroundings
        if heard.thread and not await around.takes_part(account, incoming.chat, heard.thread):
            return
        if heard.response and incoming.receipt is not None:
            self.responses.keep(incoming.receipt.message, heard.response)
        if not heard.known:
            external = await around.external(account, incoming.chat)
            incoming = replace(incoming, external=external)
        if self._accounts.many:
            incoming = replace(incoming, chat=f"{account.team}/{incoming.chat}")
        await self.queue.put(incoming)


def _authorizing(accounts: Accounts) -> Callable[[str | None], Awaitable[AuthorizeResult]]:
    """Tells Bolt who the bot is. A function, since Bolt would hand a method another ``self``."""

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
