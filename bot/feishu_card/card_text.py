"""Text escaped as a card's Markdown, so that it is displayed as it was written.

The dialect is CommonMark without HTML blocks but with tags of Feishu's own, among them ``<at>``,
which mentions people. Active marks become numeric entities, which the dialect decodes last:
https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-components/content-components/rich-text
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import category

from digest.document import Code, Emphasis, Link, Span, Strong

HAIR = "\u200a"  # a barely visible space that separates marks which would otherwise merge

# Characters with an effect anywhere; ``_`` only at a word's edge (emphasis), ``:`` only inside a
# word (an emoji's name or a bare address). A last ``!`` would make an image of a link after it.
_ACTING = re.compile(r"[&<>*~`\[\]\\$|]|(?<![^\W_])_|_(?![^\W_])|(?<=\S):(?=\S)|!$")
_LINE_START = re.compile(r"(?:[-+#=]|\d{1,9}(?=[.)]))")

# Text that a code span shows unchanged. Entities are not decoded there, so anything else is not put
# into a code span.
_PLAIN_CODE = re.compile(r"[^`<>&\\]+")
_MARKS: dict[type[Span], str] = {Strong: "**", Emphasis: "*"}


def escape(text: str) -> str:
    """A legible line without active marks."""
    return _ACTING.sub(lambda match: f"&#{ord(match[0])};", text)


def markdown(spans: Iterable[Span]) -> str:
    """The spans of ``lines_of`` as one line that is safe at the start of a line."""
    line = ""
    rendered = [(span, inner) for span in spans if (inner := _inner(span))]
    for place, (span, inner) in enumerate(rendered):
        following = rendered[place + 1][1][:1] if place + 1 < len(rendered) else ""
        line = _append_span(line, _MARKS.get(type(span), ""), inner, following)
    return _escape_start(line.strip())


def _inner(span: Span) -> str:
    core = span.text.strip()
    match span:
        case Link(url=url) if core:
            return f"[{escape(core)}]({url})"
        case Code() if core and _PLAIN_CODE.fullmatch(core):
            return f"`{core}`"
        case _:
            return escape(span.text)


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
