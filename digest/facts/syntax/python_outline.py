"""The classes and functions of a Python file, found without parsing the file.

A file of eight thousand lines takes a parser 40 ms. Searching for ``def`` and ``class`` at the
start of lines takes a fraction of that, and indentation shows what belongs to what. Only headers
that a change touches are parsed, by ``python_headers``.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from digest.facts.syntax.declarations import grouped

# Blocks at the left margin contain definitions of the module, not of a class above them.
# That a line begins with one of these letters is tested first, because few lines do.
_LINE = re.compile(
    r"\n(?P<margin>[ \t\f]*+)(?=[acdefitw])(?:(?:async[ \t]++)?(?P<kind>def|class) [ \t]*+"
    r"(?P<name>[^\W\d]\w{0,299}+)(?!\w)"
    r"|(?<=\n)(?:if[ (]|el(?:se:|if )|try:|except|finally:|with |for |while ))"
)
_DEEPEST = 12  # levels; nobody nests definitions deeper on purpose


@lru_cache(maxsize=_DEEPEST)
def _block(most: int) -> re.Pattern[str]:
    """The beginning of a block that is indented by at most so many characters."""
    return re.compile(rf"\n[ \t]{{0,{most}}}(?:if[ (]|el(?:se:|if )|try:|except|finally:)")


_ALL = re.compile(r"^__all__(?:\s*:[^=\n]+)?\s*=\s*[\[(]([^\])]*)[\])]", re.MULTILINE)
_QUOTED = re.compile(r"[\"'](\w+)[\"']")
_DOUBLE, _SINGLE = '"""', "'''"


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


_MODULE = Header("", "", "", 0, -1, nested=False)


_Mark = tuple[int, int, str | None, str | None]
"""The offset, indent, kind and name of a line that begins a definition; or a block at the left
margin, without kind and name."""

Places = Sequence[tuple[tuple[int, int], tuple[int, int]]]
"""Where two texts differ, as half-open pairs of offsets of both, in ascending order."""


class Outline:
    """The definitions of one text, found at once when the first is asked for.

    Of a text that differs from that of an outline ``beside`` it in few places, only these are
    searched.
    """

    def __init__(self, text: str, beside: Outline | None = None, places: Places = ()) -> None:
        self.text = text
        self._beside = beside
        self._places = places

    @cached_property
    def exported(self) -> frozenset[str] | None:
        """The names of ``__all__``, or ``None`` if it is missing or not a plain literal."""
        if "__all__" not in self.text or self.text.count("__all__") > 1:
            return None
        match = _ALL.search(self.text)
        return frozenset(_QUOTED.findall(match.group(1))) if match else None

    @cached_property
    def _headers(self) -> list[Header]:
        """All definitions, in the order of the text."""
        headers: list[Header] = []
        around: list[Header] = []
        for offset, indent, kind, name in self._marks:
            while around and (around[-1].indent >= indent or self._leaves(around[-1], offset)):
                around.pop()
            if kind and name and len(around) < _DEEPEST:
                above = around[-1] if around else _MODULE
                nested = above.nested or above.kind == "def"
                full = f"{above.name}.{name}" if around else name
                headers.append(Header(kind, full, above.name, offset, indent, nested))
                around.append(headers[-1])
        return headers

    def _leaves(self, function: Header, offset: int) -> bool:
        """Whether a block such as ``if`` ends a function before a definition deeper than it."""
        if function.kind != "def":
            return False
        return _block(function.indent).search(self.text, function.offset, offset) is not None

    @cached_property
    def _strings(self) -> list[tuple[int, int]]:
        return strings(self.text)

    @cached_property
    def _marks(self) -> list[_Mark]:
        moved = self._moved(self._beside) if self._beside else None
        return _marks(self.text, self._strings) if moved is None else moved

    def _moved(self, beside: Outline) -> list[_Mark] | None:
        """The marks of the other text at their places in this one; ``None`` if that is not told."""
        old, new, quoted, marks = beside.text, self.text, beside._strings, beside._marks
        found: list[_Mark] = []
        at = to = first = string = 0
        for (a, b), (c, d) in (*self._places, ((len(old), len(old)), (len(new), len(new)))):
            if a < at or old[at:a] != new[to:c]:
                return None
            last, moved = bisect_left(marks, (a,), first), to - at
            same = marks[first:last]
            found += [(mark[0] + moved, *mark[1:]) for mark in same] if moved else same
            while string < len(quoted) and quoted[string][1] < a:
                string += 1
            gone, come = old[a:b], new[c:d]
            spans = strings(come)
            if string < len(quoted) and quoted[string][0] < a:
                if any(quote in text for quote in (_DOUBLE, _SINGLE) for text in (gone, come)):
                    return None
            elif _is_open(gone, strings(gone)) or _is_open(come, spans):
                return None
            else:
                found += _marks(come, spans, c)
            first, at, to = bisect_left(marks, (b,), last), b, d
        return found

    @cached_property
    def _offsets(self) -> list[int]:
        return [header.offset for header in self._headers]

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[Header]]:
        reached = (header for header in self._headers if not header.nested)
        return grouped(reached, lambda header: (header.kind, header.name))

    def scan(self, first: int, last: int) -> Sequence[Header]:
        """The definitions that begin in ``text[first:last]``, in the order of the text."""
        return self._headers[bisect_left(self._offsets, first) : bisect_left(self._offsets, last)]

    def named(self, kind: str, name: str) -> Sequence[Header]:
        """The definitions with a qualified name that are not inside a function."""
        return self._by_name.get((kind, name), ())

    def end(self, header: Header) -> int:
        """The offset of the next definition that is not inside this one."""
        for place in range(bisect_right(self._offsets, header.offset), len(self._headers)):
            if self._headers[place].indent <= header.indent:
                return self._offsets[place]
        return len(self.text)


def _marks(text: str, quoted: Sequence[tuple[int, int]], start: int = 0) -> list[_Mark]:
    """The marks outside of strings in a piece of a text that begins at an offset."""
    found: list[_Mark] = []
    at = 0
    for match in _LINE.finditer(f"\n{text}"):
        margin, kind, name = match.groups()
        offset = match.end(1) - 1
        while at < len(quoted) and quoted[at][1] <= offset:
            at += 1
        if at == len(quoted) or offset < quoted[at][0]:
            found.append((start + offset, len(margin.expandtabs()), kind, name))
    return found


def _is_open(text: str, quoted: Sequence[tuple[int, int]]) -> bool:
    """Whether the last string of a text may go on after it."""
    return bool(quoted) and quoted[-1][1] == len(text)


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


def _is_quoted(text: str, at: int, mark: str) -> bool:
    """Whether triple quotes are themselves quoted, or in a comment."""
    if text[at - 1 : at] == "\n":
        return False
    other = "'" if mark[0] == '"' else '"'
    if text[at - 1 : at] == other and text[at + 3 : at + 4] == other:
        return True
    before = text[max(at - 400, 0) : at].rpartition("\n")[2]
    if "#" not in before:
        return False
    head = before.partition("#")[0]
    return '"' not in head and "'" not in head
