"""The full-text index in PostgreSQL: character runs in arrays, then a test of the texts.

``change_grams`` stores for every change the runs of one to three characters of its texts, each as a
number, with a GIN index over them (https://www.postgresql.org/docs/current/gin.html);
``topic_grams`` does the same for topics. The repository is one more number among the runs. Numbers
may collide: whatever the index finds is tested for the terms themselves and for its repository.
``pg_trgm`` ignores Chinese in a database of the locale C, finds no term of one or two characters by
its index, and is an extension that not every server allows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

from sqlalchemy import ARRAY, Integer, Select, bindparam, column, delete, func, select, table, text
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from bot.store.dialect import copy_rows
from bot.store.tables.archive_tables import change_texts, known_topics
from bot.store.text_index import GRAM, Expression, TextIndex, bearers, holding, term

_MOST = 200  # the most runs in a query; results of that many are tested anyway
_MOST_KNOWN = 262_144


class _Numbers(dict[str, int]):
    """Cache of numbers: a repository has some ten thousand runs, which repeat."""

    def __missing__(self, run: str) -> int:
        number = crc32(run.encode("utf-8", "replace")) - 2**31
        if len(self) < _MOST_KNOWN:
            self[run] = number
        return number


_number = _Numbers().__getitem__


def mark_of(repository: int) -> int:
    """The stored number that marks everything of a repository, from the key of its row."""
    return crc32(b"repository %d" % repository) - 2**31


def grams_of(texts: Iterable[str]) -> list[int]:
    """The numbers of every run of one, two and three characters in the texts."""
    grams: set[str] = set()
    for content in texts:
        for length in range(1, GRAM + 1):
            grams.update(_runs(content, length))
    return list(map(_number, grams))


def required_numbers(terms: Iterable[str]) -> list[int]:
    """The numbers that every text containing the terms must have, at most a few hundred."""
    runs = dict.fromkeys(run for term in terms for run in _runs(term, min(len(term), GRAM)))
    return list(map(_number, list(runs)[:_MOST]))


def _runs(text: str, length: int) -> Iterable[str]:
    return map("".join, zip(*(text[start:] for start in range(length)), strict=False))


_CHOICE = 300  # similar topics to look through; the nearest five are always well within it
_NUMBERS = ARRAY(Integer)
_grams = table("change_grams", column("change_id", Integer), column("grams", _NUMBERS))
_letters = table("topic_grams", column("topic_id", Integer), column("grams", _NUMBERS))

_LEARN = text("""
    INSERT INTO known_topics (repository_id, topic)
    SELECT :repository, given.topic FROM unnest(CAST(:topics AS text[])) AS given (topic)
    WHERE NOT EXISTS (
        SELECT FROM known_topics AS known
        WHERE known.repository_id = :repository AND known.topic = given.topic COLLATE "C"
    )
    ON CONFLICT DO NOTHING
    RETURNING id, topic
""")

_wanted = bindparam("grams", type_=_NUMBERS)
_gram = func.unnest(_letters.c.grams).table_valued(column("gram", Integer)).render_derived()
_shared = (
    select(func.count())
    .select_from(_gram)
    .where(_gram.c.gram == func.any(_wanted))
    .correlate(_letters)
    .scalar_subquery()
)
_alike = (
    select(known_topics.c.topic)
    .join_from(_letters, known_topics, known_topics.c.id == _letters.c.topic_id)
    .where(
        _letters.c.grams.op("&&", is_comparison=True)(_wanted),
        _letters.c.grams.op("@>", is_comparison=True)(bindparam("mark", type_=_NUMBERS)),
        known_topics.c.repository_id == bindparam("repository", type_=Integer),
    )
    .order_by(_shared.desc(), func.length(known_topics.c.topic), known_topics.c.topic)
    .limit(_CHOICE)
    .cte("alike")
    .prefix_with("MATERIALIZED")
)
_COUNTED = bearers(_alike)


class PostgresIndex(TextIndex):
    """The text index in PostgreSQL: expressions are numbers of runs, with the repository's."""

    @override
    def expression(self, repository: int, terms: Iterable[str]) -> Expression:
        texts, mark = list(terms), mark_of(repository)
        long = required_numbers(text for text in texts if len(text) >= GRAM)
        short = required_numbers(text for text in texts if len(text) < GRAM)
        return Expression(match=long and [*long, mark], short=short and [*short, mark])

    @override
    def matching(self, *, match: bool, short: bool, terms: int) -> Select[*tuple[Any, ...]]:
        rows = self.candidates(match=match, short=short, terms=terms)
        read = rows.join(change_texts, change_texts.c.change_id == _grams.c.change_id)
        return read.where(*(holding(term(n)) for n in range(terms)))

    @override
    def candidates(self, *, match: bool, short: bool, terms: int) -> Select[*tuple[Any, ...]]:
        del terms
        rows = select(_grams.c.change_id.label("id"))
        for name, wanted in (("match", match), ("short", short)):
            if wanted:
                runs = bindparam(name, type_=_NUMBERS)
                rows = rows.where(_grams.c.grams.op("@>", is_comparison=True)(runs))
        return rows

    @override
    async def enter(
        self, connection: AsyncConnection, repository: int, texts: Mapping[int, Mapping[str, str]]
    ) -> None:
        mark = mark_of(repository)
        rows = ((key, [*grams_of(given.values()), mark]) for key, given in texts.items())
        await copy_rows(connection, "change_grams", ("change_id", "grams"), rows)

    @override
    async def withdraw(self, connection: AsyncConnection, keys: Sequence[int]) -> None:
        await connection.execute(delete(_grams).where(_grams.c.change_id.in_(keys)))

    @override
    async def settle(self, connection: AsyncConnection) -> None:
        pass  # the server maintains its indexes itself

    @override
    async def learn(
        self, connection: AsyncConnection, repository: int, topics: Collection[str]
    ) -> None:
        if topics:
            values = {"repository": repository, "topics": sorted(topics)}
            made = (await connection.execute(_LEARN, values)).all()
            await enter_topics(connection, [(key, repository, topic) for key, topic in made])

    @override
    async def alike(
        self, connection: AsyncConnection, repository: int, names: Iterable[str]
    ) -> Mapping[str, int]:
        grams = required_numbers(name for name in names if len(name) >= GRAM)
        if not grams:
            return {}
        values = {"grams": grams, "mark": [mark_of(repository)], "repository": repository}
        return dict((await connection.execute(_COUNTED, values)).all())


async def enter_topics(connection: AsyncConnection, topics: Iterable[tuple[int, int, str]]) -> None:
    """Add topics to the index of letters: each with its key and its repository's key."""
    rows = (
        (key, [*required_numbers([topic]), mark_of(repository)])
        for key, repository, topic in topics
        if len(topic) >= GRAM
    )
    await copy_rows(connection, "topic_grams", ("topic_id", "grams"), rows)
