"""Public definitions of a Python file: their signatures and fields, parsed from small parts of it.

A signature is parsed from its header alone. Classes with fields are dataclasses, attrs, pydantic,
msgspec, named tuples and typed dictionaries, recognised by their decorators and bases; bases in the
same file are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial

from tree_sitter import Node, Tree

from digest.facts.call_arguments import call_at, flat, tokens
from digest.facts.side_text import SideText, indent_of
from digest.facts.similarity import last_part
from digest.facts.syntax import declarations
from digest.facts.syntax.grammar import parse, shallow, text_of
from digest.facts.syntax.python_outline import Header, Outline

LONGEST_HEADER = 8_000
"""Maximum characters of a header; the longest in wide use stay below half of this."""

_KEPT = 64  # number of cached headers: several finders need the same one within a file, none later

# Most headers have no strings, comments or calls, and lists only in lists of types.
_PLAIN_HEADER = re.compile(
    r"[^\"'#:()\[\]{}]*+\("
    r"(?:[^\"'#()\[\]{}]|\[(?:[^\"'#()\[\]{}]|\[[^\"'#()\[\]{}]*+\])*+\])*+"
    r"\)[^\"'#:()\[\]{}]*+:"
)

_FOLLOWING = re.compile(r"\n[ \t]*+(?:async )?(?:def|class) ")

# Most class headers only name their bases: they need no parser.
_PLAIN_CLASS = re.compile(
    r"class +[A-Z]\w*(?:\( *+((?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)* *+, *+)*"
    r"(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)?) *+\))?:"
)


@lru_cache(maxsize=_KEPT)
def header_end(text: str, offset: int) -> int | None:
    """The offset after the colon that ends the header at ``offset``, or ``None``."""
    depth = 0
    limit = min(len(text), offset + LONGEST_HEADER)
    if plain := _PLAIN_HEADER.match(text, offset, limit):
        return plain.end()
    at = offset
    if following := _FOLLOWING.search(text, offset, limit):
        limit = following.start()
    for match in tokens(text, offset, limit, "python"):
        if not depth and (colon := text.find(":", at, match.start())) >= 0:
            return colon + 1
        mark = match.group()
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        at = match.end()
    colon = text.find(":", at, limit) if not depth else -1
    return colon + 1 if colon >= 0 else None


def signature(text: str, offset: int) -> declarations.Signature | None:
    """The signature of the definition whose header begins at ``offset``; ``None`` if unreadable."""
    end = header_end(text, offset)
    return None if end is None else _signature_of(text[offset:end])


@lru_cache(maxsize=_KEPT)
def _signature_of(header: str) -> declarations.Signature | None:
    if plain := _PLAIN_CLASS.fullmatch(header):
        bases = tuple(base.strip() for base in (plain[1] or "").split(",") if base.strip())
        return declarations.simple(bases)
    root = parse(f"{header} pass", "python").root_node
    node = root.named_children[0] if root.named_children else None
    if node is None or root.has_error:
        return None
    if node.type == "class_definition":
        return _of_class(node)
    return _of_function(node) if node.type == "function_definition" else None


def _of_class(node: Node) -> declarations.Signature:
    given = node.child_by_field_name("superclasses")
    return declarations.simple(flat(text_of(n)) for n in declarations.kids(given))


def _of_function(node: Node) -> declarations.Signature:
    parameters = tuple(_parameters(node.child_by_field_name("parameters")))
    returns = node.child_by_field_name("return_type")
    result = _plain(returns) if returns else None
    prefix = "async" if node.children[0].type == "async" else ""
    text = f"({_joined(parameters)})" + (f" -> {result}" if result else "")
    return declarations.Signature(
        text=f"{prefix} {text}" if prefix else text,
        parameters=parameters,
        returns=result,
        prefix=prefix,
    )


def _parameters(node: Node | None) -> list[declarations.Parameter]:
    result: list[declarations.Parameter] = []
    keyword = False
    for place, child in enumerate(
        [c for c in (node.named_children if node else ()) if c.type != "comment"]
    ):
        if child.type == "keyword_separator":
            keyword = True
            continue
        if child.type == "positional_separator":
            continue
        parameter = _parameter(child, keyword=keyword)
        keyword = keyword or parameter.kind == "*"
        if place or parameter.name not in {"self", "cls"}:
            result.append(parameter)
    return result


def _parameter(node: Node, *, keyword: bool) -> declarations.Parameter:
    kinds = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}
    typed = node.child_by_field_name("type")
    default = node.child_by_field_name("value")
    target = node.child_by_field_name("name") or (
        node.named_children[0] if node.type == "typed_parameter" else node
    )
    return declarations.Parameter(
        name=text_of(target).lstrip("* "),
        annotation=_plain(typed) if typed else None,
        default=_plain(default) if default else None,
        kind=kinds.get(target.type, ""),
        keyword=keyword,
        row=target.start_point.row,
    )


def _plain(node: Node) -> str:
    """Source on one line, regardless of its line breaks and quotes."""
    text = text_of(node)
    if "\n" not in text:
        return text.strip()
    text = flat("\n".join(line.partition("  #")[0] for line in text.split("\n")), 2_000)
    text = re.sub(r"(?<=\{) |,? (?=\})", "", text)
    wrapped = node.type == "parenthesized_expression"
    return text.removeprefix("(").removesuffix(")") if wrapped else text


def _joined(parameters: tuple[declarations.Parameter, ...]) -> str:
    parts, bare = [], False
    for p in parameters:
        if p.keyword and not bare and not any(q.kind == "*" for q in parameters):
            parts.append("*")
            bare = True
        text = p.kind + p.name + (f": {p.annotation}" if p.annotation else "")
        if p.default is not None:
            text += f" = {p.default}" if p.annotation else f"={p.default}"
        parts.append(text)
    return ", ".join(parts)


_DECORATOR = re.compile(r"^[ \t]*@([\w.]+)", re.MULTILINE)
_MAKERS = frozenset({"config", "define", "mutable", "frozen", "attrs", "s", "attributes"})
_BASES = ("BaseModel", "BaseSettings", "Settings", "NamedTuple", "TypedDict", "Struct", "SQLModel")
_NAMED = ("Config", "Options", "Args")
_PUBLIC = re.compile(r"[^\W\d_]\w*")
_OF_CLASS = re.compile(r"(?:typing\.)?ClassVar\b")
_REACH_ABOVE = 1_500  # characters of decorators above a class
_LONGEST_BODY = 240_000  # characters of a class body before its first method
_MAKING = re.compile(r"^(?:[\w.]+\.)?(?:Field|field|ib|attrib|PrivateAttr)\(")


def has_fields(outline: Outline, header: Header) -> bool:
    """Whether annotated names in the body of a class are its fields."""
    for parent in (waiting := [header]):
        start = max(parent.offset - _REACH_ABOVE, 0)
        above = outline.text[start : parent.offset].rpartition("\n\n")[2]
        makers = [match[1].rpartition(".")[2] for match in _DECORATOR.finditer(above)]
        if any(name in _MAKERS or name.endswith("dataclass") for name in makers):
            return True
        read = signature(outline.text, parent.offset)
        for base in read.bases if read else ():
            name = re.split(r"[\[(=]", base)[0].rpartition(".")[2].strip()
            if name.endswith((*_BASES, *_NAMED)):
                return True
            if len(waiting) < declarations.MOST_BASES:
                waiting += [h for h in outline.named("class", name)[:1] if h not in waiting]
    return False


def fields(
    source: SideText, outline: Outline, header: Header
) -> dict[str, declarations.DeclaredField]:
    """The public fields of one class, in the order of the text."""
    start = header.offset
    end = outline.end(header)
    if end > (limit := start + _LONGEST_BODY):  # a text cut inside of a method cannot be parsed
        end = max(outline.text.rfind("\n    def ", start, limit), start)
    text = _without_bodies(outline, header, end)
    root, written = _parsed(text).root_node, text.encode("utf-8", "replace")
    body = next((named for n in root.children if (named := n.child_by_field_name("body"))), None)
    statements = [n for n in body.named_children if n.type != "comment"] if body else []
    top = source.line_at(start) - 1
    found: dict[str, declarations.DeclaredField] = {}
    for place, statement in enumerate(statements):
        node = next(iter(statement.named_children), None)
        typed = node.child_by_field_name("type") if node and node.type == "assignment" else None
        left = node.child_by_field_name("left") if node and typed else None
        if typed is None or left is None:
            continue
        # A node asks the parser's reader for its text, which takes several times longer.
        name, kind = (
            written[n.start_byte : n.end_byte].decode("utf-8", "replace") for n in (left, typed)
        )
        if not _PUBLIC.fullmatch(name) or _OF_CLASS.match(kind):
            continue
        below = statements[place + 1 : place + 2] or [statement]
        rows = statement.start_point.row, max(statement.end_point.row, below[0].start_point.row - 1)
        found[name] = declarations.DeclaredField(
            owner=header.name,
            name=name,
            line=top + rows[0] + 1,
            touched=source.touches_rows(top + rows[0], top + rows[1]),
            read=partial(_parts, typed, node and node.child_by_field_name("right")),
        )
    return found


@lru_cache(maxsize=2)
def _parsed(text: str) -> Tree:
    """The tree of a class, which most changes leave as it is on both sides."""
    return parse(text, "python")


def _without_bodies(outline: Outline, header: Header, end: int) -> str:
    """The text of a class without the bodies of its methods, on the same lines.

    Where a body cannot be told from what follows, the text ends with it.
    """
    text, at, parts = outline.text, header.offset, list[str]()
    top = header_end(text, at)
    for method in outline.scan(at + 1, end):
        if method.offset < at:
            continue  # inside of the one before
        below = header_end(text, method.offset)
        # With lines that are indented less, the method may be one of several in a branch.
        first = not parts
        if not top or not below or (first and shallow(method.indent - 1).search(text, top, below)):
            return "".join((*parts, text[at:end]))
        parts.append(f"{text[at:below]} pass")
        stop = shallow(method.indent).search(text, below, end)
        if method.kind == "class" or stop is None or text.count('"""', below, stop.start()) % 2:
            return "".join(parts)
        parts.append("\n" * text.count("\n", below, stop.start()))
        at = stop.start()
    return "".join((*parts, text[at:end]))


def _parts(typed: Node, right: Node | None) -> tuple[str, str | None]:
    """The annotation and the default of a field; ``None`` without a default."""
    return flat(text_of(typed)), _default(text_of(right)) if right else None


def _default(text: str) -> str | None:
    """The default of a field, also inside ``Field(...)`` and similar calls."""
    if not _MAKING.match(text):
        return flat(text)
    call = call_at(text, 0, text.index("("), "python")
    if call is None:
        return None
    if (factory := call.named.get("default_factory") or call.named.get("factory")) is not None:
        return flat(f"{factory}()")
    value = call.get("default", 0)
    return None if value in {None, "..."} else flat(value or "")


_REACH = 60_000  # characters; in widely used code no class has fields further below its name
_SETS = (".setter", ".deleter")
"""The ends of decorators of what is no function for those who use its class."""
_QUIET = frozenset({"__init__", "__new__", "__call__"})


class PythonModule:
    """One side of a Python file; its outline is built once and shared by several finders.

    It is built from that of the side ``beside`` it.
    """

    def __init__(self, source: SideText, beside: PythonModule | None = None) -> None:
        self.source = source
        places = [*zip(beside.source.spans, source.spans, strict=False)] if beside else ()
        other = beside.outline if beside else None
        self.outline: Outline = Outline(source.text, other, places)

    def entries(self) -> Iterator[declarations.PublicDeclaration]:
        """The public definitions whose header the change touches, in the order of the text."""
        seen: set[int] = set()
        for first, last in self.source.spans:
            for header in self.outline.scan(first - LONGEST_HEADER, first)[-1:]:
                if header.offset not in seen and self._reaches(header.offset):
                    yield from self._public(header)
                seen.add(header.offset)
            for header in self.outline.scan(first, last):
                seen.add(header.offset)
                yield from self._public(header)

    def named(self, entry: declarations.PublicDeclaration) -> list[declarations.PublicDeclaration]:
        """All public definitions of the same kind and name, touched or not."""
        kind = "class" if entry.kind == "class" else "def"
        return [e for h in self.outline.named(kind, entry.name) for e in self._public(h)]

    def may_name(self, name: str) -> bool:
        """Whether the module gives a name when it is asked for it, as one that goes later."""
        text = self.source.text
        gives = text.find("\ndef __getattr__(")
        top = re.escape(name.partition(".")[0])
        return gives >= 0 and re.search(rf"[\"']{top}[\"']", text[gives:]) is not None

    def hides(self, entry: declarations.PublicDeclaration) -> bool:
        """Always false: in Python private things have another name."""
        del entry
        return False

    def inherits(self, entry: declarations.PublicDeclaration, known: declarations.BasesOf) -> bool:
        """Whether a class inherits a method here, or may: from a new base of another file."""
        if entry.kind != "method":
            return False
        above = [entry.parent]
        for owner in above:
            more = [base for base in dict.fromkeys(self.bases(owner)) if base not in above]
            above += more[: declarations.MOST_BASES - len(above)]
        method = last_part(entry.name)
        if any(self.outline.named("def", f"{base}.{method}") for base in above[1:]):
            return True
        new = set(self.bases(entry.parent)) - set(known(entry.parent))
        return any(not self.outline.named("class", base) for base in new)

    def owners(self) -> tuple[str, ...]:
        """The classes made of fields whose bodies the change touches outside of methods."""
        names: dict[str, None] = {}
        for first, last in self.source.spans:
            above = self.outline.scan(first - _REACH, first)[-1:]
            for header in (*above, *self.outline.scan(first, last)):
                if header.kind == "class" and not header.nested:
                    names[header.name] = None
                elif header.parent and not header.nested and self._is_below(header, first, last):
                    names[header.parent] = None
        return tuple(names)

    def _is_below(self, method: Header, first: int, last: int) -> bool:
        """Whether a change has a line of the class after the body of a method."""
        return method.offset < first and any(
            line.strip() and indent_of(line) == method.indent
            for line in self.source.text[first:last].split("\n")
        )

    def fields(self, owner: str) -> Mapping[str, declarations.DeclaredField] | None:
        """All public fields of a class, or ``None`` if there is no such public class."""
        header = next(iter(self.outline.named("class", owner)), None)
        if header is None or not next(self._public(header), None):
            return None
        if not has_fields(self.outline, header):
            return None
        return fields(self.source, self.outline, header)

    def bases(self, owner: str) -> tuple[str, ...]:
        """The base classes of a class, without their parameters."""
        header = next(iter(self.outline.named("class", owner)), None)
        read = signature(self.source.text, header.offset) if header else None
        return tuple(base.partition("[")[0] for base in read.bases) if read else ()

    def _reaches(self, offset: int) -> bool:
        end = header_end(self.source.text, offset)
        return end is not None and self.source.touches(offset, end)

    def _public(self, header: Header) -> Iterator[declarations.PublicDeclaration]:
        *parents, last = header.name.split(".")
        quiet = bool(parents) and last in _QUIET
        if header.nested or any(p.startswith("_") for p in parents):
            return
        above = self.source.text[max(0, header.offset - _REACH_ABOVE) : header.offset]
        if (last.startswith("_") and not quiet) or above.rstrip().endswith(_SETS):
            return
        if self.outline.exported is not None and header.name.partition(".")[0] not in (
            self.outline.exported
        ):
            return
        yield declarations.PublicDeclaration(
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
