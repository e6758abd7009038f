"""The classes and functions of a Python file, found without parsing the file.

A file of eight thousand lines takes a parser 40 ms. Searching for ``def`` and ``class`` at the
start of lines around the changed ones takes a hundredth of that, and indentation shows what belongs
to what. Only headers that a change touches are parsed, by ``python_headers``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

_NAME = re.compile(r"[ \t]+([^\W\d]\w*)")
# Blocks at the left margin contain definitions of the module, not of a class above them.
_BLOCK = re.compile(r"\n(?=[ietfw])(?:if[ (]|el(?:se:|if )|try:|except|finally:|with |for |while )")
_ALL = re.compile(r"^__all__(?:\s*:[^=\n]+)?\s*=\s*[\[(]([^\])]*)[\])]", re.MULTILINE)
_QUOTED = re.compile(r"[\"'](\w+)[\"']")
_DEEPEST = 12  # levels; nobody nests definitions deeper on purpose
_MOST_STEPS = 50_000
"""Maximum definitions of one text examined in search of what surrounds others.

A text that needs more is made to be slow, and nothing more is reported about it.
"""
_DOUBLE, _SINGLE = '"""', "'''"
_STEP = 1_000  # characters that are searched in the time of one such definition


class Header(NamedTuple):
    """A line that begins a class or function.

    ``offset`` is that of ``def``, ``class`` or ``async``. ``name`` and ``parent`` are qualified
    within the module. ``nested``: it is inside a function and so cannot be reached from outside.
    """

    kind: str
    name: str
    parent: str
    offset: int
    indent: int
    nested: bool


class _Line(NamedTuple):
    """A line that begins a definition (``def``, ``class``) or a ``block`` at the left margin."""

    offset: int
    indent: int
    kind: str
    name: str


class Outline:
    """The positions of the definitions of one text, computed on demand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._steps = 0

    @cached_property
    def quoted(self) -> list[tuple[int, int]]:
        """The triple-quoted strings."""
        return strings(self.text)

    @cached_property
    def exported(self) -> frozenset[str] | None:
        """The names of ``__all__``, or ``None`` if it is missing or not a plain literal."""
        if "__all__" not in self.text or self.text.count("__all__") > 1:
            return None
        match = _ALL.search(self.text)
        return frozenset(_QUOTED.findall(match.group(1))) if match else None

    def scan(self, first: int, last: int) -> Iterator[Header]:
        """The definitions whose lines begin in ``text[first:last]``, in the order of the text."""
        found = self._lines(first, last)
        if not found:
            return
        found.extend(self._blocks(first, last))
        found.sort(key=lambda line: line.offset)
        stack: list[Header | None] = []  # None marks a block at the left margin
        for line in found:
            while stack and (top := stack[-1]) is not None and top.indent >= line.indent:
                stack.pop()
            if line.kind == "block" or not line.indent:
                stack.clear()
            if line.kind == "block":
                stack.append(None)
                continue
            if not stack and line.indent:
                stack.extend(self.chain(line.offset, line.indent))
            if self._steps > _MOST_STEPS:
                return
            header = _header(line, stack[-1] if stack else None)
            yield header
            stack.append(header)

    def chain(self, offset: int, indent: int) -> list[Header]:
        """The definitions around a place with a given indentation, the outermost first."""
        lines: list[_Line] = []
        while indent and len(lines) < _DEEPEST:
            line = self._above(offset, indent)
            if line is None:
                break
            lines.append(line)
            offset, indent = line.offset, line.indent
        chain: list[Header] = []
        for line in reversed(lines):
            chain.append(_header(line, chain[-1] if chain else None))
        return chain

    def before(self, offsets: Iterable[int], reach: int) -> Iterator[int]:
        """The start of the nearest definition within ``reach`` before each offset; else -1.

        The offsets are in ascending order, so that no part of the text is searched twice.
        """
        nearest, place, done = -1, -1, 0
        for offset in offsets:
            floor = max(0, offset - reach)
            for kind in ("def", "class"):
                first = max(floor, place, done - len(kind))
                at = self.text.rfind(kind + " ", first, offset)
                while at >= 0:
                    if (line := self._line(kind, at)) is not None:
                        nearest, place = line.offset, at
                        break
                    at = self.text.rfind(kind + " ", first, at)
            done = offset
            yield nearest if place >= floor else -1

    def classes(self, first: int, last: int) -> list[int]:
        """The starts of the classes whose lines begin in ``text[first:last]``."""
        return [
            line.offset
            for at in _finds(self.text, "class ", first, last)
            if (line := self._line("class", at)) is not None
        ]

    def named(self, kind: str, name: str) -> Iterator[Header]:
        """The definitions with a qualified name, anywhere in the text."""
        parent, _, last = name.rpartition(".")
        if name.count(".") > _DEEPEST or self._steps > _MOST_STEPS:
            return
        places = [(0, len(self.text))]
        if parent:
            places = [(h.offset, self.end(h)) for h in self.named("class", parent)]
        for first, end in places:
            for at in _finds(self.text, f"{kind} {last}", first, end):
                line = self._line(kind, at)
                if line is not None and line.name == last:
                    chain = self.chain(line.offset, line.indent)
                    header = _header(line, chain[-1] if chain else None)
                    if header.name == name:
                        yield header

    def end(self, header: Header) -> int:
        """The offset of the next definition that is not inside this one."""
        below = header.offset + len("async ")
        if header.indent:
            lines = self._lines(below, len(self.text))
            return min(
                (b.offset for b in lines if b.indent <= header.indent), default=len(self.text)
            )
        starts = (
            next((at for at in _finds(self.text, word, below) if not inside(self.quoted, at)), None)
            for word in ("\nclass ", "\ndef ", "\nasync def ")
        )
        return min((at + 1 for at in starts if at is not None), default=len(self.text))

    def _line(self, kind: str, at: int) -> _Line | None:
        """The definition whose keyword is at ``at``, if it begins its line outside of strings."""
        text = self.text
        start = text.rfind("\n", 0, at) + 1
        indent, before = 0, ""
        if start < at:
            before = text[start:at]
            word = before.strip(" \t\r\f")
            if word and (kind == "class" or word != "async"):
                return None
            indent = len(before) - len(before.lstrip(" \t\f"))
        name = _NAME.match(text, at + len(kind))
        if name is None or inside(self.quoted, at):
            return None
        width = len(before[:indent].expandtabs()) if "\t" in before else indent
        return _Line(start + indent, width, kind, name.group(1))

    def _lines(self, first: int, last: int) -> list[_Line]:
        return [
            line
            for kind in ("def", "class")
            for at in _finds(self.text, kind + " ", first, last)
            if (line := self._line(kind, at)) is not None
        ]

    def _above(self, offset: int, indent: int) -> _Line | None:
        """The nearest definition above with less indentation, unless a block comes between."""
        floor, found = 0, None
        for kind in ("class", "def"):
            at = self.text.rfind(kind + " ", floor, offset)
            while at >= 0:
                self._steps += 1
                line = self._line(kind, at)
                if line is not None and line.indent < indent:
                    floor, found = line.offset, line
                    break
                at = self.text.rfind(kind + " ", floor, at)
        if found is None:
            return None
        self._steps += (offset - found.offset) // _STEP
        return None if next(self._blocks(found.offset + 1, offset), None) else found

    def _blocks(self, first: int, last: int) -> Iterator[_Line]:
        """The blocks at the left margin that begin in ``text[first:last]``, in order."""
        for found in _BLOCK.finditer(self.text, max(first - 1, 0), last):
            if not inside(self.quoted, found.start()):
                yield _Line(found.start() + 1, 0, "block", "")


def _header(line: _Line, parent: Header | None) -> Header:
    if parent is None:
        return Header(line.kind, line.name, "", line.offset, line.indent, nested=False)
    return Header(
        line.kind,
        f"{parent.name}.{line.name}",
        parent.name,
        line.offset,
        line.indent,
        nested=parent.nested or parent.kind == "def",
    )


def strings(text: str) -> list[tuple[int, int]]:
    """The triple-quoted strings of a text as half-open pairs of offsets, in ascending order."""
    spans: list[tuple[int, int]] = []
    double, single = text.find(_DOUBLE), text.find(_SINGLE)
    while double >= 0 or single >= 0:
        quote = _SINGLE if double < 0 or 0 <= single < double else _DOUBLE
        at = double if quote is _DOUBLE else single
        end = at + 3
        if not _is_quoted(text, at, quote):
            end = _closed(text, end, quote)
            spans.append((at, end))
        if 0 <= double < end:
            double = text.find(_DOUBLE, end)
        if 0 <= single < end:
            single = text.find(_SINGLE, end)
    return spans


def _closed(text: str, first: int, quote: str) -> int:
    """The offset after the quotes that close what was opened before ``first``, or the end."""
    at = text.find(quote, first)
    while at >= 0 and text[at - 1] == "\\":
        at = text.find(quote, at + 3)
    return len(text) if at < 0 else at + 3


def inside(spans: list[tuple[int, int]], offset: int) -> bool:
    """Whether an offset is in one of the spans, which are in ascending order."""
    at = bisect_right(spans, (offset,)) - 1
    return at >= 0 and offset < spans[at][1]


def _finds(text: str, word: str, first: int = 0, last: int | None = None) -> Iterator[int]:
    last = len(text) if last is None else last
    at = text.find(word, first, last)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word), last)


def _is_quoted(text: str, at: int, mark: str) -> bool:
    """Whether triple quotes are themselves quoted, or in a comment."""
    if text[at - 1 : at] == "\n":
        return False
    other = "'" if mark[0] == '"' else '"'
    if text[at - 1 : at] == other and text[at + 3 : at + 4] == other:
        return True
    before = text[max(text.rfind("\n", 0, at) + 1, at - 400) : at]
    if "#" not in before:
        return False
    head = before.partition("#")[0]
    return '"' not in head and "'" not in head
