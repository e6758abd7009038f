"""The public items of a Rust file: those with a bare ``pub``, methods of public traits, macros."""

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
    bare,
    declaration,
    field_declaration,
    kids,
    member_name,
    name_of,
    named_child,
    plain,
    signature,
    simple,
)
from digest.facts.syntax.grammar import text_of

_KINDS = kinds("rust")
_READ = re.compile(r"\bderive\([^)]*\b(?:Deserialize|JsonSchema)\b")
_READ_AS = re.compile(r"^\s*#\[serde\(", re.MULTILINE)
"""What says how a field is read: another macro derives it for its structure."""
_RENAME_ALL = re.compile(r"\brename_all(?:\([^()]*)?\s*=\s*\"([\w-]+)\"")
_RENAME = re.compile(r"\brename(?:\s*\([^()]*?deserialize)?\s*=\s*\"([\w.-]+)\"")
_DEFAULT = re.compile(
    r"\boption\(\s*default\s*=\s*(?:r#\"(?P<raw>[^#]{0,300})\"#|r?\"(?P<text>(?:[^\"\\]|\\.){0,300}+)\")"
)
"""The default that an attribute gives for the documentation of a setting."""

_DEFAULT_BY = re.compile(r"\bserde\((?:[^()\"]*,\s*)?default\s*=\s*\"(\w{1,80})\"")
"""The function that gives a setting its default."""

_SKIPPED = re.compile(r"\bserde\([^)]*\b(?:skip|skip_deserializing|flatten)\b")
_WORD_START = re.compile(r"_([a-z])")
_FUNCTIONS = ("function_item", "function_signature_item")


def declarations(root: Node, path: str) -> Iterator[Declaration]:
    """The public items in the order of the text; none for a test file."""
    del path
    yield from _items(root, "", 0)


def _items(node: Node, parent: str, depth: int) -> Iterator[Declaration]:
    hidden = {
        name_of(n)
        for n in node.named_children
        if n.type in {"struct_item", "enum_item", "trait_item"} and not _is_public(n)
    }
    above: list[str] = []
    for child in node.named_children:
        if child.type == "attribute_item":
            above.append(text_of(child))
            continue
        attributes, above = " ".join(above), [] if "comment" not in child.type else above
        if child.type == "impl_item":
            owner = _type_name(named_child(child, "type"))
            if named_child(child, "trait") is None and owner not in hidden and depth < DEEPEST:
                yield from _members(child, member_name(parent, owner), public=False)
        elif child.type == "mod_item":
            if _is_public(child) and depth < DEEPEST and (body := named_child(child, "body")):
                yield from _items(body, member_name(parent, name_of(child)), depth + 1)
        elif child.type == "macro_definition":
            if "macro_export" in attributes and "hidden" not in attributes:
                yield _declaration(child, "", "macro")
        elif child.type in _KINDS and _is_public(child):
            item = _declaration(child, parent, _KINDS[child.type])
            yield item
            if child.type == "trait_item":
                yield from _members(child, item.name, public=True)
            elif child.type == "struct_item" and not _is_read(child, attributes):
                for one in kids(named_child(child, "body")):
                    if one.type == "field_declaration" and _is_public(one):
                        type_ = bare(named_child(one, "type"))
                        yield field_declaration(one, item.name, name_of(one), type_, joint="::")
        if child.type == "struct_item" and _is_read(child, attributes):
            owner = member_name(parent, name_of(child))
            yield from _keys(child, owner, attributes)


def _is_read(struct: Node, attributes: str) -> bool:
    if _READ.search(attributes) is not None:
        return True
    return bool(attributes) and _READ_AS.search(text_of(struct)) is not None


def _members(node: Node, owner: str, *, public: bool) -> Iterator[Declaration]:
    for child in kids(named_child(node, "body")):
        if child.type in _FUNCTIONS and (public or _is_public(child)):
            yield _declaration(child, owner, "method")


def _keys(node: Node, owner: str, attributes: str) -> Iterator[Declaration]:
    """The fields of a type that is read from files, as files spell them, public or not."""
    spelled = _RENAME_ALL.search(attributes)
    above, first = "", 0
    for child in kids(named_child(node, "body")):
        if child.type == "attribute_item":
            first = first if above else child.start_point.row
            above += text_of(child)
        elif child.type == "field_declaration":
            match = _RENAME.search(above)
            name = match[1] if match else name_of(child).removeprefix("r#")
            if spelled and not match and "ebab" in spelled[1]:
                name = name.replace("_", "-")
            elif spelled and not match and spelled[1] == "camelCase":
                name = _WORD_START.sub(lambda found: found[1].upper(), name)
            if not _SKIPPED.search(above):
                default = _DEFAULT.search(above)
                rows = child.start_point.row - first if above else 0
                value = (default["raw"] or default["text"] or "") if default else None
                given = _DEFAULT_BY.search(above)
                value = f"{given[1]}()" if given and value is None else value
                type_ = bare(named_child(child, "type"))
                item = field_declaration(child, owner, name, type_, joint="::")
                yield replace(item, above=rows, value=value and value.replace("\\", ""))
            above = ""


def _declaration(node: Node, parent: str, kind: str) -> Declaration:
    read = partial(_signature, node)
    return declaration(kind, name_of(node), parent, node, read=read, joint="::")


def _signature(node: Node) -> Signature:
    if node.type not in _FUNCTIONS:
        return simple()
    words = {
        text_of(w) for n in node.children if n.type == "function_modifiers" for w in n.children
    }
    return signature(
        _parameters(named_child(node, "parameters")),
        bare(named_child(node, "return_type"), "->"),
        prefix=" ".join(w for w in ("async", "unsafe") if w in words),
    )


def _parameters(node: Node | None) -> Iterator[Parameter]:
    for child in kids(node):
        if child.type == "parameter" and text_of(named_child(child, "pattern")) != "self":
            yield Parameter(
                name=plain(named_child(child, "pattern")),
                annotation=bare(named_child(child, "type")),
            )


def _is_public(node: Node) -> bool:
    return any(n.type == "visibility_modifier" and text_of(n) == "pub" for n in node.children)


def _type_name(node: Node | None) -> str:
    while node is not None and node.type in {"generic_type", "reference_type", "scoped_type"}:
        node = named_child(node, "type")
    return text_of(node).rpartition("::")[2]
