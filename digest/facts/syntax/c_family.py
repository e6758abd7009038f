"""Declarations in the headers of C and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tree_sitter import Node

from digest.facts.languages import kinds
from digest.facts.syntax.declarations import (
    DEEPEST,
    Declaration,
    Parameter,
    Signature,
    declaration,
    field_declaration,
    kids,
    member_name,
    name_of,
    named_child,
    plain,
    simple,
    typed_signature,
    walk,
)
from digest.facts.syntax.grammar import text_of

_TYPES = kinds("cpp")
_MACROS = {"preproc_def": "macro", "preproc_function_def": "macro"}
_WRAPPERS = frozenset(
    {
        "linkage_specification", "declaration_list", "preproc_if", "preproc_ifdef",
        "preproc_else", "preproc_elif", "template_declaration",
    }
)  # fmt: skip
_HIDDEN = re.compile(r"^_|^(?:detail|details|internal|impl|anonymous)$")
_PUBLIC = re.compile(r"(?:^|/)(?:include|api|public)/")
_HEADER = (".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".inl", ".ipp", ".tpp")
_ATTRIBUTES = re.compile(
    r"\b__(?:device|host|global|forceinline|inline|noinline|launch_bounds|restrict)__\b"
    r"(?:(?<=bounds__)[ \t]*\([^()\n]*\))?"
)
_MACRO = re.compile(
    r"^[ \t]*[A-Z][A-Z0-9]*+_[A-Z0-9_]++(?=[ \t]+(?:virtual|static|inline|explicit)\b)",
    re.MULTILINE,
)
_NAME = re.compile(r"~?[A-Za-z][\w:]*")


def without_attributes(text: str) -> str:
    """The text with macros and attributes of compilers blanked out; offsets stay the same."""
    text = _MACRO.sub(lambda m: " " * len(m.group()), text)
    if "__" not in text:
        return text
    return _ATTRIBUTES.sub(lambda m: " " * len(m.group()), text)


def is_header(path: str) -> bool:
    """Whether a file is a header, which other files include for its declarations."""
    return path.endswith(_HEADER)


def declarations(root: Node, path: str) -> Iterator[Declaration]:
    """Functions, types and macros in the order of the text, with the public members of classes."""
    if is_header(path):
        public = _PUBLIC.search(path)
        yield from (d for d in _items(root, "", 0) if public or d.kind != "field")


def _items(node: Node, parent: str, depth: int) -> Iterator[Declaration]:
    for child in walk(node, _WRAPPERS):
        if child.type == "namespace_definition":
            name = name_of(child)
            if name and not _HIDDEN.search(name) and depth < DEEPEST:
                body = named_child(child, "body")
                yield from _items(body, member_name(parent, name), depth + 1) if body else ()
        elif child.type in _MACROS:
            yield from _one("macro", child, "", name_of(child), None)
        elif child.type in _TYPES:
            yield from _type(child, parent, depth)
        elif child.type in {"function_definition", "declaration"}:
            if (function := _function(child)) is not None:
                yield from _one("function", child, parent, _declared(function), function)
        elif child.type == "alias_declaration":
            yield from _one("type", child, parent, name_of(child), None)


def _type(node: Node, parent: str, depth: int) -> Iterator[Declaration]:
    body, name = named_child(node, "body"), name_of(node)
    if body is None or not name:  # a mention, not a definition
        return
    yield from _one(_TYPES[node.type], node, parent, name, None)
    if node.type == "enum_specifier":
        members = (n for n in walk(body, _WRAPPERS) if n.type == "enumerator")
        yield from (field_declaration(n, name, name_of(n), "enum member") for n in members)
    if node.type == "enum_specifier" or _HIDDEN.search(name) or depth >= DEEPEST:
        return
    public = node.type != "class_specifier"
    for child in walk(body, _WRAPPERS):
        if child.type == "access_specifier":
            public = "public" in text_of(child)
        elif public and child.type in {"field_declaration", "declaration", "function_definition"}:
            function, inner = _function(child), named_child(child, "type")
            if function is not None:
                yield from _one(
                    "method", child, member_name(parent, name), _declared(function), function
                )
            elif inner is not None and inner.type in _TYPES:
                yield from _type(inner, member_name(parent, name), depth + 1)
            elif child.type == "field_declaration":
                yield from _fields(child, name)


def _fields(node: Node, owner: str) -> Iterator[Declaration]:
    """The fields of one declaration, which may name several, with their defaults."""
    names: list[tuple[str, str | None]] = []
    for place, child in enumerate(node.children):
        role = node.field_name_for_child(place)
        if role == "declarator":
            names.append((plain(child), None))
        elif role == "default_value" and names:
            given = plain(child)
            given = given[1:-1].strip() if child.type == "initializer_list" else given
            names[-1] = names[-1][0], given or None
    fixed = {"static"} <= {text_of(one) for one in node.children}  # a constant of the type
    for text, value in names:
        match = re.search(r"[A-Za-z_]\w*", text)
        if match and not match[0].endswith("_"):  # private by custom
            kind = plain(named_child(node, "type")) + text[: match.start()]
            yield replace(
                field_declaration(node, owner, match[0], kind), value=None if fixed else value
            )


def _function(node: Node) -> Node | None:
    """The part of a declaration that declares a function, after pointers and references."""
    at = named_child(node, "declarator")
    while at is not None and at.type in {"pointer_declarator", "reference_declarator"}:
        at = named_child(at, "declarator") or (at.named_children[-1] if at.named_children else None)
    return at if at is not None and at.type == "function_declarator" else None


def _declared(function: Node) -> str:
    return plain(named_child(function, "declarator"))


def _one(
    kind: str, node: Node, parent: str, name: str, function: Node | None
) -> Iterator[Declaration]:
    if not _NAME.fullmatch(name) or name.endswith(("_H", "_H_", "_HPP", "_HPP_", "_CUH")):
        return
    end = function.end_point.row if function is not None else node.start_point.row
    read = partial(_signature, node, function)
    yield declaration(kind, name, parent, node, read=read, head=end, joint="::")


def _signature(node: Node, function: Node | None) -> Signature:
    if function is None and node.type in _MACROS:
        return simple()
    return typed_signature(node, _parameters, head=function)


def _parameters(node: Node) -> Iterator[Parameter]:
    for place, child in enumerate(kids(node)):
        default = named_child(child, "default_value")
        text = plain(child).partition("=")[0].strip() if default else plain(child)
        declarator = named_child(child, "declarator")
        match = re.search(r"\w+", plain(declarator)) if declarator else None
        name = match.group() if match else f"_{place}"
        yield Parameter(
            name=name,
            annotation=re.sub(rf"\b{name}\b", "", text).strip(),
            default=plain(default) if default else None,
            kind="*" if "variadic" in child.type else "",
        )
