"""Changes that are one effort, found by rule. Imports values only.

Joined are: parts of one series (``[2/3]`` and ``[3/3]`` under the same tags), a change and what
undoes it or brings it back, and a change and one whose message refers to its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digest.facts.model import Undone
from digest.graded import Graded


def efforts(changes: Sequence[Graded]) -> tuple[tuple[Graded, ...], ...]:
    """The efforts of at least two changes, each in the order of ``changes``; so are the efforts."""
    roots = list(range(len(changes)))

    def root(at: int) -> int:
        while roots[at] != at:
            roots[at] = roots[roots[at]]
            at = roots[at]
        return at

    for one, other in _links(changes):
        low, high = sorted((root(one), root(other)))
        roots[high] = low
    groups: dict[int, list[Graded]] = {}
    for at, graded in enumerate(changes):
        groups.setdefault(root(at), []).append(graded)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _links(changes: Sequence[Graded]) -> Iterator[tuple[int, int]]:
    """Pairs of indexes that belong together."""
    numbers = {g.number: at for at, g in enumerate(changes) if g.number is not None}
    series: dict[tuple[object, ...], int] = {}
    for at, graded in enumerate(changes):
        facts = graded.facts
        for number in facts.issues:
            if number in numbers and numbers[number] != at:
                yield at, numbers[number]
        for undone in (facts.reverts, facts.relands):
            if undone is not None:
                yield from ((at, other) for other in _undone(undone, changes) if other != at)
        if key := _series(graded):
            yield at, series.setdefault(key, at)


def _undone(undone: Undone, changes: Sequence[Graded]) -> Iterator[int]:
    """The changes that a revert or re-land names: by number, by commit, else by title."""
    for at, graded in enumerate(changes):
        if undone.number is not None:
            same = graded.number == undone.number
        elif undone.sha:
            same = graded.sha.startswith(undone.sha)
        else:
            same = bool(undone.title) and graded.title.startswith(undone.title)
        if same:
            yield at


def _series(graded: Graded) -> tuple[object, ...]:
    """What the parts of one series have in common, or empty."""
    subject = graded.facts.subject
    if subject.series is None:
        return ()
    tags = tuple(tag.casefold() for tag in subject.tags)
    if tags or subject.scope:
        return (tags, subject.scope, subject.series.total)
    # Without a tag the author and the first word tell: "[1/2] Pooling: ...".
    first = subject.words.split(maxsplit=1)[:1]
    return (graded.commit.email, graded.commit.author, *map(str.casefold, first))
