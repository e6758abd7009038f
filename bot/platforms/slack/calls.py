"""The Web API: each call made once, its failure classified, nothing repeated behind our back."""

from __future__ import annotations

import logging
from typing import Any

import aiohttp
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.platforms.base import SendError, SendReason
from bot.platforms.slack.faults import classify

Json = dict[str, Any]

TIMEOUT = aiohttp.ClientTimeout(total=25, sock_connect=10)
"""Seconds for one call. Less than the delivery waits, so that the reason is told apart here."""

# What the libraries tell of requests and answers is nobody's business; what matters of it is in our
# own events.
quiet = logging.getLogger("bot.platforms.slack.library")
quiet.setLevel(logging.CRITICAL + 1)


class Calls:
    """Calls over connections that are kept.

    The library's own handlers repeat a post whose connection broke after Slack took it; there are
    none here.
    """

    def __init__(self, api: str) -> None:
        self.client = AsyncWebClient(base_url=api, retry_handlers=[], logger=quiet, timeout=25)

    def connect(self) -> None:
        """Give the library's client connections that are kept, in the running loop."""
        if self.client.session is None or self.client.session.closed:
            self.client.session = aiohttp.ClientSession(timeout=TIMEOUT)

    async def post(self, method: str, token: str, **values: Any) -> Json:
        """Call a method that changes something. Raises ``SendError``."""
        return await self._call(method, http_verb="POST", json=_given(values, token))

    async def read(self, method: str, token: str, **values: Any) -> Json:
        """Call a method that only reads. Raises ``SendError``."""
        return await self._call(method, http_verb="GET", params=_given(values, token))

    async def upload(
        self, token: str, *, channel: str, thread: str, content: bytes, title: str, alt: str
    ) -> None:
        """Put a PNG into a thread: ask for an address, send the bytes there, tell Slack so.

        https://docs.slack.dev/messaging/working-with-files#upload. Raises ``SendError``.
        """
        self.connect()
        try:
            await self.client.files_upload_v2(
                token=token,
                channel=channel,
                thread_ts=thread,
                filename="chart.png",
                content=content,
                title=title,
                alt_txt=alt,
            )
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise classify(error, "files.completeUploadExternal") from error

    async def _call(self, method: str, **request: Any) -> Json:
        self.connect()
        try:
            response = await self.client.api_call(method, **request)
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise classify(error, method) from error
        if not isinstance(response.data, dict):
            raise SendError(SendReason.BROKEN, f"{method}: no JSON")
        return response.data

    async def aclose(self) -> None:
        """Close the connections."""
        if self.client.session is not None:
            await self.client.session.close()


def _given(values: Json, token: str) -> Json:
    # The library takes the token out again and sends it as a header.
    return {name: value for name, value in values.items() if value is not None} | {"token": token}
