"""The tree-sitter grammars, loaded when a language is first met. Imports nothing of ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser, Tree

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


_CHUNK = 1_024
"""Bytes that the parser reads at a time."""

_STEPS = 50
_LEAST = 100
"""What a text may cost: ``_LEAST`` steps and ``_STEPS`` for each ``_CHUNK`` bytes. A step is a
hundred operations of the parser, or a chunk that its lexer reads. Of 13,000 source files of 17
projects none takes more than 25 steps a chunk, and the median takes 6."""

_SECONDS = 0.03
_SECONDS_A_BYTE = 4e-6
"""Processor time of a text up to where it is parsed: of errors even steps may be slow. Parsed in
stages, the slowest of the same files take 2 microseconds a byte, and the median 0.2."""

_STAGE = 4_096
"""Bytes by which a text grows from one stage to the next."""

_AMBIGUOUS = frozenset({"c", "cpp"})
"""Grammars in which hardly a node of the stage before can be taken over. Their stages are twice as
large, and grow fourfold where the text does not look as if it left much open."""

_BOUNDARY = re.compile(rb"[()\[\]<>;{}]")
_DEEPEST = 100
_LONGEST_STATEMENT = 16_384
"""Open brackets, and bytes without a semicolon or brace, that code hardly ever has."""


class TooComplex(Exception):
    """A text needs more steps or time than its length allows."""


@dataclass(slots=True)
class ParseBudget:
    """What is left to one change, and the paths of its files that were not parsed.

    ``clock`` tells processor time; without it steps alone are counted.
    """

    clock: Callable[[], float] | None = None
    steps: int = 150_000
    seconds: float = 10.0
    unparsed: set[str] = field(default_factory=set)


@cache
def _language(name: str) -> Language:
    module, function = _GRAMMARS[name]
    return Language(getattr(import_module(module), function)())


def parse(text: str, grammar: str, budget: ParseBudget | None = None) -> Tree:
    """The tree of a text; broken text gives a tree with error nodes. Raises ``TooComplex``.

    ``grammar`` is a language's name, or ``tsx``.

    At the end of a text that is open in many places the parser may work for minutes without
    asking whether it should go on, in cubic time. So the text is parsed from its beginning to one
    place after the other, each time from the tree before, and what is costly at its end is found
    while it is short. That takes a third as long again, and the last tree is that of one parse.
    """
    run = _Run(text.encode("utf-8", "replace"), grammar, budget or ParseBudget())
    return run.tree()


class _Run:
    """One text that is parsed."""

    def __init__(self, text: bytes, grammar: str, budget: ParseBudget) -> None:
        self._text = text
        self._budget = budget
        # Parsers are cheap and of one thread only: others run while the callbacks do.
        self._parser = Parser(_language(grammar))
        self._stage = _STAGE
        if grammar in _AMBIGUOUS:
            self._stage = 2 * _STAGE if _is_open(text) else len(text)
        self._clock = budget.clock or float
        self._parsing = True
        self._end = 0
        self._steps_left = 0
        self._deadline = 0.0

    def tree(self) -> Tree:
        """The tree of the whole."""
        began = self._clock()
        tree: Tree | None = None
        while tree is None or self._end < len(self._text):
            start, self._end = self._end, self._next()
            if tree is not None:
                self._append(tree, start)
            allowed = min(_SECONDS + _SECONDS_A_BYTE * self._end, self._budget.seconds)
            self._deadline = began + allowed
            tree = self._parsed(tree)
            if tree is None or self._clock() > self._deadline:
                self._budget.seconds -= self._clock() - began
                raise TooComplex
        self._budget.seconds -= self._clock() - began
        self._parsing = False
        return tree

    def _next(self) -> int:
        return min(len(self._text), max(_CHUNK, min(4 * self._end, self._end + self._stage)))

    def _append(self, tree: Tree, start: int) -> None:
        """Tell a tree that its text goes on from a place."""
        old, new = self._point(start), self._point(self._end)
        tree.edit(start, start, self._end, old, old, new)

    def _point(self, offset: int) -> tuple[int, int]:
        row = self._text.count(b"\n", 0, offset)
        return row, offset - self._text.rfind(b"\n", 0, offset) - 1

    def _parsed(self, old: Tree | None) -> Tree | None:
        """The tree up to the end of the stage; ``None`` where that takes too many steps."""
        most = min(_LEAST + _STEPS * (self._end // _CHUNK + 1), self._budget.steps)
        self._steps_left = most
        tree = None
        with suppress(ValueError):  # what a parser that was stopped raises
            tree = (
                self._parser.parse(self._read, old, progress_callback=self._is_over)
                if old
                else self._parser.parse(self._read, progress_callback=self._is_over)
            )
        self._budget.steps -= most - max(self._steps_left, 0)
        return tree if self._steps_left >= 0 else None

    def _read(self, offset: int, _: object) -> bytes:
        """A piece of the text: for the parser, and later for who asks a node for its text.

        Lexers that look through the rest of the text for every token are counted here.
        """
        if self._parsing:
            self._steps_left -= 1
            if self._steps_left < 0:
                return b""
        return self._text[offset : min(offset + _CHUNK, self._end)]

    def _is_over(self, _offset: int, _has_error: bool) -> bool:
        self._steps_left -= 1
        return self._steps_left < 0 or self._clock() > self._deadline


def _is_open(text: bytes) -> bool:
    """Whether a text nests deeper, or goes on for longer without an end, than code does."""
    depth = angles = last = 0
    for match in _BOUNDARY.finditer(text):
        mark, at = match.group(), match.start()
        if mark in b";{}":
            if at - last > _LONGEST_STATEMENT:
                return True
            last, angles = at, 0
        if mark == b"<":
            angles += 1
        elif mark in b"([{":
            depth += 1
        elif mark in b")]}" and depth:
            depth -= 1
        if max(depth, angles) > _DEEPEST:
            return True
    return len(text) - last > _LONGEST_STATEMENT


def text_of(node: Node | None) -> str:
    """The text of a node; empty for none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")
