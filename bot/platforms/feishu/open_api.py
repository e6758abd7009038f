"""Calls to Feishu's open API as an app: keeps its token fresh and classifies failures.

Codes: https://open.feishu.cn/document/server-docs/im-v1/message/create (of the call) and
https://open.feishu.cn/document/ukTMukTMukTM/ugjM14COyUjL4ITN (of every call). An answer with status
200 is a failure too if its code is not 0.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from pydantic import SecretStr

from bot.messaging.sender import SendError, SendReason, compact_json
from bot.messaging.wire import HttpClient, Reply

STALE_TOKEN = frozenset({99991661, 99991663, 99991664, 99991665, 99991668, 99991671})
"""The token is not accepted (any more): it is fetched again, once."""

NO_THREADS = frozenset({230071, 230072})  # the chat, or the message, takes no answers in a thread
NO_HISTORY = frozenset({230027, 231203, 99991672, 99991676})  # the app may not read the chat

_REASONS: Mapping[SendReason, tuple[int, ...]] = {
    SendReason.RATE_LIMITED: (
        99991400, 230020, 11232, 11233, 11247, 1000004, 1000005,
        230049,  # the same message is being sent just now: a repeat finds it sent
    ),
    SendReason.UNAUTHORIZED: (
        *sorted(STALE_TOKEN),
        10003, 10005, 10012, 10013, 10014, 10015,  # app id and secret
        99991401, 99991403, 99991543, 99991662, 99991672, 99991673, 99991676, 99991679,
        230006, 230027, 232025, 232034, 234002, 234007, 403, 514, 1000040344, 1000040350,
    ),
    SendReason.NO_CHANNEL: (
        10002, 10004, 10009, 10010, 230002, 230013, 230018, 230019, 230029, 230034, 230035, 230036,
        230038, 230053, 230075, 232006, 232009, 232010, 232011, 232033,
        99992351, 99992356, 99992360, 99992361, 99992364, 99992381,  # ids that do not exist here
    ),
    SendReason.REJECTED: (
        10001, 230001, 230011, 230015, 230017, 230022, 230025, 230028, 230031, 230050, 230054,
        230055, 230071, 230072, 230099, 230110, 230111,
    ),
    SendReason.UNAVAILABLE: (1, 1500, 2200, 5000, 10500, 55001, 232096, 1000040343),  # internal
}  # fmt: skip
_BY_CODE = {code: reason for reason, codes in _REASONS.items() for code in codes}
_RESET = "x-ogw-ratelimit-reset"
"""Seconds until the next call is allowed: frequency control, documented with the generic codes."""


_REMEDIES = {
    "check app_id, app_secret and domain: an app of Lark is unknown to Feishu": (
        10003, 10005, 10012, 10013, 10014, 10015, 1000040344,
    ),
    "check the id, and add the bot to the group": (230002, 232006, 232011),
    "include the person in the availability of the app": (230013,),
    "grant the permissions that digestbot app feishu prints, and publish a version of the app": (
        230027, 99991672, 99991679,
    ),
}  # fmt: skip
_REMEDY_OF = {code: remedy for remedy, codes in _REMEDIES.items() for code in codes}


class FeishuRefusal(SendError):
    """An answer with an error code. ``code`` is 0 if there was none."""

    def __init__(self, code: int, reason: SendReason, detail: str, after: float | None) -> None:
        super().__init__(reason, detail, retry_after=after)
        self.code = code


def data_of(reply: Reply) -> dict[str, Any]:
    """The data in the answer. Raises :class:`FeishuRefusal` with the platform's request id."""
    # It has none of the platform's words: those may quote what was sent.
    answer: Any = reply.json()
    known = isinstance(answer, dict) and isinstance(answer.get("code"), int)
    code: int = answer["code"] if known else 0
    if known and code == 0 and reply.status < 400:
        return dict(answer)
    detail = f"status {reply.status}, code {code}" if known else f"status {reply.status}"
    if log := reply.headers.get("x-tt-logid"):
        detail = f"{detail}, log {log[:64]}"
    if remedy := _REMEDY_OF.get(code):
        detail = f"{detail}; {remedy}"
    raise FeishuRefusal(code, _reason(reply.status, code), detail, reply.seconds(_RESET))


def _reason(status: int, code: int) -> SendReason:
    if code in _BY_CODE:
        return _BY_CODE[code]
    if status == 429:
        return SendReason.RATE_LIMITED
    if status >= 500:
        return SendReason.UNAVAILABLE
    if status in {401, 403}:
        return SendReason.UNAUTHORIZED
    # 200 without a code, a redirect, a page: another server answered.
    return SendReason.REJECTED if status >= 400 and code else SendReason.BROKEN


Json = dict[str, Any]
_SIGN_IN = "/open-apis/auth/v3/tenant_access_token/internal"

# With less than half an hour of life left, the server gives a new token beside the old one:
# https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal
_LEAST_LIFE = 1500.0


class Api:
    """The API of one domain for one app. Every call raises ``SendError`` and nothing else."""

    def __init__(self, domain: str, app_id: str, app_secret: SecretStr, wire: HttpClient) -> None:
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
        """Call once, or twice if the token has expired; return the answer with its ``data``.

        ``repeatable`` says that a repeated call has no second effect, so that it may be repeated
        even if the first got no answer.
        """
        url = f"{self.domain}/open-apis{quote(path)}{'?' + urlencode(query) if query else ''}"
        content = None if body is None else compact_json(body).encode()
        stale = ""
        while True:
            token = await self._fetch_token(stale)
            headers = {"authorization": f"Bearer {token}", **_JSON}
            try:
                return data_of(await self._wire.request(method, url, content, headers))
            except FeishuRefusal as error:
                if stale or error.code not in STALE_TOKEN:
                    raise
                stale = token
            except SendError as error:
                if repeatable and error.reason is SendReason.NO_ANSWER:
                    error.retry = True
                raise

    async def upload(self, path: str, fields: Mapping[str, str], png: bytes) -> Json:
        """Upload an image: https://open.feishu.cn/document/server-docs/im-v1/image/create."""
        import aiohttp

        # The call is made once: the token is fresh and the form well-formed.
        form = aiohttp.FormData(fields)
        form.add_field("image", png, filename="chart.png", content_type="image/png")
        headers = {"authorization": f"Bearer {await self._fetch_token()}"}
        url = f"{self.domain}/open-apis{quote(path)}"
        return data_of(await self._wire.request("POST", url, form, headers))

    async def ready(self) -> None:
        """Fetch a token unless there is a fresh one, so that the next call needs no wait."""
        await self._fetch_token()

    async def endpoint(self) -> Json:
        """The address of the long connection, with its intervals."""
        body = {"AppID": self.app_id, "AppSecret": self._secret.get_secret_value()}
        found = await self._post("/callback/ws/endpoint", body)
        data = found.get("data")
        if not isinstance(data, dict):
            raise SendError(SendReason.BROKEN, "no address for the long connection")
        return data

    async def aclose(self) -> None:
        """Close the connections."""
        await self._wire.aclose()

    async def _fetch_token(self, stale: str = "") -> str:
        """A token other than ``stale``; concurrent callers share one call."""
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
        """A call without side effects, so that no answer counts as no connection."""
        url = f"{self.domain}{path}"
        try:
            return data_of(
                await self._wire.request("POST", url, compact_json(body).encode(), _JSON)
            )
        except SendError as error:
            if error.reason is SendReason.NO_ANSWER:
                raise SendError(SendReason.UNAVAILABLE, error.detail) from None
            raise


_JSON = {"content-type": "application/json; charset=utf-8"}
