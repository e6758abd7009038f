"""Listings: the changes that a query selects, counted, with one page of them.

Also finds which changes a document lists, in the order in which a reader sees them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from digest.core.change import printable
from digest.core.enums import Language
from digest.core.facts import Area
from digest.core.grade import Graded, Level, Repository
from digest.document import Block, Document, Heading, Item, Link, Listing, Paragraph, Spans, plain
from digest.frozen import frozen
from digest.i18n.phrase import join
from digest.report.blocks import run, title_link

if TYPE_CHECKING:
    from digest.core.statement import Analysis

PAGE = 10  # changes on a page
_SOME_CODE = 0.1  # the share of changed lines in code from which a change belongs to the code
LINES_VERSION = 17
"""Increased when lines of changes are worded differently, so that stored ones are replaced."""


@frozen
class ListedChange:
    """A change on a page, its area, and a line on its effect."""

    graded: Graded
    area: Area
    line: Spans


@frozen
class Listed:
    """The changes that meet a query, counted by level and by area (0 if absent), and a page."""

    total: int = 0
    levels: Mapping[Level, int]
    areas: Mapping[Area, int]
    first: int = 0  # the position of the page, from 0
    page: tuple[ListedChange, ...] = ()  # the most important first: by level, score, then date


def survey_of(
    changes: Sequence[Graded], page: int, language: Language, *, ranked: bool = False
) -> Listed:
    """The listing of changes in memory, in any order; a page beyond the last is the last."""
    # ``page`` counts from 1, and 0 is none. ``ranked`` changes keep their order, not grouped.
    first = first_of(page, len(changes))
    order = changes if ranked else weightiest_first(changes)
    shown = order[first : first + PAGE] if page else ()
    return Listed(
        total=len(changes),
        levels=Counter(graded.grade.level for graded in changes),
        areas={} if ranked else Counter(area_of(graded) for graded in changes),
        first=first,
        page=tuple(
            ListedChange(graded=graded, area=area_of(graded), line=line_of(graded, language))
            for graded in shown
        ),
    )


NOTHING_FOUND = Listed(levels={}, areas={})


def first_of(page: int, total: int, size: int = PAGE) -> int:
    """The position of the first change of a page (from 1); a page beyond the last is the last."""
    last = max(-(-total // size), 1)
    return size * (min(max(page, 1), last) - 1)


def weightiest_first(changes: Sequence[Graded]) -> list[Graded]:
    """By level, then by score, then the newest first; at equal times by name, descending."""
    newest = sorted(changes, key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    return sorted(newest, key=lambda g: (g.grade.level.rank, -g.grade.score))


def line_of(graded: Graded, language: Language, told: Analysis | None = None) -> Spans:
    """The effect of a change in a line, by its gist; for a low change the title is enough."""
    if graded.grade.level is Level.LOW:
        return ()
    # Archives keep these lines: most answers analyse nothing.
    from digest.analysis.analyse import gist
    from digest.report.assembly import duty
    from digest.report.condensed import why

    facts = told or gist(graded, language)
    consequence, (_, todo) = why(graded, facts, language), duty(graded, facts)
    gap = " " if consequence and language is Language.EN else ""
    return join(["👉 ", *todo, gap, *consequence]) if todo else consequence


def line_within(graded: Graded, wanted: str, language: Language) -> Spans:
    """The effect of a change under a path as shown, in a line; its effect elsewhere if none."""
    from digest.analysis.analyse import analyse
    from digest.report.condensed import why

    facts = graded.facts
    files = tuple(f for f in facts.files if _is_under(f.path, f.old_path, wanted))
    if not files:
        return line_of(graded, language)
    paths = {path for f in files for path in (f.path, f.old_path) if path}
    items = tuple(i for i in facts.items if i.evidence.path in paths)
    # The author's words describe the whole change, but the reader asked about a part of it.
    clues = tuple(c for c in facts.clues if c.evidence.path in paths)
    part = replace(facts, files=files, items=items, clues=clues, paragraphs=())
    grade = replace(
        graded.grade, level=min(graded.grade.level, Level.MEDIUM, key=attrgetter("rank"))
    )
    narrowed = replace(graded, facts=part, grade=grade)
    told = analyse(narrowed, language)
    whole = replace(told, summary=(*told.summary, *told.insights, *told.impact))
    return why(narrowed, whole, language) or run(told.summary[:1], language)


def _is_under(path: str, old: str | None, wanted: str) -> bool:
    return any(printable(one).startswith(wanted) for one in (path, old or ""))


def area_of(graded: Graded) -> Area:
    """The area that a reader looks for a change in; code for one without files."""
    # Code if more than a few lines are: a change with long tests is no change of the tests.
    lines: Counter[Area] = Counter()
    for file in graded.facts.files:
        lines[file.area] += file.added + file.deleted + 1
    if lines[Area.CORE] >= _SOME_CODE * lines.total():
        return Area.CORE
    return next(iter(graded.facts.areas), Area.CORE)


MOST = 50  # changes of a list that can be referred to by position
_ROWS = 2000  # changes that are searched if only a title identifies them


def listed_in(
    document: Document, changes: Sequence[Graded], repository: Repository
) -> tuple[str, ...]:
    """The full names of the first changes that a document shows by their titles."""
    # A change is identified by its link, or by its title if the repository has no pages; an entry
    # of a changelog by its request.
    links: dict[tuple[str, str], str] = {}
    titles: dict[str, str] = {}
    for graded in changes:
        title = title_link(graded, repository)
        if isinstance(title, Link):
            links.setdefault((title.text, title.url), graded.sha)
        elif len(titles) < _ROWS:
            titles.setdefault(plain((title,)), graded.sha)
            if graded.number:  # digests reword titles
                titles.setdefault(f"({graded.name})", graded.sha)
                titles.setdefault(f"（{graded.name}）", graded.sha)
    numbers = {graded.number: graded.sha for graded in changes if graded.number}
    names: dict[str, None] = {}
    for spans in _lines(document.blocks):
        named = (links.get((s.text, s.url)) for s in spans if isinstance(s, Link))
        known = next(named, None) or _titled(spans, titles)
        known = known or _announced(spans, numbers)
        if known:
            names.setdefault(known)
        if len(names) >= MOST:
            break
    return tuple(names)


def _titled(spans: Spans, titles: dict[str, str]) -> str | None:
    """The change whose title a line contains, the longest of several."""
    if not titles:
        return None
    line = plain(spans)
    contained = [title for title in titles if title in line]
    return titles[max(contained, key=len)] if contained else None


def _announced(spans: Spans, numbers: Mapping[int, str]) -> str | None:
    """The change that a line of a changelog names, by its request."""
    line = plain(spans)
    number = _REQUEST.search(line) if _PLACE.search(line) else None
    return number and (numbers.get(int(number[1])) or f"explain {number[0]}")


_REQUEST = re.compile(r"(?<!\w)[#!](\d{1,9})\b")
_PLACE = re.compile(r" · [\w./-]{1,200}\.\w{1,9}:\d+$")
"""The end of a line that is quoted from a file."""


def _lines(blocks: Sequence[Block]) -> Iterator[Spans]:
    for block in blocks:
        if isinstance(block, Heading | Paragraph):
            yield block.spans
        elif isinstance(block, Listing):
            yield from _items(block.items)


def _items(items: Sequence[Item]) -> Iterator[Spans]:
    for item in items:
        yield item.spans
        yield from _items(item.children)
