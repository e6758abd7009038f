"""Posts as JSON to an address of your own: for chats and programs without a platform here.

A request is signed as GitHub signs its own, with the time in what is signed::

    X-Digestbot-Timestamp: 1790000000
    X-Digestbot-Signature: sha256=<hex of HMAC-SHA256(secret, timestamp + "." + body)>
    Idempotency-Key: <32 hex digits, the same at every attempt>

A receiver that remembers the keys can drop repeats, but nothing here relies on it.
``docs/webhooks.md`` has the whole body.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Annotated, Literal

from pydantic import SecretStr

from bot.messaging.sender import Ability, Limit, Part, Receipt, Unit
from bot.messaging.wire import Addressed, HttpClient, Reply
from bot.util.sanitize import legible
from bot.util.section import Settings, must
from bot.util.terminal import lay_out, plain_text
from digest.document import Document
from digest.markdown import markdown

SCHEMA = 1
"""The version of the body. It increases when a field changes its meaning, not when one is added."""

_ADDRESS = re.compile("https?://")
_WIDTH = 100
_MOST_RECEIPT = 200


class Config(Settings):
    """``url`` is a secret, since such addresses often hold one; ``secret`` signs what is sent."""

    kind: Literal["webhook"] = "webhook"
    url: Annotated[SecretStr, must(_ADDRESS.match, "write the full address, https://...")]
    secret: SecretStr | None = None


class Webhook(Addressed):
    """Posts to one address. ``chat`` is passed on as configured."""

    name = "webhook"
    limit = Limit(size=None, unit=Unit.BYTES, source="set by the receiver")
    abilities: frozenset[Ability] = frozenset()
    cannot_edit = "posts to a webhook cannot be changed"
    cannot_read = "a webhook cannot be read"

    def __init__(self, url: SecretStr, secret: SecretStr | None, wire: HttpClient) -> None:
        super().__init__(url, wire)
        self._secret = secret

    def render(self, document: Document) -> tuple[Part, ...]:
        """One part: the document as plain text and as Markdown."""
        text = plain_text(lay_out(document, _WIDTH, urls=True))
        body = {
            "schema": SCHEMA,
            "title": legible(document.title),
            "language": document.language,
            "text": text,
            "markdown": markdown(document),
        }
        return (Part(text=text, body=json.dumps(body, ensure_ascii=False)),)

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:  # noqa: ARG002  # no threads
        """Post. The receipt is the ``id`` in the answer, otherwise the part's identity."""
        body = json.dumps({**json.loads(part.body), "chat": chat, "id": part.identity}).encode()
        headers = {"content-type": "application/json", **self._signature_headers(body)}
        if part.identity:
            headers["idempotency-key"] = part.identity
        reply = await self._wire.request("POST", self._url.get_secret_value(), body, headers)
        reply.check()
        return Receipt(message=_receipt_id(reply) or part.identity or "posted")

    def _signature_headers(self, body: bytes) -> dict[str, str]:
        if self._secret is None:
            return {}
        stamp = str(int(time.time()))
        return {
            "x-digestbot-timestamp": stamp,
            "x-digestbot-signature": sign(self._secret.get_secret_value(), stamp, body),
        }

    async def probe(self, chat: str) -> str:  # noqa: ARG002  # one address
        """Check that the server answers; a request without a body is no post."""
        reply = await self._wire.request("OPTIONS", self._url.get_secret_value())
        signed = "signed" if self._secret else "not signed"
        return f"the server answers (status {reply.status}); posts are {signed}"


def create(config: Config) -> Webhook:
    """The configured address; makes no call yet."""
    return Webhook(config.url, config.secret, HttpClient())


def sign(secret: str, stamp: str, body: bytes) -> str:
    """The signature of a request. Compare it in constant time, and refuse old times."""
    signed = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256)
    return f"sha256={signed.hexdigest()}"


def _receipt_id(reply: Reply) -> str:
    answer = reply.json()
    identifier = answer.get("id") if isinstance(answer, dict) else None
    return str(identifier)[:_MOST_RECEIPT] if isinstance(identifier, str | int) else ""
