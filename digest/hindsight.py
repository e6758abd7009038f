"""What became of changes afterwards, as later facts tell it.

A change that was reverted or fixed soon after, brought to a release branch, named in release notes
or called useful did matter to somebody, whatever its grade said when it was merged. Imports values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from digest.facts.model import Facts
from digest.graded import Graded

SOON = timedelta(days=14)
"""A revert or a fix within so long tells of the change itself."""


class Fate(StrEnum):
    """What became of a change."""

    REVERTED = "reverted"
    HOTFIXED = "hotfixed"
    BACKPORTED = "backported"
    NAMED = "named"
    USEFUL = "useful"
    USELESS = "useless"


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """What is known from elsewhere than the changes themselves.

    ``backported`` are full names of commits and titles that stand on release branches too;
    ``named`` numbers of requests in release notes; ``useful`` and ``useless`` full names.
    """

    backported: frozenset[str] = frozenset()
    named: frozenset[int] = frozenset()
    useful: frozenset[str] = frozenset()
    useless: frozenset[str] = frozenset()


_FIX = re.compile(r"\b(?:bug ?fix|hot ?fix|fix(?:es|ed)?|regression|repair)\b", re.IGNORECASE)
_NUMBER_BEHIND = re.compile(r"(?: \([#!]\d+\))+$")
_NAMED_REQUEST = re.compile(r"(?<![\w/&])#(\d{1,9})\b|/(?:pull|pulls|merge_requests)/(\d{1,9})\b")


def named_in(notes: str) -> frozenset[int]:
    """The requests that release notes name, as ``#12`` or by their addresses."""
    return frozenset(int(one or other) for one, other in _NAMED_REQUEST.findall(notes))


def hindsight(changes: Sequence[Graded], later: Later) -> Mapping[str, frozenset[Fate]]:
    """The fates of changes by full name; one without any is not there.

    ``changes`` should reach ``SOON`` beyond those that are judged, so that their fates are known.
    """
    fates: dict[str, set[Fate]] = {}
    for sha, fate in (*_undone(changes), *_fixed(changes), *_told(changes, later)):
        fates.setdefault(sha, set()).add(fate)
    return {sha: frozenset(found) for sha, found in fates.items()}


def _undone(changes: Sequence[Graded]) -> Iterator[tuple[str, Fate]]:
    by_number = {g.number: g for g in changes if g.number is not None}
    by_sha = {g.sha[:7]: g for g in changes}
    by_title = {bare_title(g.title): g for g in changes}
    for change in changes:
        undone = change.facts.reverts
        if undone is None:
            continue
        found = by_sha.get(undone.sha[:7]) if undone.sha else None
        if found is None and undone.number is not None:
            found = by_number.get(undone.number)
        found = found or by_title.get(bare_title(undone.title))
        if found is not None and _soon(found, change):
            yield found.sha, Fate.REVERTED


def bare_title(title: str) -> str:
    """A title as a revert quotes it: no case, no number that a forge put behind it."""
    return _NUMBER_BEHIND.sub("", title).strip().casefold()


def _fixed(changes: Sequence[Graded]) -> Iterator[tuple[str, Fate]]:
    by_number = {g.number: g for g in changes if g.number is not None}
    for change in changes:
        if change.facts.reverts is None and _is_fix(change.facts):
            for number in change.facts.issues:
                found = by_number.get(number)
                if found is not None and _soon(found, change):
                    yield found.sha, Fate.HOTFIXED


def _is_fix(facts: Facts) -> bool:
    subject = facts.subject
    return subject.type == "fix" or any(
        _FIX.search(text) for text in (subject.words, *subject.tags)
    )


def _soon(change: Graded, after: Graded) -> bool:
    gone = after.commit.committed_at - change.commit.committed_at
    return change.sha != after.sha and timedelta() <= gone <= SOON


def _told(changes: Sequence[Graded], later: Later) -> Iterator[tuple[str, Fate]]:
    titles: Collection[str] = later.backported
    for change in changes:
        if change.sha in later.backported or change.commit.subject in titles:
            yield change.sha, Fate.BACKPORTED
        if change.number in later.named:
            yield change.sha, Fate.NAMED
        if change.sha in later.useful:
            yield change.sha, Fate.USEFUL
        if change.sha in later.useless:
            yield change.sha, Fate.USELESS
