"""The changed lines of a change, highlighted: excerpts below statements, and the whole patch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
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
from digest.frozen import frozen
from digest.markdown import clean

_AROUND = 2  # lines before and after the line that supports a statement, changed or not
_OTHER = 3  # lines of the other side that are shown with it
_MOST_LINES = 8  # lines of an excerpt; lines that did not change have the room that is left
_MOST_TEXTS = 30  # files of a change whose lines that did not change are read
_WIDEST = 400  # characters of a line that are shown
PATCH = 60_000  # bytes of lines of a patch on one page, before they are highlighted
_COLOURS = 36_000  # bytes of markup that highlights a page; the rest is plain
MARKUP, _FILE = 50, 300  # bytes of the markup around a line, and around a file
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


@frozen
class DiffLine:
    """A line of a diff with its number on its side; ``sign`` is ``+``, ``-``, ``@`` or a space."""

    sign: str
    number: int
    html: Markup


@frozen
class Excerpt:
    """The changed lines around a piece of evidence, with a few lines that did not change."""

    place: str
    lines: tuple[DiffLine, ...]


FilePart = tuple[int, FileChange, Sequence[Hunk]]
"""A file on a page of a patch: its number in the patch, the file, and its hunks on the page."""

FileDiff = tuple[int, str, FileChange, Sequence[DiffLine]]
"""A file on a page of a patch: its number, its path as shown, the file, and its lines."""


class Colours:
    """Highlights lines until the page's limits of bytes and time are used up."""

    def __init__(self, left: int = _COLOURS) -> None:
        self._left = left
        self._seconds = _SECONDS

    def of(self, path: str, lines: Sequence[str]) -> list[Markup]:
        """Lines of a file as markup, one by one."""
        shown = [_legible(line) for line in lines]
        text = "\n".join(shown)
        lexer = _lexer(PurePosixPath(path).suffix.removeprefix(".").lower())
        plain = [escape(line) for line in shown]
        if lexer is None or self._left <= 0:
            return plain
        began = thread_time()
        coloured = _coloured(lexer, text, len(shown), began + self._seconds)
        self._seconds -= thread_time() - began
        self._left -= sum(map(len, coloured)) - sum(map(len, plain))
        return coloured if coloured and self._left >= 0 else plain


Texts = Mapping[str, Sequence[str]]
"""The lines of files after a change, by path."""


def excerpt(
    change: Change | None, evidence: Sequence[Evidence], colours: Colours, texts: Texts
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
            for number, hunk in enumerate(file.hunks):
                if lines := _around(hunk, one, file.path, colours):
                    text = texts.get(file.path, ())
                    whole = _with_context(lines, file, number, text, colours)
                    place = f"{printable(file.path).rpartition('/')[2]}:{one.line}"
                    return Excerpt(place=place, lines=whole)
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


def _with_context(
    lines: tuple[DiffLine, ...],
    file: FileChange,
    number: int,
    text: Sequence[str],
    colours: Colours,
) -> tuple[DiffLine, ...]:
    """The lines of a hunk with the unchanged ones before and after them, as far as there is room.

    ``text`` is the file after the change.
    """
    hunk, room = file.hunks[number], _MOST_LINES - len(lines)
    begin, end = _extent(hunk)
    if end > len(text):
        return lines
    least = _extent(file.hunks[number - 1])[1] if number else 0
    most = min([len(text), *(_extent(one)[0] for one in file.hunks[number + 1 : number + 2])])
    first, last = _edges(hunk)
    above = min(_AROUND, begin - least, room // 2) if _place(lines[0]) == first else 0
    below = min(_AROUND, most - end, room - above) if _place(lines[-1]) == last else 0
    return (
        *_side(" ", text[begin - above : begin], begin - above + 1, file.path, colours),
        *lines,
        *_side(" ", text[end : end + below], end + 1, file.path, colours),
    )


def _extent(hunk: Hunk) -> tuple[int, int]:
    """The numbers of lines before a hunk and before what follows it, after the change."""
    begin = hunk.new_start - 1 if hunk.added else hunk.new_start
    return begin, begin + len(hunk.added)


def _edges(hunk: Hunk) -> tuple[tuple[str, int], tuple[str, int]]:
    """The first and the last line of a hunk, removed lines before added ones."""
    sides = (("-", hunk.old_start, hunk.removed), ("+", hunk.new_start, hunk.added))
    ends = [(sign, start, start + len(lines) - 1) for sign, start, lines in sides if lines]
    return ends[0][:2], (ends[-1][0], ends[-1][2])


def _place(line: DiffLine) -> tuple[str, int]:
    return line.sign, line.number


def _side(
    sign: str, lines: Sequence[str], first: int, path: str, colours: Colours
) -> Iterator[DiffLine]:
    for n, html in enumerate(colours.of(path, lines)):
        yield DiffLine(sign=sign, number=first + n, html=html)


async def change_of(asked: PageRequest, sha: str) -> Change | None:
    """A change with its lines from the clone; ``None`` if there is no clone on this machine."""
    histories, shown = asked.site.histories, asked.shown()
    key = (shown.repository.name, sha)
    return await asked.site.patches.of(key, lambda: histories.change(shown, sha))


async def texts_of(asked: PageRequest, change: Change | None, paths: Collection[str]) -> Texts:
    """The lines after a change of its files among some paths, which may be the old ones."""
    histories, shown = asked.site.histories, asked.shown()
    if change is None:
        return {}
    own = [file.path for file in change.files if {file.path, file.old_path}.intersection(paths)]
    wanted = tuple(own[:_MOST_TEXTS])
    key = (shown.repository.name, change.sha, wanted)
    texts = await asked.site.patches.of(key, lambda: histories.texts(shown, change.sha, wanted))
    return {path: text.removesuffix("\n").split("\n") for path, text in texts.items()}


def patch_pages(files: Sequence[FileChange]) -> list[list[FilePart]]:
    """The pages of a patch, at least one; a long file goes on on the next page."""
    pages, left = [list[FilePart]()], PATCH
    for number, file in enumerate(files):
        hunks = list[Hunk]()
        left -= _FILE
        for hunk in file.hunks:
            rest: Hunk | None = hunk
            while rest is not None:
                part, rest, left = _split(rest, left)
                hunks += [part] if part else []
                if rest is not None:
                    pages[-1] += [(number, file, hunks)] if hunks else []
                    hunks, left = [], PATCH - _FILE
                    pages.append([])
        if hunks or not file.hunks:
            pages[-1].append((number, file, hunks))
    return pages


def _split(hunk: Hunk, left: int) -> tuple[Hunk | None, Hunk | None, int]:
    """The part of a hunk that takes ``left`` bytes, the rest, and the bytes that are left then."""
    at = 0
    for line in (hunk.section, *hunk.removed, *hunk.added):
        left -= MARKUP + len(escape(line[:_WIDEST]).encode("utf-8", "replace"))
        if left < 0:
            break
        at += 1
    lines = at - 1  # without the line that names the section
    gone, come = max(min(lines, len(hunk.removed)), 0), max(lines - len(hunk.removed), 0)
    if left >= 0:
        return hunk, None, left
    rest = replace(
        hunk,
        old_start=hunk.old_start + gone,
        new_start=hunk.new_start + come,
        removed=hunk.removed[gone:],
        added=hunk.added[come:],
    )
    part = replace(hunk, removed=hunk.removed[:gone], added=hunk.added[:come])
    return (part if lines > 0 else None), rest, left


def patch_of(parts: Sequence[FilePart]) -> list[FileDiff]:
    """A page of a patch with its lines highlighted."""
    colours = Colours()
    return [
        (number, printable(file.path), file, tuple(_file_lines(file, hunks, colours)))
        for number, file, hunks in parts
    ]


def _file_lines(file: FileChange, hunks: Sequence[Hunk], colours: Colours) -> Iterator[DiffLine]:
    for hunk in hunks:
        yield DiffLine(sign="@", number=hunk.new_start, html=escape(_legible(hunk.section)))
        yield from _side("-", hunk.removed, hunk.old_start, file.path, colours)
        yield from _side("+", hunk.added, hunk.new_start, file.path, colours)


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
