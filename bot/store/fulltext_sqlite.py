"""The full text as SQLite has it.

``change_search`` is an FTS5 table of trigrams over ``change_texts``, where it reads its texts
(https://www.sqlite.org/fts5.html, "The Trigram Tokenizer"); ``MATCH`` finds terms of three
characters and more there. ``change_pairs`` holds of every text which characters and which pairs of
neighbours are in it, each as a word: shorter terms are looked up there, exactly and as quickly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import add
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    Text,
    bindparam,
    column,
    insert,
    literal,
    literal_column,
    select,
    table,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.fulltext import GRAM, Expression
from bot.store.likeness_sqlite import alike, learn, quoted
from bot.store.tables import change_texts

RANK: ColumnElement[float] = literal_column("bm25(change_search, 8.0, 1.0, 2.0, 4.0)")
"""Okapi BM25, smaller is better; a term in the subject says more than one in the body."""

_SEARCHED = ("subject", "body", "paths", "names")
_search = table("change_search", *map(column, ("change_search", "rowid", *_SEARCHED)))
_pairs = table("change_pairs", column("rowid"))

# The sign keeps SQLite from asking the index anew for every key that it is compared with.
_ROWID: ColumnElement[int] = literal_column("+change_search.rowid")

OPTIMIZE = (
    "INSERT INTO change_search (change_search) VALUES ('optimize')",
    "INSERT INTO change_pairs (change_pairs) VALUES ('optimize')",
)
"""What merges all segments of each index."""

# One row a page of a segment: https://www.sqlite.org/fts5.html, "FTS5 Data Structures".
_SEGMENTS = "SELECT count(*) FROM change_search_idx GROUP BY segid"
_ENTER_PAIRS = "INSERT INTO change_pairs (rowid, pairs) VALUES (?, ?)"
_WITHDRAW_PAIRS = "INSERT INTO change_pairs (change_pairs, rowid, pairs) VALUES ('delete', ?, ?)"


class SqliteIndex:
    """A ``TextIndex`` in SQLite."""

    def expression(self, repository: int, terms: Iterable[str]) -> Expression:
        """As the port says: conditions in the language of FTS5, for all repositories."""
        del repository
        long, short = [], []
        for term in terms:
            if len(term) < GRAM:
                short.append(_word(term))
            else:
                long.append(term)
        return Expression(match=" AND ".join(map(quoted, long)), short=" AND ".join(short))

    def matching(self, *, match: bool, short: bool, terms: int) -> Select[*tuple[Any, ...]]:
        """As the port says; the indexes are exact, and no text is read."""
        del terms
        paired = select(_pairs.c.rowid.label("id"))
        if short:
            paired = paired.where(_matches("change_pairs", "short"))
        if not match:
            return paired
        found = select(_search.c.rowid.label("id")).where(_matches("change_search", "match"))
        return found.where(_ROWID.in_(paired)) if short else found

    def candidates(self, *, match: bool, short: bool, terms: int) -> Select[*tuple[Any, ...]]:
        """As the port says: the indexes are exact."""
        return self.matching(match=match, short=short, terms=terms)

    def rank(self, terms: int) -> ColumnElement[float]:
        """As the port says, by FTS5 itself."""
        del terms
        return RANK

    async def enter(
        self, connection: AsyncConnection, repository: int, texts: Mapping[int, Mapping[str, str]]
    ) -> None:
        """As the port says."""
        del repository
        columns = ("rowid", *_SEARCHED)
        await connection.execute(insert(_search).from_select(columns, _texts(list(texts))))
        pairs = [(key, _pairs_of(given.values())) for key, given in texts.items()]
        await connection.exec_driver_sql(_ENTER_PAIRS, pairs)

    async def withdraw(self, connection: AsyncConnection, keys: Sequence[int]) -> None:
        """As the port says. The indexes keep no texts: they are told what they are to forget."""
        texts = _texts(keys)
        command = texts.with_only_columns(literal("delete"), *texts.selected_columns)
        await connection.execute(
            insert(_search).from_select(("change_search", "rowid", *_SEARCHED), command)
        )
        rows: Sequence[Row[*tuple[Any, ...]]] = (await connection.execute(texts)).all()
        if rows:
            pairs = [(key, _pairs_of(given)) for key, *given in rows]
            await connection.exec_driver_sql(_WITHDRAW_PAIRS, pairs)

    async def settle(self, connection: AsyncConnection) -> None:
        """Merge the segments of the index once the later ones outweigh the largest.

        Each batch adds a segment, and a search through many is several times slower than through
        one. So put off, all merging together costs no more than writing everything once again.
        """
        sizes = (await connection.exec_driver_sql(_SEGMENTS)).scalars().all()
        if sum(sizes) > 2 * max(sizes, default=0):
            await connection.exec_driver_sql(OPTIMIZE[0])

    async def learn(
        self, connection: AsyncConnection, repository: int, topics: Collection[str]
    ) -> None:
        """As the port says."""
        await learn(connection, repository, topics)

    async def alike(
        self, connection: AsyncConnection, repository: int, names: Iterable[str]
    ) -> Mapping[str, int]:
        """As the port says."""
        return await alike(connection, repository, names)


def _matches(index: str, parameter: str) -> ColumnElement[bool]:
    wanted = bindparam(parameter, type_=Text)
    return literal_column(index).op("MATCH", is_comparison=True)(wanted)


def _texts(keys: Sequence[int]) -> Select[*tuple[Any, ...]]:
    columns = (change_texts.c.change_id, *(change_texts.c[name] for name in _SEARCHED))
    return select(*columns).where(change_texts.c.change_id.in_(keys))


def _pairs_of(texts: Iterable[str]) -> str:
    """The characters and the pairs of neighbours that texts hold, in words.

    What is withdrawn has to be what was entered: another rule needs another table.
    """
    held: set[str] = set()
    for text in texts:
        held.update(text, map(add, text, text[1:]))
    return " ".join(map(_word, held))


class _Words(dict[str, str]):
    """The words made so far: a repository has a few thousand pairs, over and over."""

    def __missing__(self, pair: str) -> str:
        word = "z".join(f"{ord(character):x}" for character in pair)
        if len(self) < _MOST_WORDS:
            self[pair] = word
        return word


_MOST_WORDS = 65_536
_word = _Words().__getitem__
"""One or two characters as a word of ASCII letters and digits, which every tokenizer keeps."""
