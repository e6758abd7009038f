"""The tree-sitter grammars, loaded when a language is first met. Imports nothing of ours."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "rust": ("tree_sitter_rust", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
}


@cache
def _parser(name: str) -> Parser:
    module, function = _GRAMMARS[name]
    return Parser(Language(getattr(import_module(module), function)()))


def parse(text: str, grammar: str) -> Node:
    """The root of the tree of a text; broken text gives a tree with error nodes, never an error.

    ``grammar`` is a language's name, or ``tsx``.
    """
    return _parser(grammar).parse(text.encode("utf-8", "replace")).root_node


def text_of(node: Node | None) -> str:
    """The text of a node; empty for none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")
