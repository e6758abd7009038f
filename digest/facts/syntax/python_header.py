"""The signature of one Python definition, parsed from its header alone."""

from __future__ import annotations

import re
from functools import lru_cache

from tree_sitter import Node

from digest.facts.arguments import flat, tokens
from digest.facts.syntax.entry import Parameter, Signature
from digest.facts.syntax.grammar import parse, text_of

LONGEST_HEADER = 8_000
"""How far a header is read, in characters; the longest in wide use stay below half of this."""

_KEPT = 64
"""Headers that are kept: several finders ask for the same one within a file, and for none later."""

# Most headers of classes name what they derive from and no more: they need no parser.
_PLAIN_CLASS = re.compile(
    r"class +[A-Z]\w*(?:\( *+((?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)* *+, *+)*"
    r"(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)?) *+\))?:"
)


@lru_cache(maxsize=_KEPT)
def header_end(text: str, offset: int) -> int | None:
    """The offset behind the colon that ends the header at ``offset``, or ``None``."""
    depth = 0
    limit = min(len(text), offset + LONGEST_HEADER)
    at = offset
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


@lru_cache(maxsize=_KEPT)
def signature(text: str, offset: int) -> Signature | None:
    """The signature of the definition whose header begins at ``offset``; ``None`` if unreadable."""
    end = header_end(text, offset)
    if end is None:
        return None
    if plain := _PLAIN_CLASS.fullmatch(text, offset, end):
        bases = tuple(base.strip() for base in (plain[1] or "").split(",") if base.strip())
        return _with_bases(bases)
    root = parse(text[offset:end] + " pass", "python")
    node = root.named_children[0] if root.named_children else None
    if node is None or root.has_error:
        return None
    if node.type == "class_definition":
        return _of_class(node)
    return _of_function(node) if node.type == "function_definition" else None


def _of_class(node: Node) -> Signature:
    given = node.child_by_field_name("superclasses")
    bases = tuple(
        flat(text_of(n)) for n in (given.named_children if given else ()) if n.type != "comment"
    )
    return _with_bases(bases)


def _with_bases(bases: tuple[str, ...]) -> Signature:
    return Signature(text=f"({', '.join(bases)})" if bases else "", bases=bases)


def _of_function(node: Node) -> Signature:
    parameters = tuple(_parameters(node.child_by_field_name("parameters")))
    returns = node.child_by_field_name("return_type")
    result = _plain(returns) if returns else None
    prefix = "async" if node.children[0].type == "async" else ""
    text = f"({_joined(parameters)})" + (f" -> {result}" if result else "")
    return Signature(
        text=f"{prefix} {text}" if prefix else text,
        parameters=parameters,
        returns=result,
        prefix=prefix,
    )


def _parameters(node: Node | None) -> list[Parameter]:
    result: list[Parameter] = []
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


def _parameter(node: Node, *, keyword: bool) -> Parameter:
    kinds = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}
    typed = node.child_by_field_name("type")
    default = node.child_by_field_name("value")
    target = node.child_by_field_name("name") or (
        node.named_children[0] if node.type == "typed_parameter" else node
    )
    return Parameter(
        name=text_of(target).lstrip("* "),
        annotation=_plain(typed) if typed else None,
        default=_plain(default) if default else None,
        kind=kinds.get(target.type, ""),
        keyword=keyword,
        row=target.start_point.row,
    )


def _plain(node: Node) -> str:
    """Source on one line, the same however it was broken into lines and quoted."""
    text = text_of(node)
    if "\n" not in text:
        return text.strip()
    if "#" in text and any(n.type == "comment" for n in _below(node)):
        text = "\n".join(line.partition("  #")[0] for line in text.split("\n"))
    text = flat(text, 2_000)
    for bracket in "([{":
        text = text.replace(bracket + " ", bracket)
    for bracket in ")]}":
        text = text.replace(", " + bracket, bracket).replace(" " + bracket, bracket)
    return (
        text.removeprefix("(").removesuffix(")")
        if node.type == "parenthesized_expression"
        else text
    )


def _below(node: Node) -> list[Node]:
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting.extend(one.children)
    return found


def _joined(parameters: tuple[Parameter, ...]) -> str:
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
