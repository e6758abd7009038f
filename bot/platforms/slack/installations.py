"""The bot's identity and token in each workspace.

With many workspaces, each has a file that only the bot's user can read.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
from collections.abc import Collection
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

import structlog
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.installation_store.models.installation import Installation

from bot.messaging.sender import SendError, SendReason
from bot.platforms.slack.web_api import SlackWebApi
from digest.frozen import frozen


@frozen
class SlackAccount:
    """The bot in one workspace; ``user`` and ``bot`` are the ids on its messages."""

    token: str = field(repr=False)
    team: str
    user: str
    bot: str
    name: str = ""
    workspace: str = ""


class Accounts(Protocol):
    """The workspaces that the bot is installed in; with ``many``, chats' names name them."""

    many: bool

    async def of(self, team: str) -> SlackAccount:
        """The account in a workspace, by Slack's id of it. Raises ``SendError``."""

    async def forget(self, team: str) -> None:
        """The bot was removed from the workspace."""


class OneAccount:
    """One workspace for any id; Slack is asked once for the bot's identity."""

    many = False

    def __init__(self, calls: SlackWebApi, token: str) -> None:
        self._calls = calls
        self._token = token
        self._account: SlackAccount | None = None
        self._asking = asyncio.Lock()

    async def of(self, team: str) -> SlackAccount:  # noqa: ARG002  # there is only one
        """The account. Raises ``SendError``."""
        async with self._asking:
            if self._account is None:
                self._account = await identify(self._calls, self._token)
            return self._account

    async def forget(self, team: str) -> None:
        """Do nothing: the token is in the configuration."""


async def identify(calls: SlackWebApi, token: str) -> SlackAccount:
    """Ask Slack who a token belongs to. Raises ``SendError``."""
    identity = await calls.post("auth.test", token)
    return SlackAccount(
        token=token,
        team=str(identity.get("team_id", "")),
        user=str(identity.get("user_id", "")),
        bot=str(identity.get("bot_id", "")),
        name=str(identity.get("user", "")),
        workspace=str(identity.get("team", "")),
    )


log = structlog.get_logger(__name__)

_TEAM = re.compile(r"[TE][A-Z0-9]{2,30}")


class Installations(AsyncInstallationStore):
    """The bot's token of each workspace that installed it; ``allowed`` restricts them if any is.

    Implements :class:`Accounts`.
    """

    # The library's own file store is readable by everybody on the machine, and also stores tokens
    # by organisation, which a chat does not name.

    many = True

    def __init__(self, folder: Path, allowed: Collection[str] = ()) -> None:
        self._folder = folder
        self._allowed = frozenset(allowed)
        self._known: dict[str, tuple[int, SlackAccount]] = {}

    async def async_save(self, installation: Installation) -> None:
        """Save a token. Raises ``SendError`` if its workspace is not allowed."""
        file = self._file(installation.team_id or "")
        if file is None:
            log.warning("slack.workspace_refused", workspace=installation.team_id)
            raise SendError(SendReason.UNAUTHORIZED, "this workspace is not allowed")
        stored = {
            "token": installation.bot_token,
            "team": installation.team_id,
            "user": installation.bot_user_id,
            "bot": installation.bot_id,
            "workspace": installation.team_name or "",
            "app": installation.app_id or "",
            "installed_at": installation.installed_at,
        }
        await asyncio.to_thread(_write, file, json.dumps(stored))
        log.info("slack.installed", workspace=installation.team_id)

    async def of(self, team: str) -> SlackAccount:
        """The account of a workspace, by its file. Raises ``SendError`` if not installed."""
        file = self._file(team)
        try:
            stamp = file.stat().st_mtime_ns if file else 0
        except OSError:
            stamp = 0
        known = self._known.get(team)
        if known is not None and known[0] == stamp:
            return known[1]
        stored = await asyncio.to_thread(_read, file) if file else None
        if stored is None:
            raise SendError(
                SendReason.UNAUTHORIZED,
                "the bot is not installed in this workspace; a chat here is T.../C...",
            )
        account = SlackAccount(
            token=stored["token"],
            team=team,
            user=stored["user"],
            bot=stored["bot"],
            name="digestbot",
            workspace=stored["workspace"] or team,
        )
        self._known[team] = (stamp, account)
        return account

    async def forget(self, team: str) -> None:
        """The bot was removed from a workspace."""
        if file := self._file(team):
            await asyncio.to_thread(file.unlink, missing_ok=True)
            log.info("slack.uninstalled", workspace=team)

    def _file(self, team: str) -> Path | None:
        """The file of a workspace; ``None`` for an invalid or disallowed id."""
        if not _TEAM.fullmatch(team) or (self._allowed and team not in self._allowed):
            return None
        return self._folder / f"{team}.json"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Files from ``mkstemp`` are readable by the owner only.
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
        handle.write(text)
    Path(name).replace(file)


def _read(file: Path) -> dict[str, Any] | None:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return stored if isinstance(stored, dict) else None
