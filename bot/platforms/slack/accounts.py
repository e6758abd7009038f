"""Who the bot is in a workspace, and the token it speaks with there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Protocol

from bot.platforms.slack.calls import Calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The bot in one workspace; ``user`` and ``bot`` are the ids that its messages bear."""

    token: str = field(repr=False)
    team: str
    user: str
    bot: str
    name: str = ""
    workspace: str = ""


class Accounts(Protocol):
    """The workspaces that the bot is installed in.

    ``many`` says that there can be several, so that a chat's name begins with the workspace's.
    """

    many: bool

    async def of(self, team: str) -> Account:
        """The account in a workspace, by Slack's id of it. Raises ``SendError``."""

    async def forget(self, team: str) -> None:
        """The bot was removed from the workspace."""


class OneAccount:
    """One workspace, whatever id is asked for; Slack is asked once who the bot is."""

    many = False

    def __init__(self, calls: Calls, token: str) -> None:
        self._calls = calls
        self._token = token
        self._account: Account | None = None
        self._asking = asyncio.Lock()

    async def of(self, team: str) -> Account:  # noqa: ARG002  # there is only one
        """The account. Raises ``SendError``."""
        async with self._asking:
            if self._account is None:
                self._account = await identify(self._calls, self._token)
            return self._account

    async def forget(self, team: str) -> None:
        """Nothing is kept that could be forgotten: the token is in the configuration."""


async def identify(calls: Calls, token: str) -> Account:
    """Ask Slack whose token it is. Raises ``SendError``."""
    told = await calls.post("auth.test", token)
    return Account(
        token=token,
        team=str(told.get("team_id", "")),
        user=str(told.get("user_id", "")),
        bot=str(told.get("bot_id", "")),
        name=str(told.get("user", "")),
        workspace=str(told.get("team", "")),
    )
