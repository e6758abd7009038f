"""The public declarations of a Python file, as far as a change touches them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, partial

from digest.facts.source import Source
from digest.facts.syntax.entry import Entry, Field, last_part
from digest.facts.syntax.python_fields import fields, has_fields
from digest.facts.syntax.python_header import LONGEST_HEADER, header_end, signature
from digest.facts.syntax.python_outline import Header, Outline

_WORDS = len("async def  ")  # what a header begins with
_REACH = 60_000  # characters; no class in wide use has its fields further below its name
_DEEPEST = 4  # bases of bases that are followed
_QUIET = frozenset({"__init__", "__new__", "__call__"})


def is_private_module(path: str) -> bool:
    """Whether a path names a module that its project calls its own (a leading underscore)."""
    return any(part.startswith("_") and not part.startswith("__") for part in path.split("/"))


class Module:
    """One side of a Python file: its outline is made once and read by several finders."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.outline = Outline(source.text)

    def entries(self) -> Iterator[Entry]:
        """The public definitions whose header the change touches, in the order of the text."""
        seen: set[int] = set()
        for (first, last), offset in zip(self.source.spans, self._above, strict=True):
            if offset >= 0 and offset not in seen:
                seen.add(offset)
                if first - offset < LONGEST_HEADER and self._reaches(offset):
                    yield from self._public(self._at(offset))
            for header in self.outline.scan(first, last) if first < last else ():
                if header.offset not in seen:
                    seen.add(header.offset)
                    yield from self._public(header)

    @cached_property
    def _above(self) -> list[int]:
        """For each changed place, where the nearest definition above begins, or -1."""
        return [self.outline.before(first, _REACH) for first, _ in self.source.spans]

    def _at(self, offset: int) -> Header:
        return next(self.outline.scan(offset, offset + _WORDS))

    def named(self, entry: Entry) -> list[Entry]:
        """All public definitions of the same kind and name, touched or not."""
        kind = "class" if entry.kind == "class" else "def"
        return [e for h in self.outline.named(kind, entry.name) for e in self._public(h)]

    def may_name(self, name: str) -> bool:
        """Never: a definition that begins a line is always found."""
        del name
        return False

    def hides(self, entry: Entry) -> bool:
        """Never: in Python what is for inside use has another name."""
        del entry
        return False

    def inherits(self, entry: Entry) -> bool:
        """Whether a class of this side has a method from a base in the same file."""
        return entry.kind == "method" and self._has(entry.parent, last_part(entry.name), 0)

    def _has(self, owner: str, method: str, depth: int) -> bool:
        header = next(self.outline.named("class", owner), None)
        read = signature(self.source.text, header.offset) if header else None
        bases = [b.partition("[")[0] for b in read.bases] if read and depth < _DEEPEST else []
        return any(
            next(self.outline.named("def", f"{base}.{method}"), None) is not None
            or self._has(base, method, depth + 1)
            for base in bases
            if base != owner
        )

    def owners(self) -> tuple[str, ...]:
        """The classes made of fields whose bodies the change touches outside of methods."""
        offsets: dict[int, None] = {}
        for (first, last), offset in zip(self.source.spans, self._above, strict=True):
            if offset >= 0 and self.source.text.startswith("class", offset):
                offsets[offset] = None
            for at in self.outline.classes(first, last):
                offsets[at] = None
        headers = [self._at(offset) for offset in offsets]
        return tuple(h.name for h in headers if not h.nested)

    def fields(self, owner: str) -> Mapping[str, Field] | None:
        """All public fields of a class, or ``None`` where there is no such public class."""
        header = next(self.outline.named("class", owner), None)
        if header is None or not next(self._public(header), None):
            return None
        if not has_fields(self.outline, header):
            return None
        return fields(self.source, self.outline, header)

    def _reaches(self, offset: int) -> bool:
        end = header_end(self.source.text, offset)
        return end is not None and self.source.touches(offset, end)

    def _public(self, header: Header) -> Iterator[Entry]:
        *parents, last = header.name.split(".")
        quiet = bool(parents) and last in _QUIET
        if header.nested or any(p.startswith("_") for p in parents):
            return
        if last.startswith("_") and not quiet:
            return
        if self.outline.exported is not None and header.name.partition(".")[0] not in (
            self.outline.exported
        ):
            return
        yield Entry(
            kind="class" if header.kind == "class" else "method" if parents else "function",
            name=header.name,
            parent=header.parent,
            line=self.source.line_at(header.offset),
            head=partial(self._head, header),
            read=partial(signature, self.source.text, header.offset),
            body=partial(self._body, header),
            quiet=quiet,
        )

    def _head(self, header: Header) -> int:
        end = header_end(self.source.text, header.offset)
        return self.source.line_at(header.offset if end is None else end - 1)

    def _body(self, header: Header) -> str:
        return self.source.text[header.offset : self.outline.end(header)]
