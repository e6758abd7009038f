"""The full-text index in SQLite, for the texts of changes and for similar topics.

``change_search`` is an FTS5 table of trigrams over ``change_texts``, from which it reads its texts
(https://www.sqlite.org/fts5.html, "The Trigram Tokenizer"); ``MATCH`` finds terms of three
characters or more there. ``change_pairs`` stores for every text which characters and which pairs of
neighbours it has, each as a word: it finds shorter terms, just as exactly and quickly.
``topic_search`` is an FTS5 table of trigrams over ``known_topics``; it finds the topics that share
most of a name's rarer trigrams, and :func:`digest.topics.matching.near_topics` chooses from them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from bot.store.dialect import words
from bot.store.tables.archive_tables import change_texts, changes, known_topics
from bot.store.text_index import GRAM, Expression, TextIndex, bearers

_MOST_GRAMS = 60  # the most trigrams in a query: those of five long words
_ENOUGH = 4_000
"""The rarest trigrams are used until they are in this many topics; common ones say nothing."""

_CHOICE = 300  # how many topics are looked through; the nearest five are always well within it
_ENTER = "INSERT OR IGNORE INTO known_topics (repository_id, topic) VALUES (?, ?)"
_ENTER_LETTERS = (
    "INSERT INTO topic_search (rowid, topic) SELECT id, topic FROM known_topics WHERE id > ?"
)

_HELD = sa.text(
    "SELECT value, (SELECT count(*) FROM (SELECT 1 FROM topic_search"
    " WHERE topic_search MATCH gram.value AND rowid BETWEEN"
    " (SELECT min(id) FROM known_topics WHERE repository_id = :repository) AND"
    " (SELECT max(id) FROM known_topics WHERE repository_id = :repository)"
    " LIMIT :enough)) FROM json_each(:grams) AS gram"
)
_search = sa.table("topic_search", sa.column("rowid"))


def _within(index: sa.TableClause, owned: sa.Table = changes) -> sa.ColumnElement[bool]:
    """Whether a row may be the repository's: those read at once stand side by side."""
    mine = owned.c.repository_id == sa.bindparam("repository", type_=sa.Integer)
    least = sa.select(sa.func.min(owned.c.id)).where(mine).scalar_subquery()
    most = sa.select(sa.func.max(owned.c.id)).where(mine).scalar_subquery()
    return index.c.rowid.between(least, most)


_alike = (
    sa.select(known_topics.c.topic)
    .join_from(_search, known_topics, known_topics.c.id == _search.c.rowid)
    .where(
        sa.literal_column("topic_search").op("MATCH", is_comparison=True)(
            sa.bindparam("grams", type_=sa.Text)
        ),
        known_topics.c.repository_id == sa.bindparam("repository", type_=sa.Integer),
        _within(_search, known_topics),
    )
    .order_by(sa.literal_column("bm25(topic_search)"))
    .limit(_CHOICE)
    .cte("alike")
    .prefix_with("MATERIALIZED")
)
_COUNTED = bearers(_alike)


def _rarest(counted: Iterable[sa.Row[*tuple[Any, ...]]]) -> Iterator[str]:
    """The trigrams that fewest topics have, up to the limit of topics; at least one."""
    held = 0
    for gram, number in sorted(counted, key=lambda row: (row[1], row[0])):
        if number:
            if held and held + number > _ENOUGH:
                return
            yield gram
            held += number


def quote_term(term: str) -> str:
    """A term as a phrase of FTS5, in which nothing is an operator."""
    return '"' + term.replace('"', '""') + '"'


_SEARCHED = ("subject", "body", "paths", "names")
_search_index = sa.table("change_search", *map(sa.column, ("change_search", "rowid", *_SEARCHED)))
_pairs = sa.table("change_pairs", sa.column("rowid"))

# The plus sign keeps SQLite from querying the index again for every key compared with it.
_ROWID: sa.ColumnElement[int] = sa.literal_column("+change_search.rowid")

OPTIMIZE = (
    "INSERT INTO change_search (change_search) VALUES ('optimize')",
    "INSERT INTO change_pairs (change_pairs) VALUES ('optimize')",
)
"""Merges all segments of each index."""

# One row for each page of a segment: https://www.sqlite.org/fts5.html, "FTS5 Data Structures".
_SEGMENTS = "SELECT count(*) FROM change_search_idx GROUP BY segid"
_ENTER_PAIRS = "INSERT INTO change_pairs (rowid, pairs) VALUES (?, ?)"
_WITHDRAW_PAIRS = "INSERT INTO change_pairs (change_pairs, rowid, pairs) VALUES ('delete', ?, ?)"


class SqliteIndex(TextIndex):
    """The text index in SQLite: expressions are FTS5 queries, for all repositories."""

    @override
    def expression(self, repository: int, terms: Iterable[str]) -> Expression:
        del repository
        long, short = [], []
        for term in terms:
            if len(term) < GRAM:
                short.append(_word(term))
            else:
                long.append(term)
        return Expression(match=" AND ".join(map(quote_term, long)), short=" AND ".join(short))

    @override
    def matching(self, *, match: bool, short: bool, terms: int) -> sa.Select[*tuple[Any, ...]]:
        del terms
        paired = sa.select(_pairs.c.rowid.label("id")).where(_within(_pairs))
        if short:
            paired = paired.where(_matches("change_pairs", "short"))
        if not match:
            return paired
        rows = sa.select(_search_index.c.rowid.label("id")).where(
            _matches("change_search", "match")
        )
        rows = rows.where(_within(_search_index))
        return rows.where(_ROWID.in_(paired)) if short else rows

    @override
    def candidates(self, *, match: bool, short: bool, terms: int) -> sa.Select[*tuple[Any, ...]]:
        return self.matching(match=match, short=short, terms=terms)

    @override
    async def enter(
        self, connection: AsyncConnection, repository: int, texts: Mapping[int, Mapping[str, str]]
    ) -> None:
        del repository
        columns = ("rowid", *_SEARCHED)
        await connection.execute(sa.insert(_search_index).from_select(columns, _texts(list(texts))))
        pairs = [(key, _pairs_of(given.values())) for key, given in texts.items()]
        await connection.exec_driver_sql(_ENTER_PAIRS, pairs)

    @override
    async def withdraw(self, connection: AsyncConnection, keys: Sequence[int]) -> None:
        texts = _texts(keys)
        command = texts.with_only_columns(sa.literal("delete"), *texts.selected_columns)
        await connection.execute(
            sa.insert(_search_index).from_select(("change_search", "rowid", *_SEARCHED), command)
        )
        rows: Sequence[sa.Row[*tuple[Any, ...]]] = (await connection.execute(texts)).all()
        if rows:
            pairs = [(key, _pairs_of(given)) for key, *given in rows]
            await connection.exec_driver_sql(_WITHDRAW_PAIRS, pairs)

    @override
    async def settle(self, connection: AsyncConnection) -> None:
        """Merge the segments of the index once the later ones outweigh the largest."""
        # Each batch adds a segment, and searching many of them is several times slower than
        # searching one. Delayed this way, all merging costs no more than writing everything once
        # again.
        sizes = (await connection.exec_driver_sql(_SEGMENTS)).scalars().all()
        if sum(sizes) > 2 * max(sizes, default=0):
            await connection.exec_driver_sql(OPTIMIZE[0])

    @override
    async def learn(
        self, connection: AsyncConnection, repository: int, topics: Collection[str]
    ) -> None:
        if topics:
            last = await connection.scalar(
                sa.select(sa.func.coalesce(sa.func.max(known_topics.c.id), 0))
            )
            rows = [(repository, topic) for topic in sorted(topics)]
            await connection.exec_driver_sql(_ENTER, rows)
            await connection.exec_driver_sql(_ENTER_LETTERS, (last,))

    @override
    async def alike(
        self, connection: AsyncConnection, repository: int, names: Iterable[str]
    ) -> Mapping[str, int]:
        grams = dict.fromkeys(
            name[start : start + GRAM] for name in names for start in range(len(name) - GRAM + 1)
        )
        if not grams:
            return {}
        quotes = words(map(quote_term, list(grams)[:_MOST_GRAMS]))
        mine = {"repository": repository}
        counted = await connection.execute(_HELD, {**mine, "grams": quotes, "enough": _ENOUGH})
        rarest = " OR ".join(_rarest(counted.all()))
        if not rarest:
            return {}
        return dict((await connection.execute(_COUNTED, {**mine, "grams": rarest})).all())


def _matches(index: str, parameter: str) -> sa.ColumnElement[bool]:
    wanted = sa.bindparam(parameter, type_=sa.Text)
    return sa.literal_column(index).op("MATCH", is_comparison=True)(wanted)


def _texts(keys: Sequence[int]) -> sa.Select[*tuple[Any, ...]]:
    columns = (change_texts.c.change_id, *(change_texts.c[name] for name in _SEARCHED))
    return sa.select(*columns).where(change_texts.c.change_id.in_(keys))


def _pairs_of(texts: Iterable[str]) -> str:
    """The characters and pairs of neighbours as words; another rule needs another table."""
    held: set[str] = set()
    for content in texts:
        held.update(content, map(add, content, content[1:]))
    return " ".join(map(_word, held))


class _Words(dict[str, str]):
    """Cache of words: a repository has a few thousand pairs, which repeat."""

    def __missing__(self, pair: str) -> str:
        word = "z".join(f"{ord(character):x}" for character in pair)
        if len(self) < _MOST_WORDS:
            self[pair] = word
        return word


_MOST_WORDS = 65_536
_word = _Words().__getitem__
"""One or two characters as a word of ASCII letters and digits, which every tokenizer keeps."""
