"""Analyses by models, stored so that nothing is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, Select, select
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from bot.store.columns import columns, compact_json, from_row, matches, moment, seconds, typed
from bot.store.database import SqlStore, select_in
from bot.store.dialect import upsert
from bot.store.rows import add_repository, find_repository
from bot.store.tables.chat_tables import analyses, leads
from digest.core.grade import Level, Repository
from digest.core.stored_json import analysis_from_json, analysis_to_json
from digest.grading.level_override import LevelOverride
from digest.report import report_json
from handlers.ports.analysis_port import Analyses, Basis, StoredAnalysis, StoredDay
from handlers.ports.model_port import ModelReason, Usage

_BASIS = ("prompt", "model", "language")
_KEEP = upsert(
    analyses,
    *("diff", "made_at", "failure", "content"),
    keys=("repository_id", "sha", "facts_version", *_BASIS),
    where=lambda _: analyses.c.failure != "",
)
_KEEP_DAY = upsert(leads, "made_at", "failure", "content", where=lambda _: leads.c.failure != "")


class SqlAnalyses(SqlStore, Analyses):
    """The analyses in a database. Several instances may share one database."""

    @override
    async def load(
        self, repository: Repository, shas: Sequence[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        async with self._database.reading() as connection:
            row = await find_repository(connection, repository.name)
            return {} if row is None else await _load(connection, row.id, shas, basis)

    @override
    async def alike(
        self, repository: Repository, diffs: Collection[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        async with self._database.reading() as connection:
            row = await find_repository(connection, repository.name)
            if row is None:
                return {}
            wanted = (
                _of(row.id)
                .where(analyses.c.facts_version == basis.facts, analyses.c.failure == "")
                .where(matches(analyses, columns(basis, *_BASIS)))
            )
            rows = await select_in(connection, wanted, analyses.c.diff, diffs)
        # The first of those with the same diff.
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
            return await _load(connection, key, [analysis.sha for analysis in kept], basis)

    async def of_change(
        self, repository: Repository, sha: str
    ) -> Sequence[tuple[Basis, StoredAnalysis]]:
        """Everything stored about a commit, newest first."""
        async with self._database.reading() as connection:
            row = await find_repository(connection, repository.name)
            if row is None:
                return ()
            newest = (analyses.c.made_at.desc(), analyses.c.id.desc())
            wanted = select(analyses).where(
                matches(analyses, {"repository_id": row.id, "sha": sha})
            )
            rows = (await connection.execute(wanted.order_by(*newest))).all()
        return tuple((from_row(Basis, row, facts=row.facts_version), kept_of(row)) for row in rows)

    @override
    async def day(self, repository: Repository, shown: str, basis: Basis) -> StoredDay | None:
        async with self._database.reading() as connection:
            home = await find_repository(connection, repository.name)
            if home is None:
                return None
            key = {"repository_id": home.id, "shown": shown, **columns(basis, *_BASIS)}
            wanted = select(leads).where(matches(leads, key))
            row = (await connection.execute(wanted)).first()
        return _kept_day(row) if row else None

    @override
    async def keep_day(
        self, repository: Repository, shown: str, basis: Basis, kept: StoredDay
    ) -> None:
        content = {
            "day": report_json.day_to_json(kept.day) if kept.day else None,
            "usage": usage_to_json(kept.usage),
        }
        async with self._database.writing() as connection:
            key = await add_repository(connection, repository)
            row = {"repository_id": key, "shown": shown, **_made(basis, kept, content)}
            await connection.execute(_KEEP_DAY, row)


def _made(basis: Basis, kept: StoredAnalysis | StoredDay, content: Any) -> dict[str, Any]:
    return {
        **columns(basis, *_BASIS),
        "made_at": seconds(kept.at),
        "failure": kept.failure.value if kept.failure else "",
        # ASCII, because a path may contain bytes that are not valid text.
        "content": compact_json(content),
    }


def _kept_day(row: Row[*tuple[Any, ...]]) -> StoredDay:
    content = json.loads(row.content)
    return StoredDay(
        at=moment(row.made_at),
        day=report_json.day_from_json(content["day"]) if content["day"] else None,
        usage=usage_from_json(content["usage"]),
        failure=ModelReason(row.failure) if row.failure else None,
    )


def _of(key: int) -> Select[*tuple[Any, ...]]:
    return select(analyses).where(analyses.c.repository_id == key).order_by(analyses.c.id)


async def _load(
    connection: AsyncConnection, key: int, shas: Sequence[str], basis: Basis
) -> dict[str, StoredAnalysis]:
    """Stored analyses for a basis, each with the level move that counts for it in any language."""
    analysed: dict[str, StoredAnalysis] = {}
    moves: dict[str, LevelOverride | None] = {}
    by_model = matches(analyses, {"facts_version": basis.facts, "model": basis.model})
    for row in await select_in(connection, _of(key).where(by_model), analyses.c.sha, shas):
        kept = kept_of(row)
        if not kept.failure:
            moves.setdefault(row.sha, kept.move)
        if (row.prompt, row.language) == (basis.prompt, basis.language.value):
            analysed[row.sha] = kept
    return {sha: replace(kept, move=moves.get(sha)) for sha, kept in analysed.items()}


def _columns(key: int, basis: Basis, kept: StoredAnalysis) -> dict[str, Any]:
    move = kept.move
    content = {
        "analysis": analysis_to_json(kept.analysis) if kept.analysis else None,
        "move": [move.rule, move.of.value, move.to.value, move.subject] if move else None,
        "usage": usage_to_json(kept.usage),
        "secrets": kept.secrets,
    }
    about = {"repository_id": key, "sha": kept.sha, "diff": kept.diff}
    return {**about, "facts_version": basis.facts, **_made(basis, kept, content)}


def kept_of(row: Row[*tuple[Any, ...]]) -> StoredAnalysis:
    """The analysis stored in a row of the table."""
    content = json.loads(row.content)
    analysis, move = content["analysis"], content["move"]
    return StoredAnalysis(
        sha=row.sha,
        diff=row.diff,
        at=moment(row.made_at),
        analysis=analysis_from_json(analysis) if analysis else None,
        move=LevelOverride(rule=move[0], of=Level(move[1]), to=Level(move[2]), subject=move[3])
        if move
        else None,
        usage=usage_from_json(content["usage"]),
        secrets=content["secrets"],
        failure=ModelReason(row.failure) if row.failure else None,
    )


_USAGE = ("calls", "input_tokens", "cached_tokens", "output_tokens", "cost", "estimated")


def usage_to_json(usage: Usage) -> list[Any]:
    """The usage as a JSON list; money stays exact."""
    return [getattr(usage, name) if name != "cost" else str(usage.cost) for name in _USAGE]


def usage_from_json(value: list[Any]) -> Usage:
    """The usage that :func:`usage_to_json` wrote."""
    return typed(Usage, dict(zip(_USAGE, value, strict=True)))
