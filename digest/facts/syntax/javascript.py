"""The exports of a JavaScript or TypeScript module, by ``export`` or ``module.exports``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from tree_sitter import Node

from digest.facts.languages import kinds
from digest.facts.syntax.declarations import (
    DEEPEST,
    Calling,
    Declaration,
    Parameter,
    Signature,
    bare,
    before_body,
    declaration,
    field_declaration,
    kids,
    name_of,
    named_child,
    plain,
    signature,
    simple,
)
from digest.facts.syntax.grammar import text_of

_KINDS = kinds("javascript")
_CALLABLE = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_VARIABLES = frozenset({"lexical_declaration", "variable_declaration"})
_METHODS = frozenset({"method_definition", "method_signature", "abstract_method_signature"})
_FIELDS = frozenset({"public_field_definition", "field_definition", "property_signature"})
_NAME = re.compile(r"[A-Za-z$][\w$]*")
FOREIGN = "foreign export"
"""The kind of names that another package makes: to pass them on is no promise of one's own."""

_EXPORTED_OBJECT = re.compile(
    r"\b(\w+)\s*=\s*(?:exports\s*=\s*)?module\.exports\b|\bmodule\.exports\s*=\s*(\w+)\b(?!\s*[.(])"
)


def declarations(root: Node, path: str) -> Iterator[Declaration]:
    """The exported declarations and public members in order; names that are passed on come last."""
    del path
    specs = [
        (spec, text_of(named_child(statement, "source"))[1:2] in {"", "."})
        for statement in root.named_children
        if statement.type == "export_statement"
        for clause in statement.named_children
        if clause.type == "export_clause"
        for spec in kids(clause)
    ]
    listed = {name_of(spec) for spec, _ in specs}
    text = text_of(root)
    objects = {"exports", "module.exports"} | {
        name
        for m in _EXPORTED_OBJECT.finditer(text if "module.exports" in text else "")
        for name in m.groups()
        if name
    }
    declared: set[str] = set()
    for item in _statements(root, "", listed, objects, 0):
        declared.add(item.name)
        yield item
    for spec, own in specs:
        name = name_of(spec)
        shown = text_of(named_child(spec, "alias")) or name
        if name not in declared and shown != "default":
            yield _one("export" if own else FOREIGN, shown, "", spec, None)


_TYPES_OF_ALL = re.compile(r"^export type(?= \*)", re.MULTILINE)


def without_types_of_all(text: str) -> str:
    """The text with ``export type * from`` as ``export * from``; offsets stay the same."""
    return _TYPES_OF_ALL.sub("export     ", text) if "export type *" in text else text


def _statements(
    node: Node, parent: str, listed: set[str], objects: set[str], depth: int
) -> Iterator[Declaration]:
    for statement in node.named_children:
        if statement.type == "export_statement":
            inner = named_child(statement, "declaration")
            if inner is not None:
                yield from _declared(inner, parent, depth)
        elif statement.type == "expression_statement":
            yield from _assigned(statement, objects)
        elif statement.type in _KINDS and name_of(statement) in listed:
            yield from _declared(statement, parent, depth)
        elif statement.type in _VARIABLES:
            for item in _declared(statement, parent, depth):
                if item.name in listed:
                    yield item


def _declared(node: Node, parent: str, depth: int) -> Iterator[Declaration]:
    if node.type == "ambient_declaration":
        for child in kids(node):
            yield from _declared(child, parent, depth)
    elif node.type in _VARIABLES:
        for child in kids(node):
            value = named_child(child, "value")
            called = value is not None and value.type in _CALLABLE
            target = named_child(child, "name")
            if child.type == "variable_declarator" and target and target.type == "identifier":
                kind = "function" if called else "constant"
                yield _one(kind, text_of(target), parent, child, value if called else None)
    elif node.type in _KINDS:
        name = name_of(node)
        item = _one(_KINDS[node.type], name, parent, node, node)
        yield item
        if (
            node.type == "internal_module"
            and (body := named_child(node, "body"))
            and depth < DEEPEST
        ):
            yield from _statements(body, item.name, set(), set(), depth + 1)
        else:
            yield from _members(node, item.name)


def _assigned(statement: Node, objects: set[str]) -> Iterator[Declaration]:
    """``exports.name = ...``, and ``app.name = function`` if ``app`` is exported."""
    expression = statement.named_children[0] if statement.named_children else None
    if expression is None or expression.type != "assignment_expression":
        return
    left, right = named_child(expression, "left"), named_child(expression, "right")
    if left is None or right is None or left.type != "member_expression":
        return
    owner, name = text_of(named_child(left, "object")), text_of(named_child(left, "property"))
    if (owner, name, right.type) == ("module", "exports", "object"):
        for pair in kids(right):
            key = text_of(named_child(pair, "key") or named_child(pair, "name") or pair)
            if _NAME.fullmatch(key):
                yield _one("constant", key, "", pair, None)
        return
    owner = owner.removesuffix(".prototype")
    if owner not in objects or name.startswith("_") or name == "exports":
        return
    exported = owner in {"exports", "module.exports"}
    called = right.type in _CALLABLE
    if called or exported:
        parent = "" if exported else owner
        kind = "class" if right.type == "class" else "function" if called else "constant"
        yield _one(kind, name, parent, expression, right if called else None)


def _members(node: Node, owner: str) -> Iterator[Declaration]:
    body = named_child(node, "body") or named_child(node, "value")
    for child in kids(body) if body is not None else ():
        name = name_of(child) or text_of(named_child(child, "property"))
        words = (text_of(c) for c in child.children if c.type == "accessibility_modifier")
        if not _NAME.fullmatch(name) or any(word != "public" for word in words):
            continue
        if child.type in _METHODS:
            yield _one("method", name, owner, child, child)
        elif child.type in _FIELDS:
            prefix = "optional" if any(c.type == "?" for c in child.children) else ""
            value, type_ = named_child(child, "value"), bare(named_child(child, "type"))
            item = field_declaration(child, owner, name, type_, prefix=prefix)
            yield replace(item, value=plain(value) if value else None)


def _one(kind: str, name: str, parent: str, node: Node, called: Node | None) -> Declaration:
    end = before_body(called) if called is not None else node.start_point.row
    return declaration(kind, name, parent, node, read=partial(_signature, called), head=end)


def _signature(node: Node | None) -> Signature:
    if node is None:
        return simple()
    parameters = named_child(node, "parameters") or named_child(node, "parameter")
    if parameters is None:
        heritage = [c for c in node.named_children if c.type.endswith(("heritage", "type_clause"))]
        return simple(plain(h) for h in heritage)
    prefix = "async" if any(c.type == "async" for c in node.children) else ""
    if parameters.type == "identifier":
        one = Parameter(name=text_of(parameters))
        return signature([one], None, calling=Calling.BY_PLACE, prefix=prefix)
    return signature(
        _parameters(parameters),
        bare(named_child(node, "return_type")),
        calling=Calling.BY_PLACE,
        prefix=prefix,
        arrow=": ",
    )


def _parameters(node: Node) -> Iterator[Parameter]:
    for child in kids(node):
        pattern = named_child(child, "pattern") or named_child(child, "left") or child
        default = named_child(child, "value") or named_child(child, "right")
        rest = pattern.type == "rest_pattern"
        optional = child.type == "optional_parameter"
        name = plain(pattern) + ("?" if optional else "")
        yield Parameter(
            name=name,
            annotation=bare(named_child(child, "type")),
            default=plain(default) if default is not None and child is not pattern else None,
            kind="*" if rest else "?" if optional else "",
        )


_TOGETHER = re.compile(r"\bextends\b([^{}]{1,800})\{")
_TYPE_NAME = re.compile(r"[A-Z]\w*+")
_MOST_HEADS = 200  # types of a text whose bases are read


def beside(text: str, name: str) -> tuple[str, ...]:
    """The types that some type of a text extends together with the named one."""
    heads = islice(_TOGETHER.finditer(text), _MOST_HEADS) if name in text else ()
    bases = [_TYPE_NAME.findall(match[1]) for match in heads]
    return tuple({base for those in bases if name in those for base in those} - {name})
