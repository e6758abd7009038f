"""Writes a batch of graded changes: decides what is new, what is replaced, what stays.

Newer facts replace older ones; within one version, facts from more readable files replace those
from fewer, so that a change first seen while its blobs were absent improves once they are there. A
grade alone is replaced without touching facts and indexes. Equal rows are not written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Row, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.change_terms import index_of, lines_of
from bot.store.dialect import insert_rows
from bot.store.forge_records import label_changes
from bot.store.rows import ChangeRow, entry, graded_columns, omitted, reasons_text
from bot.store.tables.archive_tables import (
    change_lines,
    change_paths,
    change_texts,
    change_topics,
    changes,
    contents,
)
from digest.core.grade import Graded

CHUNK = 500
"""Names or keys in one statement; SQLite accepts 32,766 parameters, PostgreSQL 65,535."""


class RowState(Enum):
    """How a graded change relates to the archive."""

    KNOWN = auto()
    NEW = auto()
    BETTER = auto()
    REGRADED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What the archive holds of a change, as far as it decides about replacing it."""

    id: int
    facts_version: int
    omitted: int
    score: float
    level: int
    graded_by: str
    reasons: str


def verdict(graded: Graded, held: Held | None) -> RowState:
    """What to do with a change if the archive holds ``held`` under its sha."""
    if held is None:
        return RowState.NEW
    # Smaller is better.
    worth = (-graded.facts.version, omitted(graded))
    standing = (-held.facts_version, held.omitted)
    if worth != standing:
        return RowState.BETTER if worth < standing else RowState.KNOWN
    grade = graded.grade
    same = (grade.score, grade.level.rank, grade.by, reasons_text(grade)) == (
        held.score,
        held.level,
        held.graded_by,
        held.reasons,
    )
    return RowState.KNOWN if same else RowState.REGRADED


async def held(
    connection: AsyncConnection, repository: int, shas: Collection[str]
) -> dict[str, Held]:
    """What the archive holds under these shas."""
    columns = (
        changes.c.sha,
        changes.c.id,
        changes.c.facts_version,
        changes.c.omitted,
        changes.c.score,
        changes.c.level,
        changes.c.graded_by,
        contents.c.reasons,
    )
    known: dict[str, Held] = {}
    for some in chunks(shas):
        rows = await connection.execute(
            select(*columns)
            .join(contents, contents.c.change_id == changes.c.id)
            .where(changes.c.repository_id == repository, changes.c.sha.in_(some))
        )
        known.update((row.sha, _held(row)) for row in rows)
    return known


def _held(row: Row[*tuple[Any, ...]]) -> Held:
    return Held(
        id=row.id,
        facts_version=row.facts_version,
        omitted=row.omitted,
        score=row.score,
        level=row.level,
        graded_by=row.graded_by,
        reasons=row.reasons,
    )


async def write(
    connection: AsyncConnection,
    repository: int,
    wanted: Sequence[Graded],
    ready: Mapping[str, ChangeRow],
) -> None:
    """Write the changes according to what the archive holds now; ``ready`` are prepared rows."""
    known = await held(connection, repository, [graded.sha for graded in wanted])
    new: list[ChangeRow] = []
    better: list[tuple[int, ChangeRow]] = []
    regraded: list[tuple[int, Graded]] = []
    for graded in wanted:
        standing = known.get(graded.sha)
        told = verdict(graded, standing)
        if standing is None:
            new.append(ready.get(graded.sha) or entry(graded))
        elif told is RowState.BETTER:
            better.append((standing.id, ready.get(graded.sha) or entry(graded)))
        elif told is RowState.REGRADED:
            regraded.append((standing.id, graded))
    await _write_new(connection, repository, new)
    await _write_better(connection, repository, better)
    await _write_grades(connection, regraded)


async def _write_new(
    connection: AsyncConnection, repository: int, entries: Sequence[ChangeRow]
) -> None:
    """Write changes that are not archived yet."""
    rows = [{"repository_id": repository, **entry.change} for entry in entries]
    if rows:
        await connection.execute(insert(changes), rows)
        keys = await _keys(connection, repository, [entry.sha for entry in entries])
        await _fill(connection, repository, [(keys[entry.sha], entry) for entry in entries])


async def _write_better(
    connection: AsyncConnection, repository: int, entries: Sequence[tuple[int, ChangeRow]]
) -> None:
    """Rewrite changes under their existing keys."""
    if entries:
        keys = [key for key, _ in entries]
        for some in chunks(keys):
            await connection.execute(delete(contents).where(contents.c.change_id.in_(some)))
        await clear_indexes(connection, repository, keys)
        await connection.execute(
            update(changes).where(changes.c.id == bindparam("key")),
            [{"key": key, **entry.change} for key, entry in entries],
        )
        await _fill(connection, repository, entries)


async def _write_grades(
    connection: AsyncConnection, regraded: Sequence[tuple[int, Graded]]
) -> None:
    """Write only the grades of the changes with the given keys."""
    if regraded:
        await connection.execute(
            update(changes).where(changes.c.id == bindparam("key")),
            [{"key": key, **graded_columns(graded.grade)} for key, graded in regraded],
        )
        await connection.execute(
            update(contents).where(contents.c.change_id == bindparam("key")),
            [{"key": key, "reasons": reasons_text(graded.grade)} for key, graded in regraded],
        )
        # The length of a change's line depends on its level.
        for some in chunks(key for key, _ in regraded):
            await connection.execute(delete(change_lines).where(change_lines.c.change_id.in_(some)))
        await _write_lines(connection, [(key, lines_of(graded)) for key, graded in regraded])


async def _write_lines(
    connection: AsyncConnection, lines: Iterable[tuple[int, Mapping[str, str]]]
) -> None:
    """Store the lines, by language, of changes that have none; changes are given by key."""
    rows = [(key, language, told) for key, said in lines for language, told in said.items()]
    await insert_rows(connection, change_lines, rows)


async def clear_indexes(
    connection: AsyncConnection, repository: int, keys: Collection[int]
) -> None:
    """Remove the index entries and the lines of the changes with the given keys."""
    index = index_of(connection.dialect.name)
    for some in chunks(keys):
        await index.withdraw(connection, some)
        for table in (change_texts, change_paths, change_lines):
            await connection.execute(delete(table).where(table.c.change_id.in_(some)))
        # The topics have no index by change: they are read through once for this many.
        mine = change_topics.c.repository_id == repository
        await connection.execute(
            delete(change_topics).where(mine, change_topics.c.change_id.in_(some))
        )


async def write_indexes(
    connection: AsyncConnection, repository: int, entries: Sequence[tuple[int, ChangeRow]]
) -> None:
    """Add changes that are not in the indexes yet, and store their lines."""
    index = index_of(connection.dialect.name)
    await connection.execute(
        insert(change_texts), [{"change_id": key, **entry.texts} for key, entry in entries]
    )
    for some in chunks(entries):
        await index.enter(connection, repository, {key: e.texts for key, e in some})
    topics = [(repository, topic, e.committed_at, key) for key, e in entries for topic in e.topics]
    await insert_rows(connection, change_topics, topics)
    await index.learn(connection, repository, {topic for _, e in entries for topic in e.topics})
    numbers = [(key, e.committed_at, e.change["number"]) for key, e in entries]
    await label_changes(connection, repository, numbers)
    paths = [(key, path, repository, e.committed_at) for key, e in entries for path in e.paths]
    await insert_rows(connection, change_paths, paths)
    await _write_lines(connection, [(key, entry.lines) for key, entry in entries])
    await index.settle(connection)


async def _fill(
    connection: AsyncConnection, repository: int, entries: Sequence[tuple[int, ChangeRow]]
) -> None:
    await connection.execute(
        insert(contents), [{"change_id": key, **entry.content} for key, entry in entries]
    )
    await write_indexes(connection, repository, entries)


async def _keys(
    connection: AsyncConnection, repository: int, shas: Sequence[str]
) -> Mapping[str, int]:
    keys: dict[str, int] = {}
    for some in chunks(shas):
        rows = await connection.execute(
            select(changes.c.sha, changes.c.id).where(
                changes.c.repository_id == repository, changes.c.sha.in_(some)
            )
        )
        keys.update((sha, key) for sha, key in rows)
    return keys


_Value = TypeVar("_Value")


def chunks(values: Iterable[_Value]) -> Iterator[list[_Value]]:
    """The values in lists of up to :data:`CHUNK`."""
    rest = iter(values)
    while some := list(islice(rest, CHUNK)):
        yield some
