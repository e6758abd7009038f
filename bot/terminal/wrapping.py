"""Running text in lines of a given width.

Widths are in terminal cells: a Chinese character takes two. Lines break at spaces and beside wide
characters, but not before closing or after opening punctuation (a small part of Unicode UAX #14).
What is wider than a line is folded, never cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from rich.cells import cell_len, chop_cells


class Role(StrEnum):
    """Why a run of text may look different."""

    NONE = ""
    TITLE = "title"
    HEADING = "heading"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"
    LINK = "link"
    FAINT = "faint"


class Run(NamedTuple):
    """Words with one role; ``url`` is where they lead.

    A named tuple, since a digest is made of thousands and a frozen dataclass is slow to make.
    """

    text: str
    role: Role = Role.NONE
    url: str = ""


Line = tuple[Run, ...]

_WIDE = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff"
    "\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\U00020000-\U0003fffd"
)
_TOKEN = re.compile(rf"\s+|[{_WIDE}]|[^\s{_WIDE}]+")
_IS_WIDE = re.compile(rf"[{_WIDE}]")
_NO_START = frozenset(",.;:?!)]}%'\"，。、；：？！）】》〉」』”’…—·％")
_NO_END = frozenset("([{（【《〈「『“‘")


def width_of(runs: Iterable[Run]) -> int:
    """The cells that the runs take in one line."""
    return sum(cells(run.text) for run in runs)


def cells(text: str) -> int:
    """The cells that a legible text takes; ASCII, which is most of it, needs no table."""
    return len(text) if text.isascii() else cell_len(text)


def fold(text: str, width: int) -> list[str]:
    """The text in pieces of at most ``width`` cells."""
    return chop_cells(text, width) if cells(text) > width else [text] if text else []


def wrap(runs: Iterable[Run], width: int) -> Iterator[Line]:
    """Running text in lines of at most ``width`` cells (at least 2)."""
    line: list[Run] = []
    used = 0
    for space, size, chunk in _chunks(runs):
        if line and used + space + size > width:
            yield _merged(line)
            line, used = [], 0
        if line and space:
            line.append(Run(" ", *_shared(line[-1], chunk[0])))
            used += 1
        if size <= width:
            line.extend(chunk)
            used += size
            continue
        for piece in _folded(chunk, width):
            if used + cells(piece.text) > width:
                yield _merged(line)
                line, used = [], 0
            line.append(piece)
            used += cells(piece.text)
    if line:
        yield _merged(line)


def _merged(line: Iterable[Run]) -> Line:
    """The line with neighbours of one look joined."""
    groups = groupby(line, key=itemgetter(1, 2))
    return tuple(Run("".join([run.text for run in group]), *look) for look, group in groups)


def _shared(left: Run, right: Run) -> tuple[Role, str]:
    """What a space between two runs is: part of both, where they are one link or one code."""
    same = (left.role, left.url) == (right.role, right.url)
    return (left.role, left.url) if same else (Role.NONE, "")


def _folded(chunk: Iterable[Run], width: int) -> Iterator[Run]:
    for run in chunk:
        for part in fold(run.text, width):
            yield Run(part, run.role, run.url)


def _chunks(runs: Iterable[Run]) -> Iterator[tuple[int, int, list[Run]]]:
    """Runs between which a line may break, each with the space before it (0 or 1) and its width."""
    chunk: list[Run] = []
    space = size = 0
    for run in runs:
        for token in _TOKEN.findall(run.text):
            blank = token.isspace()
            if chunk and (blank or _breaks(chunk[-1].text[-1], token[0])):
                yield space, size, chunk
                chunk, space, size = [], 0, 0
            if blank:
                space = 1
            else:
                chunk.append(Run(token, run.role, run.url))
                size += cells(token)
    if chunk:
        yield space, size, chunk


def _breaks(left: str, right: str) -> bool:
    if (left.isascii() and right.isascii()) or right in _NO_START or left in _NO_END:
        return False
    return bool(_IS_WIDE.match(left) or _IS_WIDE.match(right))
