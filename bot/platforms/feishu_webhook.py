"""A custom bot of one Feishu or Lark group: an address to post to. It receives nothing.

https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot

A custom bot gives no message id and drops no repeats, so that a call without an answer is settled
by the channel's promise.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.feishu_card.card import Style, render
from bot.messaging import sender
from bot.messaging.rates import Rate
from bot.messaging.wire import HttpClient, PacedAddress, Reply
from bot.util.section import Settings, must
from digest.document import Document

_ADDRESS = re.compile(
    r"(https://[^/\s?#]+|http://127\.0\.0\.1:\d+)/open-apis/bot/v2/hook/[A-Za-z0-9-]{8,100}"
)
_SIZE = 18_000  # of 20 KB for a request
_REASONS: Mapping[int, sender.SendReason] = {
    9499: sender.SendReason.REJECTED,
    11232: sender.SendReason.RATE_LIMITED,
    11233: sender.SendReason.RATE_LIMITED,
    11246: sender.SendReason.REJECTED,
    19001: sender.SendReason.NO_CHANNEL,
    19002: sender.SendReason.REJECTED,
    19021: sender.SendReason.UNAUTHORIZED,
    19022: sender.SendReason.UNAUTHORIZED,
    19024: sender.SendReason.REJECTED,
    99991400: sender.SendReason.RATE_LIMITED,
}
_WHY = {
    19021: "the secret or this machine's clock is wrong",
    19022: "the bot does not allow this machine's address",
    19024: "the text contains none of the bot's keywords",
}


class Config(Settings):
    """``url`` is the whole address that the group shows; ``secret`` if it asks for signatures."""

    kind: Literal["feishu_webhook"] = "feishu_webhook"
    url: Annotated[
        SecretStr,
        must(
            _ADDRESS.fullmatch,
            "write the full address of the custom bot, "
            "https://open.feishu.cn/open-apis/bot/v2/hook/...",
        ),
    ]
    secret: SecretStr | None = None


class FeishuWebhook(PacedAddress):
    """Posts to the bot's own group; ``chat`` is ignored."""

    name = "feishu_webhook"
    limit = sender.Limit(
        size=_SIZE,
        unit=sender.Unit.BYTES,
        source="https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot",
        counts=sender.Counted.BODY,
    )
    abilities: frozenset[sender.Ability] = frozenset()
    cannot_edit = "a custom bot cannot edit"
    cannot_read = "a custom bot cannot read"
    # 5 a second and 100 a minute; at even intervals, because a burst arrives unevenly.
    rates = (Rate(count=1, seconds=1 / 4), Rate(count=95, seconds=60.0))
    together = Rate(count=100, seconds=1.0)

    def __init__(self, url: SecretStr, secret: SecretStr | None, wire: HttpClient) -> None:
        super().__init__(url, wire)
        self._secret = secret

    def render(self, document: Document) -> tuple[sender.Part, ...]:
        """Cards whose buttons can only open links."""
        return render(document, Style(size=_SIZE, interactive=False))

    async def send(  # one group, no threads
        self,
        chat: str,  # noqa: ARG002
        part: sender.Part,
        reply_to: sender.Receipt | None = None,  # noqa: ARG002
    ) -> sender.Receipt:
        """Post. The receipt is the part's own identity, since the bot gives no id."""
        body: dict[str, Any] = {"msg_type": "interactive", "card": json.loads(part.body)}
        if self._secret is not None:
            stamp = str(int(time.time()))
            body |= {"timestamp": stamp, "sign": sign(self._secret.get_secret_value(), stamp)}
        headers = {"content-type": "application/json; charset=utf-8"}
        url = self._url.get_secret_value()
        _check(await self._wire.request("POST", url, sender.compact_json(body).encode(), headers))
        return sender.Receipt(message=part.identity or "posted")

    async def probe(self, chat: str) -> str:  # noqa: ARG002  # as above
        """Check that the server answers; only a post would show whether the address is valid."""
        parts = urlsplit(self._url.get_secret_value())
        await self._wire.request("HEAD", f"{parts.scheme}://{parts.netloc}/")
        signed = "signed" if self._secret else "not signed"
        return f"{parts.hostname} answers; posts are {signed}"


def create(config: Config) -> FeishuWebhook:
    """The configured bot; makes no call yet."""
    return FeishuWebhook(config.url, config.secret, HttpClient())


def sign(secret: str, stamp: str) -> str:
    """The signature of a request: of an empty text, with the time and the secret as the key."""
    digest = hmac.new(f"{stamp}\n{secret}".encode(), b"", hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def _check(reply: Reply) -> None:
    """Raise if the answer is a failure, which is possible with status 200 too."""
    answer = reply.json()
    code = answer.get("code") if isinstance(answer, dict) else None
    if reply.status == 200 and code == 0:
        return
    detail = _WHY.get(code, f"status {reply.status}, code {code}") if isinstance(code, int) else ""
    raise sender.SendError(_reason(reply.status, code), detail or f"status {reply.status}")


def _reason(status: int, code: Any) -> sender.SendReason:
    if isinstance(code, int) and code in _REASONS:
        return _REASONS[code]
    if status == 429:
        return sender.SendReason.RATE_LIMITED
    if status in {502, 504}:
        # A proxy timed out; the server behind it may have posted.
        return sender.SendReason.NO_ANSWER
    if status >= 500:
        return sender.SendReason.UNAVAILABLE
    return (
        sender.SendReason.REJECTED if isinstance(code, int) and code else sender.SendReason.BROKEN
    )
