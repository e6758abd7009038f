"""A workflow of Microsoft Teams on loopback: checks the form and size of cards, and the rate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.servers.loopback import Act, Loopback, Quota, Sent, answer

SECRET = "signature-of-the-workflow"
MOST_BYTES = 28 * 1024
_RUN = {"type", "text", "size", "weight", "isSubtle", "italic", "fontType", "selectAction"}
_SIZES = {"Small", "Default", "Medium", "Large", "ExtraLarge"}


class BadCard(Exception):
    """A card that Teams would refuse, or show differently than meant."""


@dataclass
class Card:
    """The visible content: a line for each block, and the links."""

    lines: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


class TeamsServer(Loopback):
    """One workflow: 4 requests a second."""

    def __init__(self, *acts: Act) -> None:
        super().__init__(*acts)
        self.cards: list[Card] = []
        self._quota = Quota(4, 1.0)

    @property
    def hook(self) -> str:
        return f"{self.url}/workflows/5f3a/triggers/manual/paths/invoke?sig={SECRET}"

    def counts(self, sent: Sent) -> bool:
        return sent.method == "POST"

    def seen(self) -> list[str]:
        return [card.text for card in self.cards]

    async def handle(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        if sent.query.get("sig") != SECRET:
            return answer({"error": {"code": "DirectApiAuthorizationRequired"}}, 401)
        if sent.method != "POST":
            return answer("", 405)
        if len(sent.body) > MOST_BYTES:
            return answer("Payload Too Large", 413)
        if not self._quota.take(sent.at):
            return answer("Too Many Requests", 429, {"retry-after": "1"})
        try:
            self.cards.append(see(sent.json()))
        except (BadCard, KeyError, TypeError) as error:
            return answer({"error": {"code": "BadRequest", "message": str(error)}}, 400)
        return answer("", 202)


def see(message: Any) -> Card:
    """The visible content of a message. Raises :class:`BadCard`."""
    (attachment,) = message["attachments"]
    card = attachment["content"]
    _must(message["type"] == "message", "type")
    _must(attachment["contentType"] == "application/vnd.microsoft.card.adaptive", "contentType")
    _must(card["type"] == "AdaptiveCard" and card["version"] <= "1.5", "card")
    _must(bool(card["body"]), "an empty body")
    seen = Card()
    for block in card["body"]:
        _must(block["type"] == "RichTextBlock", block["type"])
        seen.lines.append("".join(_run(run, seen) for run in block["inlines"]).replace("\xa0", " "))
    return seen


def _run(run: dict[str, Any], seen: Card) -> str:
    _must(run["type"] == "TextRun" and isinstance(run["text"], str), "run")
    _must(run.keys() <= _RUN, f"unknown fields {run.keys() - _RUN}")
    _must(run.get("size", "Default") in _SIZES, "size")
    if (action := run.get("selectAction")) is not None:
        _must(action.keys() == {"type", "url"} and action["type"] == "Action.OpenUrl", "action")
        _must(action["url"].startswith(("https://", "http://")), "address")
        seen.links.append((run["text"], action["url"]))
    return str(run["text"])


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise BadCard(what)
