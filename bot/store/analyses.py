"""Analyses by models, stored so that nothing is paid for twice, and the ledger of calls to models.

Money is stored in whole billionths of the currency, so that sums are exact. The cost of a call is
rounded up, never down, because caps apply to these sums.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, case, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from bot.store import dialect
from bot.store.database import Database, SqlStore, select_in
from bot.store.dialect import columns
from bot.store.rows import add_repository, key_of
from bot.store.tables.chat_tables import analyses, leads, model_calls
from digest.core.grade import Level, Repository
from digest.core.statement import analysis_from_json, analysis_to_json
from digest.frozen import frozen
from digest.grading.importance import LevelOverride
from digest.report import report_json
from handlers.ports.analysis_port import Analyses, Basis, StoredAnalysis, StoredDay
from handlers.ports.model_port import OK, CallKind, ModelCall, ModelReason, Usage

_BASIS = ("prompt", "model", "language")

_KEEP = dialect.upsert(
    analyses,
    *("diff", "made_at", "failure", "content"),
    keys=("repository_id", "sha", "facts_version", *_BASIS),
    where=lambda _: analyses.c.failure != "",
)

_KEEP_DAY = dialect.upsert(
    leads, "made_at", "failure", "content", where=lambda _: leads.c.failure != ""
)


class SqlAnalyses(SqlStore, Analyses):
    """The analyses in a database. Several instances may share one database."""

    @override
    async def load(
        self, repository: Repository, shas: Sequence[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        async with self._database.reading() as connection:
            return await _load(connection, repository, shas, basis)

    @override
    async def alike(
        self, repository: Repository, diffs: Collection[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        wanted = (
            _of(repository)
            .where(analyses.c.facts_version == basis.facts, analyses.c.failure == "")
            .where(dialect.matches(analyses, columns(basis, "prompt", "language")))
            .where(analyses.c.model.in_(basis.models))
        )
        async with self._database.reading() as connection:
            rows = await select_in(connection, wanted, analyses.c.diff, diffs)
        # The first of those with the same diff, by the preferred model.
        rows.sort(key=lambda row: basis.models.index(row.model))
        return {row.diff: kept_of(row) for row in reversed(rows)}

    @override
    async def save(
        self, repository: Repository, basis: Basis, kept: Sequence[StoredAnalysis]
    ) -> Mapping[str, StoredAnalysis]:
        # An analysis replaces a failure and nothing else. If models moved the level of one change
        # several times, the first move counts, in whatever language it was written.
        async with self._database.writing() as connection:
            key = await add_repository(connection, repository)
            for analysis in kept:
                await connection.execute(_KEEP, _columns(key, basis, analysis))
            return await _load(connection, repository, [analysis.sha for analysis in kept], basis)

    async def of_change(
        self, repository: Repository, sha: str
    ) -> Sequence[tuple[Basis, StoredAnalysis]]:
        """Everything stored about a commit, newest first."""
        of_sha = _of(repository).where(analyses.c.sha == sha).order_by(None)
        newest = of_sha.order_by(analyses.c.made_at.desc(), analyses.c.id.desc())
        return tuple(
            (dialect.from_row(Basis, row, facts=row.facts_version), kept_of(row))
            for row in (await self._database.run(newest)).rows
        )

    @override
    async def day(self, repository: Repository, shown: str, basis: Basis) -> StoredDay | None:
        about = columns(basis, "prompt", "language")
        key = {"repository_id": key_of(repository), "shown": shown, **about}
        wanted = select(leads).where(dialect.matches(leads, key), leads.c.model.in_(basis.models))
        rows = (await self._database.run(wanted)).rows
        best = sorted(rows, key=lambda row: (row.failure != "", basis.models.index(row.model)))
        return _kept_day(best[0]) if best else None

    @override
    async def keep_day(
        self, repository: Repository, shown: str, basis: Basis, stored_day: StoredDay
    ) -> None:
        content = {
            "day": report_json.day_to_json(stored_day.day) if stored_day.day else None,
            "usage": usage_to_json(stored_day.usage),
        }
        async with self._database.writing() as connection:
            key = await add_repository(connection, repository)
            row = {"repository_id": key, "shown": shown, **_made(basis, stored_day, content)}
            await connection.execute(_KEEP_DAY, row)


def _made(basis: Basis, stored: StoredAnalysis | StoredDay, content: Any) -> dict[str, Any]:
    return {
        **columns(basis, *_BASIS),
        **({"model": stored.model} if stored.model else {}),
        "made_at": dialect.seconds(stored.at),
        "failure": stored.failure.value if stored.failure else "",
        # ASCII, because a path may contain bytes that are not valid text.
        "content": dialect.compact_json(content),
    }


def _kept_day(row: Row[*tuple[Any, ...]]) -> StoredDay:
    content = json.loads(row.content)
    return StoredDay(
        at=dialect.moment(row.made_at),
        day=report_json.day_from_json(content["day"]) if content["day"] else None,
        usage=usage_from_json(content["usage"]),
        failure=ModelReason(row.failure) if row.failure else None,
        model=row.model,
    )


def _of(repository: Repository) -> Select[*tuple[Any, ...]]:
    own = analyses.c.repository_id == key_of(repository)
    return select(analyses).where(own).order_by(analyses.c.id)


async def _load(
    connection: AsyncConnection, repository: Repository, shas: Sequence[str], basis: Basis
) -> dict[str, StoredAnalysis]:
    """Stored analyses for a basis, each with the level move that counts for it in any language."""
    analysed: dict[str, StoredAnalysis] = {}
    moves: dict[str, LevelOverride | None] = {}
    by_model = _of(repository).where(
        analyses.c.facts_version == basis.facts, analyses.c.model.in_(basis.models)
    )
    for row in await select_in(connection, by_model, analyses.c.sha, shas):
        kept = kept_of(row)
        if not kept.failure:
            moves.setdefault(row.sha, kept.move)
        if (row.prompt, row.language) == (basis.prompt, basis.language.value):
            other = analysed.get(row.sha)
            preferred = row.model == basis.model and not kept.failure
            if other is None or other.failure or preferred:
                analysed[row.sha] = kept
    return {sha: replace(kept, move=moves.get(sha)) for sha, kept in analysed.items()}


def _columns(key: int, basis: Basis, stored: StoredAnalysis) -> dict[str, Any]:
    move = stored.move
    content = {
        "analysis": analysis_to_json(stored.analysis) if stored.analysis else None,
        "move": [move.rule, move.of.value, move.to.value, move.subject] if move else None,
        "usage": usage_to_json(stored.usage),
        "secrets": stored.secrets,
    }
    about = {"repository_id": key, "sha": stored.sha, "diff": stored.diff}
    return {**about, "facts_version": basis.facts, **_made(basis, stored, content)}


def kept_of(row: Row[*tuple[Any, ...]]) -> StoredAnalysis:
    """The analysis stored in a row of the table."""
    content = json.loads(row.content)
    analysis, move = content["analysis"], content["move"]
    return StoredAnalysis(
        sha=row.sha,
        diff=row.diff,
        at=dialect.moment(row.made_at),
        analysis=analysis_from_json(analysis) if analysis else None,
        move=LevelOverride(rule=move[0], of=Level(move[1]), to=Level(move[2]), subject=move[3])
        if move
        else None,
        usage=usage_from_json(content["usage"]),
        secrets=content["secrets"],
        failure=ModelReason(row.failure) if row.failure else None,
        model=row.model,
    )


_USAGE = ("calls", "input_tokens", "cached_tokens", "output_tokens", "cost", "estimated")


def usage_to_json(usage: Usage) -> list[Any]:
    """The usage as a JSON list; money stays exact."""
    return [getattr(usage, name) if name != "cost" else str(usage.cost) for name in _USAGE]


def usage_from_json(value: list[Any]) -> Usage:
    """The usage that :func:`usage_to_json` wrote."""
    return dialect.value_from(Usage, dict(zip(_USAGE, value, strict=True)))


_UNIT = Decimal("1e-9")
_DAY = 86_400


@frozen
class Cost:
    """Calls of one day (its first instant, in UTC), repository, kind and currency; some failed."""

    day: datetime
    repository: str
    kind: CallKind
    currency: str
    usage: Usage
    failed: int


class SqlCalls(SqlStore):
    """All calls to models, in a database. Costs are in ``currency``."""

    def __init__(self, database: Database, currency: str = "USD") -> None:
        super().__init__(database)
        self._currency = currency

    async def add(self, call: ModelCall) -> None:
        """Record one call."""
        account = columns(call.account, "kind", "repository", "channel", "person", "subject")
        rest = columns(call, "at", "model", "rung", "outcome", "seconds")
        usage = {**columns(call.usage), "cost": nanos(call.usage.cost), "currency": self._currency}
        await self._database.run(insert(model_calls), {**account, **rest, **usage})

    async def spent(
        self, since: datetime, *, channel: str | None = None, person: str | None = None
    ) -> Usage:
        """The total usage from ``since`` on, optionally of one channel or person."""
        # Costs in another currency do not count.
        cost = case((model_calls.c.currency == self._currency, model_calls.c.cost), else_=0)
        wanted = select(*_sums(cost)).where(model_calls.c.at >= dialect.seconds(since))
        if channel is not None:
            wanted = wanted.where(model_calls.c.channel == channel)
        if person is not None:
            wanted = wanted.where(model_calls.c.person == person)
        return _usage((await self._database.run(wanted)).first)

    async def costs(self, since: datetime, until: datetime) -> Sequence[Cost]:
        """Calls from ``since`` to ``until`` (exclusive) by day, repository, kind and currency."""
        calls = model_calls.c
        # Seconds since 1970 divide into UTC days of 86,400, because they count no leap seconds.
        day = (calls.at // _DAY * _DAY).label("day")
        by = (day, calls.repository, calls.kind, calls.currency)
        failed = func.sum(case((calls.outcome == OK, 0), else_=1)).label("failed")
        wanted = (
            select(*by, failed, *_sums(calls.cost))
            .where(calls.at >= dialect.seconds(since), calls.at < dialect.seconds(until))
            .group_by(*by)
            .order_by(*by)
        )
        rows = (await self._database.run(wanted)).rows
        return tuple(dialect.from_row(Cost, row, usage=_usage(row)) for row in rows)


def nanos(cost: Decimal) -> int:
    """Money in billionths, rounded up."""
    return int((cost / _UNIT).to_integral_value(ROUND_CEILING))


def money(stored: int) -> Decimal:
    """The money that :func:`nanos` stored."""
    return stored * _UNIT


def _sums(cost: ColumnElement[int]) -> tuple[ColumnElement[Any], ...]:
    calls = model_calls.c
    columns = (calls.calls, calls.input_tokens, calls.cached_tokens, calls.output_tokens)
    return (
        *(dialect.total(column).label(column.name) for column in columns),
        dialect.total(cost).label("cost"),
        func.coalesce(func.max(case((calls.estimated, 1), else_=0)), 0).label("estimated"),
    )


def _usage(row: Any) -> Usage:
    return dialect.from_row(Usage, row, cost=money(row.cost))
