"""A receiver of webhooks on loopback: it verifies, and drops duplicates by their key."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Any

from aiohttp import web

from tests.servers.loopback import Act, Loopback, Sent, answer

PATH_SECRET, SECRET = "k3y-in-the-path", "secret-of-the-receiver"
FRESH = 300
FIELDS = {"schema", "title", "language", "text", "markdown", "chat", "id"}


class WebhookServer(Loopback):
    """A receiver; ``drops_repeats`` says whether it remembers keys, which is optional."""

    def __init__(self, *acts: Act, secret: str = SECRET, drops_repeats: bool = True) -> None:
        super().__init__(*acts)
        self.secret = secret
        self.drops_repeats = drops_repeats
        self.stands: list[dict[str, Any]] = []

    @property
    def hook(self) -> str:
        return f"{self.url}/in/{PATH_SECRET}"

    def counts(self, sent: Sent) -> bool:
        return sent.method == "POST"

    def seen(self) -> list[str]:
        return [one["text"] for one in self.stands]

    async def handle(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        if sent.path != f"/in/{PATH_SECRET}":
            return answer(f"nothing at {sent.path}", 404)
        if sent.method != "POST":
            return answer("", 405)
        if self.secret and not self._signed(sent):
            return answer(f"not signed with {self.secret}", 401)
        body = sent.json()
        if not isinstance(body, dict) or body.keys() != FIELDS or body["schema"] != 1:
            return answer("bad body", 400)
        key = sent.headers.get("idempotency-key", "")
        if key != body["id"]:
            return answer("key and id differ", 400)
        known = [number for number, one in enumerate(self.stands) if key and one["id"] == key]
        if not (known and self.drops_repeats):
            self.stands.append(body)
            known = [len(self.stands) - 1]
        return answer({"id": f"m{known[0]}"}, 201)

    def _signed(self, sent: Sent) -> bool:
        stamp = sent.headers.get("x-digestbot-timestamp", "")
        if not re.fullmatch(r"\d{10}", stamp) or abs(self.now() - int(stamp)) > FRESH:
            return False
        signed = hmac.new(self.secret.encode(), stamp.encode() + b"." + sent.body, hashlib.sha256)
        given = sent.headers.get("x-digestbot-signature", "")
        return hmac.compare_digest(given, f"sha256={signed.hexdigest()}")
