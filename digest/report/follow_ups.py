"""Follow-ups: later changes of a window that fix, extend or continue an earlier one.

A digest names them with the first change instead of giving each a line. Only what the author says
counts: a reference with words such as "follow-up to #12", or parts of one series. A follow-up that
matters more than the first change, or that users must act on, keeps its own line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from digest.core.grade import Graded
from digest.report.assembly import ReportEntry

_LONGEST = 10_000  # characters of a message
_REFERENCE = re.compile(
    r"\b(?:follow(?:s|ing|ed)?[- ]?ups?(?: (?:change|fix|pr))?(?: (?:to|of|on|for|from))?"
    r"|builds? on|on top of|introduced (?:in|by)|regress(?:ed|ion)(?: (?:in|from|of|by))?"
    r"|broken (?:in|by|since)|caused by|missed in|missing (?:in|from)|leftovers? (?:of|from)"
    r"|fix(?:es|ed|up)?(?: for)?|amends?|continu(?:es|ed|ing|ation of)|extends?)"
    r":? (?:pr |pull request )?(#\d{1,9}(?:(?:, | and |, and )#\d{1,9}){0,4})(?!\d)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"#(\d{1,9})")
_SAME = 2
"""Words at the start of the titles that the parts of one series share."""


def follow_ups(entries: Sequence[ReportEntry]) -> Mapping[str, tuple[ReportEntry, ...]]:
    """The follow-ups of changes, oldest first, by the full name of the first change.

    ``entries`` are newest first. Each is a follow-up of one change at most.
    """
    heads: dict[str, ReportEntry] = {}
    numbers: dict[int, ReportEntry] = {}
    series: dict[tuple[object, ...], ReportEntry] = {}
    found: dict[str, list[ReportEntry]] = {}
    for entry in reversed(entries):
        graded = entry.graded
        key = series_of(graded)
        named = (numbers[n] for n in _referred(graded) if n in numbers)
        first = next(named, None) or (series.get(key) if key else None)
        head = heads.get(first.graded.sha, first) if first else None
        if head and entry.acts <= head.acts and entry.level.rank >= head.level.rank:
            heads[graded.sha] = head
            found.setdefault(head.graded.sha, []).append(entry)
        if graded.number is not None:
            numbers[graded.number] = entry
        if key:
            series.setdefault(key, entry)
    return {sha: tuple(rest) for sha, rest in found.items()}


def _referred(graded: Graded) -> list[int]:
    """The numbers of which the message says that the change follows them up."""
    text = graded.commit.message[:_LONGEST]
    return [int(n) for found in _REFERENCE.findall(text) for n in _NUMBER.findall(found)]


def series_of(graded: Graded) -> tuple[object, ...]:
    """A key that the parts of one series share; empty for a change outside of one.

    Without a known number of parts, or a tag, the first words of the titles tell series apart.
    """
    subject = graded.facts.subject
    if subject.series is None:
        return ()
    total, tags = subject.series.total, tuple(tag.casefold() for tag in subject.tags)
    known = total and (tags or subject.scope)
    first = () if known else subject.words.casefold().split()[:_SAME]
    return (graded.commit.email, tags, subject.scope, total, *first)
