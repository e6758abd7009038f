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
from slack_sdk.oauth.installation_store.models.bot import Bot
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
    """Stores the bot's token of each workspace; ``allowed`` restricts them unless it is empty."""

    # The library's own file store is readable by everybody on the machine, and also stores tokens
    # by organisation, which a chat does not name.

    def __init__(self, folder: Path, allowed: Collection[str] = ()) -> None:
        self._folder = folder
        self._allowed = frozenset(allowed)

    async def async_save(self, installation: Installation) -> None:
        """Save an installation, unless its workspace is not allowed."""
        await self.async_save_bot(installation.to_bot())

    async def async_save_bot(self, bot: Bot) -> None:
        """Save a bot's token. Raises ``SendError`` if the workspace is not allowed."""
        file = self._file(bot.team_id or "")
        if file is None:
            log.warning("slack.workspace_refused", workspace=bot.team_id)
            raise SendError(SendReason.UNAUTHORIZED, "this workspace is not allowed")
        stored = {
            "token": bot.bot_token,
            "team": bot.team_id,
            "user": bot.bot_user_id,
            "bot": bot.bot_id,
            "workspace": bot.team_name or "",
            "app": bot.app_id or "",
            "installed_at": bot.installed_at,
        }
        await asyncio.to_thread(_write, file, json.dumps(stored))
        log.info("slack.installed", workspace=bot.team_id)

    async def async_find_bot(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        is_enterprise_install: bool | None = False,
    ) -> Bot | None:
        """The bot of a workspace."""
        del enterprise_id, is_enterprise_install
        file = self._file(team_id or "")
        stored = await asyncio.to_thread(_read, file) if file else None
        if stored is None:
            return None
        return Bot(
            app_id=stored["app"],
            team_id=stored["team"],
            team_name=stored["workspace"],
            bot_token=stored["token"],
            bot_id=stored["bot"],
            bot_user_id=stored["user"],
            installed_at=stored["installed_at"],
        )

    async def async_delete_bot(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        """Forget a workspace."""
        del enterprise_id
        if file := self._file(team_id or ""):
            await asyncio.to_thread(file.unlink, missing_ok=True)
            log.info("slack.uninstalled", workspace=team_id)

    def stamp(self, team: str) -> int:
        """The modification time of the workspace's file; 0 without one."""
        file = self._file(team)
        try:
            return file.stat().st_mtime_ns if file else 0
        except OSError:
            return 0

    def _file(self, team: str) -> Path | None:
        """The file of a workspace; ``None`` for an invalid or disallowed id."""
        if not _TEAM.fullmatch(team) or (self._allowed and team not in self._allowed):
            return None
        return self._folder / f"{team}.json"


class InstalledAccounts:
    """The account of each workspace that the bot was installed in."""

    many = True

    def __init__(self, installations: Installations) -> None:
        self._installations = installations
        self._read: dict[str, tuple[int, SlackAccount]] = {}

    async def of(self, team: str) -> SlackAccount:
        """The account of a workspace, by its file. Raises ``SendError`` if not installed."""
        stamp = self._installations.stamp(team)
        known = self._read.get(team)
        if known is not None and known[0] == stamp:
            return known[1]
        account = await self._fetch_account(team)
        self._read[team] = (stamp, account)
        return account

    async def _fetch_account(self, team: str) -> SlackAccount:
        bot = await self._installations.async_find_bot(enterprise_id=None, team_id=team)
        if bot is None:
            raise SendError(
                SendReason.UNAUTHORIZED,
                "the bot is not installed in this workspace; a chat here is T.../C...",
            )
        return SlackAccount(
            token=bot.bot_token,
            team=team,
            user=bot.bot_user_id,
            bot=bot.bot_id,
            name="digestbot",
            workspace=bot.team_name or team,
        )

    async def forget(self, team: str) -> None:
        """The bot was removed from a workspace."""
        await self._installations.async_delete_bot(enterprise_id=None, team_id=team)


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
