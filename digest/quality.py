"""How grades did against what became of the changes, and which thresholds would have done better.

*Mattered* is a change with any fate but being called useless; a fate says that somebody was
reached, its absence says little, so precision is a lower bound. Imports ``hindsight`` and values.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from digest.grade import Level, Thresholds
from digest.graded import Graded
from digest.hindsight import Fate

LEAST = 30
"""Of fewer changes that mattered no threshold is proposed: chance would choose it."""

_HIGH_SHARE = 0.2
"""At most so many of all changes are to be high: a post of eight on a day of forty is read."""

_MEDIUM_RECALL = 0.9
"""So many of those that mattered are to be medium at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One level: how many changes, how many mattered, and the fates."""

    level: Level
    changes: int
    mattered: int
    fates: Mapping[Fate, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Thresholds with what they would have done: shares of those that mattered, changes a level."""

    thresholds: Thresholds
    high_recall: float
    high_precision: float
    medium_recall: float
    levels: Mapping[Level, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """The grades of a window in hindsight.

    ``auc`` is the chance that a change that mattered scored above one that did not (ROC AUC), or
    ``None`` where there is only one sort. ``missed`` are the low ones that mattered, the lowest
    score first. ``proposal`` is ``None`` where too little is known.
    """

    rows: tuple[Row, ...]
    auc: float | None
    missed: tuple[Graded, ...]
    now: Proposal
    proposal: Proposal | None


def quality(
    changes: Sequence[Graded], fates: Mapping[str, frozenset[Fate]], thresholds: Thresholds
) -> Quality:
    """Hold the grades of changes against their fates."""
    mattered = [g for g in changes if fates.get(g.sha, frozenset()) - {Fate.USELESS}]
    names = {g.sha for g in mattered}
    other = [g.grade.score for g in changes if g.sha not in names]
    scores = [g.grade.score for g in mattered]
    enough = len(mattered) >= LEAST and bool(other)
    low = sorted((g for g in mattered if g.grade.level is Level.LOW), key=lambda g: g.grade.score)
    return Quality(
        rows=tuple(_row(level, changes, names, fates) for level in Level),
        auc=_auc(scores, other),
        missed=tuple(low),
        now=_outcome(thresholds, scores, other),
        proposal=_outcome(_propose(scores, other), scores, other) if enough else None,
    )


def _row(
    level: Level,
    changes: Sequence[Graded],
    mattered: set[str],
    fates: Mapping[str, frozenset[Fate]],
) -> Row:
    group = [g.sha for g in changes if g.grade.level is level]
    counted = Counter(fate for sha in group for fate in fates.get(sha, ()))
    return Row(
        level=level, changes=len(group), mattered=len(mattered.intersection(group)), fates=counted
    )


def _auc(scores: Sequence[float], other: Sequence[float]) -> float | None:
    """The share of pairs in their right order, a tie half: Mann and Whitney's U over its most."""
    if not scores or not other:
        return None
    row = sorted(other)
    places = sum(bisect_left(row, score) + bisect_right(row, score) for score in scores)
    return places / 2 / (len(scores) * len(row))


def _propose(scores: Sequence[float], other: Sequence[float]) -> Thresholds:
    """High where F1 is best among those of a bearable share; medium where recall is enough."""
    every = sorted({*scores, *other}, reverse=True)
    total = len(scores) + len(other)
    best, high = -1.0, every[0]
    for cut in every:
        hits = sum(s >= cut for s in scores)
        shown = hits + sum(s >= cut for s in other)
        if shown > max(1.0, _HIGH_SHARE * total):
            break
        f1 = 2 * hits / (shown + len(scores))
        if f1 > best:
            best, high = f1, cut
    lowest = sorted(scores)[int((1 - _MEDIUM_RECALL) * len(scores))]
    return Thresholds(high=_down(high), medium=_down(min(high, lowest)))


def _down(score: float) -> float:
    """A threshold to two digits that the score still reaches."""
    return int(score * 100) / 100


def _outcome(thresholds: Thresholds, scores: Sequence[float], other: Sequence[float]) -> Proposal:
    high = sum(s >= thresholds.high for s in scores)
    medium = sum(s >= thresholds.medium for s in scores)
    shown = high + sum(s >= thresholds.high for s in other)
    above = medium + sum(s >= thresholds.medium for s in other)
    return Proposal(
        thresholds=thresholds,
        high_recall=high / len(scores) if scores else 0.0,
        high_precision=high / shown if shown else 0.0,
        medium_recall=medium / len(scores) if scores else 0.0,
        levels={
            Level.HIGH: shown,
            Level.MEDIUM: above - shown,
            Level.LOW: len(scores) + len(other) - above,
        },
    )
