"""A document as Discord's Markdown, in descriptions of embeds.

A backslash makes any punctuation literal:
https://support.discord.com/hc/en-us/articles/210298617
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.messaging.sender import Part
from bot.util.sanitize import legible_lines, lines_of
from bot.util.terminal import columns_of, has_own_sign
from digest import document as doc

MOST = 4096  # characters of an embed's description, well below the 6000 of all embeds of a message
_LONGEST = 700
"""Characters of one line; escaping at most doubles them, and each takes at most two units."""

_LONGEST_URL = 500
_WIDTH = 46  # monospaced characters that fit side by side in an embed
_HAIR = "\u200a"
_ACTING = re.compile(r"[\\*_~`|<>\[\]#@]|(?<=\S):(?=\S)")
_START = re.compile(r"[-+]|\d+(?=[.)])")
_MARKS: dict[type[doc.Span], str] = {doc.Strong: "**", doc.Emphasis: "*"}
Line = tuple[str, str]  # one line as sent and as read


def render(document: doc.Document) -> tuple[Part, ...]:
    """The messages of a document, in order."""
    messages: list[list[Line]] = [[]]
    room = MOST
    for line in _lines(document.blocks):
        needed = len(line[0].encode("utf-16-le")) // 2 + 1
        if needed > room:
            messages.append([])
            room = MOST
        messages[-1].append(line)
        room -= needed
    return tuple(map(_part, messages))


def _part(lines: Sequence[Line]) -> Part:
    body = "\n".join(marked for marked, _ in lines)
    # Discord refuses an embed without any word.
    return Part(text="\n".join(text for _, text in lines), body=body if body.strip() else "…")


def _lines(blocks: Iterable[doc.Block]) -> Iterator[Line]:
    for place, block in enumerate(blocks):
        if place and not isinstance(block, doc.Divider):
            yield "", ""
        match doc.charts_as_text(block):
            case doc.Heading(level=level, spans=spans):
                yield from _marked_lines("#" * min(level, 3) + " ", spans)
            case doc.Paragraph(spans=spans):
                yield from _marked_lines("", spans)
            case doc.Listing(items=items, ordered=ordered):
                yield from _items(items, "", ordered=ordered)
            case doc.Table() as table if columns := columns_of(table, _WIDTH):
                yield from _code("\n".join(columns))
            case doc.Table() as table:
                for spans in doc.rows_as_lines(table):
                    yield from _marked_lines("- ", spans)
            case doc.Quote(paragraphs=paragraphs):
                for spans in paragraphs:
                    yield from _marked_lines("> ", spans, again=True)
            case doc.CodeBlock(text=text):
                yield from _code(text)
            case doc.Divider():
                yield "────────", ""
            case doc.Actions(buttons=buttons):
                for button in buttons:
                    yield from _marked_lines("", doc.button_as_text(button))


def _marked_lines(mark: str, spans: doc.Spans, *, again: bool = False) -> Iterator[Line]:
    """The spans after a mark, in lines that are not too long."""
    for line in lines_of(spans, _LONGEST, _LONGEST_URL) if spans else ():
        yield mark + inline(line), doc.plain(line)
        mark = mark if again else ""


def _items(items: Sequence[doc.Item], indent: str, *, ordered: bool) -> Iterator[Line]:
    airy = not indent and any(has_own_sign(item.spans) and item.children for item in items)
    for number, item in enumerate(items, 1):
        if airy and number > 1:
            yield "", ""
        if not ordered and has_own_sign(item.spans):
            # An item that begins with its own sign: neither it nor a single item in it gets a mark.
            yield from _marked_lines(indent, item.spans)
            if len(item.children) == 1 and not item.children[0].children:
                yield from _marked_lines(indent, item.children[0].spans)
            else:
                yield from _items(item.children, indent, ordered=False)
            continue
        mark = f"{indent}{number}. " if ordered else f"{indent}- "
        yield from _marked_lines(mark, item.spans)
        # Discord draws no deeper levels.
        yield from _items(item.children, f"{indent}  "[:20], ordered=False)


def _code(text: str) -> Iterator[Line]:
    """Closed code fences. A fence in the text cannot be escaped, so it is broken up."""
    sheet: list[str] = []
    length = 0
    for line in legible_lines(text.rstrip("\r\n")):
        for at in range(0, max(len(line), 1), _LONGEST):
            piece = line[at : at + _LONGEST]
            if sheet and length + len(piece) > _LONGEST:
                yield _fence(sheet)
                sheet, length = [], 0
            sheet.append(piece)
            length += len(piece) + 1
    yield _fence(sheet)


def _fence(lines: Sequence[str]) -> Line:
    text = "\n".join(lines)
    if not text.strip():
        return "", ""
    return f"```\n{text.replace('``', f'`{_HAIR}`')}\n```", text


def inline(spans: Iterable[doc.Span]) -> str:
    """The spans of ``lines_of`` as one line in which only their own marks have an effect."""
    line = ""
    for span in spans:
        inner = _inner(span)
        # Adjacent marks would be read as one longer mark.
        parted = line[-1:] in {"*", "`"} and inner[:1] == line[-1:]
        line += f"{_HAIR if parted else ''}{inner}"
    line = line.strip()
    match = _START.match(line)
    at = 0 if match is None or not match[0].isdigit() else match.end()
    return line if match is None else f"{line[:at]}\\{line[at:]}"


def _inner(span: doc.Span) -> str:
    words = span.text
    core = words.strip()
    match span:
        case doc.Strong() | doc.Emphasis() if core:
            mark = _MARKS[type(span)]
            lead, trail = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
            return f"{lead}{mark}{_escape(core)}{mark}{trail}"
        case doc.Code() if core and "`" not in words:
            return f"`{core}`"
        case doc.Link(url=url) if core:
            return f"[{_escape(core)}]({url})"
        case _:
            return _escape(words)


def _escape(text: str) -> str:
    return _ACTING.sub(lambda found: "\\" + found[0], text)
