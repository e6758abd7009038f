"""The similarity of names and texts, by which a removed thing and an added one are one renamed."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate, islice


def last_part(name: str) -> str:
    """The last part of a qualified name: ``c`` of ``a.b.c`` and of ``a::b::c``."""
    return re.split(r"[.:]+", name)[-1]


def last(name: str) -> str:
    """The last part of a name as program text writes it: ``max_len`` for ``--max-len``."""
    return name.rpartition(".")[2].lstrip("-").replace("-", "_")


def endings(name: str) -> tuple[str, ...]:
    """What a dotted name ends with below a prefix that code may add, if that is no common word."""
    parts = name.split(".")
    ends = (".".join(parts[at:]) for at in range(1, len(parts)))
    return tuple(end for end in ends if len(end) >= _TELLING)


_TELLING = 8  # characters


def spelled(name: str) -> str:
    """A name regardless of the case and the marks between its words."""
    return name.replace("-", "").replace("_", "").casefold()


_OPPOSITES = (
    {"new", "old"},
    {"enable", "disable"},
    {"enabled", "disabled"},
    {"allow", "deny"},
    {"include", "exclude"},
    {"min", "max"},
    {"start", "stop"},
    {"legacy", "new"},
    {"with", "without"},
    *({word} for word in ("disable", "disabled", "skip")),
)
_DIRECTIONS = (("incoming", "outgoing"), ("input", "output"), ("read", "write"))
"""Words of opposite meaning, whatever else differs between two names."""

_COUNTED = frozenset(
    """
    bytes bits chunks entries errors failures hits lines messages misses records requests rows
    samples series tokens
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
)
"""What names count: of two that count different things, one is no rename of the other."""

NAME_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def is_opposite(one: str, other: str) -> bool:
    """Whether two names differ in words of opposite meaning, so that one is no rename."""
    words = [{w.lower() for w in NAME_WORDS.findall(name)} for name in (one, other)]
    counted = (side - there & _COUNTED for side, there in (words, words[::-1]))
    crossed = any(
        one in words[here] and other in words[not here] and {one, other} <= words[0] ^ words[1]
        for one, other in _DIRECTIONS
        for here in (False, True)
    )
    return crossed or (words[0] ^ words[1]) in _OPPOSITES or all(counted)


class Comparison:
    """Measures the similarity of texts within a number of steps that their content cannot raise.

    Texts that need more steps are not similar. Once all steps are used, nothing is.
    """

    def __init__(self, steps: int = 1_000_000) -> None:
        self._steps = steps

    def ratio(
        self, one: Sequence[str], other: Sequence[str], least: float = 0.0, *, autojunk: bool = True
    ) -> float:
        """The share of equal parts as :mod:`difflib` defines it; 0 for those below the least."""
        size = len(one) + len(other)
        there = Counter(other)
        if 2 * (Counter(one) & there).total() < least * size:
            return 0.0
        matcher = SequenceMatcher(None, one, other, autojunk)
        most = len(other) // 100 + 1 if autojunk and len(other) >= 200 else size
        costs = [*accumulate((1 + there[p] * (there[p] <= most) for p in one), initial=0)]
        equal, left = 0, min(self._steps, _STEPS * size)
        self._steps -= left
        waiting = [(0, len(one), 0, len(other))]
        while waiting:
            first, last, start, end = waiting.pop()
            left -= costs[last] - costs[first]
            if left < 0:
                return 0.0
            at, place, length = matcher.find_longest_match(first, last, start, end)
            equal += length
            if length:
                rest = (first, at, start, place), (at + length, last, place + length, end)
                waiting += [(a, b, c, d) for a, b, c, d in rest if a < b and c < d]
        self._steps += left
        return 2 * equal / size if size else 1.0


_STEPS = 100  # of a comparison, for each part of the texts


def common_start(one: str, other: str) -> int:
    """The number of characters with which two texts begin alike."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


class Worded:
    """Lines by their words, among which one with nearly the same words is soon found."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._having = defaultdict[str, list[set[str]]](list)
        for line in lines:
            words = set(_WORDS.findall(line))
            for word in words if len(words) >= _SEVERAL else ():
                self._having[word].append(words)

    def has(self, line: str) -> bool:
        """Whether a line was only worded in another way."""
        own = set(_WORDS.findall(line))
        # Of so many words at least one is in a line with nearly the same words.
        rarest = sorted(own, key=lambda word: len(self._having.get(word, ())))
        rarest = rarest[: len(own) - math.ceil(_SAME * len(own)) + 1]
        others = (words for word in rarest for words in self._having.get(word, ()))
        compared = islice(others, _MOST_COMPARED)
        return any(len(own & words) >= _SAME * len(own | words) for words in compared)


_WORDS = re.compile(r"\w+")
_SEVERAL = 6  # words of a line that is known again though some differ
_SAME = 0.75  # share of the words of two lines that are one, worded in two ways
_MOST_COMPARED = 200  # lines that share rare words with another
