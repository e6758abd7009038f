"""The archive: graded changes and their indexes, which periods were read, and commits' outcomes.

A commit has one outcome in a channel. A later outcome replaces it only if it says more: any outcome
replaces a failure, and ``posted`` replaces ``archived``. Otherwise the first one stays, so that
running a day again changes nothing.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from sqlalchemy import (
    ColumnElement,
    Integer,
    Text,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
)
from typing_extensions import override

from bot.store import dialect
from bot.store import rows as row_types
from bot.store.database import Database, Prepared, SqlStore, Statement, select_in
from bot.store.query_plan import plan, run_survey
from bot.store.tables.archive_tables import change_topics, changes, repositories
from bot.store.tables.ledger_tables import outcomes, stretches, tips
from bot.store.text_index import index_of
from bot.store.writer import RowState, archived_rows, row_state, write
from digest.answer.listing import NOTHING_FOUND, Listed
from digest.core.enums import Language
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Repository
from digest.core.reference import Query
from digest.window import Window, gaps, merge_windows
from handlers.ports.storage import Archive, CoveragePort, Outcome, State

log = logging.getLogger(__name__)

_MANY = 100  # from this many changes on, rows are converted in another thread: a hop costs 0.1 ms
_RETRY = 600.0  # seconds from a failed rebuild of an index to the next
_AFTER_HEX = "g"
_of_repository = changes.c.repository_id == bindparam("repository")
_among = select(changes.c.sha).where(_of_repository, dialect.one_of(changes.c.sha, "shas"))

_CURRENT = Prepared(
    _among.where(
        changes.c.facts_version == FACTS_VERSION, changes.c.graded_by == bindparam("graded_by")
    )
)

_AGED = Prepared(_among.where(changes.c.facts_version != FACTS_VERSION))

_OUTDATED = (
    select(changes.c.sha)
    .where(_of_repository, changes.c.facts_version < FACTS_VERSION)
    .order_by(changes.c.committed_at.desc(), changes.c.id)
)

# Each condition uses an index of its own, so each is a separate statement.
_of_number = changes.c.number == bindparam("number")
_of_sha = and_(changes.c.sha >= bindparam("first"), changes.c.sha < bindparam("last"))
_NUMBERED = Prepared(row_types.GRADED.where(_of_repository, _of_number))
_SHORTENED = Prepared(row_types.GRADED.where(_of_repository, _of_sha))
_EITHER = Prepared(row_types.GRADED.where(_of_repository, or_(_of_number, _of_sha)))

_TOPICS = (
    select(change_topics.c.topic, func.count())
    .where(change_topics.c.repository_id == bindparam("repository"))
    .group_by(change_topics.c.topic)
)

_TOPICS_AMONG = _TOPICS.where(dialect.one_of(change_topics.c.topic, "topics"))
_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


class SqlArchive(SqlStore, Archive):
    """An archive in a database. Several instances may share one database.

    Indexes made by older rules are rebuilt first, or ``beside`` what goes on meanwhile.
    """

    def __init__(self, database: Database, *, beside: bool = False) -> None:
        super().__init__(database)
        self._beside = beside
        self._keys: dict[str, int] = {}
        self._rebuilding: dict[str, asyncio.Task[int]] = {}

    async def aclose(self) -> None:
        """Stop rebuilding indexes; the next process starts over."""
        for task in self._rebuilding.values():
            task.cancel()
        await asyncio.gather(*self._rebuilding.values(), return_exceptions=True)

    @override
    async def save(self, repository: Repository, changes: Sequence[Graded]) -> None:
        given = {change.sha: change for change in changes}
        key = await self._key(repository)
        async with self._database.reading() as connection:
            archived = await archived_rows(connection, key, given) if key is not None else {}
        states = {sha: row_state(change, archived.get(sha)) for sha, change in given.items()}
        wanted = [given[sha] for sha, state in states.items() if state is not RowState.KNOWN]
        if not wanted:
            return
        # Prepared before the transaction, to block other writers as briefly as possible.
        whole = [change for change in wanted if states[change.sha] is not RowState.REGRADED]
        ready = {e.sha: e for e in await _made(row_types.entry, whole)}
        async with self._database.writing(repository.name) as connection:
            await write(
                connection, await row_types.add_repository(connection, repository), wanted, ready
            )

    @override
    async def current(
        self, repository: Repository, shas: Sequence[str], graded_by: str
    ) -> frozenset[str]:
        return await self._shas(_CURRENT, repository, shas, graded_by=graded_by)

    @override
    async def aged(self, repository: Repository, shas: Sequence[str]) -> frozenset[str]:
        return await self._shas(_AGED, repository, shas)

    async def _shas(
        self, wanted: Prepared, repository: Repository, shas: Sequence[str], **values: str
    ) -> frozenset[str]:
        if not shas:
            return frozenset()
        return frozenset(
            row.sha
            for row in await self._rows(wanted, repository, shas=dialect.words(shas), **values)
        )

    async def outdated(self, repository: Repository) -> Sequence[str]:
        """The full shas of changes archived with an older version of facts, newest first."""
        return [row.sha for row in await self._rows(_OUTDATED, repository)]

    @override
    async def load(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Graded]:
        key = await self._key(repository)
        if key is None:
            return {}
        async with self._database.reading() as connection:
            wanted = row_types.GRADED.where(changes.c.repository_id == key)
            rows = await select_in(connection, wanted, changes.c.sha, shas)
        return {change.sha: change for change in await _made(row_types.graded_from_row, rows)}

    @override
    async def find(
        self, repository: Repository, number: int | None = None, sha: str = ""
    ) -> Sequence[Graded]:
        number, first = row_types.storable_number(number), sha.lower()
        if number is None and not first:
            return []
        named = _NUMBERED if not first else _SHORTENED if number is None else _EITHER
        values = {"number": number, "first": first, "last": first + _AFTER_HEX}
        return row_types.newest_first(
            await _made(row_types.graded_from_row, await self._rows(named, repository, **values))
        )

    @override
    async def select(self, repository: Repository, query: Query) -> Sequence[Graded]:
        key = await self._key(repository)
        if key is None:
            return ()
        async with self._database.reading() as connection:
            how = await plan(connection, key, query)
            rows = await connection.execute(how.statement, how.values)
            selected = await _made(row_types.graded_from_row, rows.all())
        return row_types.newest_first(selected)

    @override
    async def survey(
        self, repository: Repository, query: Query, page: int, language: Language
    ) -> Listed:
        key = await self._key(repository)
        if key is None:
            return NOTHING_FOUND
        async with self._database.reading() as connection:
            how = await plan(connection, key, replace(query, limit=0))
            return await run_survey(connection, how, page, language)

    @override
    async def vocabulary(
        self, repository: Repository, among: Collection[str] | None = None
    ) -> Mapping[str, int]:
        if among is None:
            return dict(await self._rows(_TOPICS, repository))
        return dict(await self._rows(_TOPICS_AMONG, repository, topics=dialect.words(among)))

    @override
    async def alike(self, repository: Repository, names: Sequence[str]) -> Mapping[str, int]:
        key = await self._key(repository)
        if key is None:
            return {}
        async with self._database.reading() as connection:
            return await index_of(connection.dialect.name).alike(connection, key, names)

    async def _rows(
        self, wanted: Statement | Prepared, repository: Repository, **values: Any
    ) -> Sequence[Any]:
        """The rows of a statement about a repository; none if nothing is stored of it."""
        key = await self._key(repository)
        if key is None:
            return ()
        return (await self._database.run(wanted, {"repository": key, **values})).rows

    async def _key(self, repository: Repository) -> int | None:
        """The key of the repository's row; indexes made by older rules are rebuilt."""
        if repository.name not in self._keys:
            async with self._database.reading() as connection:
                row = await row_types.find_repository(connection, repository.name)
            if row is None:
                return None
            if row.indexed_by != row_types.INDEXED_BY:
                await self._rebuilt(repository)
            self._keys[repository.name] = row.id
        return self._keys[repository.name]

    async def _rebuilt(self, repository: Repository) -> None:
        """Rebuild the indexes of a repository, or have begun to.

        Meanwhile every change is found, by the old rules or by the new.
        """
        from bot.store.maintenance import reindex

        if not self._beside:
            await reindex(self._database, repository)
        elif repository.name not in self._rebuilding:
            task = asyncio.create_task(reindex(self._database, repository))
            task.add_done_callback(partial(self._note_rebuilt, repository.name))
            self._rebuilding[repository.name] = task

    def _note_rebuilt(self, name: str, task: asyncio.Task[int]) -> None:
        """Have a failed rebuild tried again by the first question after ``_RETRY``."""
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("archive.not_reindexed: %s: %s", name, error)
            asyncio.get_running_loop().call_later(_RETRY, self._forget, name)

    def _forget(self, name: str) -> None:
        self._keys.pop(name, None)
        self._rebuilding.pop(name, None)


async def _made(make: Callable[[_Given], _Made], values: Sequence[_Given]) -> Sequence[_Made]:
    """Convert each value; large numbers of them in a thread, to keep the event loop free."""
    if len(values) < _MANY:
        return [make(value) for value in values]
    return await asyncio.to_thread(lambda: [make(value) for value in values])


_UTC = ZoneInfo("UTC")
_FURTHEST = (State.POSTED, State.ARCHIVED, State.FILTERED, State.FAILED)
"""Order of precedence for a commit that ended differently in several channels."""


class SqlCoverage(SqlStore, CoveragePort):
    """The coverage in a database."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._covered: dict[tuple[str, str], tuple[Window, ...]] = {}

    @override
    async def seen(self, repository: Repository, branch: str, channel: str) -> str | None:
        values = {"named": repository.name, "of_branch": branch, "of_channel": channel}
        return (await self._database.run(_SEEN, values)).value

    @override
    async def record(
        self,
        repository: Repository,
        branch: str,
        channel: str,
        tip: str | None,
        outcomes: Sequence[Outcome],
    ) -> None:
        if tip is None and not outcomes:
            return
        # Sorted, so that two writers of the same commits cannot deadlock.
        rows = sorted(
            {o.sha: (o.sha, o.state.value, dialect.storable(o.why)) for o in outcomes}.values()
        )
        async with self._database.writing(None) as connection:
            home = await row_types.find_repository(connection, repository.name)
            key = home.id if home else await row_types.add_repository(connection, repository)
            new = 0
            if rows:
                values = {"of_repository": key, "of_branch": branch, "of_channel": channel}
                texts = json.dumps(rows, ensure_ascii=False)
                new += (await _RECORD.on(connection, {**values, "rows": texts})).count
            if tip is not None:
                place = {"repository_id": key, "branch": branch, "channel": channel}
                new += (await _MOVE.on(connection, {**place, "sha": tip})).count
            if new:  # a digest that is made again changes nothing
                await row_types.raise_revision(connection, repository.name)

    @override
    async def states(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Outcome]:
        # If channels differ, the furthest outcome counts.
        furthest: dict[str, Outcome] = {}
        for row in await self._outcomes(repository, shas):
            outcome = dialect.from_row(Outcome, row)
            furthest[row.sha] = min(
                furthest.get(row.sha, outcome), outcome, key=lambda one: _FURTHEST.index(one.state)
            )
        return furthest

    @override
    async def told(
        self, repository: Repository, branch: str, channel: str, shas: Sequence[str]
    ) -> frozenset[str]:
        elsewhere = (
            outcomes.c.channel == channel,
            outcomes.c.branch != branch,
            outcomes.c.state.in_([State.POSTED.value, State.ARCHIVED.value]),
        )
        return frozenset(row.sha for row in await self._outcomes(repository, shas, *elsewhere))

    async def _outcomes(
        self, repository: Repository, shas: Sequence[str], *conditions: ColumnElement[bool]
    ) -> Sequence[Any]:
        wanted = (
            select(outcomes.c.sha, outcomes.c.state, outcomes.c.why)
            .where(outcomes.c.repository_id == row_types.key_of(repository), *conditions)
            .order_by(outcomes.c.sha, outcomes.c.branch, outcomes.c.channel)
        )
        async with self._database.reading() as connection:
            return await select_in(connection, wanted, outcomes.c.sha, shas)

    @override
    async def covered(self, repository: Repository, branch: str) -> tuple[Window, ...]:
        values = {"repository": repository.name, "of_branch": branch}
        covered = _windows((await self._database.run(_PERIODS, values)).rows)
        self._covered[repository.name, branch] = covered
        return covered

    @override
    async def cover(self, repository: Repository, branch: str, window: Window) -> None:
        # What was read stays read: no statement for what this process knows to be.
        known = self._covered.get((repository.name, branch), ())
        if not (gaps(window, known) and gaps(window, await self.covered(repository, branch))):
            return
        values = {"repository": repository.name, "of_branch": branch}
        async with self._database.writing(f"stretches {repository.name}") as connection:
            key = await row_types.add_repository(connection, repository)
            known = _windows((await connection.execute(_PERIODS, values)).all())
            place = {"repository_id": key, "branch": branch}
            rows = [
                {
                    **place,
                    "since": dialect.seconds(period.since),
                    "until": dialect.seconds(period.until),
                }
                for period in merge_windows([*known, window])
            ]
            await connection.execute(delete(stretches).where(dialect.matches(stretches, place)))
            await connection.execute(insert(stretches), rows)


def _windows(rows: Sequence[Any]) -> tuple[Window, ...]:
    return tuple(
        Window(since=dialect.moment(since), until=dialect.moment(until), zone=_UTC)
        for since, until in rows
    )


_OUTCOME = ("sha", "state", "why")

_insertion = dialect.insert_into(outcomes).from_select(
    [*_OUTCOME, "repository_id", "branch", "channel"],
    dialect.given_rows("rows", _OUTCOME).add_columns(
        bindparam("of_repository", type_=Integer),
        bindparam("of_branch", type_=Text),
        bindparam("of_channel", type_=Text),
    ),
)

# All commits in one statement: a channel of a busy repository has hundreds of them a day.
_RECORD = Prepared(
    _insertion.on_conflict_do_update(
        index_elements=list(outcomes.primary_key),
        set_={"state": _insertion.excluded.state, "why": _insertion.excluded.why},
        where=or_(
            outcomes.c.state == State.FAILED.value,
            and_(
                outcomes.c.state == State.ARCHIVED.value,
                _insertion.excluded.state == State.POSTED.value,
            ),
        ),
    )
)

_MOVE = Prepared(dialect.upsert(tips, where=lambda new: tips.c.sha != new.sha))

_PERIODS = (
    select(stretches.c.since, stretches.c.until)
    .join(repositories, repositories.c.id == stretches.c.repository_id)
    .where(
        repositories.c.name == bindparam("repository"),
        dialect.equals_parameters(stretches, "branch", prefix="of_"),
    )
    .order_by(stretches.c.since)
)

_SEEN = Prepared(
    select(tips.c.sha)
    .join(repositories, repositories.c.id == tips.c.repository_id)
    .where(
        repositories.c.name == bindparam("named"),
        dialect.equals_parameters(tips, "branch", "channel", prefix="of_"),
    )
)
