"""The Slack app: its manifest, and how a workspace installs it.

The manifest asks for what the code needs and nothing else. Installing is Slack's OAuth flow by
Bolt, behind the program's web server. https://docs.slack.dev/reference/app-manifest
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import aiohttp
import structlog
from slack_bolt.oauth.async_callback_options import (
    AsyncCallbackOptions,
    AsyncFailureArgs,
    AsyncSuccessArgs,
)
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.oauth import OAuthStateUtils
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from bot.messaging.sender import SendError
from bot.platforms.slack.events import COMMAND, EXPLAIN
from bot.platforms.slack.installations import Installations
from bot.platforms.slack.web_api import SlackWebApi, quiet
from bot.util.machine import Newest

SCOPES = {
    "app_mentions:read": "to receive mentions of the bot",
    "channels:history": "to follow its threads and to find its own posts after a crash",
    "channels:read": "to check a channel's name and whether it is shared",
    "chat:write": "to post and to edit",
    "chat:write.public": "to answer a command in public channels that it has not joined",
    "commands": f"for {COMMAND} and the shortcut",
    "files:write": "to show charts as pictures",
    "groups:history": "as channels:history, in private channels it was invited to",
    "groups:read": "as channels:read, in private channels",
    "im:history": "to receive direct messages",
    "im:read": "to distinguish direct messages from channels",
    "im:write": "to open a direct conversation",
    "mpim:history": "as channels:history, in group messages",
    "mpim:read": "as channels:read, in group messages",
}
"""The bot's scopes, each with its reason."""

EVENTS = (
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
)

_DESCRIPTION = (
    "Digestbot watches git repositories, grades every change, and posts once a day the few that "
    "matter, with the reason and a link for each. Mention it, write to it directly or use its "
    "command to ask what changed, to have a change explained or to search the archive. It stores "
    "nothing that is said in a channel except questions addressed to it."
)


def manifest(address: str = "") -> dict[str, Any]:
    """The manifest; with the web server's ``address`` for an app that Slack calls over HTTP."""
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": "Digestbot",
            "description": "Reports which of the day's code changes matter, and why.",
            "long_description": _DESCRIPTION,
            "background_color": "#1d3557",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "digestbot", "always_online": True},
            "shortcuts": [
                {
                    "name": "Explain",
                    "type": "message",
                    "callback_id": EXPLAIN,
                    "description": "Explain the change that a message is about",
                }
            ],
            "slash_commands": [
                {
                    "command": COMMAND,
                    "description": "Ask about changes to the code",
                    "usage_hint": "what changed this week | explain #123 | help",
                    "should_escape": False,
                    **_url(address, "url"),
                }
            ],
        },
        "oauth_config": {
            **({"redirect_urls": [f"{address}/oauth_redirect"]} if address else {}),
            "scopes": {"bot": sorted(SCOPES)},
        },
        "settings": {
            "event_subscriptions": {**_url(address, "request_url"), "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **_url(address, "request_url")},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not address,
            "token_rotation_enabled": False,
        },
    }


def _url(address: str, key: str) -> dict[str, str]:
    return {key: address} if address else {}


def as_yaml(value: Mapping[str, Any]) -> str:
    """A manifest as YAML, with every text in quotes."""
    head = "# Manifest of the Slack app; written by: digestbot app slack\n"
    return head + "".join(f"{line}\n" for line in _lines(value, 0))


def _lines(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for key, inner in value.items():
        match inner:
            case dict():
                yield f"{indent}{key}:"
                yield from _lines(inner, depth + 1)
            case list():
                yield f"{indent}{key}:"
                yield from _entries(inner, depth + 1)
            case _:
                yield f"{indent}{key}: {json.dumps(inner, ensure_ascii=False)}"


def _entries(values: list[Any], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for value in values:
        if isinstance(value, dict):
            first, *rest = _lines(value, depth + 1)
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        else:
            yield f"{indent}- {json.dumps(value, ensure_ascii=False)}"


log = structlog.get_logger(__name__)

INSTALL, REDIRECT = "/install", "/oauth_redirect"
"""The ends of the two addresses, after the address that Slack calls."""

_WHY = {
    "access_denied": "it was declined",
    "invalid_browser": (
        "start at the address that ends in /install, over https, and do not reload the page"
    ),
    "invalid_state": "this took more than ten minutes, or was already done; start again",
    "missing_code": "Slack sent no code; start again",
    "invalid_code": "Slack rejected the code, the client id, the client secret or the redirect_url",
    "storage_error": "its token could not be stored",
}
"""Messages to the person, by the library's or Slack's error code:
https://docs.slack.dev/authentication/installing-with-oauth"""

_MOST_REASON = 100
_SECONDS = 600.0
_MOST = 1000


class States(AsyncOAuthStateStore):
    """States of installations under way, in memory: the library's store trusts file names."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._issued: Newest[str, float] = Newest(_MOST)

    async def async_issue(self, *_: Any, **__: Any) -> str:
        """A state that can be used once."""
        state = secrets.token_urlsafe(32)
        self._issued[state] = self._clock() + _SECONDS
        return state

    async def async_consume(self, state: str) -> bool:
        """Whether the state was issued recently and not used yet."""
        return self._issued.pop(state, 0.0) > self._clock()


class Installing:
    """Answers the two addresses of the flow."""

    def __init__(
        self,
        calls: SlackWebApi,
        installations: Installations,
        client_id: str,
        client_secret: str,
        *,
        redirect_url: str = "",
    ) -> None:
        """``redirect_url`` is where Slack sends the browser back to; empty for the app's first."""
        self._calls = calls
        self._forgotten = OAuthStateUtils().build_set_cookie_for_deletion()
        self._flow = AsyncOAuthFlow(
            client=calls.client,
            logger=quiet,
            settings=AsyncOAuthSettings(
                client_id=client_id,
                client_secret=client_secret,
                scopes=sorted(SCOPES),
                user_scopes=[],
                redirect_uri=redirect_url or None,
                callback_options=AsyncCallbackOptions(
                    success=self._success_page, failure=self._failure_page
                ),
                install_page_rendering_enabled=False,
                installation_store=installations,
                state_store=States(),
                logger=quiet,
            ),
        )

    async def answer(self, path: str, query: str, headers: dict[str, str]) -> BoltResponse | None:
        """The answer to a request; ``None`` for any other address."""
        request = AsyncBoltRequest(body="", query=query, headers=dict(headers), mode="http")
        if path.endswith(INSTALL):
            return await self._flow.handle_installation(request)
        if path.endswith(REDIRECT):
            self._calls.connect()
            try:
                return await self._flow.handle_callback(request)
            except SendError as error:
                return self._page(403, f"Not installed: {error.detail}.")
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                log.warning("slack.not_installed", error=type(error).__name__)
                return self._page(502, "Not installed: Slack did not answer; start again.")
        return None

    async def _success_page(self, args: AsyncSuccessArgs) -> BoltResponse:
        name = args.installation.team_name or args.installation.team_id
        return self._page(200, f"Installed in {name}. Now invite the bot to a channel.")

    async def _failure_page(self, args: AsyncFailureArgs) -> BoltResponse:
        log.warning("slack.not_installed", error=args.reason)
        why = _WHY.get(args.reason, f"Slack says {args.reason[:_MOST_REASON]!r}")
        return self._page(max(args.suggested_status_code, 400), f"Not installed: {why}.")

    def _page(self, status: int, line: str) -> BoltResponse:
        """One line, as text: part of it comes from the browser's address."""
        headers: dict[str, str | Sequence[str]] = {
            "Content-Type": "text/plain; charset=utf-8",
            "Set-Cookie": self._forgotten,
        }
        return BoltResponse(status=status, body=f"{line}\n", headers=headers)
