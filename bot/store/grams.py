"""Texts as runs of up to three characters, each a number, for the index that PostgreSQL keeps.

The repository that a text is of is one more number among those of its runs, so that the index finds
what one repository holds without looking at all others. Two of them may share a number: whatever
the index finds is read for the terms themselves, and asked for its repository.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

from bot.store.fulltext import GRAM

_MOST = 200
"""Runs that are asked for; what is found by so many is read through anyway."""

_MOST_KNOWN = 262_144


class _Numbers(dict[str, int]):
    """The numbers made so far: a repository has some ten thousand runs, over and over."""

    def __missing__(self, run: str) -> int:
        number = crc32(run.encode("utf-8", "replace")) - 2**31
        if len(self) < _MOST_KNOWN:
            self[run] = number
        return number


_number = _Numbers().__getitem__


def mark_of(repository: int) -> int:
    """The number that everything of a repository has, by the key of its row.

    What stands in databases is made by it: another rule needs a migration.
    """
    return crc32(b"repository %d" % repository) - 2**31


def grams_of(texts: Iterable[str]) -> list[int]:
    """The numbers of every run of one, two and three characters that texts hold."""
    held: set[str] = set()
    for text in texts:
        for length in range(1, GRAM + 1):
            held.update(_runs(text, length))
    return list(map(_number, held))


def asked(terms: Iterable[str]) -> list[int]:
    """The numbers of what every text must hold that holds the terms, a few hundred at most."""
    runs = dict.fromkeys(run for term in terms for run in _runs(term, min(len(term), GRAM)))
    return list(map(_number, list(runs)[:_MOST]))


def _runs(text: str, length: int) -> Iterable[str]:
    return map("".join, zip(*(text[start:] for start in range(length)), strict=False))
