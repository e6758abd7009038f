"""The outcome of each commit in each channel, as ``handlers.ports.storage.CoveragePort`` states.

A commit has one outcome in a channel. A later outcome replaces it only if it says more: any outcome
replaces a failure, and ``posted`` replaces ``archived``. Otherwise the first one stays, so that
running a day again changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Integer, Text, and_, bindparam, delete, insert, or_, select

from bot.store.change_terms import INDEXED_BY
from bot.store.database import Database, Prepared
from bot.store.dialect import given_rows, insert_into
from bot.store.rows import enrol, enrolled, moment, seconds, storable, written
from bot.store.tables.archive_tables import repositories
from bot.store.tables.ledger_tables import outcomes, stretches, tips
from bot.store.writer import chunks
from digest.core.grade import Repository
from digest.core.read_time import gaps, joined
from digest.window import Window
from handlers.ports.storage import Outcome, State

_UTC = ZoneInfo("UTC")
_FURTHEST = (State.POSTED, State.ARCHIVED, State.FILTERED, State.FAILED)
"""Order of precedence for a commit that ended differently in several channels."""


class SqlCoverage:
    """A ``Coverage`` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def seen(self, repository: Repository, branch: str, channel: str) -> str | None:
        """The tip at which the channel's last finished run ended.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        given = {"named": repository.name, "of_branch": branch, "of_channel": channel}
        return (await self._database.ask(_SEEN, given)).value

    async def record(
        self,
        repository: Repository,
        branch: str,
        channel: str,
        tip: str | None,
        outcomes: Sequence[Outcome],
    ) -> None:
        """Store outcomes and, if given, the new tip in one transaction.

        The module docstring says which outcomes replace earlier ones.
        """
        if tip is None and not outcomes:
            return
        # Sorted, so that two writers of the same commits cannot deadlock.
        rows = sorted({o.sha: (o.sha, o.state.value, storable(o.why)) for o in outcomes}.values())
        async with self._database.writing(None) as connection:
            held = await enrolled(connection, repository)
            key = held.id if held else await enrol(connection, repository, INDEXED_BY)
            new = 0
            place = {"repository_id": key, "branch": branch, "channel": channel}
            if rows:
                given = {"of_repository": key, "of_branch": branch, "of_channel": channel}
                told = json.dumps(rows, ensure_ascii=False)
                new += (await _RECORD.on(connection, {**given, "rows": told})).count
            if tip is not None:
                new += (await _MOVE.on(connection, {**place, "sha": tip})).count
            if new:
                await written(connection, repository.name)

    async def states(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Outcome]:
        """The recorded outcomes of ``shas`` by full sha.

        If channels differ, the furthest outcome counts: posted, archived, filtered, failed.
        """
        found: dict[str, Outcome] = {}
        async with self._database.reading() as connection:
            held = await enrolled(connection, repository)
            if held is None:
                return found
            for some in chunks(dict.fromkeys(shas)):
                rows = await connection.execute(
                    select(outcomes.c.sha, outcomes.c.state, outcomes.c.why)
                    .where(outcomes.c.repository_id == held.id, outcomes.c.sha.in_(some))
                    .order_by(outcomes.c.sha, outcomes.c.branch, outcomes.c.channel)
                )
                for sha, state, why in rows:
                    outcome = Outcome(sha=sha, state=State(state), why=why)
                    found[sha] = min(found.get(sha, outcome), outcome, key=_distance)
        return found

    async def covered(self, repository: Repository, branch: str) -> tuple[Window, ...]:
        """The periods in which every commit was read, earliest first."""
        given = {"repository": repository.name, "of_branch": branch}
        async with self._database.reading() as connection:
            return _windows((await connection.execute(_STRETCHES, given)).all())

    async def cover(self, repository: Repository, branch: str, window: Window) -> None:
        """Record that every commit of a window was read, unless that is known."""
        if not gaps(window, await self.covered(repository, branch)):
            return
        given = {"repository": repository.name, "of_branch": branch}
        async with self._database.writing(f"stretches {repository.name}") as connection:
            key = await enrol(connection, repository, INDEXED_BY)
            held = _windows((await connection.execute(_STRETCHES, given)).all())
            place = {"repository_id": key, "branch": branch}
            rows = [
                {**place, "since": seconds(one.since), "until": seconds(one.until)}
                for one in joined([*held, window])
            ]
            mine = (stretches.c.repository_id == key) & (stretches.c.branch == branch)
            await connection.execute(delete(stretches).where(mine))
            await connection.execute(insert(stretches), rows)


def _windows(rows: Sequence[Any]) -> tuple[Window, ...]:
    return tuple(
        Window(since=moment(since), until=moment(until), zone=_UTC) for since, until in rows
    )


def _distance(outcome: Outcome) -> int:
    return _FURTHEST.index(outcome.state)


_OUTCOME = ("sha", "state", "why")
_insertion = insert_into(outcomes).from_select(
    [*_OUTCOME, "repository_id", "branch", "channel"],
    given_rows("rows", _OUTCOME).add_columns(
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
_moving = insert_into(tips)
_MOVE = Prepared(
    _moving.on_conflict_do_update(
        index_elements=list(tips.primary_key),
        set_={"sha": _moving.excluded.sha},
        where=tips.c.sha != _moving.excluded.sha,
    )
)

_STRETCHES = (
    select(stretches.c.since, stretches.c.until)
    .join(repositories, repositories.c.id == stretches.c.repository_id)
    .where(
        repositories.c.name == bindparam("repository"),
        stretches.c.branch == bindparam("of_branch"),
    )
    .order_by(stretches.c.since)
)

_SEEN = Prepared(
    select(tips.c.sha)
    .join(repositories, repositories.c.id == tips.c.repository_id)
    .where(
        repositories.c.name == bindparam("named"),
        tips.c.branch == bindparam("of_branch"),
        tips.c.channel == bindparam("of_channel"),
    )
)
