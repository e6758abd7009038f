"""Installing into a workspace: Slack's OAuth flow by Bolt, behind the program's web server."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from bot.platforms.base import SendError
from bot.platforms.slack.calls import Calls, quiet
from bot.platforms.slack.installations import Installations
from bot.platforms.slack.manifest import SCOPES

INSTALL, REDIRECT = "/install", "/oauth_redirect"
"""The ends of the two addresses, behind the one that Slack calls."""

_SECONDS = 600.0
_MOST = 1000


class States(AsyncOAuthStateStore):
    """States of installations under way, in memory: a restart asks the person to begin again.

    The library's store makes a file's name of what a browser sends.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._issued: OrderedDict[str, float] = OrderedDict()

    async def async_issue(self, *_: Any, **__: Any) -> str:
        """A state that can be used once."""
        state = secrets.token_urlsafe(32)
        self._issued[state] = self._clock() + _SECONDS
        while len(self._issued) > _MOST:
            self._issued.popitem(last=False)
        return state

    async def async_consume(self, state: str) -> bool:
        """Whether the state was issued lately and not used yet."""
        return self._issued.pop(state, 0.0) > self._clock()


class Installing:
    """Answers the two addresses of the flow."""

    def __init__(
        self, calls: Calls, installations: Installations, client_id: str, client_secret: str
    ) -> None:
        self._calls = calls
        self._flow = AsyncOAuthFlow(
            client=calls.client,
            logger=quiet,
            settings=AsyncOAuthSettings(
                client_id=client_id,
                client_secret=client_secret,
                scopes=sorted(SCOPES),
                user_scopes=[],
                install_page_rendering_enabled=False,
                installation_store=installations,
                state_store=States(),
                logger=quiet,
            ),
        )

    async def answer(self, path: str, query: str, headers: dict[str, str]) -> BoltResponse | None:
        """The answer to a visit; ``None`` where the address is another."""
        request = AsyncBoltRequest(body="", query=query, headers=dict(headers), mode="http")
        if path.endswith(INSTALL):
            return await self._flow.handle_installation(request)
        if path.endswith(REDIRECT):
            self._calls.connect()
            try:
                return await self._flow.handle_callback(request)
            except SendError as error:
                return BoltResponse(status=403, body=error.detail)
        return None
