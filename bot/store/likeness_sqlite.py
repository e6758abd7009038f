"""Topics that look like a name: those that share most of its rarer runs of three letters.

``topic_search`` is an FTS5 table of trigrams over ``known_topics``. What it finds is a choice to
be looked through, not an answer: :func:`digest.match.near_topics` has the last word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import (
    Integer,
    Row,
    Text,
    bindparam,
    column,
    func,
    literal_column,
    select,
    table,
    text,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.dialect import words
from bot.store.fulltext import bearers
from bot.store.tables import known_topics

_GRAM = 3
_MOST_GRAMS = 60
"""Runs of letters that are asked for: those of five long words."""

_ENOUGH = 4_000
"""So many topics are weighed by the letters they share: runs that more of them have say nothing.
The rarest runs are taken, until they are in as many."""

_CHOICE = 300
"""So many topics are looked through; the nearest five stand well before that."""

_ENTER = "INSERT OR IGNORE INTO known_topics (repository_id, topic) VALUES (?, ?)"
_ENTER_LETTERS = (
    "INSERT INTO topic_search (rowid, topic) SELECT id, topic FROM known_topics WHERE id > ?"
)

_HELD = text(
    "SELECT value, (SELECT count(*) FROM (SELECT 1 FROM topic_search"
    " WHERE topic_search MATCH gram.value LIMIT :enough)) FROM json_each(:grams) AS gram"
)
_search = table("topic_search", column("rowid"))
_alike = (
    select(known_topics.c.topic)
    .join_from(_search, known_topics, known_topics.c.id == _search.c.rowid)
    .where(
        literal_column("topic_search").op("MATCH", is_comparison=True)(
            bindparam("grams", type_=Text)
        ),
        known_topics.c.repository_id == bindparam("repository", type_=Integer),
    )
    .order_by(literal_column("bm25(topic_search)"))
    .limit(_CHOICE)
    .cte("alike")
    .prefix_with("MATERIALIZED")
)
_COUNTED = bearers(_alike)


async def learn(connection: AsyncConnection, repository: int, topics: Collection[str]) -> None:
    """Take topics down that are not known yet; within a writing transaction."""
    if topics:
        last = await connection.scalar(select(func.coalesce(func.max(known_topics.c.id), 0)))
        rows = [(repository, topic) for topic in sorted(topics)]
        await connection.exec_driver_sql(_ENTER, rows)
        await connection.exec_driver_sql(_ENTER_LETTERS, (last,))


async def alike(
    connection: AsyncConnection, repository: int, names: Iterable[str]
) -> Mapping[str, int]:
    """Topics that share letters with one of the names, with how many changes bear each."""
    grams = dict.fromkeys(
        name[start : start + _GRAM] for name in names for start in range(len(name) - _GRAM + 1)
    )
    if not grams:
        return {}
    asked = list(map(quoted, list(grams)[:_MOST_GRAMS]))
    counted = await connection.execute(_HELD, {"grams": words(asked), "enough": _ENOUGH})
    weighed = " OR ".join(_rarest(counted.all()))
    if not weighed:
        return {}
    values = {"grams": weighed, "repository": repository}
    return dict((await connection.execute(_COUNTED, values)).all())


def _rarest(counted: Iterable[Row[*tuple[Any, ...]]]) -> Iterator[str]:
    """The runs that fewest topics have, in as many as are weighed; at least one."""
    held = 0
    for gram, number in sorted(counted, key=lambda row: (row[1], row[0])):
        if number:
            if held and held + number > _ENOUGH:
                return
            yield gram
            held += number


def quoted(term: str) -> str:
    """A term as a phrase of FTS5, in which nothing is an operator."""
    return '"' + term.replace('"', '""') + '"'
