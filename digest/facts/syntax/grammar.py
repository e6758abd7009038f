"""The tree-sitter grammars, loaded when a language is first met. Imports nothing of ours."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from itertools import accumulate

from tree_sitter import Language, Node, Parser, Tree

Rows = tuple[int, int]

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
    return parse_whole(text, grammar).root_node


def parse_whole(text: str, grammar: str) -> Tree:
    """The tree of a text, which ``parse_again`` can start from."""
    return _parser(grammar).parse(text.encode("utf-8", "replace"))


def parse_again(
    tree: Tree, old: str, new: str, changes: Iterable[tuple[Rows, Rows]], grammar: str
) -> Tree:
    """The tree of ``new`` from the tree of ``old``: what did not change is not parsed again.

    ``changes`` are half-open ranges of 0-based rows, before and after, in rising order.
    """
    now = new.encode("utf-8", "replace")
    olds, news = _line_starts(old), _line_starts(new)
    tree = tree.copy()
    for (first, last), (now_first, now_last) in reversed(list(changes)):
        if last >= len(olds) or now_last >= len(news):
            return _parser(grammar).parse(now)
        tree.edit(
            start_byte=olds[first],
            old_end_byte=olds[last],
            new_end_byte=olds[first] + news[now_last] - news[now_first],
            start_point=(first, 0),
            old_end_point=(last, 0),
            new_end_point=(first + now_last - now_first, 0),
        )
    return _parser(grammar).parse(now, tree)


def _line_starts(text: str) -> list[int]:
    """Where lines begin in bytes, and at last the end, so that rows are a range of bytes."""
    lines: Iterable[str | bytes] = text.split("\n")
    if not text.isascii():
        lines = text.encode("utf-8", "replace").split(b"\n")
    starts = list(accumulate(map(len, lines), lambda at, length: at + length + 1, initial=0))
    starts[-1] -= 1
    return starts


def text_of(node: Node | None) -> str:
    """The text of a node; empty for none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")
