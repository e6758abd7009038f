"""The public declarations of a file that is read through a syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial

from tree_sitter import Node, Tree

from digest.facts.source import Source
from digest.facts.syntax import c_family, go, java, rust, script
from digest.facts.syntax.entry import Entry, Field
from digest.facts.syntax.grammar import parse_again, parse_whole, text_of
from digest.facts.syntax.tree import Declaration, name_row

_READERS: dict[str, Callable[[Node, str], Iterator[Declaration]]] = {
    "rust": rust.declarations,
    "go": go.declarations,
    "javascript": script.declarations,
    "typescript": script.declarations,
    "java": java.declarations,
    "cpp": c_family.declarations,
    "cuda": c_family.declarations,
}
_KEYWORDS = "fn|struct|enum|union|trait|const|static|type|class|interface|function|let|var|record"
_LAST = re.compile(r"\w+$")


def reads(language: str, path: str) -> bool:
    """Whether files of this language and name have public declarations that can be told."""
    if language in {"cpp", "cuda"}:
        return c_family.is_header(path)
    return language in _READERS


class TreeCode:
    """One side of a file: its tree is made once and read by the finders of symbols and fields.

    ``earlier`` is the side before the change, where there is one to save parsing by.
    """

    def __init__(self, source: Source, language: str, earlier: TreeCode | None = None) -> None:
        self.source = source
        self.language = language
        self._earlier = earlier

    @cached_property
    def tree(self) -> Tree:
        """The syntax tree, made from the earlier one where that is possible."""
        then = self._earlier
        if then is None or not then.text or self.grammar != then.grammar:
            return parse_whole(self.text, self.grammar)
        changes = zip(then.source.rows, self.source.rows, strict=True)
        return parse_again(then.tree, then.text, self.text, changes, self.grammar)

    @cached_property
    def text(self) -> str:
        """What is parsed: the text without what the grammar does not know."""
        text = self.source.text
        return c_family.without_attributes(text) if self.grammar == "cpp" else text

    @property
    def grammar(self) -> str:
        """The name of the grammar that reads this file."""
        if self.language == "typescript":
            return "tsx" if self.source.path.endswith("x") else "typescript"
        return {"cuda": "cpp"}.get(self.language, self.language)

    @cached_property
    def _all(self) -> list[Declaration]:
        if not self.source.text:
            return []
        return list(_READERS[self.language](self.tree.root_node, self.source.path))

    @cached_property
    def _by_name(self) -> dict[str, list[Declaration]]:
        result: dict[str, list[Declaration]] = {}
        for one in self._all:
            result.setdefault(one.name, []).append(one)
        return result

    def entries(self) -> Iterator[Entry]:
        """The public declarations whose header the change touches, fields apart."""
        for one in self._all:
            if one.kind != "field" and self._touches(one):
                yield self._entry(one)

    def named(self, entry: Entry) -> list[Entry]:
        """All public declarations of the same name, touched or not."""
        return [self._entry(d) for d in self._by_name.get(entry.name, ()) if d.kind != "field"]

    def may_name(self, name: str) -> bool:
        """Whether a name may be declared in a place that could not be parsed."""
        if not self.source.text or not self.tree.root_node.has_error:
            return False
        last = _LAST.search(name)
        return last is not None and last.group() in self.source.text

    def hides(self, entry: Entry) -> bool:
        """Whether a changed line declares the same name without making it public."""
        last = _LAST.search(entry.name)
        return (
            self.grammar != "cpp"
            and last is not None
            and bool(re.search(rf"\b(?:{_KEYWORDS})\s+{last.group()}\b", self.source.changed_text))
        )

    def inherits(self, entry: Entry) -> bool:
        """Not told: what a type inherits mostly stands in other files."""
        del entry
        return False

    def owners(self) -> tuple[str, ...]:
        """The types with fields that the change touches."""
        return tuple(
            dict.fromkeys(d.parent for d in self._all if d.kind == "field" and self._touches(d))
        )

    def fields(self, owner: str) -> Mapping[str, Field] | None:
        """All public fields of a type, or ``None`` where there is no such type."""
        if owner not in self._by_name or self.may_name(owner):
            return None
        return {
            d.name.rpartition(owner)[2].lstrip(".:"): self._field(d)
            for d in self._all
            if d.kind == "field" and d.parent == owner
        }

    def _field(self, one: Declaration) -> Field:
        return Field(
            owner=one.parent,
            name=one.name[len(one.parent) :].lstrip(".:"),
            line=name_row(one.node) + 1,
            touched=self._touches(one),
            read=partial(_parts, one),
        )

    def _touches(self, one: Declaration) -> bool:
        return self.source.touches_rows(one.node.start_point.row, one.head)

    def _entry(self, one: Declaration) -> Entry:
        return Entry(
            kind=one.kind,
            name=one.name,
            parent=one.parent,
            line=name_row(one.node) + 1,
            head=lambda: one.head + 1,
            read=one.read,
            body=partial(text_of, one.node),
        )


def _parts(one: Declaration) -> tuple[str, str | None]:
    read = one.read()
    return " ".join(p for p in (read.prefix, read.returns) if p) or "?", one.value
