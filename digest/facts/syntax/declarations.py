"""Declarations in language-independent terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from digest.core.patterns import lazy
from digest.facts.call_arguments import flat
from digest.facts.syntax.grammar import text_of
from digest.frozen import frozen

if TYPE_CHECKING:
    from tree_sitter import Node

K = TypeVar("K")
T = TypeVar("T")


@frozen
class Parameter:
    """A parameter as written.

    ``kind`` is empty, ``*`` and ``**`` for those that collect the rest, or ``?`` for optional ones.
    ``annotation`` and ``default`` are ``None`` if there is none. ``keyword``: it can only be given
    by name. ``row`` counts lines from that of the declaration.
    """

    name: str
    annotation: str | None = None
    default: str | None = None
    kind: str = ""
    keyword: bool = False
    row: int = field(default=0, compare=False)


def grouped(those: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Things by their key, in order."""
    groups: dict[K, list[T]] = {}
    for one in those:
        groups.setdefault(key(one), []).append(one)
    return groups


def member_name(parent: str, name: str) -> str:
    """The qualified name of a member in Rust and C++: ``a::b``."""
    return f"{parent}::{name}" if parent else name


class Calling(StrEnum):
    """What the callers of a language depend on in a signature."""

    BY_NAME = "by name"  # parameters may be given by name, and types are not enforced: Python
    BY_PLACE = "by place"
    """Parameters are positional, and types are not enforced: JavaScript, TypeScript."""
    BY_TYPE = "by type"
    """Parameters are positional, and types must match: Rust, Go, Java, C and C++."""


@frozen
class Signature:
    """The interface of a declaration.

    ``parameters`` are in order, without the receiver; ``returns`` is ``None`` if not written.
    ``prefix`` are words that change its nature (``async``), ``bases`` the base classes. ``text`` is
    all of it as one line of source.
    """

    text: str
    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None
    prefix: str = ""
    bases: tuple[str, ...] = ()
    calling: Calling = Calling.BY_NAME


@frozen
class PublicDeclaration:
    """A public declaration of a file.

    ``kind`` is ``function``, ``method``, ``class`` or the language's own term. ``name`` is
    qualified within the file with dots; ``parent`` is the qualified name of its owner, or empty.
    ``line`` is 1-based; ``head`` gives the last line of the header. ``read`` gives the signature
    and ``body`` the text, on demand since most are not needed. ``quiet`` entries can change but do
    not count as added or removed (``__init__``).
    """

    kind: str
    name: str
    parent: str
    line: int
    head: Callable[[], int]
    read: Callable[[], Signature | None]
    body: Callable[[], str]
    quiet: bool = False


@frozen
class DeclaredField:
    """A field that configures something or carries data; ``line`` is 1-based.

    ``above`` is the number of lines above that belong to it. ``touched``: the change has lines in
    it. ``read`` gives the annotation and the default (``None`` if a value is required); it is
    called only for the few fields that need it.
    """

    owner: str
    name: str
    line: int
    touched: bool
    read: Callable[[], tuple[str, str | None]]
    above: int = 0


CONFIGURES = lazy(
    r"(?:Config|Configuration|Settings?|Options?|Opts|Args|Arguments|Params|Parameters|Props"
    r"|Preferences|Policy)(?:(?!\w*(?:Component|Dialog|Page|Panel|Tab|View|Widget)$)[A-Z]\w*)?$|^(?:config|settings|options|opts|params)$"
)
"""The names of types in which users set things."""

BasesOf = Callable[[str], tuple[str, ...]]
"""The types from which a type of one side inherits."""

MOST_BASES = 40  # maximum classes of one file that are followed from one to its bases
DEEPEST = 12  # maximum levels of modules, namespaces and classes that are read
_NAMING = ("name", "declarator", "left", "property")  # fields that lead to the name
_LONGEST = 2_000  # characters of one signature


@frozen
class Declaration:
    """A public declaration in a tree.

    ``kind`` is ``field`` for members of a class, struct or interface. ``name`` is qualified, and
    ``parent`` is the part before its last. ``head`` is the last row of the signature, counted
    from 0. ``value`` is the default of a field, as written, and ``above`` the number of lines above
    that belong to it.
    """

    kind: str
    name: str
    parent: str
    node: Node
    head: int
    read: Callable[[], Signature]
    value: str | None = None
    above: int = 0


def named_child(node: Node, field: str) -> Node | None:
    """The child in a field of the grammar."""
    return node.child_by_field_name(field)


def name_of(node: Node) -> str:
    """The name that a declaration gives, as written."""
    return text_of(node.child_by_field_name("name"))


def kids(node: Node | None) -> Iterable[Node]:
    """The named children without comments."""
    return [] if node is None else [n for n in node.named_children if "comment" not in n.type]


def plain(node: Node | None) -> str:
    """Source on one line."""
    return flat(text_of(node), _LONGEST)


def bare(node: Node | None, prefix: str = ":") -> str | None:
    """A type as written, without the colon or arrow that some grammars include."""
    return plain(node).removeprefix(prefix).strip() or None if node is not None else None


def name_row(node: Node) -> int:
    """The row of a declaration's name, below attributes and modifiers."""
    for _ in range(DEEPEST):
        inner = next((n for f in _NAMING if (n := named_child(node, f)) is not None), None)
        if inner is None:
            break
        node = inner
    return node.start_point.row


def before_body(node: Node, *bodies: str) -> int:
    """The last row of a declaration before its body."""
    for name in bodies or ("body",):
        body = named_child(node, name)
        if body is not None:
            return body.start_point.row
    return node.end_point.row


def signature(
    parameters: Iterable[Parameter],
    returns: str | None,
    *,
    calling: Calling = Calling.BY_TYPE,
    prefix: str = "",
    arrow: str = " -> ",
    source: Node | None = None,
) -> Signature:
    """A normalised signature; ``source`` has the parameters if types stand beside their names."""
    known = tuple(parameters)
    if source is None or any("comment" in n.type for n in source.named_children):
        text = f"({', '.join(_written(p) for p in known)})"
    else:
        text = plain(source).replace("( ", "(").replace(", )", ")").replace(" )", ")")
    if returns:
        text += arrow + returns
    return Signature(
        text=f"{prefix} {text}" if prefix else text,
        parameters=known,
        returns=returns,
        prefix=prefix,
        calling=calling,
    )


def _written(p: Parameter) -> str:
    text = p.name
    if p.annotation:
        text = f"{text}: {p.annotation}" if text else p.annotation
    return f"{text} = {p.default}" if p.default is not None else text


def simple(bases: Iterable[str] = ()) -> Signature:
    """The signature of something without parameters."""
    known = tuple(bases)
    return Signature(text=f"({', '.join(known)})" if known else "", bases=known)


def typed_signature(
    node: Node,
    parameters: Callable[[Node], Iterable[Parameter]],
    *,
    returns: str = "type",
    arrow: str = " -> ",
    head: Node | None = None,
) -> Signature:
    """The signature of what has typed parameters, as written; else the types that it extends.

    ``returns`` is the field with the type of the result, ``head`` the part with the parameters.
    """
    given = named_child(head or node, "parameters")
    if given is None:
        bases = (plain(n) for n in node.named_children if n.type in _BASES)
        return simple(base.removeprefix(":").strip() for base in bases)
    result = named_child(node, returns)
    type_ = plain(result) if result else None
    return signature(parameters(given), type_, arrow=arrow, source=given)


_BASES = frozenset({"base_class_clause", "superclass", "super_interfaces", "extends_interfaces"})


def declaration(
    kind: str,
    name: str,
    parent: str,
    node: Node,
    *,
    read: Callable[[], Signature] = simple,
    head: int | None = None,
    joint: str = ".",
) -> Declaration:
    """What a node declares below its parent; without ``head`` its signature ends at its body."""
    return Declaration(
        kind=kind,
        name=f"{parent}{joint}{name}" if parent else name,
        parent=parent,
        node=node,
        head=before_body(node) if head is None else head,
        read=read,
    )


def field_declaration(
    node: Node, owner: str, name: str, type_: str | None, *, joint: str = ".", prefix: str = ""
) -> Declaration:
    """A field of a type, with its own type as what it returns."""
    read = partial(Signature, text="", prefix=prefix, returns=type_)
    end = node.end_point.row
    return declaration("field", name, owner, node, read=read, head=end, joint=joint)


_TUPLE = lazy(r"(?<![\w)\]>])\(([^()\[\]{},]+),\)(?!=>|->|[{:])")
"""A tuple with one member, whose comma matters; not what a function is given."""

_CALLED_IN_BRACKETS = lazy(r"\(([\w:]++(?:<[\w:]*+>[\w:]*+)?)\)\(\)")


def key(text: str | None) -> str | None:
    """A text without anything that a formatter may change."""
    if text is None:
        return None
    text = _TUPLE.sub(r"(\1,,)", "".join(text.replace("'", '"').split()))
    text = text.replace(",)", ")").replace(",]", "]")
    text = _CALLED_IN_BRACKETS.sub(r"\1()", text)
    while text[:1] == "(" and _is_wrapped(text):
        text = text[1:-1]
    return text


def type_key(text: str) -> str | None:
    """A type without the modules that it is imported from, and without notes on it."""
    text = text.replace("interface{}", "any").lstrip("| ")
    return key(_QUALIFIED.sub("", _ANNOTATED.sub(r"\g<type>", text)))


_QUALIFIED = lazy(r"(?<![\w.])(?:[a-z_]\w{0,60}\.){1,6}(?=[A-Za-z_])")
_ANNOTATED = lazy(r"\bAnnotated\[(?P<type>[^\[\],]{1,80}(?:\[[^\[\]]{1,80}\])?), .*\]")


def is_compatible(before: Signature, now: Signature) -> bool:
    """Whether types are only written in another way, or accept more than before."""
    pairs = zip(before.parameters, now.parameters, strict=True)
    taken = [[_bare_type(p.annotation) for p in pair] for pair in pairs]
    was, is_ = _bare_type(before.returns), _bare_type(now.returns)
    hidden = was.startswith("impl") and bool(is_)
    return all(a == b or _WIDE.match(b) for a, b in taken) and (hidden or _agree(was, is_))


def _agree(one: str, other: str) -> bool:
    """Whether two types are the same, apart from last arguments that may have a default."""
    short, long = (text.rstrip(">") for text in sorted((one, other), key=len))
    return one == other or ("<" in short and long.startswith(f"{short},"))


def _bare_type(text: str | None) -> str:
    """A type without lifetimes and without the modules that it is imported from."""
    text = key(_LIFETIMES.sub("", text or "")) or ""
    return re.sub(r"\b(?:[a-z_]\w*::)+|<>", "", text)


_LIFETIMES = lazy(r"'\w+\s*,?|\+ ?use<[^<>]*>")
_WIDE = lazy(r"&?(?:impl|[A-Z]\w?$)")
"""A type that callers choose: any with certain abilities, or a parameter of the function."""


def _is_wrapped(text: str) -> bool:
    """Whether a text is one pair of round brackets that only groups, not a tuple."""
    depth = 0
    for place, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if (c == "," and depth == 1) or (not depth and place < len(text) - 1):
            return False
    return len(text) > 2 and not depth


def walk(node: Node, into: frozenset[str], depth: int = 0) -> Iterator[Node]:
    """The named children of a node, including those inside children that are only wrappers."""
    for child in node.named_children:
        if child.type in into and depth < DEEPEST:
            yield from walk(child, into, depth + 1)
        else:
            yield child


_TEXTS = lazy(r"(?:char|string|String|string_view|Slice|StringRef|StringPiece|CharSequence)")
_NUMBERS = lazy(
    r"(?:unsigned|signed|long|short)*(?:u?int\d*(?:_t)?|s?size_t|long|short|char|bool|boolean|byte"
    r"|float|double|unsigned)"
)
_ANYTHING = lazy(r"(?:auto|Object|[A-Z]\w?|\.\.\.)")
"""Types that take a value of any type: parameters of a template, and the root of all classes."""

_QUALIFIERS = lazy(r"\b(?:const|final|volatile|struct|class|enum)\b|(?:\w+::)+|[&\s]")


def lost_overloads(olds: Sequence[Signature], news: Sequence[Signature]) -> list[int]:
    """The places of removed overloads whose calls no remaining overload accepts.

    None if a remaining one is new or changed: then one overload became another.
    """
    shapes = [[_core(p.annotation) for p in one.parameters] for one in olds]
    kept = [[_core(p.annotation) for p in one.parameters] for one in news]
    if not news or len(news) >= len(olds) or any(shape not in shapes for shape in kept):
        return []
    return [
        place
        for place, shape in enumerate(shapes)
        if shape not in kept and not any(_takes(one, shape) for one in news)
    ]


def _core(annotation: str | None) -> str:
    """A type without qualifiers and namespaces, which do not matter for a caller's value."""
    return _QUALIFIERS.sub("", annotation or "")


def _takes(one: Signature, given: Sequence[str]) -> bool:
    """Whether an overload may be called with values of these types."""
    required = sum(p.default is None and not p.kind for p in one.parameters)
    if any(p.kind for p in one.parameters):
        return True
    return required <= len(given) <= len(one.parameters) and all(
        _converts(_core(p.annotation), type_)
        for p, type_ in zip(one.parameters, given, strict=False)
    )


def _converts(wanted: str, given: str) -> bool:
    """Whether a value of one type may be accepted as another, without knowledge of either type."""
    bare = [text.rstrip("*") for text in (wanted, given)]
    if wanted == given or _ANYTHING.fullmatch(wanted) or bare[0] in bare[1] or bare[1] in bare[0]:
        return True
    return any(
        all(map(sort.fullmatch, texts))
        for sort, texts in ((_TEXTS, bare), (_NUMBERS, (wanted, given)))
    )
