"""The annotated fields of Python classes that are made of them.

Those are dataclasses, attrs, pydantic, msgspec, named tuples and typed dictionaries, told by their
decorators and bases, the bases in the same file followed.
"""

from __future__ import annotations

import re
from functools import partial

from digest.facts.arguments import call_at, flat
from digest.facts.source import Source
from digest.facts.syntax.entry import Field
from digest.facts.syntax.grammar import parse, text_of
from digest.facts.syntax.python_header import header_end, signature
from digest.facts.syntax.python_outline import Header, Outline, inside

_DECORATOR = re.compile(r"^[ \t]*@([\w.]+)", re.MULTILINE)
_MAKERS = frozenset({"config", "define", "mutable", "frozen", "attrs", "s", "attributes"})
_BASES = ("BaseModel", "BaseSettings", "Settings", "NamedTuple", "TypedDict", "Struct", "SQLModel")
_NAMED = ("Config", "Options", "Args")
_FIELD = re.compile(r"([^\W\d]\w*)[ \t]*:[ \t]*(?=[^\s=])")
_DEEPEST = 4  # bases of bases that are followed
_LONGEST_BODY = 60_000  # characters of a class body before its first method
_MAKING = re.compile(r"^(?:[\w.]+\.)?(?:Field|field|ib|attrib|PrivateAttr)\(")


def has_fields(outline: Outline, header: Header, depth: int = 0) -> bool:
    """Whether annotated names in the body of a class are its fields."""
    if header.kind != "class":
        return False
    if any(
        name in _MAKERS or name.endswith("dataclass") for name in _decorators(outline.text, header)
    ):
        return True
    read = signature(outline.text, header.offset)
    for base in read.bases if read else ():
        name = re.split(r"[\[(=]", base)[0].rpartition(".")[2].strip()
        if name.endswith((*_BASES, *_NAMED)):
            return True
        if depth < _DEEPEST and name != header.name:
            parent = next(outline.named("class", name), None)
            if parent is not None and has_fields(outline, parent, depth + 1):
                return True
    return False


def _decorators(text: str, header: Header) -> list[str]:
    """The last parts of the names of the decorators that stand above a header."""
    start = text.rfind("\n", 0, header.offset) + 1
    first = start
    for _ in range(12):
        line_start = text.rfind("\n", 0, max(first - 1, 0)) + 1
        if first <= 0 or not text[line_start : first - 1].strip():
            break
        if text[line_start] not in " \t@)":
            break
        first = line_start
    block = text[first:start]
    at = block.find("@")
    return [m.group(1).rpartition(".")[2] for m in _DECORATOR.finditer(block)] if at >= 0 else []


def fields(source: Source, outline: Outline, header: Header) -> dict[str, Field]:
    """The public fields of one class, in the order of the text."""
    text = outline.text
    start = header_end(text, header.offset)
    if start is None:
        return {}
    last = min(_first_method(outline, start), start + _LONGEST_BODY)
    found: dict[str, Field] = {}
    for at, end in _statements(text, start, last, outline.quoted):
        match = _FIELD.match(text, at)
        if match is None or match.group(1).startswith("_"):
            continue
        name = match.group(1)
        if text.startswith(("ClassVar", "typing.ClassVar"), match.end()):
            continue
        found[name] = Field(
            owner=header.name,
            name=name,
            line=source.line_at(at),
            touched=source.touches(at, end),
            read=partial(_parts, text[at:end]),
        )
    return found


def _first_method(outline: Outline, start: int) -> int:
    """Where the fields end: at the first definition below, with its decorators."""
    text = outline.text
    below = [text.find(f"\n{word}", start) for word in ("def ", "class ", "async def ", "@")]
    last = min((at for at in below if at >= 0), default=len(text))
    for kind in ("def ", "class "):
        at = text.find(kind, start, last)
        while at >= 0:
            if not text[text.rfind("\n", 0, at) + 1 : at].strip() and not inside(
                outline.quoted, at
            ):
                last = at
                break
            at = text.find(kind, at + 1, last)
    return last


def _statements(
    text: str, start: int, last: int, quoted: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The statements at the depth of a class body, as half-open pairs of offsets."""
    starts: list[int] = []
    indent = -1
    at = text.find("\n", start, last) + 1 or last
    while at < last:
        newline = text.find("\n", at, last)
        newline = last if newline < 0 else newline
        line = text[at:newline]
        body = line.lstrip(" \t")
        if body.strip() and not inside(quoted, at):
            depth = len(line) - len(body)
            if indent < 0 and body[0] != "#":
                indent = depth
            if indent >= 0 and depth < indent and body[0] not in "#)]}":
                last = at
                break
            if depth == indent and body[0] not in ")]}":
                starts.append(at + depth)
        at = newline + 1
    return list(zip(starts, [*starts[1:], last], strict=False))


def _parts(statement: str) -> tuple[str, str | None]:
    """The annotation and the default of a field; a field that is given none has none."""
    root = parse(statement, "python")
    node = root.named_children[0] if root.named_children else None
    if node is None or node.type != "expression_statement" or not node.named_children:
        return "", None
    node = node.named_children[0]
    annotation = node.child_by_field_name("type") if node.type == "assignment" else None
    if annotation is None or node.has_error:
        return "", None
    right = node.child_by_field_name("right")
    return flat(text_of(annotation)), _default(text_of(right)) if right else None


def _default(text: str) -> str | None:
    """What a field is when it is not given, seen through ``Field(...)`` and its like."""
    if not _MAKING.match(text):
        return flat(text)
    call = call_at(text, 0, text.index("("), "python")
    if call is None:
        return None
    if (factory := call.named.get("default_factory") or call.named.get("factory")) is not None:
        return flat(f"{factory}()")
    value = call.get("default", 0)
    return None if value in {None, "..."} else flat(value or "")
