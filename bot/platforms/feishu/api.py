"""Calls to Feishu's open API as an app, with its token kept fresh."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from pydantic import SecretStr

from bot.platforms.base import SendError, SendReason
from bot.platforms.feishu.faults import STALE_TOKEN, Refused, data_of
from bot.transport.wire import Wire

Json = dict[str, Any]

_SIGN_IN = "/open-apis/auth/v3/tenant_access_token/internal"
# Below half an hour of life the server gives a new token beside the old one:
# https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal
_LEAST_LIFE = 1500.0


class Api:
    """The API of one domain for one app. Every call raises ``SendError`` and nothing else."""

    def __init__(self, domain: str, app_id: str, app_secret: SecretStr, wire: Wire) -> None:
        """``domain`` is the address of the open platform, without a path."""
        self.domain = domain
        self.app_id = app_id
        self._secret = app_secret
        self._wire = wire
        self._token = ""
        self._fresh_until = 0.0
        self._fetching = asyncio.Lock()

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: Json | None = None,
        query: Mapping[str, str] | None = None,
        repeatable: bool = False,
    ) -> Json:
        """Call once, twice where the token has run out; the answer with its ``data``.

        ``repeatable`` says that the same call cannot have an effect twice, so that even one without
        an answer may be repeated.
        """
        token = await self._fetched()
        try:
            return await self._ask(method, path, body, query, token, repeatable=repeatable)
        except Refused as error:
            if error.code not in STALE_TOKEN:
                raise
        token = await self._fetched(stale=token)
        return await self._ask(method, path, body, query, token, repeatable=repeatable)

    async def upload(self, path: str, fields: Mapping[str, str], png: bytes) -> Json:
        """Bring a picture, in a form as https://open.feishu.cn/document/server-docs/im-v1/image/create.

        Only what is well formed and has a fresh token is taken, so it is called once.
        """
        boundary = f"digestbot-{uuid.uuid4().hex}"
        headers = {
            "authorization": f"Bearer {await self._fetched()}",
            "content-type": f"multipart/form-data; boundary={boundary}",
        }
        url = f"{self.domain}/open-apis{quote(path)}"
        return data_of(await self._wire.request("POST", url, _form(boundary, fields, png), headers))

    async def ready(self) -> None:
        """Fetch a token, if there is no fresh one, so that the next call goes at once."""
        await self._fetched()

    async def endpoint(self) -> Json:
        """Where the long connection is to be opened, and with what pauses."""
        body = {"AppID": self.app_id, "AppSecret": self._secret.get_secret_value()}
        found = await self._post("/callback/ws/endpoint", body)
        data = found.get("data")
        if not isinstance(data, dict):
            raise SendError(SendReason.BROKEN, "no address for the long connection")
        return data

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._wire.aclose()

    async def _ask(
        self,
        method: str,
        path: str,
        body: Json | None,
        query: Mapping[str, str] | None,
        token: str,
        *,
        repeatable: bool,
    ) -> Json:
        url = f"{self.domain}/open-apis{quote(path)}{'?' + urlencode(query) if query else ''}"
        headers = {"authorization": f"Bearer {token}", **_JSON}
        content = None if body is None else _dump(body)
        try:
            return data_of(await self._wire.request(method, url, content, headers))
        except SendError as error:
            if repeatable and error.reason is SendReason.NO_ANSWER:
                error.retry = True
            raise

    async def _fetched(self, stale: str = "") -> str:
        """A token that is not ``stale``; callers at the same time share one call."""
        async with self._fetching:
            if self._token and self._token != stale and time.monotonic() < self._fresh_until:
                return self._token
            body = {"app_id": self.app_id, "app_secret": self._secret.get_secret_value()}
            answer = await self._post(_SIGN_IN, body)
            token, life = answer.get("tenant_access_token"), answer.get("expire")
            if not isinstance(token, str) or not token or not isinstance(life, int):
                raise SendError(SendReason.BROKEN, "an answer without a token")
            self._fresh_until = time.monotonic() + life - min(_LEAST_LIFE, life / 2)
            self._token = token
            return token

    async def _post(self, path: str, body: Json) -> Json:
        """A call that makes nothing, so that no answer is as good as no connection."""
        url = f"{self.domain}{path}"
        try:
            return data_of(await self._wire.request("POST", url, _dump(body), _JSON))
        except SendError as error:
            if error.reason is SendReason.NO_ANSWER:
                raise SendError(SendReason.UNAVAILABLE, error.detail) from None
            raise


_JSON = {"content-type": "application/json; charset=utf-8"}


def _form(boundary: str, fields: Mapping[str, str], png: bytes) -> bytes:
    """A form with fields of ours and a picture (RFC 7578)."""
    parts = [
        f'--{boundary}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    head = (
        f'--{boundary}\r\ncontent-disposition: form-data; name="image"; filename="chart.png"\r\n'
        "content-type: image/png\r\n\r\n"
    )
    return "".join([*parts, head]).encode() + png + f"\r\n--{boundary}--\r\n".encode()


def _dump(body: Json) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
