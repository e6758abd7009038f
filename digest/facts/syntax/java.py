"""The public and protected declarations of a Java file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tree_sitter import Node

from digest.facts.languages import kinds
from digest.facts.syntax.declarations import (
    DEEPEST,
    Declaration,
    Parameter,
    declaration,
    kids,
    name_of,
    named_child,
    plain,
    typed_signature,
)
from digest.facts.syntax.grammar import text_of

_TYPES = kinds("java")
_CALLABLE = {"method_declaration": "method", "constructor_declaration": "constructor"}


def declarations(root: Node, path: str) -> Iterator[Declaration]:
    """The declarations in the order of the text, nested types after their owner."""
    del path
    yield from _within(root, "", open_=False, depth=0)


def _within(node: Node, parent: str, *, open_: bool, depth: int) -> Iterator[Declaration]:
    """The declarations within a node; ``open_`` if members are public by default (interfaces)."""
    for child in node.named_children:
        if child.type == "enum_body_declarations":
            yield from _within(child, parent, open_=False, depth=depth)
        elif not _is_public(child, open_=open_):
            continue
        elif child.type in _TYPES and depth < DEEPEST:
            item = _one(_TYPES[child.type], name_of(child), parent, child)
            yield item
            if (body := named_child(child, "body")) is not None:
                inner = child.type in {"interface_declaration", "annotation_type_declaration"}
                yield from _within(body, item.name, open_=inner, depth=depth + 1)
        elif child.type in _CALLABLE:
            yield _one(_CALLABLE[child.type], name_of(child), parent, child)
        elif child.type in {"field_declaration", "constant_declaration"}:
            for declarator in child.children_by_field_name("declarator"):
                yield _one("constant", name_of(declarator), parent, child)


def _one(kind: str, name: str, parent: str, node: Node) -> Declaration:
    read = partial(typed_signature, node, _parameters, arrow=": ")
    return declaration(kind, name, parent, node, read=read)


def _parameters(node: Node) -> Iterator[Parameter]:
    for child in kids(node):
        if child.type == "spread_parameter":
            text = plain(child)
            yield Parameter(name=text.rpartition(" ")[2], annotation=text, kind="*")
        elif child.type == "formal_parameter":
            yield Parameter(
                name=name_of(child),
                annotation=plain(named_child(child, "type")),
            )


def _is_public(node: Node, *, open_: bool) -> bool:
    words = {text_of(w) for n in node.children if n.type == "modifiers" for w in n.children}
    return bool(words & {"public", "protected"}) or (open_ and "private" not in words)
