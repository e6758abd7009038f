"""The exported names of a Go file: those that begin with an upper-case letter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from tree_sitter import Node

from digest.facts.syntax.declarations import (
    CONFIGURES,
    Declaration,
    Parameter,
    declaration,
    field_declaration,
    kids,
    name_of,
    named_child,
    plain,
    typed_signature,
)
from digest.facts.syntax.grammar import text_of

_RECEIVER = re.compile(r"(\w+)\s*(?:\[[^\]]*\])?\s*\)$")
_TAG = re.compile(r"\b(?:yaml|toml|mapstructure|koanf|hcl):\"([\w.-]*\w)")
_JSON = re.compile(r"\bjson:\"([\w.-]*\w)")
_SPECS = frozenset({"const_spec", "var_spec"})
_SPEC_LISTS = ("const_declaration", "var_declaration", "type_declaration", "var_spec_list")


def declarations(root: Node, path: str) -> Iterator[Declaration]:
    """The exported names in the order of the text.

    Of a package that nobody can import, these are only the settings that users write into files.
    """
    if "internal" in path.split("/")[:-1] or any(
        n.type == "package_clause" and plain(n) == "package main" for n in root.named_children
    ):
        for child in root.named_children:
            for spec in kids(child) if child.type == "type_declaration" else ():
                if spec.type == "type_spec" and CONFIGURES.search(name_of(spec)):
                    yield from _type(spec, name_of(spec), inner=True)
        return
    for child in root.named_children:
        if child.type in _SPEC_LISTS:
            for spec in kids(child):
                yield from _specs(spec)
        elif child.type == "function_declaration":
            yield from _function(child, "")
        elif child.type == "method_declaration":
            receiver = _RECEIVER.search(plain(named_child(child, "receiver")))
            if receiver and _is_exported(receiver.group(1)):
                yield from _function(child, receiver.group(1))


def _specs(spec: Node) -> Iterator[Declaration]:
    if spec.type == "var_spec_list":
        for child in kids(spec):
            yield from _specs(child)
    elif spec.type in _SPECS:
        kind = "constant" if spec.type == "const_spec" else "variable"
        for name in spec.children_by_field_name("name"):
            if _is_exported(text_of(name)):
                yield declaration(kind, text_of(name), "", spec, head=spec.start_point.row)
    elif spec.type in {"type_spec", "type_alias"} and _is_exported(name_of(spec)):
        yield from _type(spec, name_of(spec))


def _type(spec: Node, name: str, *, inner: bool = False) -> Iterator[Declaration]:
    """A type with its methods and fields; of an inner one only what files set."""
    body = named_child(spec, "type")
    kind = {"struct_type": "struct", "interface_type": "interface"}.get(body.type if body else "")
    if not inner:
        yield declaration(kind or "type", name, "", spec, head=spec.start_point.row)
    for child in kids(body) if kind else ():
        if child.type == "method_elem" and not inner:
            yield from _function(child, name)
        for field in kids(child) if child.type == "field_declaration_list" else ():
            embedded = not field.children_by_field_name("name")
            if embedded and (key := _key(field, name)):  # files name it, unlike its members
                yield field_declaration(field, name, key, plain(named_child(field, "type")))
            for one in field.children_by_field_name("name"):
                if _is_exported(text_of(one)) and not (inner and not _key(field, name)):
                    shown, type_ = _key(field, name) or text_of(one), named_child(field, "type")
                    yield field_declaration(field, name, shown, plain(type_))


def _key(field: Node, owner: str) -> str:
    """The name of a field in configuration files; empty for a field that only programs set."""
    tag = text_of(named_child(field, "tag"))
    match = _TAG.search(tag) or (_JSON.search(tag) if CONFIGURES.search(owner) else None)
    return match[1] if match else ""


def _function(node: Node, parent: str) -> Iterator[Declaration]:
    if _is_exported(name := name_of(node)):
        read = partial(typed_signature, node, _parameters, returns="result", arrow=" ")
        yield declaration("method" if parent else "function", name, parent, node, read=read)


def _parameters(node: Node) -> Iterator[Parameter]:
    """Each name with its type; unnamed ones by their position."""
    for place, child in enumerate(kids(node)):
        kind = "*" if child.type.startswith("variadic") else ""
        annotation = ("..." if kind else "") + plain(named_child(child, "type"))
        names = child.children_by_field_name("name")
        for name in names:
            yield Parameter(name=text_of(name), annotation=annotation, kind=kind)
        if not names:
            yield Parameter(name=f"_{place}", annotation=annotation, kind=kind)


def _is_exported(name: str) -> bool:
    return name[:1].isupper() and not name.startswith("XXX")  # generated, or for unknown keys
