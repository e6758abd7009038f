"""Marks text from outside as data within a prompt.

Two measures: the fence carries a code made from the content, chosen so that the content does not
contain it, so that nothing inside can close the fence. And every line inside begins with a mark, so
that not even a single line can pose as something else.
"""

from __future__ import annotations

import re
from hashlib import blake2s

_DIGITS = 16

# What would end or hide a line for some reader: C0 and C1 controls, line and paragraph separators;
# what reorders or hides text (https://trojansource.codes); lone surrogates.
_UNSEEN = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\uffff\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)


def fenced(content: str) -> str:
    """The content between two lines that it cannot contain; equal contents give equal lines."""
    seed = content.encode("utf-8", "surrogatepass")
    code = blake2s(seed).hexdigest()[:_DIGITS]
    # No text contains its own hash by chance, but somebody might find one by searching.
    while code in content:
        code = blake2s(seed + code.encode()).hexdigest()[:_DIGITS]
    return f"DATA {code} begins\n{content}\nDATA {code} ends"


def visible(text: str) -> str:
    r"""The text on one line with nothing hidden in it: odd characters become ``\u{202e}``."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(_escaped, text)


def visible_lines(text: str) -> str:
    """As :func:`visible`, for a text in which line ends are ours."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "\n".join(visible(line) for line in text.split("\n"))


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):04x}}}"
