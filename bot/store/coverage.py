"""The outcome of each commit in each channel, and the periods that were read.

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
from typing_extensions import override

from bot.store.columns import equals_parameters, from_row, matches, moment, seconds, storable
from bot.store.database import Database, Prepared, SqlStore, select_in
from bot.store.dialect import given_rows, insert_into, upsert
from bot.store.rows import add_repository, find_repository, raise_revision
from bot.store.tables.archive_tables import repositories
from bot.store.tables.ledger_tables import outcomes, stretches, tips
from digest.core.grade import Repository
from digest.window import Window, gaps, merge_windows
from handlers.ports.storage import CoveragePort, Outcome, State

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
        rows = sorted({o.sha: (o.sha, o.state.value, storable(o.why)) for o in outcomes}.values())
        async with self._database.writing(None) as connection:
            home = await find_repository(connection, repository.name)
            key = home.id if home else await add_repository(connection, repository)
            new = 0
            if rows:
                values = {"of_repository": key, "of_branch": branch, "of_channel": channel}
                texts = json.dumps(rows, ensure_ascii=False)
                new += (await _RECORD.on(connection, {**values, "rows": texts})).count
            if tip is not None:
                place = {"repository_id": key, "branch": branch, "channel": channel}
                new += (await _MOVE.on(connection, {**place, "sha": tip})).count
            if new:  # a digest that is made again changes nothing
                await raise_revision(connection, repository.name)

    @override
    async def states(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Outcome]:
        # If channels differ, the furthest outcome counts.
        furthest: dict[str, Outcome] = {}
        async with self._database.reading() as connection:
            home = await find_repository(connection, repository.name)
            if home is None:
                return furthest
            wanted = (
                select(outcomes.c.sha, outcomes.c.state, outcomes.c.why)
                .where(outcomes.c.repository_id == home.id)
                .order_by(outcomes.c.sha, outcomes.c.branch, outcomes.c.channel)
            )
            for row in await select_in(connection, wanted, outcomes.c.sha, shas):
                outcome = from_row(Outcome, row)
                furthest[row.sha] = min(furthest.get(row.sha, outcome), outcome, key=_distance)
        return furthest

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
            key = await add_repository(connection, repository)
            known = _windows((await connection.execute(_PERIODS, values)).all())
            place = {"repository_id": key, "branch": branch}
            rows = [
                {**place, "since": seconds(period.since), "until": seconds(period.until)}
                for period in merge_windows([*known, window])
            ]
            await connection.execute(delete(stretches).where(matches(stretches, place)))
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
_MOVE = Prepared(upsert(tips, where=lambda new: tips.c.sha != new.sha))
_PERIODS = (
    select(stretches.c.since, stretches.c.until)
    .join(repositories, repositories.c.id == stretches.c.repository_id)
    .where(
        repositories.c.name == bindparam("repository"),
        equals_parameters(stretches, "branch", prefix="of_"),
    )
    .order_by(stretches.c.since)
)
_SEEN = Prepared(
    select(tips.c.sha)
    .join(repositories, repositories.c.id == tips.c.repository_id)
    .where(
        repositories.c.name == bindparam("named"),
        equals_parameters(tips, "branch", "channel", prefix="of_"),
    )
)
