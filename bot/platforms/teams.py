"""A workflow of Microsoft Teams: posts Adaptive Cards to a channel or chat. It receives nothing.

The workflow is Teams' own template "post to a channel when a webhook request is received"; its
address is a secret. A card is made of RichTextBlocks, whose text is never read as Markdown:
https://adaptivecards.io/explorer/RichTextBlock.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import SecretStr

from bot.messaging.rates import Rate
from bot.messaging.sender import Ability, Limit, Part, Receipt, Unit, compact_json
from bot.messaging.wire import HttpClient, PacedAddress
from bot.util.sanitize import legible_lines, lines_of
from bot.util.section import Settings, must
from bot.util.terminal import columns_of, has_own_sign
from digest import document as doc

_SOURCE = (
    "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/"
    "add-incoming-webhook"
)
_ADDRESS = re.compile(r"https://[^/\s]+/|http://127\.0\.0\.1:\d+/")
_SIZE = 20_000  # bytes of a request. The page says 28 KB; senders have seen refusals from 21 KB on.
_LONGEST = 1000  # characters of one block, so that a block always fits into a card
_WIDTH = 60  # monospaced characters that fit side by side in a card of full width
_HEADINGS = {1: "Large", 2: "Medium"}
Element = Mapping[str, Any]  # an element of a card as JSON
Line = tuple[Element, str]  # an element and the words that a person reads in it


class Config(Settings):
    """``url`` is the address that the workflow shows once it is saved."""

    kind: Literal["teams"] = "teams"
    url: Annotated[
        SecretStr, must(_ADDRESS.match, "write the full address of the workflow, https://...")
    ]


class Teams(PacedAddress):
    """Posts to the workflow's own channel; ``chat`` is ignored."""

    name = "teams"
    limit = Limit(size=_SIZE, unit=Unit.BYTES, source=_SOURCE)
    abilities: frozenset[Ability] = frozenset()
    cannot_edit = "posts of a workflow cannot be changed"
    cannot_read = "a workflow cannot read its channel"
    # One below what the page allows: a request takes its time to arrive.
    rates = (Rate(count=3, seconds=1.0),)
    together = Rate(count=20, seconds=1.0)

    def render(self, document: doc.Document) -> tuple[Part, ...]:
        """Messages with one card each; the body is the whole request."""
        cards: list[list[Line]] = [[]]
        room = _SIZE - len(_message([]).encode())
        left = room
        for line in _lines(document.blocks):
            needed = len(compact_json(line[0]).encode()) + 1
            if needed > left and cards[-1]:
                cards.append([])
                left = room
            cards[-1].append(line)
            left -= needed
        return tuple(
            Part(
                text="\n".join(words for _, words in lines),
                body=_message([element for element, _ in lines]),
            )
            for lines in cards
        )

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:  # noqa: ARG002  # one channel, no threads
        """Post. A workflow names no message, so the receipt is the part's identity."""
        headers = {"content-type": "application/json"}
        url = self._url.get_secret_value()
        reply = await self._wire.request("POST", url, part.body.encode(), headers)
        reply.check()
        return Receipt(message=part.identity or "posted")

    async def probe(self, chat: str) -> str:  # noqa: ARG002  # one channel
        """Check that the server answers: a workflow runs on any POST, so it is not called."""
        reply = await self._wire.request("OPTIONS", self._url.get_secret_value())
        return f"the server answers (status {reply.status}); the workflow itself was not run"


def create(config: Config) -> Teams:
    """The configured workflow; makes no call yet."""
    return Teams(config.url, HttpClient())


def _message(elements: Sequence[Element]) -> str:
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "msteams": {"width": "Full"},
        # Teams refuses a card without elements.
        "body": elements or [_block((doc.Text("…"),))],
    }
    attachment = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": card,
    }
    return compact_json({"type": "message", "attachments": [attachment]})


def _lines(blocks: Iterable[doc.Block]) -> Iterator[Line]:
    separated = False
    for block in blocks:
        if isinstance(block, doc.Divider):
            separated = True
            continue
        for place, (element, words) in enumerate(_block_lines(block)):
            extra = {"separator": True} if separated else {}
            spacing = {} if place else {"spacing": "Medium"}
            yield {"spacing": "Small", **element, **spacing, **extra}, words
            separated = False


def _block_lines(block: doc.Block) -> Iterator[Line]:
    match doc.charts_as_text(block):
        case doc.Heading(level=level, spans=spans):
            style = {"size": _HEADINGS.get(level, "Default"), "weight": "Bolder"}
            yield from _texts("", spans, style)
        case doc.Paragraph(spans=spans, aside=aside):
            yield from _texts("", spans, {"isSubtle": True} if aside else {})
        case doc.Listing(items=items, ordered=ordered):
            yield from _items(items, 0, ordered=ordered)
        case doc.Table() as table if columns := columns_of(table, _WIDTH):
            yield from _code(columns)
        case doc.Table() as table:
            for spans in doc.rows_as_lines(table):
                yield from _texts("• ", spans)
        case doc.Quote(paragraphs=paragraphs):
            for spans in paragraphs:
                yield from _texts("┃ ", spans, {"isSubtle": True})
        case doc.CodeBlock(text=text):
            yield from _code(legible_lines(text.rstrip("\r\n")))
        case doc.Actions(buttons=buttons):
            for button in buttons:
                yield from _texts("", doc.button_as_text(button))


def _items(items: Sequence[doc.Item], depth: int, *, ordered: bool) -> Iterator[Line]:
    for number, item in enumerate(items, 1):
        mark = "" if has_own_sign(item.spans) else "• "
        yield from _texts(
            "\u2003" * min(depth, 4) + (f"{number}. " if ordered else mark), item.spans
        )
        yield from _items(item.children, depth + 1, ordered=False)


def _code(lines: Sequence[str]) -> Iterator[Line]:
    for line in lines:
        # Teams drops spaces at the beginning of a line.
        yield from _texts("", (doc.Code(line.replace(" ", "\u00a0")),), words=line)


def _texts(
    mark: str, spans: doc.Spans, style: Mapping[str, Any] | None = None, words: str | None = None
) -> Iterator[Line]:
    """Blocks of the spans, each of at most ``_LONGEST`` characters; the first has the mark."""
    for place, line in enumerate(filter(None, lines_of(spans, _LONGEST))):
        marked = (doc.Text(mark), *line) if mark and not place else line
        read = doc.plain(line)
        yield _block(marked, style), read if words is None else words[: len(read)]
        words = words if words is None else words[len(read) :]


def _block(spans: doc.Spans, style: Mapping[str, Any] | None = None) -> Element:
    return {"type": "RichTextBlock", "inlines": [_text_run(span, style or {}) for span in spans]}


def _text_run(span: doc.Span, style: Mapping[str, Any]) -> Element:
    run: dict[str, Any] = {"type": "TextRun", "text": span.text, **style}
    match span:
        case doc.Strong():
            run["weight"] = "Bolder"
        case doc.Emphasis():
            run["italic"] = True
        case doc.Code():
            run["fontType"] = "Monospace"
        case doc.Link(url=url) if url:
            run["selectAction"] = {"type": "Action.OpenUrl", "url": url}
    return run
