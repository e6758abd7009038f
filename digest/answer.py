"""Answers: the changes that a question selects, counted, grouped and cited by code.

An answer keeps every match; its document shows a page of them. Imports ``match``, ``report``
(how a change is shown), ``phrases`` and values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from digest.analysis import analyse
from digest.document import (
    Block,
    Code,
    Document,
    Emphasis,
    Heading,
    Item,
    Listing,
    Paragraph,
    Spans,
    Strong,
    Text,
)
from digest.errors import UserError
from digest.facts.model import Area
from digest.grade import Level
from digest.graded import Graded, Repository
from digest.language import Language
from digest.phrases import (
    ARCHIVED,
    AS_OF,
    BY_AUTHOR,
    CHANGES,
    EMPTY_BRANCH,
    EVERYTHING,
    FROM_LEVEL,
    GROUP,
    IN_TOPIC,
    SHOWN,
    UNDER_PATH,
    WHY,
    WINDOW,
)
from digest.report import grade_reasons, title_link, why
from digest.report.blocks import between
from digest.report.moments import edge, moment
from digest.topics import Bearing
from digest.window import Window
from digest.words.labels import AREAS, LEVEL_MARKS, LEVELS
from digest.words.phrase import Part, joined

PAGE = 10
"""Changes on a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A change that an answer rests on; ``why`` says in words what selected it."""

    graded: Graded
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Where and when an answer was looked up, and how it is told.

    ``tip`` is the branch's commit then, ``None`` for a branch without any; ``at`` the moment.
    """

    repository: Repository
    tip: str | None
    at: datetime
    zone: ZoneInfo
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The reply to a question: ``document`` is what is shown, ``rows`` all that it rests on.

    ``intent`` names what was understood: explain, changed, search, digest, help or unknown.
    ``rows`` stand newest first, whatever the document shows. ``error`` is set where the question
    could not be answered, with its cause.
    """

    intent: str
    document: Document
    window: Window | None = None
    topic: str = ""
    rows: tuple[Row, ...] = ()
    error: UserError | None = field(default=None, compare=False)


def title_of(topic: str, author: str, path: str, level: Level | None, language: Language) -> str:
    """What was asked for in a few words: ``MoE, by Ada, in src/``."""
    parts = [topic] if topic else []
    if author:
        parts.append(BY_AUTHOR.text(language, author=author))
    if path:
        parts.append(UNDER_PATH.text(language, path=path))
    if level:
        parts.append(FROM_LEVEL[level].text(language))
    gap = "，" if language is Language.ZH else ", "
    return gap.join(parts) or EVERYTHING.text(language)


def because(bearings: Sequence[Bearing], language: Language) -> str:
    """Why a change is about a topic, in words."""
    gap = "；" if language is Language.ZH else "; "
    return gap.join(WHY[b.place].text(language, shown=b.shown) for b in bearings)


def graded_because(graded: Graded, language: Language) -> str:
    """Why a change is listed where nothing but the period selected it: its grade's reasons."""
    return grade_reasons(graded.grade, language)


def listing_document(
    title: str, rows: Sequence[Row], window: Window | None, seen: Seen, page: int = 1
) -> Document:
    """A page of the rows: counts by level, the most important in groups by area, and the foot.

    ``page`` counts from 1; a page beyond the last is the last.
    """
    language = seen.language
    head = IN_TOPIC.text(language, topic=title, counted=CHANGES.text(language, n=len(rows)))
    blocks: list[Block] = [Heading(1, (Text(head),)), Paragraph(_counts(rows, language))]
    ranked = sorted(rows, key=lambda r: (r.graded.grade.level.rank, -r.graded.grade.score))
    first = PAGE * (min(max(page, 1), max(-(-len(rows) // PAGE), 1)) - 1)
    blocks += _groups(ranked[first : first + PAGE], rows, seen)
    shown = SHOWN.text(language, shown=_range(first, len(rows)), total=len(rows))
    blocks.append(Paragraph(foot(window, seen, shown)))
    return Document(title=head, blocks=tuple(blocks), language=str(language))


def _range(first: int, total: int) -> str:
    last = min(first + PAGE, total)
    return str(last) if first == 0 else f"{first + 1}–{last}"


def _counts(rows: Sequence[Row], language: Language) -> Spans:
    counts = dict.fromkeys(Level, 0)
    for row in rows:
        counts[row.graded.grade.level] += 1
    return between(
        [f"{LEVEL_MARKS[v]} {LEVELS[v].template(language)} {n}" for v, n in counts.items()], " | "
    )


def _groups(page: Sequence[Row], rows: Sequence[Row], seen: Seen) -> Iterator[Block]:
    """The rows of a page under their areas, in the order of the areas; the counts are of all."""
    for area in Area:
        members = [r for r in page if area_of(r.graded) is area]
        if members:
            total = sum(1 for r in rows if area_of(r.graded) is area)
            name = AREAS[area].template(seen.language)
            yield Paragraph((Strong(GROUP.text(seen.language, name=name, n=total)),))
            yield Listing(tuple(_item(r, seen) for r in members))


def area_of(graded: Graded) -> Area:
    """The area that most changed lines are in: code for a change without files."""
    return next(iter(graded.facts.areas), Area.CORE)


def _item(row: Row, seen: Seen) -> Item:
    """Level, linked title, author and why it is listed; below, for what matters, what it does."""
    graded, language = row.graded, seen.language
    parts: list[Part] = [f"{LEVEL_MARKS[graded.grade.level]} ", title_link(graded, seen.repository)]
    parts += [" · ", Code(graded.sha[:10]), f" · {' '.join(graded.commit.author.split())}"]
    if row.why:
        parts += [" · ", Emphasis(row.why)]
    if graded.grade.level is Level.LOW:
        return Item(joined(parts))
    told = why(graded, analyse(graded, language), language)
    return Item(joined(parts), (Item(told),) if told else ())


def window_words(window: Window | None, language: Language) -> Spans:
    """The exact window with its zone; without one, that everything archived was looked at."""
    if window is None:
        return ARCHIVED(language)
    since, until = edge(window.since, window.zone), edge(window.until, window.zone)
    return WINDOW(language, since=since, until=until, zone=window.zone.key)


def foot(window: Window | None, seen: Seen, *before: str) -> Spans:
    """How much is shown, the window, and the state of the branch that the answer is true of."""
    return between([*before, window_words(window, seen.language), as_of(seen)], " · ")


def as_of(seen: Seen) -> Spans:
    """The tip of the branch and the time of the answer."""
    if seen.tip is None:
        return EMPTY_BRANCH(seen.language)
    at = moment(seen.at, seen.zone)
    return AS_OF(seen.language, sha=Code(seen.tip[:10]), moment=at)


def lines_document(title: str, lines: Sequence[Spans], seen: Seen) -> Document:
    """A short reply in paragraphs, the first of them the one that is answered with."""
    blocks = tuple(Paragraph(line) for line in lines)
    return Document(title=title, blocks=blocks, language=str(seen.language))
