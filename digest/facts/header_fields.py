"""Fields of structures and members of enumerations in the public headers of C and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from digest.facts.side_text import SideText
from digest.facts.syntax.declarations import DeclaredField

_PUBLIC = re.compile(r"(?:^|/)(?:include|api|public)/")
_LONGEST = 400_000  # characters; a longer header is generated
_TOKENS = re.compile(
    r'"(?:[^"\\\n]|\\.)*+"?|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|^[ \t]*#[^\n]*|[;{}\n]', re.MULTILINE
)
_OPENS = re.compile(
    r"\b(?P<kind>struct|class|union|enum)\s+(?:class\s+|struct\s+)?(?:[A-Z_]+\s+)?(?P<name>\w+)"
    r"(?:\s+final)?\s*(?::(?P<bases>[^:;{}][^;{}]*))?$"
)
_BASE = re.compile(r"\w+(?=\s*(?:<|,|$))")
_TYPES = frozenset({"struct", "class", "union"})
_INITIALISED = re.compile(r"[^()]*[\w>*&]\s+[*&]?\w+\s*=?\s*")
"""A field whose initialiser begins with a bracket, unlike the head of a function or a type."""

_NAMESPACE = re.compile(r"\b(?:namespace|extern)\b[^;{}]*$")
_ACCESS = re.compile(r"\b(?P<access>public|private|protected)\s*:(?!:)")
_FIELD = re.compile(
    r"\s*(?:(?:static|inline|constexpr|mutable|volatile)\s+)*+(?P<type>[A-Za-z_][\w:<>,*&\s]{0,160}?)"
    r"[\s*&]+(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?(?:=\s*(?P<value>[\s\S]{1,300}))?$"
)
_HEAD = 400  # characters before the members in which a type's name is searched
_NOT_TYPES = re.compile(
    r"\s*(?:using|typedef|friend|return|template|enum|struct|class|goto)\b|[^=]*\boperator\b"
)
_MEMBER = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?:=\s*[^,]{1,200})?\s*$")


@dataclass(slots=True)
class _Block:
    kind: str
    name: str = ""
    public: bool = True
    bases: tuple[str, ...] = ()
    fields: dict[str, DeclaredField] = field(default_factory=dict)


class HeaderFields:
    """One side of a header: the public fields of its types."""

    def __init__(self, source: SideText) -> None:
        self.source = source

    @staticmethod
    def reads(path: str, text: str) -> bool:
        """Whether a file is a public header and short enough to be hand-written."""
        return _PUBLIC.search(path) is not None and len(text) <= _LONGEST

    @cached_property
    def _types(self) -> dict[str, dict[str, DeclaredField]]:
        return {name: block.fields for name, block in self._blocks.items() if block.fields}

    @cached_property
    def _blocks(self) -> dict[str, _Block]:
        return {block.name: block for block in _blocks(self.source)}

    def owners(self) -> tuple[str, ...]:
        """The types with fields that the change touches."""
        return tuple(
            n for n, those in self._types.items() if any(f.touched for f in those.values())
        )

    def fields(self, owner: str) -> Mapping[str, DeclaredField] | None:
        """The fields of a type by name."""
        return self._types.get(owner)

    def bases(self, owner: str) -> tuple[str, ...]:
        """The base classes of a type."""
        return self._blocks[owner].bases if owner in self._blocks else ()


def _blocks(source: SideText) -> Iterator[_Block]:
    """The types of a text, in the order in which they close."""
    text = source.text
    stack: list[_Block] = []
    parts: list[str] = []
    last = 0
    line = 1
    for token in _TOKENS.finditer(text):
        mark = token.group()
        parts.append(text[last : token.start()])
        last = token.end()
        if mark[0] == '"':
            parts.append(mark)
        elif mark == "\n":
            line += 1
            parts.append("\n")
        elif mark[0] in "/#" or mark.lstrip().startswith("#"):
            line += mark.count("\n")
        else:
            statement = "".join(parts)
            parts = []
            yield from _closed(source, stack, mark, statement, line)


def _closed(
    source: SideText, stack: list[_Block], mark: str, statement: str, line: int
) -> Iterator[_Block]:
    if mark == "{":
        opened = _OPENS.search(statement[-_HEAD:])
        if opened:
            kind, name, bases = opened.group("kind", "name", "bases")
            stack.append(_Block(kind, name, kind != "class", tuple(_BASE.findall(bases or ""))))
        elif stack and stack[-1].kind in _TYPES and _INITIALISED.fullmatch(statement[-_HEAD:]):
            stack.append(_Block("value", statement.rstrip().removesuffix("=")))
        else:
            stack.append(_Block("namespace" if _NAMESPACE.search(statement[-_HEAD:]) else "other"))
    elif mark == "}" and stack:
        block = stack.pop()
        if block.kind == "value":
            _field(source, stack[-1], f"{block.name} = {{{statement}}}", line)
        elif block.kind == "enum":
            _members(source, block, statement, line)
        if block.name and block.kind != "value":
            yield block
    elif mark == ";" and stack and stack[-1].kind in _TYPES:
        _field(source, stack[-1], statement, line)


def _field(source: SideText, block: _Block, statement: str, last: int) -> None:
    if access := _ACCESS.search(statement):
        block.public = access["access"] == "public"
        statement = statement[access.end() :]
    found = _FIELD.match(statement[:600].rstrip())
    if not block.public or found is None or _NOT_TYPES.match(statement) or "(" in found["type"]:
        return
    if found["name"].endswith("_"):  # private by custom
        return
    value = (found["value"] or "").strip()
    value = (
        value[1:-1].strip() if value.startswith("{") and value.endswith("}") else value
    ) or None
    begin = last - statement.strip().count("\n")
    block.fields[found["name"]] = _declared(
        source, block.name, found["name"], (begin, last), (" ".join(found["type"].split()), value)
    )


def _members(source: SideText, block: _Block, statement: str, last: int) -> None:
    number = last - statement.count("\n")
    for row, text in enumerate(statement.split("\n"), number):
        for part in text.split(","):
            if found := _MEMBER.match(part):
                block.fields[found["name"]] = _declared(
                    source, block.name, found["name"], (row, row), ("enum member", None)
                )


def _declared(
    source: SideText, owner: str, name: str, lines: tuple[int, int], read: tuple[str, str | None]
) -> DeclaredField:
    changed = source.changed_line(*lines)
    return DeclaredField(
        owner=owner,
        name=name,
        line=changed or lines[0],
        touched=changed is not None,
        read=lambda: read,
    )
