"""A webhook of a Discord channel: posts, and edits its posts. It receives nothing.

https://docs.discord.com/developers/resources/webhook

``markup`` renders. Discord takes no idempotency key from a webhook, so that a call without an
answer is settled by the channel's promise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import quote

from pydantic import SecretStr

from bot.messaging.rates import Rate
from bot.messaging.sender import Ability, Counted, Limit, Part, Receipt, SendError, SendReason, Unit
from bot.messaging.wire import HttpClient, PacedAddress, Reply, reason_of
from bot.platforms.discord.markup import MOST, render
from bot.util.section import Settings, must
from digest.document import Document

_ADDRESS = re.compile(
    r"(https://(?:[a-z]+\.)?discord(?:app)?\.com|http://127\.0\.0\.1:\d+)"
    r"/api/(?:v\d+/)?webhooks/\d+/[A-Za-z0-9_-]{8,200}"
)
_COLOUR = 0x3370FF
# https://docs.discord.com/developers/resources/message#message-object-message-flags
_SUPPRESS_NOTIFICATIONS = 1 << 12

# https://docs.discord.com/developers/topics/opcodes-and-status-codes
_REASONS: Mapping[int, SendReason] = {
    10003: SendReason.NO_CHANNEL,
    10008: SendReason.REJECTED,
    10015: SendReason.NO_CHANNEL,
    30046: SendReason.REJECTED,
    50006: SendReason.REJECTED,
    50027: SendReason.UNAUTHORIZED,
    50035: SendReason.REJECTED,
}


class Config(Settings):
    """``url`` is the whole address as the channel's integration settings show it."""

    posts_silently: ClassVar[bool] = True
    kind: Literal["discord"] = "discord"
    url: Annotated[
        SecretStr,
        must(
            _ADDRESS.fullmatch,
            "write the full address of the webhook, https://discord.com/api/webhooks/.../...",
        ),
    ]


class Discord(PacedAddress):
    """Posts to the webhook's own channel; ``chat`` is ignored."""

    name = "discord"
    limit = Limit(
        size=MOST,
        unit=Unit.UTF16,
        source="https://docs.discord.com/developers/resources/message#embed-object-embed-limits",
        counts=Counted.BODY,
    )
    abilities = frozenset({Ability.EDIT})
    cannot_read = "a webhook cannot read its channel"
    # Only each answer tells how many posts are allowed; these spread posts that are due together.
    rates = (Rate(count=1, seconds=0.5),)
    together = Rate(count=50, seconds=1.0)

    def render(self, document: Document) -> tuple[Part, ...]:
        """Messages with one embed each, whose description is the part's body."""
        return render(document)

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:  # noqa: ARG002  # one channel, no threads
        """Post, and wait for the message's id."""
        answer = await self._call("POST", "?wait=true", part)
        message = answer.get("id")
        if not isinstance(message, str) or not message:
            raise SendError(SendReason.NO_ANSWER, "an answer without a message id")
        return Receipt(message=message)

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:  # noqa: ARG002  # as above
        """Replace an embed that the webhook posted."""
        await self._call("PATCH", f"/messages/{quote(receipt.message, safe='')}", part)
        return receipt

    async def probe(self, chat: str) -> str:  # noqa: ARG002  # as above
        """The webhook's name."""
        answer = await self._call("GET", "")
        return f"webhook {str(answer.get('name') or '')[:80]!r}"

    async def _call(self, method: str, path: str, part: Part | None = None) -> dict[str, Any]:
        body = None if part is None else json.dumps(_message(part)).encode()
        url = f"{self._url.get_secret_value()}{path}"
        headers = {"content-type": "application/json"}
        reply = await self._wire.request(method, url, body, headers)
        answer = reply.json()
        data: dict[str, Any] = answer if isinstance(answer, dict) else {}
        if (pause := _pause(reply, data)) is not None:
            self._pace.hold("", pause)
        if not 200 <= reply.status < 300:
            code = data.get("code")
            code = code if isinstance(code, int) else 0
            after = pause if pause is not None else reply.seconds("retry-after")
            detail = f"status {reply.status}, code {code}"
            reason = _REASONS.get(code) or reason_of(reply.status)
            limited = reason is SendReason.RATE_LIMITED
            raise SendError(reason, detail, retry_after=after if limited else None)
        return data


def create(config: Config) -> Discord:
    """The configured webhook; makes no call yet."""
    return Discord(config.url, HttpClient())


def _message(part: Part) -> dict[str, Any]:
    return {
        "embeds": [{"description": part.body, "color": _COLOUR}],
        # Nobody is mentioned, whatever the text says.
        "allowed_mentions": {"parse": []},
        **({"flags": _SUPPRESS_NOTIFICATIONS} if part.silent else {}),
    }


def _pause(reply: Reply, answer: Mapping[str, Any]) -> float | None:
    """Seconds until the next call is allowed, if this one used up the limit."""
    seconds = answer.get("retry_after")
    if reply.status == 429 and isinstance(seconds, int | float) and seconds >= 0:
        return float(seconds)
    if reply.headers.get("x-ratelimit-remaining") == "0":
        return reply.seconds("x-ratelimit-reset-after")
    return None
