"""The tree-sitter grammars, loaded on first use, and parsing with a budget."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
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

_CHUNK = 1_024  # bytes that the parser reads at a time
_NAME = 128  # bytes read at a time for the text of a node, which is usually a name or a type
_STEPS = 50
_LEAST = 100
"""The cost limit of a text: ``_LEAST`` steps and ``_STEPS`` for each ``_CHUNK`` bytes. A step is a
hundred operations of the parser, or a chunk that its lexer reads. Of 13,000 source files of 17
projects none takes more than 25 steps a chunk, and the median takes 6."""

_SECONDS = 0.03
_SECONDS_A_BYTE = 4e-6
"""Processor time per byte of the text parsed so far: with errors even steps may be slow. Parsed in
stages, the slowest of the same files take 2 microseconds a byte, and the median 0.2."""

_CLOCKED = 8  # steps from one look at the clock to the next
_STAGE = 3_072  # bytes by which an open text grows from one stage to the next
_AMBIGUOUS = frozenset({"c", "cpp"})
"""Grammars that can reuse almost no node of the previous stage: their stages are twice as large."""

_MARKS = b"()[]<>;{}"
_OTHERS = bytes(set(range(256)) - set(_MARKS))
_ENDS = bytes.maketrans(b"{}", b";;")
_PAIRS = (b"()", b"[]", b"{}")
_DEEPEST = 100
_LONGEST_STATEMENT = 16_384
"""Open brackets, and bytes without a semicolon or brace, that code hardly ever has."""


class TooComplex(Exception):
    """A text needs more steps or time than its length allows."""


@dataclass(slots=True)
class ParseBudget:
    """The remaining budget of one change, and the paths of its files that were not parsed.

    ``clock`` returns processor time; without it only steps are counted.
    """

    clock: Callable[[], float] | None = None
    steps: int = 150_000
    seconds: float = 10.0
    unparsed: set[str] = field(default_factory=set)


@cache
def _language(name: str) -> Language:
    from tree_sitter import Language  # questions to the archive parse nothing

    module, function = _GRAMMARS[name]
    return Language(getattr(import_module(module), function)())


def _parser(grammar: str) -> Parser:
    from tree_sitter import Parser

    return Parser(_language(grammar))


class Known(NamedTuple):
    """A text with its tree, and on which lines another one differs, as half-open pairs of both."""

    text: str
    tree: Tree
    places: Sequence[tuple[tuple[int, int], tuple[int, int]]]


def parse(
    text: str,
    grammar: str,
    budget: ParseBudget | None = None,
    known: Known | None = None,
) -> Tree:
    """The tree of a text; broken text gives a tree with error nodes. Raises ``TooComplex``.

    ``grammar`` is a language's name, or ``tsx``. Most nodes of a ``known`` tree are taken over, not
    of one with errors: they might differ from those of a single parse.

    At the end of a text that is open in many places the parser may work for minutes without
    checking whether to go on, in cubic time. So such a text is parsed in stages, each from the tree
    of the one before, and a costly end is found while the text is short. That takes longer, and the
    last tree equals that of a single parse.
    """
    budget = budget or ParseBudget()
    run = _Run(text.encode("utf-8", "replace"), grammar, budget)
    whole = known and text and grammar not in _AMBIGUOUS and not run.is_open
    if known and whole and not known.tree.root_node.has_error:
        if (edited := _edited(known, run.text)) is None:
            return run.tree()
        tree = run.tree(edited)
        if not tree.root_node.has_error:
            return tree
        run = _Run(run.text, grammar, budget)
    return run.tree()


def _edited(known: Known, new: bytes) -> Tree | None:
    """A copy of a tree that knows where another text differs; ``None`` if that is elsewhere too."""
    olds, news = known.text.encode("utf-8", "replace").split(b"\n"), new.split(b"\n")
    edits: list[tuple[int, int, int, tuple[int, int], tuple[int, int], tuple[int, int]]] = []
    offset = old = fresh = 0
    for (a, b), (c, d) in known.places:
        if a < old or olds[old:a] != news[fresh:c]:
            return None
        offset += _length(olds[old:a])
        ends = offset + _length(olds[a:b]), offset + _length(news[c:d])
        edits.append((offset, *ends, (a, 0), (b, 0), (a + d - c, 0)))
        offset, old, fresh = ends[0], b, d
    if not olds[old:] or olds[old:] != news[fresh:]:
        return None
    copied = known.tree.copy()
    for edit in reversed(edits):  # from the end, so that what is above keeps its place
        copied.edit(*edit)
    return copied


def _length(lines: Sequence[bytes]) -> int:
    """The bytes of lines with their ends."""
    return sum(map(len, lines)) + len(lines)


class _Run:
    """The parsing of one text."""

    def __init__(self, text: bytes, grammar: str, budget: ParseBudget) -> None:
        self.text = text
        self._budget = budget
        # Parsers are cheap and bound to one thread: others run during the callbacks.
        self._parser = _parser(grammar)
        self.is_open = _is_open(text)
        self._stage = (_STAGE << (grammar in _AMBIGUOUS)) if self.is_open else len(text)
        self._clock = budget.clock or float
        self._parsing = True
        self._end = 0
        self._steps_left = 0
        self._deadline = 0.0

    def tree(self, tree: Tree | None = None) -> Tree:
        """The tree of the whole text; a text that is not open may begin with an edited ``tree``."""
        began = self._clock()
        while self._end < len(self.text) or tree is None:
            start, self._end = self._end, self._next()
            if tree is not None and start:
                # The text goes on there. Only bytes count: new text gets its rows when it is read.
                anywhere = tree.root_node.start_point
                tree.edit(start, start, self._end, anywhere, anywhere, anywhere)
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
        if self._stage == len(self.text):
            return self._stage
        return min(len(self.text), max(_CHUNK, min(4 * self._end, self._end + self._stage)))

    def _parsed(self, old: Tree | None) -> Tree | None:
        """The tree up to the end of the stage; ``None`` if that takes too many steps."""
        most = min(_LEAST + _STEPS * (self._end // _CHUNK + 1), self._budget.steps)
        self._steps_left = most
        tree = None
        with suppress(ValueError):  # raised by a stopped parser
            tree = (
                self._parser.parse(self._read, old, progress_callback=self._is_over)
                if old
                else self._parser.parse(self._read, progress_callback=self._is_over)
            )
        self._budget.steps -= most - max(self._steps_left, 0)
        return tree if self._steps_left >= 0 else None

    def _read(self, offset: int, _: object) -> bytes | bytearray:
        """A piece of the text; lexers that read the rest of it for every token are counted here."""
        if self._parsing:
            self._steps_left -= 1
            if self._steps_left < 0:
                return b""
            return _lent(self.text[offset : min(offset + _CHUNK, self._end)])
        return self.text[offset : min(offset + _NAME, self._end)]

    def _is_over(self, _offset: int, _has_error: bool) -> bool:
        self._steps_left -= 1
        late = self._steps_left % _CLOCKED == 0 and self._clock() > self._deadline
        return self._steps_left < 0 or late


class _Buffers(threading.local):
    """Buffers of one thread, by their length."""

    def __init__(self) -> None:
        self.of_length: dict[int, bytearray] = {}


_buffers = _Buffers()


def _lent(piece: bytes) -> bytearray:
    """A piece of a text in the buffer that all pieces of its length use, one after the other.

    tree-sitter 0.26 never releases an object that it reads from, and needs it until the next read
    only. With an object for each piece a process would keep every text that it has ever parsed.
    """
    buffer = _buffers.of_length.setdefault(len(piece), bytearray(piece))
    buffer[:] = piece
    return buffer


def _is_open(text: bytes) -> bool:
    """Whether a text nests deeper, or continues longer without an end, than code does."""
    if max(map(len, text.translate(_ENDS).split(b";"))) > _LONGEST_STATEMENT:
        return True
    marks = text.translate(None, _OTHERS)
    if max(one.count(b"<") for one in marks.translate(_ENDS).split(b";")) > _DEEPEST:
        return True
    marks = marks.translate(None, b"<>;")
    for _ in range(_DEEPEST):
        rest = marks
        for pair in _PAIRS:
            rest = rest.replace(pair, b"")
        if rest == marks:
            return len(rest) - sum(map(rest.count, (b")", b"]", b"}"))) > _DEEPEST
        marks = rest
    return True


# After a colon and the like a brace opens a type, not a body.
_HEAD = re.compile(r"[^#\n][^\n]{0,300}?\)(?:[^\n;{}()]{0,80}[^\n;{}():=|&,<\s])?[ \t]*\{")
_MOST_FAILURES = 200  # headers without a body of the usual form after which a text is left as it is
_OPEN_HEAD = 30  # lines of a header that are searched for its first one

_OWNS = re.compile(
    r"\b(?:class|struct|impl|trait|interface|enum|union|namespace|mod|module|extern|type|record)\b"
)
_EVEN = ('"', "`")
_BALANCED = (("/*", "*/"), ("#if", "#endif"))


@cache
def shallow(depth: int) -> re.Pattern[str]:
    """A line that is not indented deeper than ``depth``."""
    return re.compile(rf"\n[ \t]{{0,{depth}}}[^\s#]")


def bodies(text: str, *, values: bool = False) -> list[tuple[int, int]]:
    """The lines between the braces of functions, as pairs of offsets, as indentation shows them.

    The offsets are those of the line ends before the first line and after the last one. Blocks that
    may not be bodies are left out. ``values``: functions may be values of fields, and those
    inside of something are left out.
    """
    found: list[tuple[int, int]] = []
    failures = 0
    brace = text.find("{\n")
    while brace >= 0 and failures < _MOST_FAILURES:
        opened, brace = brace + 1, text.find("{\n", brace + 1)
        line = text.rfind("\n", 0, opened) + 1
        if not _HEAD.fullmatch(text, line, opened):
            continue
        start = _first_line(text, line, opened)
        header = text[start:opened]
        indent = header[: len(header) - len(header.lstrip(" \t"))]
        if _OWNS.search(header) or (values and indent and "=" in header):
            continue
        end = text.find(f"\n{indent}}}", opened)
        if (
            end < 0
            or shallow(len(indent)).search(text, opened, end)
            or not _is_balanced(text[opened:end])
        ):
            failures += 1
            continue
        found.append((opened, end))
        brace = text.find("{\n", end)
    return found


def _is_balanced(body: str) -> bool:
    """Whether no string, comment or condition extends beyond a body."""
    return all(body.count(mark) % 2 == 0 for mark in _EVEN) and all(
        body.count(one) == body.count(other) for one, other in _BALANCED
    )


def without(text: str, places: list[tuple[int, int]]) -> str:
    """The text with only the line ends of some places, so that lines keep their numbers.

    Declarations need no bodies, and a file is parsed several times faster without them.
    """
    pieces: list[str] = []
    done = 0
    for first, last in places:
        pieces += (text[done:first], "\n" * text.count("\n", first, last))
        done = last
    return "".join((*pieces, text[done:]))


def _first_line(text: str, start: int, end: int) -> int:
    """The start of the line on which the round brackets of ``text[start:end]`` begin."""
    depth = text.count(")", start, end) - text.count("(", start, end)
    for _ in range(_OPEN_HEAD):
        if depth <= 0 or not start:
            break
        above = text.rfind("\n", 0, start - 1) + 1
        depth += text.count(")", above, start) - text.count("(", above, start)
        start = above
    return start


def text_of(node: Node | None) -> str:
    """The text of a node; empty for none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")
