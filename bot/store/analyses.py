"""Analyses by models, stored so that nothing is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.change_terms import INDEXED_BY
from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.rows import enrol, enrolled, moment, seconds
from bot.store.tables.chat_tables import analyses, leads
from bot.store.writer import chunks
from digest.core.enums import Language
from digest.core.grade import Level, Repository
from digest.core.stored_json import analysis_from_json, analysis_to_json
from digest.grading.level_override import LevelOverride
from digest.report import report_json as day_form
from handlers.ports.analysis_port import Basis, StoredAnalysis, StoredDay
from handlers.ports.model_port import ModelReason, Usage


class SqlAnalyses:
    """``Analyses`` in a database. Several instances may share one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(
        self, repository: Repository, shas: Sequence[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        """The stored analyses of the commits, by full sha.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        async with self._database.reading() as connection:
            key = await _key(connection, repository)
            return {} if key is None else await _load(connection, key, shas, basis)

    async def alike(
        self, repository: Repository, diffs: Collection[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        """Stored analyses of the same diffs under any sha, by patch id; failures are left out."""
        found: dict[str, StoredAnalysis] = {}
        async with self._database.reading() as connection:
            key = await _key(connection, repository)
            if key is None:
                return found
            for some in chunks(dict.fromkeys(diffs)):
                wanted = (
                    select(analyses)
                    .where(analyses.c.repository_id == key, analyses.c.diff.in_(some))
                    .where(_on(basis), analyses.c.failure == "")
                    .order_by(analyses.c.id)
                )
                for row in await connection.execute(wanted):
                    found.setdefault(row.diff, kept_of(row))
        return found

    async def save(
        self, repository: Repository, basis: Basis, kept: Sequence[StoredAnalysis]
    ) -> Mapping[str, StoredAnalysis]:
        """Store these and return what is in the database afterwards.

        An analysis replaces a failure and nothing else. If models moved the level of one change
        several times, the first move counts, in whatever language it was written.
        """
        async with self._database.writing() as connection:
            key = await enrol(connection, repository, INDEXED_BY)
            for one in kept:
                await connection.execute(_KEEP, _columns(key, basis, one))
            return await _load(connection, key, [one.sha for one in kept], basis)

    async def of_change(
        self, repository: Repository, sha: str
    ) -> Sequence[tuple[Basis, StoredAnalysis]]:
        """Everything stored about a commit, newest first."""
        async with self._database.reading() as connection:
            key = await _key(connection, repository)
            wanted = (
                select(analyses)
                .where(analyses.c.repository_id == key, analyses.c.sha == sha)
                .order_by(analyses.c.made_at.desc(), analyses.c.id.desc())
            )
            rows = (await connection.execute(wanted)).all()
        return tuple((_basis(row), kept_of(row)) for row in rows)

    async def day(self, repository: Repository, shown: str, basis: Basis) -> StoredDay | None:
        """The stored lead and themes of a day, by the hash of what the model was shown."""
        async with self._database.reading() as connection:
            key = await _key(connection, repository)
            if key is None:
                return None
            wanted = select(leads).where(leads.c.repository_id == key, leads.c.shown == shown)
            wanted = wanted.where(
                leads.c.prompt == basis.prompt,
                leads.c.model == basis.model,
                leads.c.language == basis.language.value,
            )
            row = (await connection.execute(wanted)).first()
        return _kept_day(row) if row else None

    async def keep_day(
        self, repository: Repository, shown: str, basis: Basis, kept: StoredDay
    ) -> None:
        """Store the lead and themes of a day; they replace a failure."""
        content = {
            "day": day_form.day_to_json(kept.day) if kept.day else None,
            "usage": usage_to_json(kept.usage),
        }
        async with self._database.writing() as connection:
            columns = {
                "repository_id": await enrol(connection, repository, INDEXED_BY),
                "shown": shown,
                "prompt": basis.prompt,
                "model": basis.model,
                "language": basis.language.value,
                "made_at": seconds(kept.at),
                "failure": kept.failure.value if kept.failure else "",
                "content": json.dumps(content, separators=(",", ":")),
            }
            await connection.execute(_KEEP_DAY, columns)


def _kept_day(row: Row[*tuple[Any, ...]]) -> StoredDay:
    content = json.loads(row.content)
    return StoredDay(
        at=moment(row.made_at),
        day=day_form.day_from_json(content["day"]) if content["day"] else None,
        usage=usage_from_json(content["usage"]),
        failure=ModelReason(row.failure) if row.failure else None,
    )


async def _key(connection: AsyncConnection, repository: Repository) -> int | None:
    row = await enrolled(connection, repository)
    return row.id if row else None


async def _load(
    connection: AsyncConnection, key: int, shas: Sequence[str], basis: Basis
) -> dict[str, StoredAnalysis]:
    """Stored analyses for a basis, each with the level move that counts for it in any language."""
    found: dict[str, StoredAnalysis] = {}
    moves: dict[str, LevelOverride | None] = {}
    for some in chunks(dict.fromkeys(shas)):
        wanted = (
            select(analyses)
            .where(analyses.c.repository_id == key, analyses.c.sha.in_(some))
            .where(analyses.c.facts_version == basis.facts, analyses.c.model == basis.model)
            .order_by(analyses.c.id)
        )
        for row in await connection.execute(wanted):
            kept = kept_of(row)
            if not kept.failure:
                moves.setdefault(row.sha, kept.move)
            if (row.prompt, row.language) == (basis.prompt, basis.language.value):
                found[row.sha] = kept
    return {sha: replace(kept, move=moves.get(sha)) for sha, kept in found.items()}


def _basis(row: Row[*tuple[Any, ...]]) -> Basis:
    return Basis(
        prompt=row.prompt,
        model=row.model,
        language=Language(row.language),
        facts=row.facts_version,
    )


def _on(basis: Basis) -> ColumnElement[bool]:
    return and_(
        analyses.c.facts_version == basis.facts,
        analyses.c.prompt == basis.prompt,
        analyses.c.model == basis.model,
        analyses.c.language == basis.language.value,
    )


def _columns(key: int, basis: Basis, kept: StoredAnalysis) -> dict[str, Any]:
    return {
        "repository_id": key,
        "sha": kept.sha,
        "diff": kept.diff,
        "facts_version": basis.facts,
        "prompt": basis.prompt,
        "model": basis.model,
        "language": basis.language.value,
        "made_at": seconds(kept.at),
        "failure": kept.failure.value if kept.failure else "",
        # ASCII, because a path may contain bytes that are not valid text.
        "content": json.dumps(_content(kept), separators=(",", ":")),
    }


def _content(kept: StoredAnalysis) -> dict[str, Any]:
    move, usage = kept.move, kept.usage
    return {
        "analysis": analysis_to_json(kept.analysis) if kept.analysis else None,
        "move": [move.rule, move.of.value, move.to.value, move.subject] if move else None,
        "usage": usage_to_json(usage),
        "secrets": kept.secrets,
    }


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


def usage_to_json(usage: Usage) -> list[Any]:
    """The usage as a JSON list; money stays exact."""
    tokens = [usage.input_tokens, usage.cached_tokens, usage.output_tokens]
    return [usage.calls, *tokens, str(usage.cost), usage.estimated]


def usage_from_json(value: list[Any]) -> Usage:
    """The usage that :func:`usage_to_json` wrote."""
    calls, input_, cached, output, cost, estimated = value
    return Usage(
        calls=calls,
        input_tokens=input_,
        cached_tokens=cached,
        output_tokens=output,
        cost=Decimal(cost),
        estimated=estimated,
    )


_insertion = insert_into(analyses)
_KEEP = _insertion.on_conflict_do_update(
    index_elements=[
        analyses.c[name]
        for name in ("repository_id", "sha", "facts_version", "prompt", "model", "language")
    ],
    set_={name: _insertion.excluded[name] for name in ("diff", "made_at", "failure", "content")},
    where=(analyses.c.failure != ""),
)
_day_insertion = insert_into(leads)
_KEEP_DAY = _day_insertion.on_conflict_do_update(
    index_elements=[*leads.primary_key.columns],
    set_={name: _day_insertion.excluded[name] for name in ("made_at", "failure", "content")},
    where=(leads.c.failure != ""),
)
