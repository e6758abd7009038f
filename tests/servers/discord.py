"""A Discord channel's webhook on loopback: limits of embeds, mentions that must be off, rates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.servers.loopback import Act, Loopback, Quota, Sent, answer

TOKEN = "token-of-the-webhook"
MOST_CONTENT, MOST_DESCRIPTION, MOST_EMBEDS, MOST_TOGETHER = 2000, 4096, 10, 6000

# What Discord's Markdown does, as far as it is of use here: whatever stands first wins.
_MARKUP = re.compile(
    r"""
    (?P<fence>```(?:\w*\n)?(?P<fenced>.*?)\n?```)
    |(?P<code>`(?P<coded>[^`]+)`)
    |\\(?P<escaped>[^0-9A-Za-z\s])
    |\[(?P<label>(?:\\.|[^\]\\])*)\]\((?P<url>https?://[^\s()]+)\)
    |(?P<mention><[@#][!&]?\d+>|<a?:\w+:\d+>|<t:\d+(:\w)?>|<id:\w+>|@everyone|@here)
    |(?P<bare>https?://\S+)
    |(?P<mark>\*\*|\*|__|_(?!\w)|~~|\|\|)
    """,
    re.VERBOSE | re.DOTALL,
)
_START = re.compile(r"^(?:#{1,3} |-# |>>> |> |\s*[-*] |\s*\d+\. )", re.MULTILINE)


@dataclass
class Message:
    """A message in the channel; ``acts`` are mentions, emoji and bare URLs."""

    id: str
    text: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    edits: int = 0
    silent: bool = False


class DiscordServer(Loopback):
    """One webhook, with ``burst`` messages allowed in two seconds."""

    def __init__(self, *acts: Act, burst: int = 5) -> None:
        super().__init__(*acts)
        self.messages: dict[str, Message] = {}
        self._quota = Quota(burst, 2.0)

    @property
    def hook(self) -> str:
        return f"{self.url}/api/webhooks/123456/{TOKEN}"

    def counts(self, sent: Sent) -> bool:
        return sent.method in {"POST", "PATCH"}

    def seen(self) -> list[str]:
        return [one.text for one in self.messages.values()]

    async def handle(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        parts = sent.path.strip("/").split("/")
        if parts[:3] != ["api", "webhooks", "123456"]:
            return answer({"message": "Unknown Webhook", "code": 10015}, 404)
        if parts[3] != TOKEN:
            return answer({"message": f"Invalid Webhook Token {parts[3]}", "code": 50027}, 401)
        if sent.method == "GET":
            return answer({"id": "123456", "name": "Digest", "channel_id": "9"})
        if not self._quota.take(sent.at):
            body = {"message": "You are being rate limited.", "retry_after": 0.4, "global": False}
            return answer(body, 429, {"retry-after": "1"})
        left = self._quota.count - len(self._quota._taken)
        headers = {"x-ratelimit-remaining": str(left), "x-ratelimit-reset-after": "2.0"}
        body = sent.json()
        if (wrong := _wrong(body)) is not None:
            return answer({"message": "Invalid Form Body", "code": 50035, "errors": wrong}, 400)
        if sent.method == "PATCH":
            number = parts[5]
            if number not in self.messages:
                return answer({"message": "Unknown Message", "code": 10008}, 404, headers)
            edits = self.messages[number].edits + 1
        else:
            number, edits = str(1000 + len(self.messages)), 0
        self.messages[number] = see(number, body["embeds"][0]["description"])
        self.messages[number].edits = edits
        self.messages[number].silent = "flags" in body
        if sent.method == "POST" and sent.query.get("wait") != "true":
            return web.Response(status=204)
        return answer({"id": number, "channel_id": "9"}, 200, headers)


def see(number: str, description: str) -> Message:
    """The visible text of a description."""
    message = Message(number)
    message.text = _read(_START.sub("", description), message)
    return message


def _read(text: str, message: Message) -> str:
    def shown(found: re.Match[str]) -> str:
        match found.lastgroup:
            case "fence" | "fenced":
                return found["fenced"]
            case "code" | "coded":
                return found["coded"]
            case "escaped":
                return found["escaped"]
            case "label" | "url":
                label = _read(found["label"], message)
                message.links.append((label, found["url"]))
                return label
            case "mark":
                message.marks.append(found[0])
                return ""
            case _:
                message.acts.append(found[0])
                return found[0]

    return _MARKUP.sub(shown, text)


_FIELDS = {"content", "embeds", "allowed_mentions", "flags"}
SUPPRESS_NOTIFICATIONS = 4096


def _wrong(body: Any) -> Any:
    """What Discord would refuse, or what would notify somebody."""
    if not isinstance(body, dict) or body.keys() - _FIELDS:
        return "unknown field"
    if body.get("flags", SUPPRESS_NOTIFICATIONS) != SUPPRESS_NOTIFICATIONS:
        return "flags"
    if body.get("allowed_mentions") != {"parse": []}:
        return "mentions are allowed"
    if len(body.get("content", "")) > MOST_CONTENT:
        return "content"
    embeds = body.get("embeds", [])
    if not embeds or len(embeds) > MOST_EMBEDS:
        return "embeds"
    descriptions = [one.get("description", "").strip() for one in embeds]
    sizes = [len(one.encode("utf-16-le")) // 2 for one in descriptions]
    if not all(0 < size <= MOST_DESCRIPTION for size in sizes) or sum(sizes) > MOST_TOGETHER:
        return {"embeds": sizes}
    return None
