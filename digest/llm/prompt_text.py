"""Text for prompts: what comes from outside marked as data, and what was left out.

Two measures: the fence carries a code made from the content, chosen so that the content does not
contain it, so that nothing inside can close the fence. And every line inside begins with a mark, so
that not even a single line can pose as something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from hashlib import blake2s

from digest.core.change import printable
from digest.core.enums import Language
from digest.frozen import frozen
from digest.i18n.phrase import list_in_words, table_of
from digest.i18n.statement_text import NOT_SEEN, SEPARATOR

_DIGITS = 16

# What would end or hide a line for some reader: C0 and C1 controls, line and paragraph separators;
# what reorders or hides text (https://trojansource.codes); lone surrogates.
_UNSEEN = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\uffff\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)


def fence_content(content: str, label: str = "DATA") -> str:
    """The content between two lines that it cannot contain; equal contents give equal lines."""
    seed = content.encode("utf-8", "surrogatepass")
    code = blake2s(seed).hexdigest()[:_DIGITS]
    # No text contains its own hash by chance, but somebody might find one by searching.
    while code in content:
        code = blake2s(seed + code.encode()).hexdigest()[:_DIGITS]
    return f"{label} {code} begins\n{content}\n{label} {code} ends"


def visible(text: str) -> str:
    r"""The text on one line with nothing hidden in it: odd characters become ``\u{202e}``."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda match: f"\\u{{{ord(match[0]):04x}}}", text)


def visible_lines(text: str) -> str:
    """As :func:`visible`, for a text in which line ends are ours."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "\n".join(visible(line) for line in text.split("\n"))


class Cause(StrEnum):
    """Why something was left out, in the order of output."""

    SPACE = "space"  # there was no room for these hunks
    LONG = "long"  # removed lines of a hunk beyond the first ones, and the ends of very long lines
    GENERATED = "generated"
    VENDORED = "vendored"
    LOCKFILE = "lockfile"
    BINARY = "binary"
    ABSENT = "absent"  # the clone does not have the content
    LARGE = "large"  # the source keeps no more of so large a patch
    PRIVATE = "private"  # the repository's privacy keeps all lines back


@frozen
class Omission:
    """What was left out for one cause: paths, hunks and changed lines (0: unknown)."""

    cause: Cause
    paths: tuple[str, ...]
    hunks: int = 0
    lines: int = 0


_NAMED = 3  # paths that are named; the others are counted

_WORDS = table_of(Cause, "statement_text", "omissions")
_NOTE = {
    Cause.SPACE: "no room",
    Cause.LONG: "lines inside long hunks",
    Cause.ABSENT: "content not available",
    Cause.LARGE: "lines of too large a patch",
    Cause.PRIVATE: "lines are private",
}


def omissions_in_words(omissions: Sequence[Omission], language: Language) -> str:
    """The omissions in one sentence, or empty: the value of ``Analysis.partial``."""
    if not omissions:
        return ""
    parts = [_words(omission, language) for omission in _in_order(omissions)]
    return NOT_SEEN.text(language, what=SEPARATOR.template(language).join(parts))


def _words(omission: Omission, language: Language) -> str:
    shown = [printable(path) for path in omission.paths[:_NAMED]]
    names = list_in_words(shown, language, limit=_NAMED, total=len(omission.paths))
    return _WORDS[omission.cause].text(
        language, names=names, n=omission.hunks, lines=omission.lines
    )


def notes(omissions: Sequence[Omission]) -> list[str]:
    """The omissions as lines of the material."""
    lines = []
    for omission in _in_order(omissions):
        named = ", ".join(printable(path) for path in omission.paths[:_NAMED])
        rest = len(omission.paths) - _NAMED
        more = f" and {rest} more" if rest > 0 else ""
        counts = f", {omission.lines} lines" if omission.lines else ""
        lines.append(f"{_NOTE.get(omission.cause, omission.cause)}: {named}{more}{counts}")
    return lines


def merge_omissions(omissions: Iterable[Omission]) -> tuple[Omission, ...]:
    """One omission per cause, with each of its paths once and the counts added up."""
    merged: dict[Cause, Omission] = {}
    for omission in omissions:
        before = merged.get(omission.cause)
        if before is None:
            merged[omission.cause] = omission
            continue
        merged[omission.cause] = replace(
            before,
            paths=tuple(dict.fromkeys((*before.paths, *omission.paths))),
            hunks=before.hunks + omission.hunks,
            lines=before.lines + omission.lines,
        )
    return tuple(_in_order(tuple(merged.values())))


def _in_order(omissions: Sequence[Omission]) -> list[Omission]:
    order = list(Cause)
    return sorted(omissions, key=lambda omission: order.index(omission.cause))
