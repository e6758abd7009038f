"""Changes as rows of a page: the most important first, one line each, with expandable details."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from urllib.parse import quote

from markupsafe import escape

from bot.store.browsing import ChangeLine
from bot.util.machine import Newest
from bot.web.pages.entries import ChangeView, Told, entry_of, fix_of, load_changes
from bot.web.pages.page_request import PageRequest
from bot.web.pages.site import SiteRepository
from bot.web.pages.templating import CLOSING, NAMES, OPENING
from digest.analysis.analyse import acts, gist
from digest.answer.buttons import Mark, marks_of, urgency
from digest.core.authors import code_as_spans
from digest.core.enums import Language
from digest.core.grade import Graded, Level
from digest.core.statement import Analysis, Origin
from digest.document import Code, Spans, Text, plain
from digest.facts.subject import read_subject
from digest.frozen import frozen
from digest.grading.importance import urgency as grading_urgency
from digest.report.assembly import ReportEntry, duty
from digest.report.condensed import why
from digest.report.themes import follow_ups

OF_DAY = 40_000
"""Characters of changes that the page of a day writes out; others are fetched when they are opened,
or link to their page."""

LARGEST = 84_000
"""Bytes of the rows of a page, about: with all around them, a page has at most 100 KB. What is left
out is on the next page."""

OPEN = 30  # rows of a page that are not folded, unless they are of its first level
WITHIN_REPOSITORY = "../"
"""What links to changes and authors begin with on the page of a day or week."""

MANY = 12  # rows of high importance of a day that take one line each on a large screen
_LINES = 24  # lines of rows that such a screen shows
_BARE, _LABEL, _WHY, _CODE, _MARK, _STRONG, _JOINT, _POINT = 165, 16, 10, 13, 50, 18, 5, 27
"""Bytes of the markup of a row, of its label, consequence, code, a mark, what to do, a joint of a
name, punctuation that belongs to a name."""

_LINE = 150  # characters of a consequence, about as many as fit into a line beside each other
_NUMBER = re.compile(r"(\s*\([#!]\d{1,18}\))\1*$")
_QUOTED = re.compile(r"`([^`]*\s[^`]*)`")


@frozen
class Row:
    """A change in a list: ``why`` is its consequence in one line, empty for a low change.

    ``label`` are the tags or the prefix that the author's title begins with, which ``title`` lacks.
    ``after`` is the change that it follows up. ``acts`` says that users may have to do something,
    ``todo`` what, if facts say so, and ``fixes`` that it is to take a security fix. For
    ``pressure`` see :func:`digest.grading.importance.urgency`.
    """

    line: ChangeLine
    label: Spans
    title: Spans
    why: Spans
    marks: tuple[Mark, ...]
    added: int
    deleted: int
    acts: bool = False
    todo: Spans = ()
    fixes: bool = False
    pressure: float = 0.0
    after: ChangeLine | None = None

    @property
    def level(self) -> Level:
        """The level of the change."""
        return self.line.level


class WrittenRows:
    """Rows by level; those whose change is loaded open in place as far as the page has room."""

    def __init__(self, asked: PageRequest, *, daily: bool = False) -> None:
        self._asked, self._daily = asked, daily
        self.left = OF_DAY
        """Characters of written-out changes that the page may still hold."""
        self.rows: Sequence[Row] = ()
        self.page = self.pages = 1
        self.counts: Counter[Level] = Counter()
        """The rows of all pages by level, without those to act on."""
        self.acting: Counter[Level] = Counter()
        """The rows to act on of all pages by level."""
        self.changes: Sequence[Graded] = ()
        self.told: Told = {}

    def show(self, rows: Sequence[Row], taken: int = 0, base: str = WITHIN_REPOSITORY) -> None:
        """Set the rows, the first page of them.

        ``taken`` are bytes that the page needs otherwise, ``base`` is what links begin with.
        """
        most = max(LARGEST - taken, LARGEST // 4)
        pages = list(_pages(rows, most, base))
        self.counts = Counter(row.level for row in rows if not row.acts)
        self.acting = Counter(row.level for row in rows if row.acts)
        self.pages = len(pages)
        self.page = min(self._asked.page, self.pages)
        self.rows, size = pages[self.page - 1]
        self.left = min(OF_DAY, most - size)

    def spend(self, written: str) -> str:
        """Count a written-out change and return it."""
        self.left -= len(written)
        return written

    def folded(self, level: Level) -> int:
        """The rows of a level that are closed at first: none of the first level."""
        total = self.counts + self.acting
        before = sum(total[one] for one in Level if one.rank < level.rank)
        if not before or self._asked.level is level or before + total[level] <= OPEN:
            return 0
        return sum(row.level is level and not row.acts for row in self.rows)

    def dense(self, level: Level | None = None) -> str:
        """How close the rows of a level, or those to act on, stand on a large screen.

        On a day of many changes of high importance all of these are seen without scrolling.
        """
        others, acts = self.counts[Level.HIGH], self.acting.total()
        if not self._daily or others + self.acting[Level.HIGH] < MANY:
            return ""
        if level is None:
            return "dense" if others + 2 * acts > _LINES else "tight"
        return "dense" if level is Level.HIGH else ""

    def acts(self) -> Iterator[tuple[int, Iterator[tuple[Row, ChangeView | None]]]]:
        """The rows to act on of all levels, if there are any, with their number."""
        if acts := [row for row in self.rows if row.acts]:
            yield self.acting.total(), self._viewed(acts)

    def levels(self) -> Iterator[tuple[Level, int, Iterator[tuple[Row, ChangeView | None]]]]:
        """The other rows by level, with their number. Views are made while the page is sent."""
        others = [row for row in self.rows if not row.acts]
        for level, rows in groupby(others, key=lambda row: row.level):
            yield level, self.counts[level], self._viewed(tuple(rows))

    def _viewed(self, rows: Sequence[Row]) -> Iterator[tuple[Row, ChangeView | None]]:
        shown, language = self._asked.shown(), self._asked.language
        of = {graded.sha: graded for graded in self.changes}
        for row in rows:
            graded = of.get(row.line.sha)
            entry = entry_of(graded, self.told, shown, language) if graded else None
            view = ChangeView(entry, shown, language) if entry else None
            if view and row.fixes:
                view.take_fix(row.todo)
            yield row, view


def _pages(
    rows: Sequence[Row], most: int, base: str = WITHIN_REPOSITORY
) -> Iterator[tuple[Sequence[Row], int]]:
    """The rows of each page, at least one page, with their bytes."""
    page: list[Row] = []
    size = 0
    for row in rows:
        own = size_of(row) + 2 * (len(base) - len(WITHIN_REPOSITORY))  # change and author
        if page and size + own > most:
            yield page, size
            page, size = [], 0
        page.append(row)
        size += own
    yield page, size


def size_of(row: Row) -> int:
    """About how many bytes a row of a page has."""
    author = row.line.author
    texts = (plain(row.label), plain(row.title), plain(row.why), plain(row.todo), author)
    written = sum(len(escape(text).encode("utf-8", "replace")) for text in texts)
    marks = len(row.marks) + row.acts + (row.after is not None)
    written += len(quote(author, errors="replace")) + _MARK * marks
    spans = (*row.label, *row.title, *row.why, *row.todo)
    codes = [
        name
        for one in spans
        for name in ((one.text,) if isinstance(one, Code) else NAMES.findall(one.text))
    ]
    written += sum(_CODE + _JOINT * sum(map(text.count, "_./-")) for text in codes)
    for one, after in pairwise((*row.title, *row.why, *row.todo)):
        written += _POINT * (isinstance(one, Code) and after.text[:1] in CLOSING)
        written += _POINT * (isinstance(after, Code) and one.text[-1:] in OPENING)
    written += _LABEL * bool(row.label)
    return _BARE + (_WHY if row.why or row.acts else 0) + (_STRONG if row.todo else 0) + written


async def rows_of(
    asked: PageRequest,
    lines: Sequence[ChangeLine],
    told: Told,
    key: tuple[object, ...],
    *,
    shown: SiteRepository | None = None,
    marked: bool = True,
) -> Sequence[Row]:
    """The rows of changes, cached by ``key`` until the archive changes.

    They belong to the requested repository unless ``shown`` is another one. If ``marked``, as in
    :func:`made_rows`, they are :func:`by_importance`; otherwise they keep the order of ``lines``.
    """
    shown, language = shown or asked.shown(), asked.language
    version = await asked.version(shown.repository)

    async def made() -> Sequence[Row]:
        changes = await load_changes(asked.site, shown, [line.sha for line in lines])
        rows = await asyncio.to_thread(made_rows, changes, lines, told, language, marked=marked)
        if not marked:
            return rows
        fixes = [
            fix_of(asked, shown, graded, row.todo)
            for graded, row in zip(changes, rows, strict=True)
        ]
        return by_importance(
            [
                replace(row, todo=fix, fixes=True) if fix else row
                for row, fix in zip(rows, await asyncio.gather(*fixes), strict=True)
            ]
        )

    return await asked.site.rows.of((shown.repository.name, version, language, *key), made)


def weight(row: Row) -> tuple[float, ...]:
    """The sort key of rows: those to act on first, then by level."""
    pressure = row.pressure * row.acts
    return (not row.acts, row.level.rank, -pressure, *urgency(row.marks, row.line.score))


def by_importance(rows: Sequence[Row]) -> list[Row]:
    """The rows, the most important first, with the follow-ups of its group behind each."""
    place = {row.line.sha: at for at, row in enumerate(rows)}

    def key(row: Row) -> tuple[float, ...]:
        first = rows[place[row.after.sha]] if row.after else row
        joins = first is not row and weight(first)[:2] == weight(row)[:2]
        first = first if joins else row
        return (*weight(first), place[first.line.sha], joins)

    return sorted(rows, key=key)


def made_rows(
    changes: Sequence[Graded],
    lines: Sequence[ChangeLine],
    told: Told,
    language: Language,
    *,
    marked: bool = True,
) -> list[Row]:
    """The rows of changes in their order; ``lines`` have their levels as adjusted by models.

    Rows that are not ``marked`` lack what marks and orders them, which is half of the work.
    """
    of = {line.sha: line for line in lines}
    rows = [_row(graded, of[graded.sha], told, language, marked=marked) for graded in changes]
    if not marked:
        return rows
    after = _followed(changes, of, language)
    return [replace(row, after=after.get(row.line.sha)) for row in rows]


def _followed(
    changes: Sequence[Graded], lines: Mapping[str, ChangeLine], language: Language
) -> dict[str, ChangeLine]:
    """What each follow-up follows up, as in a digest."""
    newest = sorted(changes, key=lambda graded: lines[graded.sha].at, reverse=True)
    levelled = (replace(g, grade=replace(g.grade, level=lines[g.sha].level)) for g in newest)
    none = Analysis(language=language)
    found = follow_ups([ReportEntry(graded=graded, analysis=none) for graded in levelled])
    of = {graded.sha: graded for graded in changes} if found else {}
    return {
        one.graded.sha: lines[sha]
        for sha, later in found.items()
        for one in later
        if acts(gist(of[sha], language)) or not acts(gist(one.graded, language))
    }


_MADE: Newest[Hashable, Row] = Newest(4096)
"""Rows by all that they are made of: a write of the archive changes few of those in a list."""


def _row(graded: Graded, line: ChangeLine, told: Told, language: Language, *, marked: bool) -> Row:
    kept, content = told.get(graded.sha), getattr(graded.facts, "content", None)
    by_model = kept.analysis if kept else None
    if by_model or content is None:
        return _made(graded, line, by_model, language, marked=marked)
    key = (line, content, graded.grade, graded.description, language, marked)
    if (row := _MADE.get(key)) is None:
        row = _MADE[key] = _made(graded, line, None, language, marked=marked)
    return row


def _made(
    graded: Graded, line: ChangeLine, by_model: Analysis | None, language: Language, *, marked: bool
) -> Row:
    files = graded.facts.files
    title = _bare_title(line)
    label = title[: max(title.rfind(read_subject(title).words), 0)].rstrip()
    row = Row(
        line=line,
        label=(Text(label),) if label else (),
        title=_as_spans(title[len(label) :].lstrip(), line),
        why=(),
        marks=marks_of(graded, by_model) if marked else (),
        added=sum(file.added for file in files),
        deleted=sum(file.deleted for file in files),
        pressure=grading_urgency(graded.grade),
    )
    if line.level is Level.LOW:
        return row
    facts = gist(graded, language)
    told_by = by_model if by_model and by_model.source is Origin.MODEL else facts
    acts, todo = duty(graded, facts) if marked else (False, ())
    return replace(row, why=why(graded, told_by, language, _LINE, todo), acts=acts, todo=todo)


def title_of(line: ChangeLine) -> Spans:
    """A change's title without its request number, which is shown separately."""
    return _as_spans(_bare_title(line), line)


def _bare_title(line: ChangeLine) -> str:
    title = line.title if line.number is None else _NUMBER.sub("", line.title)
    # An author may quote a whole title; it is no code then.
    return quoted[1] if (quoted := _QUOTED.fullmatch(title)) else title


def _as_spans(title: str, line: ChangeLine) -> Spans:
    return code_as_spans(title) or (Code(line.sha[:10]),)
