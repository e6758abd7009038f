"""Outcomes of changes as later facts show them, how well grades predicted them, better thresholds.

A change that was reverted or fixed soon after, backported to a release branch, named in release
notes or marked useful mattered to somebody, whatever its grade was. The absence of an outcome says
little, so precision is a lower bound.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum

from digest.core.facts import Facts
from digest.core.grade import Graded, Level, Reason, Thresholds
from digest.core.patterns import lazy
from digest.frozen import frozen
from digest.grading.importance import FORCED, nearest, urgency

SOON = timedelta(days=14)  # reverts and fixes within this time count as an outcome of the change


class Outcome(StrEnum):
    """A later event that shows whether a change mattered."""

    REVERTED = "reverted"
    HOTFIXED = "hotfixed"
    BACKPORTED = "backported"
    NAMED = "named"
    USEFUL = "useful"
    USELESS = "useless"


@frozen
class LaterFacts:
    """Known facts that come from outside the changes themselves.

    ``backported`` are full commit names and titles that also occur on release branches; ``named``
    are numbers of requests in release notes; ``useful`` and ``useless`` are full commit names.
    """

    backported: frozenset[str] = frozenset()
    named: frozenset[int] = frozenset()
    useful: frozenset[str] = frozenset()
    useless: frozenset[str] = frozenset()


_FIX = lazy(r"\b(?:bug ?fix|hot ?fix|fix(?:es|ed)?|regression|repair)\b", re.IGNORECASE)
_NUMBER_BEHIND = lazy(r"(?: \([#!]\d+\))+$")
_NAMED_REQUEST = lazy(r"(?<![\w/&])#(\d{1,9})\b|/(?:pull|pulls|merge_requests)/(\d{1,9})\b")


def named_in(notes: str) -> frozenset[int]:
    """The requests that release notes name, as ``#12`` or by URL."""
    return frozenset(int(number or other) for number, other in _NAMED_REQUEST.findall(notes))


def outcomes_of(changes: Sequence[Graded], later: LaterFacts) -> Mapping[str, frozenset[Outcome]]:
    """The outcomes of changes by full name; changes without any are left out.

    ``changes`` should extend ``SOON`` beyond those that are evaluated, so that their outcomes are
    known.
    """
    fates: dict[str, set[Outcome]] = {}
    undone = ((sha, Outcome.REVERTED) for sha in undone_by(changes))
    for sha, fate in (*undone, *_hotfixes(changes), *_known_outcomes(changes, later)):
        fates.setdefault(sha, set()).add(fate)
    return {sha: frozenset(outcomes) for sha, outcomes in fates.items()}


def undone_by(changes: Sequence[Graded]) -> dict[str, str]:
    """The full names of changes undone within ``SOON``, each with the change that undoes it."""
    by_number = {g.number: g for g in changes if g.number is not None}
    by_sha = {g.sha[:7]: g for g in changes}
    by_title = {bare_title(g.title): g for g in changes}
    pairs: dict[str, str] = {}
    for change in changes:
        undone = change.facts.reverts
        if undone is None:
            continue
        reverted = by_sha.get(undone.sha[:7]) if undone.sha else None
        if reverted is None and undone.number is not None:
            reverted = by_number.get(undone.number)
        reverted = reverted or by_title.get(bare_title(undone.title))
        if reverted is not None and _soon(reverted, change):
            pairs[reverted.sha] = change.sha
    return pairs


def bare_title(title: str) -> str:
    """A title as a revert quotes it: case-folded, without the number that a forge appends."""
    return _NUMBER_BEHIND.sub("", title).strip().casefold()


def _hotfixes(changes: Sequence[Graded]) -> Iterator[tuple[str, Outcome]]:
    by_number = {g.number: g for g in changes if g.number is not None}
    for change in changes:
        if change.facts.reverts is None and _is_fix(change.facts):
            for number in change.facts.issues:
                fixed = by_number.get(number)
                if fixed is not None and _soon(fixed, change):
                    yield fixed.sha, Outcome.HOTFIXED


def _is_fix(facts: Facts) -> bool:
    subject = facts.subject
    return subject.type == "fix" or any(
        _FIX.search(text) for text in (subject.words, *subject.tags)
    )


def _soon(change: Graded, after: Graded) -> bool:
    gone = after.commit.committed_at - change.commit.committed_at
    return change.sha != after.sha and timedelta() <= gone <= SOON


def _known_outcomes(changes: Sequence[Graded], later: LaterFacts) -> Iterator[tuple[str, Outcome]]:
    titles: Collection[str] = later.backported
    for change in changes:
        if change.sha in later.backported or change.commit.subject in titles:
            yield change.sha, Outcome.BACKPORTED
        if change.number in later.named:
            yield change.sha, Outcome.NAMED
        if change.sha in later.useful:
            yield change.sha, Outcome.USEFUL
        if change.sha in later.useless:
            yield change.sha, Outcome.USELESS


LEAST = 30  # minimum number of changes that mattered for a proposal; fewer would be chance
_HIGH_SHARE = 0.2  # maximum share of high changes: readers read a post of eight on a day of forty
_MEDIUM_RECALL = 0.9  # minimum share of the changes that mattered that should be at least medium


@frozen
class LevelOutcome:
    """One level: the number of changes, how many mattered, and their outcomes."""

    level: Level
    changes: int
    mattered: int
    fates: Mapping[Outcome, int]


@frozen
class Proposal:
    """Proposed thresholds, the shares of important changes they reach, and counts per level."""

    thresholds: Thresholds
    high_recall: float
    high_precision: float
    medium_recall: float
    levels: Mapping[Level, int]


@frozen
class Quality:
    """How the grades of a window compare with the outcomes.

    ``auc`` is the probability that a change that mattered scored above one that did not (ROC AUC);
    ``None`` if all changes are of one sort. ``missed`` are the low changes that mattered, lowest
    score first. ``proposal`` is ``None`` if too little is known.
    """

    rows: tuple[LevelOutcome, ...]
    auc: float | None
    missed: tuple[Graded, ...]
    now: Proposal
    proposal: Proposal | None


def quality(
    changes: Sequence[Graded], fates: Mapping[str, frozenset[Outcome]], thresholds: Thresholds
) -> Quality:
    """Compare the grades of changes with their outcomes."""
    mattered = [g for g in changes if fates.get(g.sha, frozenset()) - {Outcome.USELESS}]
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
    fates: Mapping[str, frozenset[Outcome]],
) -> LevelOutcome:
    group = [g.sha for g in changes if g.grade.level is level]
    counted = Counter(fate for sha in group for fate in fates.get(sha, ()))
    return LevelOutcome(
        level=level, changes=len(group), mattered=len(mattered.intersection(group)), fates=counted
    )


def _auc(scores: Sequence[float], other: Sequence[float]) -> float | None:
    """The share of pairs in the right order, ties as half: Mann-Whitney U over its maximum."""
    if not scores or not other:
        return None
    row = sorted(other)
    places = sum(bisect_left(row, score) + bisect_right(row, score) for score in scores)
    return places / 2 / (len(scores) * len(row))


def _propose(scores: Sequence[float], other: Sequence[float]) -> Thresholds:
    """High is where F1 is best within the allowed share; medium is where recall suffices."""
    every = sorted({*scores, *other}, reverse=True)
    total = len(scores) + len(other)
    best, high = -1.0, every[0]
    for cut in every:
        hits = sum(s >= cut for s in scores)
        shown = hits + sum(s >= cut for s in other)
        if shown > _HIGH_SHARE * total:
            break
        f1 = 2 * hits / (shown + len(scores))
        if f1 > best:
            best, high = f1, cut
    lowest = sorted(scores)[int((1 - _MEDIUM_RECALL) * len(scores))]
    return Thresholds(high=_down(high), medium=_down(min(high, lowest)))


def _down(score: float) -> float:
    """The score rounded down to two digits, so that it still reaches the threshold."""
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


UNDONE = "undone_in_window"
UNDOES = "undoes_in_window"
CROWDED = "crowded"
_ROOM = 5  # one in this many changes may be high: eight of forty
_FEW = 5  # the number of high changes that a window always has room for, however small it is


def of_window(
    changes: Sequence[Graded], thresholds: Thresholds | None = None
) -> tuple[Graded, ...]:
    """The changes of one window, with the grades that they have beside each other.

    A change and the one that undoes it are both set to low, since nothing remains of such a pair; a
    change that undoes one from before the window keeps its grade. Of more high changes than a
    reader has time for, the less urgent are set to medium.
    """
    least = thresholds or Thresholds()
    return _without_crowd(_without_pairs(changes, least), least)


def beside(
    graded: Graded, names: Sequence[str], known: Mapping[str, Graded], least: Thresholds | None
) -> Graded:
    """A change with the grade that it has among the named ones; alone if not all are ``known``."""
    others = {**known, graded.sha: graded}
    if graded.sha not in names or any(name not in others for name in names):
        return graded
    window = of_window([others[name] for name in names], least)
    return next(one for one in window if one.sha == graded.sha)


def lowered_by(graded: Graded, among: Graded) -> tuple[Reason, ...]:
    """Why :func:`beside` lowered the grade of a change."""
    return tuple(r for r in among.grade.reasons if r not in graded.grade.reasons)


def _without_pairs(changes: Sequence[Graded], least: Thresholds) -> tuple[Graded, ...]:
    names = {graded.sha: graded for graded in changes}
    lowered: dict[str, Graded] = {}
    pairs = sorted(undone_by(changes).items(), key=lambda p: names[p[0]].commit.committed_at)
    for undone, by in pairs:
        if undone in lowered or by in lowered:
            continue  # applied again later: the last change counts
        lowered[undone] = _lower_to(names[undone], Level.LOW, UNDONE, names[by].name, least)
        lowered[by] = _lower_to(names[by], Level.LOW, UNDOES, names[undone].name, least)
    return tuple(lowered.get(graded.sha, graded) for graded in changes)


def _without_crowd(changes: Sequence[Graded], least: Thresholds) -> tuple[Graded, ...]:
    high = [g for g in changes if g.grade.level is Level.HIGH and not _is_forced(g)]
    high.sort(key=lambda g: (-urgency(g.grade), -g.grade.score))
    over = {g.sha for g in high[max(_FEW, len(changes) // _ROOM) :]}
    return tuple(
        _lower_to(g, Level.MEDIUM, CROWDED, "", least) if g.sha in over else g for g in changes
    )


def _is_forced(graded: Graded) -> bool:
    """Whether a reader's own rule set the level."""
    return any(reason.rule == FORCED for reason in graded.grade.reasons)


def _lower_to(graded: Graded, level: Level, rule: str, subject: str, least: Thresholds) -> Graded:
    """The change at a lower level, with the nearest score and the reason for it."""
    score = nearest(graded.grade.score, level, least)
    reasons = (Reason(rule=rule, weight=0.0, subject=subject), *graded.grade.reasons)
    return replace(graded, grade=replace(graded.grade, score=score, level=level, reasons=reasons))
