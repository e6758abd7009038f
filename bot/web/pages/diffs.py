"""The changed lines of a change, highlighted: excerpts below statements, and the whole patch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from time import thread_time

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String

from bot.web.pages.page_request import PageRequest
from digest.core.change import Change, FileChange, Hunk, Side, printable
from digest.core.facts import Evidence
from digest.markdown import clean

_AROUND = 2  # context lines before and after the line that supports a statement
_OTHER = 3  # lines of the other side that are shown with it
_WIDEST = 400  # characters of a line that are shown
MOST_LINES = 1500  # lines of a patch on one page
_COLOURED = 60_000  # characters of a page that are highlighted; the rest is plain
_SECONDS = 0.5
"""Processor time in which a page is highlighted: some texts take lexers a hundred times as long."""

_LANGUAGES = {
    "cpp": "c cc cpp cu cuh cxx h hpp",
    "rust": "rs",
    "python": "py pyi",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts tsx",
    "yaml": "yaml yml",
    "bash": "sh bash",
    "protobuf": "proto",
    **{name: name for name in ("go", "java", "json", "toml", "sql", "html", "css")},
}
"""Lexers by file name ending: those of common languages that are fast."""

_BY_ENDING = {ending: name for name, endings in _LANGUAGES.items() for ending in endings.split()}

_CLASSES = (
    (Comment, "c"),
    (Keyword, "k"),
    (String, "s"),
    (Number, "m"),
    *((kind, "f") for kind in (Name.Function, Name.Class, Name.Decorator)),
    (Name.Tag, "k"),
    (Name.Builtin, "n"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of a diff with its number on its side; ``sign`` is ``+``, ``-`` or ``@``."""

    sign: str
    number: int
    html: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The changed lines around a piece of evidence."""

    place: str
    lines: tuple[DiffLine, ...]


FileDiff = tuple[str, FileChange, Sequence[DiffLine]]
"""A file of a patch: its path as shown, the file, and its lines."""


class Colours:
    """Highlights lines until the page's limits of characters and time are used up."""

    def __init__(self, left: int = _COLOURED) -> None:
        self._left = left
        self._seconds = _SECONDS

    def of(self, path: str, lines: Sequence[str]) -> list[Markup]:
        """Lines of a file as markup, one by one."""
        shown = [_legible(line) for line in lines]
        text = "\n".join(shown)
        lexer = _lexer(PurePosixPath(path).suffix.removeprefix(".").lower())
        self._left -= len(text)
        if lexer is None or self._left < 0:
            return [escape(line) for line in shown]
        began = thread_time()
        coloured = _coloured(lexer, text, len(shown), began + self._seconds)
        self._seconds -= thread_time() - began
        return coloured or [escape(line) for line in shown]


def excerpt(
    change: Change | None, evidence: Sequence[Evidence], colours: Colours
) -> Excerpt | None:
    """The changed lines around the first piece of evidence that is a line of the patch."""
    for one in evidence if change is not None else ():
        if one.side is Side.MESSAGE or not one.line:
            continue
        assert change is not None
        for file in change.files:
            path = file.old_path or file.path if one.side is Side.OLD else file.path
            if path != one.path:
                continue
            for hunk in file.hunks:
                if lines := _around(hunk, one, file.path, colours):
                    place = f"{printable(file.path).rpartition('/')[2]}:{one.line}"
                    return Excerpt(place=place, lines=lines)
    return None


def _around(hunk: Hunk, evidence: Evidence, path: str, colours: Colours) -> tuple[DiffLine, ...]:
    old = evidence.side is Side.OLD
    own, start = (hunk.removed, hunk.old_start) if old else (hunk.added, hunk.new_start)
    at = evidence.line - start
    if not 0 <= at < len(own):
        return ()
    other, other_start = (hunk.added, hunk.new_start) if old else (hunk.removed, hunk.old_start)
    first = max(at - _AROUND, 0)
    # If both sides have as many lines, the other side's are those at the same position.
    beside = max(min(at - 1, len(other) - _OTHER), 0)
    mine = _side("-" if old else "+", own[first : at + _AROUND + 1], start + first, path, colours)
    theirs = _side(
        "+" if old else "-", other[beside : beside + _OTHER], other_start + beside, path, colours
    )
    return (*mine, *theirs) if old else (*theirs, *mine)


def _side(
    sign: str, lines: Sequence[str], first: int, path: str, colours: Colours
) -> Iterator[DiffLine]:
    for n, html in enumerate(colours.of(path, lines)):
        yield DiffLine(sign=sign, number=first + n, html=html)


async def change_of(asked: PageRequest, sha: str) -> Change | None:
    """A change with its lines from the clone; ``None`` if there is no clone on this machine."""
    histories, shown = asked.shelf.histories, asked.shown()
    if histories is None:
        return None
    key = (shown.repository.name, sha)
    return await asked.shelf.patches.of(key, lambda: histories.change(shown, sha))


def patch_of(files: Sequence[FileChange]) -> list[FileDiff]:
    """The files of a patch with as many lines as a page may have."""
    colours, left, out = Colours(), MOST_LINES, list[FileDiff]()
    for file in files:
        lines = tuple(_file_lines(file, colours, left))
        left -= len(lines)
        out.append((printable(file.path), file, lines))
    return out


def is_cut(patch: Sequence[FileDiff]) -> bool:
    """Whether lines of a patch were left out."""
    total = sum(file.added + file.deleted for _, file, _ in patch)
    return total > sum(1 for _, _, lines in patch for line in lines if line.sign != "@")


def _file_lines(file: FileChange, colours: Colours, left: int) -> Iterator[DiffLine]:
    for hunk in file.hunks:
        if left <= 0:
            return
        yield DiffLine(sign="@", number=hunk.new_start, html=escape(_legible(hunk.section)))
        removed, added = hunk.removed[:left], hunk.added[:left]
        yield from _side("-", removed, hunk.old_start, file.path, colours)
        yield from _side("+", added, hunk.new_start, file.path, colours)
        left -= len(removed) + len(added) + 1


@cache
def _lexer(ending: str) -> Lexer | None:
    name = _BY_ENDING.get(ending)
    return get_lexer_by_name(name, stripnl=False, ensurenl=False) if name else None


def _coloured(lexer: Lexer, text: str, count: int, deadline: float) -> list[Markup]:
    """The lines as markup; none if they take too long."""
    lines: list[list[str]] = [[]]
    for kind, value in lexer.get_tokens(text):
        if thread_time() > deadline:
            return []
        name = next((name for of, name in _CLASSES if kind in of), "")
        for n, part in enumerate(value.split("\n")):
            if n:
                lines.append([])
            if part:
                html = str(escape(part))
                lines[-1].append(f'<span class="{name}">{html}</span>' if name else html)
    # Every part is escaped above, and the class names are ours.
    made = [Markup("".join(parts)) for parts in lines]  # noqa: S704
    return [*made[:count], *([Markup("")] * (count - len(made)))]


def _legible(line: str) -> str:
    line = line.rstrip("\r\n")
    cut = f"{line[:_WIDEST]}…" if len(line) > _WIDEST else line
    margin = len(cut) - len(cut.lstrip(" \t"))
    return cut[:margin] + clean(cut[margin:]).replace("\n", " ")
