"""What a query selects, counted, with one page of it: all that an answer shows of it.

Imports values only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from digest.facts.model import Area
from digest.grade import Level
from digest.graded import Graded

PAGE = 10
"""Changes on a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The changes that meet a query, counted by level and by area, and a page of them.

    What is not in ``levels`` or ``areas`` counts 0. ``page`` holds the changes of the places
    ``first`` (from 0) and after, the weightiest first: by level, by score, then the newest.
    """

    total: int = 0
    levels: Mapping[Level, int]
    areas: Mapping[Area, int]
    first: int = 0
    page: tuple[Graded, ...] = ()


def survey_of(found: Sequence[Graded], page: int = 1) -> Survey:
    """The survey of changes that are all at hand, in any order."""
    first = first_of(page, len(found))
    return Survey(
        total=len(found),
        levels=Counter(graded.grade.level for graded in found),
        areas=Counter(area_of(graded) for graded in found),
        first=first,
        page=tuple(weightiest_first(found)[first : first + PAGE]),
    )


def first_of(page: int, total: int) -> int:
    """The place of the first change of a page, which counts from 1; beyond the last is the last."""
    last = max(-(-total // PAGE), 1)
    return PAGE * (min(max(page, 1), last) - 1)


def weightiest_first(found: Sequence[Graded]) -> list[Graded]:
    """By level, then by score, then the newest first; of one moment by name, the last first."""
    newest = sorted(found, key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    return sorted(newest, key=lambda g: (g.grade.level.rank, -g.grade.score))


def area_of(graded: Graded) -> Area:
    """The area that most changed lines are in: code for a change without files."""
    return next(iter(graded.facts.areas), Area.CORE)
