"""Feishu's custom bot on loopback: one group, signatures, keywords, limits, and codes with status 200."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence

from aiohttp import web

from tests.servers.feishu_cards import BadCard, Seen, check, see
from tests.servers.loopback import Act, Loopback, Quota, Sent, answer

HOOK, SECRET = "f0e1d2c3-hook-token", "secret-of-the-hook"
MOST_BYTES = 20 * 1024


class FeishuWebhookServer(Loopback):
    """A bot whose messages need one of ``keywords``; an empty ``secret`` requires no signature."""

    def __init__(
        self, *acts: Act, secret: str = SECRET, keywords: Sequence[str] = (), allowed: bool = True
    ) -> None:
        super().__init__(*acts)
        self.secret = secret
        self.keywords = keywords
        self.allowed = allowed
        self.stands: list[Seen] = []
        self._second, self._minute = Quota(5, 1.0), Quota(100, 60.0)

    @property
    def hook(self) -> str:
        return f"{self.url}/open-apis/bot/v2/hook/{HOOK}"

    def counts(self, sent: Sent) -> bool:
        return sent.method == "POST"

    def seen(self) -> list[str]:
        return [one.text for one in self.stands]

    async def handle(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        if sent.method != "POST":
            return answer("", 404)
        if sent.path != f"/open-apis/bot/v2/hook/{HOOK}":
            return says(19001, "param invalid: incoming webhook access token invalid")
        body = sent.json()
        if not isinstance(body, dict) or len(sent.body) > MOST_BYTES:
            return says(9499, "Bad Request")
        if not self.allowed:
            return says(19022, "Ip Not Allowed")
        if self.secret and not self._signed(body):
            return says(19021, f"sign match fail or timestamp is not within one hour: {HOOK}")
        return self._post(sent, {k: v for k, v in body.items() if k not in {"timestamp", "sign"}})

    def _signed(self, body: dict[str, object]) -> bool:
        stamp = body.get("timestamp")
        if not isinstance(stamp, str) or not stamp.isdecimal():
            return False
        if abs(self.now() - int(stamp)) > 3600:
            return False
        key = f"{stamp}\n{self.secret}".encode()
        return body.get("sign") == base64.b64encode(hmac.digest(key, b"", hashlib.sha256)).decode()

    def _post(self, sent: Sent, body: dict[str, object]) -> web.StreamResponse:
        if body.keys() != {"msg_type", "card"} or body["msg_type"] != "interactive":
            return says(9499, "Bad Request")
        try:
            check(body["card"], callbacks=False)
        except BadCard as error:
            return says(11246, str(error))
        if not self._second.take(sent.at) or not self._minute.take(sent.at):
            return says(11232, "frequency limited psm")
        seen = see(body["card"])
        if self.keywords and not any(word in seen.text for word in self.keywords):
            return says(19024, "Key Words Not Found")
        self.stands.append(seen)
        done = {
            "StatusCode": 0,
            "StatusMessage": "success",
            "code": 0,
            "data": {},
            "msg": "success",
        }
        return answer(done)


def says(code: int, words: str) -> web.StreamResponse:
    return answer({"code": code, "msg": words, "data": {}})
