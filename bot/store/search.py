"""From a query to a statement that finds its changes; the full text as SQLite has it.

``change_search`` is an FTS5 table of trigrams over ``change_texts``, which it reads its texts from,
and ``change_grams`` its vocabulary (https://www.sqlite.org/fts5.html, "The Trigram Tokenizer",
"The fts5vocab Virtual Table Module"). ``MATCH`` finds terms of three characters and more only. A
shorter one is looked up as all the trigrams that begin with it, which is exact since every text
ends with two characters that no term holds.

An index is the faster way to a rare term, and the slower one to a common term of which only the
newest changes are wanted: then the changes are walked from the newest on and their texts read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Select,
    column,
    exists,
    false,
    func,
    insert,
    literal,
    literal_column,
    or_,
    select,
    table,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.index import folded
from bot.store.tables import change_paths, change_texts, change_topics, changes
from digest.change import printable
from digest.query import Query
from digest.window import Window

COMMON = 2000
"""How many changes bear a term that is common: it is not looked up, and ranks nothing."""

_MOST_GRAMS = 100
"""Trigrams that one short term may stand for; more only make a slower search than reading."""

_RANK: ColumnElement[float] = literal_column("bm25(change_search, 8.0, 1.0, 2.0, 4.0)")
"""Okapi BM25, smaller is better; a term in the subject says more than one in the body."""

_LAST = "\U0010ffff"
_SEARCHED = ("subject", "body", "paths", "names")
_search = table("change_search", *map(column, ("change_search", "rowid", *_SEARCHED)))
_grams = table("change_grams", column("term"), column("doc"))
_matches = literal_column("change_search").op("MATCH", is_comparison=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How terms are searched: ``match`` in the index, ``read`` in the texts of what is left."""

    match: str = ""
    read: tuple[str, ...] = ()
    hopeless: bool = False


async def plan(connection: AsyncConnection, repository: int, query: Query) -> Plan:
    """Choose how to search for the terms of a query."""
    terms = tuple(dict.fromkeys(filter(None, map(folded, query.terms))))
    if not terms or (not query.ranked and await _is_short(connection, repository, query.window)):
        return Plan(read=terms)
    looked_up: list[str] = []
    read: list[str] = []
    for term in terms:
        grams = [term] if len(term) > 2 else await _beginning_with(connection, term)
        if grams is None:
            read.append(term)
        elif grams:
            looked_up.append(f"({' OR '.join(map(_quoted, grams))})")
        else:
            return Plan(hopeless=True)
    match = " AND ".join(looked_up)
    if match and query.limit and await _is_common(connection, repository, match):
        return Plan(read=terms)
    return Plan(match=match, read=tuple(read))


def found(repository: int, query: Query, how: Plan) -> Select[int, float]:
    """The keys of the changes that meet the query, each with its rank, cut to the limit.

    A rank orders only where the query is ranked and the index was asked; else it is 0.
    """
    if not how.match:
        statement = select(changes.c.id, literal(0.0).label("rank"))
        order: list[ColumnElement[Any]] = []
    else:
        hits = _hits(how.match, ranked=query.ranked)
        statement = select(changes.c.id, hits.c.rank).join_from(
            hits, changes, changes.c.id == hits.c.id
        )
        order = [hits.c.rank]
    statement = statement.where(changes.c.repository_id == repository, *_conditions(query, how))
    statement = statement.where(*_indexed(repository, query))
    if not query.limit:
        return statement
    order += [changes.c.committed_at.desc(), changes.c.sha.desc()]
    return statement.order_by(*order).limit(query.limit)


async def enter(connection: AsyncConnection, keys: Sequence[int]) -> None:
    """Put the texts of changes into the full-text index, after they were written."""
    columns = ("rowid", *_SEARCHED)
    await connection.execute(insert(_search).from_select(columns, _texts(keys)))


async def withdraw(connection: AsyncConnection, keys: Sequence[int]) -> None:
    """Take the texts of changes out of the full-text index, before they are removed.

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


def _hits(match: str, *, ranked: bool) -> CTE:
    rank = _RANK if ranked else literal(0.0)
    hits = select(_search.c.rowid.label("id"), rank.label("rank")).where(_matches(match))
    # Were it merged into the rest, the index might be asked once for every change.
    return hits.cte("hits").prefix_with("MATERIALIZED")


def _conditions(query: Query, how: Plan) -> list[ColumnElement[bool]]:
    conditions = [within(changes.c.committed_at, query.window)] if query.window else []
    if query.level is not None:
        conditions.append(changes.c.level <= query.level.rank)
    if author := folded(query.author):
        conditions.append(_holds(changes.c.author_key, author))
    if how.read:
        texts = (change_texts.c.subject, change_texts.c.names, change_texts.c.paths)
        conditions.append(
            exists().where(
                change_texts.c.change_id == changes.c.id,
                *(
                    or_(*(_holds(text, term) for text in (*texts, change_texts.c.body)))
                    for term in how.read
                ),
            )
        )
    if how.hopeless:
        conditions.append(false())
    return conditions


def _indexed(repository: int, query: Query) -> list[ColumnElement[bool]]:
    """The conditions on topics and paths, each by its own index."""
    conditions: list[ColumnElement[bool]] = []
    for index, wanted in (
        (change_topics, [change_topics.c.topic.in_(query.topics)] if query.topics else []),
        (change_paths, [or_(*map(_below, query.paths))] if query.paths else []),
    ):
        if wanted:
            bearing = select(index.c.change_id).where(index.c.repository_id == repository, *wanted)
            if query.window:
                bearing = bearing.where(within(index.c.committed_at, query.window))
            conditions.append(changes.c.id.in_(bearing))
    return conditions


def within(moment: ColumnElement[int], window: Window) -> ColumnElement[bool]:
    """Whether a stored moment lies in the window."""
    return (moment >= _upward(window.since)) & (moment < _upward(window.until))


def _upward(moment: datetime) -> int:
    """The first whole second that is not before the moment."""
    return ceil(moment.timestamp())


def _below(prefix: str) -> ColumnElement[bool]:
    shown = printable(prefix)
    return change_paths.c.path.between(shown, shown + _LAST)


def _holds(text: ColumnElement[str], term: str) -> ColumnElement[bool]:
    """Whether the text holds the term. LIKE would take ``%`` and ``_`` for more than they are."""
    return func.instr(text, term) > 0


def _quoted(term: str) -> str:
    """A term as a phrase of FTS5, in which nothing is an operator."""
    return '"' + term.replace('"', '""') + '"'


async def _is_short(connection: AsyncConnection, repository: int, window: Window | None) -> bool:
    """Whether so few changes lie in the window that reading them all is the fastest."""
    if window is None:
        return False
    inside = select(literal(1)).where(
        changes.c.repository_id == repository, within(changes.c.committed_at, window)
    )
    return await _fewer(connection, inside)


async def _is_common(connection: AsyncConnection, repository: int, match: str) -> bool:
    hits = _hits(match, ranked=False)
    mine = select(literal(1)).join_from(hits, changes, changes.c.id == hits.c.id)
    return not await _fewer(connection, mine.where(changes.c.repository_id == repository))


async def _fewer(connection: AsyncConnection, rows: Select[int]) -> bool:
    """Whether there are fewer rows than :data:`COMMON`, counting no further."""
    some = rows.limit(COMMON).subquery()
    count = await connection.scalar(select(func.count()).select_from(some))
    return (count or 0) < COMMON


async def _beginning_with(connection: AsyncConnection, term: str) -> list[str] | None:
    """The trigrams that begin with a term, or ``None`` where they are not worth looking up."""
    grams = select(_grams).where(_grams.c.term.between(term, term + _LAST)).limit(_MOST_GRAMS)
    rows = (await connection.execute(grams)).all()
    if len(rows) == _MOST_GRAMS or sum(row.doc for row in rows) >= COMMON:
        return None
    return [row.term for row in rows]
