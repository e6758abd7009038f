"""Text escaped as a card's Markdown, so that it is displayed as it was written.

The dialect is CommonMark without HTML blocks but with tags of Feishu's own, among them ``<at>``,
which mentions people. Active marks become numeric entities, which the dialect decodes last:
https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-components/content-components/rich-text
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import category
from urllib.parse import quote

from bot.util.sanitize import address, legible
from digest.document import Code, Emphasis, Link, Span, Strong, Text

HAIR = "\u200a"  # a barely visible space that separates marks which would otherwise merge

# Characters with an effect anywhere; ``_`` only at a word's edge (emphasis), ``:`` only inside a
# word (an emoji's name or a bare address). A last ``!`` would make an image of a link after it.
_ACTING = re.compile(r"[&<>*~`\[\]\\$|]|(?<![^\W_])_|_(?![^\W_])|(?<=\S):(?=\S)|!$")
_LINE_START = re.compile(r"(?:[-+#=]|\d{1,9}(?=[.)]))")

# Text that a code span shows unchanged. Entities are not decoded there, so anything else is not put
# into a code span.
_PLAIN_CODE = re.compile(r"[^`<>&\\]+")
_WEB = re.compile(r"https?://[^/]")
_KEPT_IN_URLS = "/?#&=%:@!,;+~$'-._"

# Bounded, so that no component outgrows a message.
_LONGEST_URL = 1000
_MARKS: dict[type[Span], str] = {Strong: "**", Emphasis: "*"}


def escape(text: str) -> str:
    """A legible line without active marks."""
    return _ACTING.sub(lambda match: f"&#{ord(match[0])};", text)


def markdown(spans: Iterable[Span]) -> str:
    """The spans of :func:`lines_of` as one line that is safe at the start of a line."""
    line = ""
    rendered = [(span, inner) for span in spans if (inner := _inner(span))]
    for place, (span, inner) in enumerate(rendered):
        following = rendered[place + 1][1][:1] if place + 1 < len(rendered) else ""
        line = _append_span(line, _MARKS.get(type(span), ""), inner, following)
    return _escape_start(line.strip())


def web(url: str) -> str:
    """The address for a link, or empty if a card cannot open it."""
    cleaned = address(url)
    if not _WEB.match(cleaned):
        return ""
    quoted = quote(cleaned, safe=_KEPT_IN_URLS)
    return quoted if len(quoted) <= _LONGEST_URL else ""


def _inner(span: Span) -> str:
    core = span.text.strip()
    match span:
        case Link(url=url) if core:
            return f"[{escape(core)}]({url})"
        case Code() if core and _PLAIN_CODE.fullmatch(core):
            return f"`{core}`"
        case _:
            return escape(span.text)


def _readable(span: Span) -> Span:
    """The span with legible text; a link that a card cannot open becomes text with its address."""
    words = legible(span.text)
    if not isinstance(span, Link):
        return span if words == span.text else type(span)(words)
    if opened := web(span.url):
        return Link(words, opened)
    url = address(span.url)
    hidden = not url or url.startswith("#") or url == words
    return Text(words if hidden else f"{words} ({url})")


def _append_span(line: str, mark: str, inner: str, following: str) -> str:
    """The line with the span appended; marks need the right characters on both sides to count."""
    # CommonMark 6.2: a mark beside punctuation opens or closes nothing unless a blank or
    # punctuation is on its other side, which Chinese text seldom has.
    if not mark:
        touching = line.endswith("`") and inner.startswith("`")
        return f"{line}{HAIR if touching else ''}{inner}"
    core = inner.strip()
    if not core:
        return line + inner
    lead = inner[: len(inner) - len(inner.lstrip())]
    trail = inner[len(inner.rstrip()) :]
    if not lead and (line.endswith("*") or _blocks(core[0], line[-1:])):
        lead = HAIR
    if not trail and (following == "*" or _blocks(core[-1], following)):
        trail = HAIR
    return f"{line}{lead}{mark}{core}{mark}{trail}"


def _blocks(inside: str, outside: str) -> bool:
    """Whether a mark between the two characters has no effect."""
    return (
        bool(outside) and _punctuation(inside) and not (outside.isspace() or _punctuation(outside))
    )


def _punctuation(char: str) -> bool:
    return category(char)[0] in "PS"


def _escape_start(line: str) -> str:
    """The line, escaped so that it starts no heading, list or rule."""
    match = _LINE_START.match(line)
    if not match:
        return line
    at = 0 if not match[0][0].isdigit() else match.end()
    return f"{line[:at]}&#{ord(line[at])};{line[at + 1 :]}"


def lines_of(spans: Iterable[Span], longest: int) -> Iterator[tuple[Span, ...]]:
    """The spans in legible runs of at most about ``longest`` characters; always at least one."""
    line: list[Span] = []
    weight = 0
    for span in _short(map(_readable, spans), longest):
        heavier = len(span.text) + (len(span.url) if isinstance(span, Link) else 0)
        if line and weight + heavier > longest:
            yield tuple(line)
            line, weight = [], 0
        line.append(span)
        weight += heavier
    yield tuple(line)


def _short(spans: Iterable[Span], longest: int) -> Iterator[Span]:
    for span in spans:
        if len(span.text) <= longest:
            yield span
            continue
        for piece in split_text(span.text, longest):
            yield Link(piece, span.url) if isinstance(span, Link) else type(span)(piece)


def split_text(text: str, longest: int) -> Iterator[str]:
    """Pieces of at most ``longest`` characters, cut at blanks if possible; nothing is lost."""
    while len(text) > longest:
        blank = text.rfind(" ", longest // 2, longest) + 1
        end = blank or longest
        yield text[:end]
        text = text[end:]
    yield text
