"""The archive: graded changes and their indexes, as ``handlers.ports.storage.Archive`` states."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from sqlalchemy import Select, and_, bindparam, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.change_terms import INDEXED_BY, index_of
from bot.store.database import Database, Prepared
from bot.store.dialect import one_of, words
from bot.store.maintenance import reindex
from bot.store.query_plan import plan, surveyed
from bot.store.rows import GRADED, enrol, enrolled, entry, graded, newest_first, numbered
from bot.store.tables.archive_tables import change_topics, changes
from bot.store.writer import RowState, chunks, held, verdict, write
from digest.answer.listing import NOTHING_FOUND, Listed
from digest.core.enums import Language
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Repository
from digest.core.reference import Query

_MANY = 100
"""From this many changes on, rows are converted in another thread: a hop costs 0.1 ms."""

_AFTER_HEX = "g"

_CURRENT = Prepared(
    select(changes.c.sha).where(
        changes.c.repository_id == bindparam("repository"),
        one_of(changes.c.sha, "shas"),
        changes.c.facts_version == FACTS_VERSION,
        changes.c.graded_by == bindparam("graded_by"),
    )
)
_AGED = Prepared(
    select(changes.c.sha).where(
        changes.c.repository_id == bindparam("repository"),
        one_of(changes.c.sha, "shas"),
        changes.c.facts_version != FACTS_VERSION,
    )
)
_of_it = changes.c.repository_id == bindparam("repository")
_of_number = changes.c.number == bindparam("number")
_of_sha = and_(changes.c.sha >= bindparam("first"), changes.c.sha < bindparam("last"))

# Each condition uses an index of its own, so each is a separate statement.
_NUMBERED = Prepared(GRADED.where(_of_it, _of_number))
_SHORTENED = Prepared(GRADED.where(_of_it, _of_sha))
_EITHER = Prepared(GRADED.where(_of_it, or_(_of_number, _of_sha)))
_OUTDATED = (
    select(changes.c.sha)
    .where(
        changes.c.repository_id == bindparam("repository"),
        changes.c.facts_version < FACTS_VERSION,
    )
    .order_by(changes.c.committed_at.desc(), changes.c.id)
)
_TOPICS = (
    select(change_topics.c.topic, func.count())
    .where(change_topics.c.repository_id == bindparam("repository"))
    .group_by(change_topics.c.topic)
)
_TOPICS_AMONG = _TOPICS.where(one_of(change_topics.c.topic, "topics"))
_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


class SqlArchive:
    """An ``Archive`` in a database. Several instances may share one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._keys: dict[str, int] = {}

    async def save(self, repository: Repository, changes: Sequence[Graded]) -> None:
        """Store the changes in one transaction; unchanged ones are not written.

        See :mod:`bot.store.writer` for what replaces what. Raises ``UnwritableFolder`` and
        ``BrokenArchive``, as every method does.
        """
        given = {change.sha: change for change in changes}
        key = await self._key(repository)
        async with self._database.reading() as connection:
            known = await held(connection, key, given) if key is not None else {}
        verdicts = {sha: verdict(change, known.get(sha)) for sha, change in given.items()}
        wanted = [given[sha] for sha, told in verdicts.items() if told is not RowState.KNOWN]
        if not wanted:
            return
        # Prepared before the transaction, to block other writers as briefly as possible.
        whole = [change for change in wanted if verdicts[change.sha] is not RowState.REGRADED]
        ready = {e.sha: e for e in await _made(entry, whole)}
        async with self._database.writing(repository.name) as connection:
            await write(connection, await enrol(connection, repository, INDEXED_BY), wanted, ready)

    async def current(
        self, repository: Repository, shas: Sequence[str], graded_by: str
    ) -> frozenset[str]:
        """Those of ``shas`` that are archived with current facts and the given grading."""
        key = await self._key(repository)
        if key is None or not shas:
            return frozenset()
        values = {"repository": key, "shas": words(shas), "graded_by": graded_by}
        found = await self._database.ask(_CURRENT, values)
        return frozenset(row.sha for row in found.rows)

    async def aged(self, repository: Repository, shas: Sequence[str]) -> frozenset[str]:
        """Those of ``shas`` that are archived with another version of facts."""
        key = await self._key(repository)
        if key is None or not shas:
            return frozenset()
        found = await self._database.ask(_AGED, {"repository": key, "shas": words(shas)})
        return frozenset(row.sha for row in found.rows)

    async def outdated(self, repository: Repository) -> Sequence[str]:
        """The full shas of changes archived with an older version of facts, newest first."""
        key = await self._key(repository)
        if key is None:
            return ()
        async with self._database.reading() as connection:
            return (await connection.scalars(_OUTDATED, {"repository": key})).all()

    async def load(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Graded]:
        """The archived changes among ``shas`` by full sha, however many there are."""
        key = await self._key(repository)
        loaded: dict[str, Graded] = {}
        if key is None:
            return loaded
        async with self._database.reading() as connection:
            for some in chunks(dict.fromkeys(shas)):
                wanted = GRADED.where(changes.c.repository_id == key, changes.c.sha.in_(some))
                loaded.update((g.sha, g) for g in await _all(connection, wanted))
        return loaded

    async def find(
        self, repository: Repository, number: int | None = None, sha: str = ""
    ) -> Sequence[Graded]:
        """Changes with a request number or a sha, newest first; given both, either matches.

        A sha may be abbreviated to any number of digits.
        """
        key = await self._key(repository)
        if key is None:
            return ()
        number, first = numbered(number), sha.lower()
        if number is None and not first:
            return []
        named = _NUMBERED if not first else _SHORTENED if number is None else _EITHER
        values = {"repository": key, "number": number, "first": first, "last": first + _AFTER_HEX}
        found = await self._database.ask(named, values)
        return newest_first(await _made(graded, found.rows))

    async def select(self, repository: Repository, query: Query) -> Sequence[Graded]:
        """The changes that meet every condition of the query, newest first.

        A ranked query is ordered by how well the text matches the terms, unless the terms are in so
        many changes that ranking is meaningless (:data:`bot.store.query_plan.COMMON`).
        """
        key = await self._key(repository)
        if key is None:
            return ()
        async with self._database.reading() as connection:
            how = await plan(connection, key, query)
            rows = await connection.execute(how.statement, how.values)
            found = await _made(graded, rows.all())
        return found if how.shape.ranked else newest_first(found)

    async def survey(
        self, repository: Repository, query: Query, page: int, language: Language
    ) -> Listed:
        """Count the changes that meet every condition, and load only one page of them."""
        key = await self._key(repository)
        if key is None:
            return NOTHING_FOUND
        async with self._database.reading() as connection:
            how = await plan(connection, key, replace(query, limit=0, ranked=False))
            return await surveyed(connection, how, page, language)

    async def vocabulary(
        self, repository: Repository, among: Collection[str] | None = None
    ) -> Mapping[str, int]:
        """The topics of the repository with the number of changes for each.

        With ``among``, only those of the given topics that some change has.
        """
        key = await self._key(repository)
        if key is None:
            return {}
        counted = _TOPICS if among is None else _TOPICS_AMONG
        values = {"repository": key, "topics": words(among or ())}
        async with self._database.reading() as connection:
            return dict((await connection.execute(counted, values)).all())

    async def alike(self, repository: Repository, names: Sequence[str]) -> Mapping[str, int]:
        """Topics that share letters with one of the names, with their numbers of changes."""
        key = await self._key(repository)
        if key is None:
            return {}
        async with self._database.reading() as connection:
            return await index_of(connection.dialect.name).alike(connection, key, names)

    async def _key(self, repository: Repository) -> int | None:
        """The key of the repository's row; indexes made by older rules are rebuilt first."""
        if repository.name not in self._keys:
            async with self._database.reading() as connection:
                row = await enrolled(connection, repository)
            if row is None:
                return None
            if row.indexed_by != INDEXED_BY:
                await reindex(self._database, repository)
            self._keys[repository.name] = row.id
        return self._keys[repository.name]


async def _all(connection: AsyncConnection, wanted: Select[*tuple[Any, ...]]) -> Sequence[Graded]:
    return await _made(graded, (await connection.execute(wanted)).all())


async def _made(make: Callable[[_Given], _Made], values: Sequence[_Given]) -> Sequence[_Made]:
    """Convert each value; large numbers of them in a thread, to keep the event loop free."""
    if len(values) < _MANY:
        return [make(value) for value in values]
    return await asyncio.to_thread(lambda: [make(value) for value in values])
