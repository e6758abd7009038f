"""Changes as rows of a page: the most important first, one line each, with expandable details."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.store.browsing import ChangeLine
from bot.web.pages.entries import Article, Told, article_of, entry_of, loaded
from bot.web.pages.page_request import PageRequest
from bot.web.pages.site import SiteRepository
from digest.analysis.analyse import gist
from digest.answer.marks import Mark, marks_of, urgency
from digest.core.author_text import authored
from digest.core.enums import Language
from digest.core.grade import Graded, Level
from digest.core.statement import Origin
from digest.document import Code, Spans
from digest.report.condensed import why

OF_DAY = 48_000
"""Characters of changes that the page of a day writes out; others are fetched when they are

opened, or link to their page.
"""

_NUMBER = re.compile(r"\s*\(#\d{1,18}\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A change in a list: ``why`` is its consequence in one line, empty for a low change."""

    line: ChangeLine
    title: Spans
    why: Spans
    marks: tuple[Mark, ...]
    added: int
    deleted: int
    files: int

    @property
    def level(self) -> Level:
        """The level of the change."""
        return self.line.level


class Budget:
    """How many characters of written-out changes a page may still hold."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, written: str) -> str:
        """Count the text and return it."""
        self.left -= len(written)
        return written


async def rows_of(
    asked: PageRequest,
    lines: Sequence[ChangeLine],
    told: Told,
    key: tuple[object, ...],
    *,
    shown: SiteRepository | None = None,
) -> Sequence[Row]:
    """The rows of changes, the most important first, cached by ``key`` until the archive changes.

    They belong to the requested repository unless ``shown`` is another one.
    """
    shown, language = shown or asked.shown(), asked.language
    version = await asked.version(shown.repository)

    async def made() -> Sequence[Row]:
        changes = await loaded(asked.shelf, shown, [line.sha for line in lines])
        of = {line.sha: line for line in lines}
        return await asyncio.to_thread(_rows, changes, of, told, language)

    return await asked.shelf.rows.of((shown.repository.name, version, language, *key), made)


def articles(
    asked: PageRequest, rows: Sequence[Row], changes: Sequence[Graded], told: Told
) -> Iterator[tuple[Row, Article | None]]:
    """Each row with the article on its change, made one by one while the page is sent.

    The article is ``None`` if the change was not loaded.
    """
    shown, shelf, language = asked.shown(), asked.shelf, asked.language
    of = {graded.sha: graded for graded in changes}
    for row in rows:
        graded = of.get(row.line.sha)
        if graded is None:
            yield row, None
            continue
        entry = entry_of(graded, told, shown, language)
        yield row, article_of(entry, shown.repository, shelf.zone, language)


def _rows(
    changes: Sequence[Graded],
    lines: dict[str, ChangeLine],
    told: Told,
    language: Language,
) -> list[Row]:
    made = [_row(graded, lines[graded.sha], told, language) for graded in changes]
    return sorted(made, key=lambda row: (row.level.rank, *urgency(row.marks, row.line.score)))


def _row(graded: Graded, line: ChangeLine, told: Told, language: Language) -> Row:
    analysis = gist(graded, language)
    kept = told.get(graded.sha)
    by_model = kept.analysis if kept else None
    if by_model is not None and by_model.source is Origin.MODEL:
        analysis = by_model
    files = graded.facts.files
    return Row(
        line=line,
        title=title_of(line),
        why=() if line.level is Level.LOW else why(graded, analysis, language),
        marks=marks_of(graded, by_model),
        added=sum(file.added for file in files),
        deleted=sum(file.deleted for file in files),
        files=len(files),
    )


def title_of(line: ChangeLine) -> Spans:
    """A change's title without its request number, which is shown separately."""
    title = line.title if line.number is None else _NUMBER.sub("", line.title)
    return authored(title) or (Code(line.sha[:10]),)
