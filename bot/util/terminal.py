"""A terminal or a plain stream: its width, its styles, and documents as text for it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO

from bot.util.terminal_layout import Line, StyledText, TextStyle, lay_out, plain_text
from digest.document import Document

_USUAL_WIDTH = 80
_UNSTYLED = frozenset({"dumb", "unknown"})  # values of TERM

# Parameters of SGR, ECMA-48, section 8.3.117
_STYLES = {
    TextStyle.TITLE: "1;96",
    TextStyle.HEADING: "1",
    TextStyle.STRONG: "1",
    TextStyle.EMPHASIS: "3",
    TextStyle.CODE: "36",
    TextStyle.LINK: "4",
    TextStyle.FAINT: "2",
}


@dataclass(frozen=True, slots=True)
class Terminal:
    """How wide the lines are, and whether they have colours and clickable links."""

    width: int = _USUAL_WIDTH
    styled: bool = False

    @classmethod
    def of(cls, stream: TextIO, width: int | None = None) -> Terminal:
        """The terminal of a stream, by NO_COLOR, FORCE_COLOR, ``TERM`` and ``COLUMNS``."""
        told = os.environ.get
        forced = told("FORCE_COLOR")
        terminal = stream.isatty() if forced is None else bool(forced)
        refused = told("NO_COLOR") or told("TERM", "").casefold() in _UNSTYLED
        return cls(width=width or _columns(), styled=terminal and not refused)

    def texts(self, document: Document) -> tuple[str, str]:
        """A document without and with the styles of this terminal."""
        lines = lay_out(document, self.width, urls=not self.styled)
        plain = plain_text(lines)
        return plain, "".join(map(_line, lines)) if self.styled else plain


def _columns() -> int:
    """The width of the terminal, which is also used by output that goes to a pager."""
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    for descriptor in range(3):
        try:
            return os.get_terminal_size(descriptor).columns or _USUAL_WIDTH
        except OSError:
            continue
    return _USUAL_WIDTH


def _line(line: Line) -> str:
    return "".join(map(_run, line)).rstrip(" ") + "\n"


def _run(run: StyledText) -> str:
    style = _STYLES.get(run.role)
    text = f"\x1b[{style}m{run.text}\x1b[0m" if style else run.text
    return f"\x1b]8;;{run.url}\x1b\\{text}\x1b]8;;\x1b\\" if run.url else text
