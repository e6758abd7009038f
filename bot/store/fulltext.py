"""The full text as SQLite has it: what another database would do in another way.

``change_search`` is an FTS5 table of trigrams over ``change_texts``, where it reads its texts, and
``change_grams`` is its vocabulary (https://www.sqlite.org/fts5.html, "The Trigram Tokenizer",
"The fts5vocab Virtual Table Module"). ``MATCH`` finds terms of three characters and more only. A
shorter one is looked up as all the trigrams that begin with it, which is exact since every text
ends with two characters that no term holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    column,
    func,
    insert,
    literal,
    literal_column,
    or_,
    select,
    table,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.tables import change_texts

RANK: ColumnElement[float] = literal_column("bm25(change_search, 8.0, 1.0, 2.0, 4.0)")
"""Okapi BM25, smaller is better; a term in the subject says more than one in the body."""

_GRAM = 3
_MOST_GRAMS = 100
"""Trigrams that one short term may stand for; more only make a slower search than reading."""

_LAST = "\U0010ffff"
_SEARCHED = ("subject", "body", "paths", "names")
_search = table("change_search", *map(column, ("change_search", "rowid", *_SEARCHED)))
_grams = table("change_grams", column("term"), column("doc"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """Terms as the index takes them: ``match`` asks for all but those that are in ``rest``.

    ``hopeless`` says that the index knows of no text that holds one of them.
    """

    match: str = ""
    rest: tuple[str, ...] = ()
    hopeless: bool = False


async def expression(connection: AsyncConnection, terms: Sequence[str], common: int) -> Expression:
    """Put terms in the words of the index.

    A short term that ``common`` texts or more bear is left in ``rest``, to be read for.
    """
    match: list[str] = []
    rest: list[str] = []
    for term in terms:
        grams = [term] if len(term) >= _GRAM else await _beginning_with(connection, term, common)
        if grams is None:
            rest.append(term)
        elif grams:
            match.append(f"({' OR '.join(map(_quoted, grams))})")
        else:
            return Expression(hopeless=True)
    return Expression(match=" AND ".join(match), rest=tuple(rest))


def matching(match: ColumnElement[str]) -> Select[*tuple[Any, ...]]:
    """The keys, as ``id``, of the changes whose texts meet an expression; it must not be empty."""
    condition = literal_column("change_search").op("MATCH", is_comparison=True)(match)
    return select(_search.c.rowid.label("id")).where(condition)


def holding(term: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a row of ``change_texts`` holds the term, the short texts first.

    LIKE would take ``%`` and ``_`` for more than they are.
    """
    texts = (change_texts.c.subject, change_texts.c.names, change_texts.c.paths)
    return or_(*(contains(text, term) for text in (*texts, change_texts.c.body)))


def contains(text: ColumnElement[str], part: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a text contains another, character by character."""
    return func.instr(text, part) > 0


async def enter(connection: AsyncConnection, keys: Sequence[int]) -> None:
    """Put the texts of changes into the index, after they were written."""
    columns = ("rowid", *_SEARCHED)
    await connection.execute(insert(_search).from_select(columns, _texts(keys)))


async def withdraw(connection: AsyncConnection, keys: Sequence[int]) -> None:
    """Take the texts of changes out of the index, before they are removed.

    The index keeps no texts: it must be told what it is to forget.
    """
    texts = _texts(keys)
    command = texts.with_only_columns(literal("delete"), *texts.selected_columns)
    await connection.execute(
        insert(_search).from_select(("change_search", "rowid", *_SEARCHED), command)
    )


def _texts(keys: Sequence[int]) -> Select[*tuple[Any, ...]]:
    columns = (change_texts.c.change_id, *(change_texts.c[name] for name in _SEARCHED))
    return select(*columns).where(change_texts.c.change_id.in_(keys))


def _quoted(term: str) -> str:
    """A term as a phrase of FTS5, in which nothing is an operator."""
    return '"' + term.replace('"', '""') + '"'


async def _beginning_with(connection: AsyncConnection, term: str, common: int) -> list[str] | None:
    """The trigrams that begin with a term, or ``None`` where they are not worth looking up."""
    grams = select(_grams).where(_grams.c.term.between(term, term + _LAST)).limit(_MOST_GRAMS)
    rows = (await connection.execute(grams)).all()
    if len(rows) == _MOST_GRAMS or sum(row.doc for row in rows) >= common:
        return None
    return [row.term for row in rows]
