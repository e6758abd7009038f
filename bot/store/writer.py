"""Writes a batch of graded changes: decides what is new, what is replaced, what stays.

Newer facts replace older ones; within one version, facts from more readable files replace those
from fewer, so that a change first seen while its blobs were absent improves once they are there. A
grade alone is replaced without touching facts and indexes. Equal rows are not written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import chunks, delete_in, select_in
from bot.store.dialect import insert_rows
from bot.store.forge_records import label_changes
from bot.store.rows import ChangeRow, count_omitted, entry, graded_columns, lines_of, reasons_text
from bot.store.tables.archive_tables import (
    change_lines,
    change_paths,
    change_texts,
    change_topics,
    changes,
    contents,
)
from bot.store.text_index import index_of
from digest.core.grade import Graded

_HELD = select(
    *(changes.c[name] for name in ("sha", "id", "facts_version", "omitted")),
    *(changes.c[name] for name in ("score", "level", "graded_by")),
    contents.c.reasons,
).join(contents, contents.c.change_id == changes.c.id)
"""What decides about replacing an archived change."""


class RowState(Enum):
    """How a graded change relates to the archive."""

    KNOWN = auto()
    NEW = auto()
    BETTER = auto()
    REGRADED = auto()


def row_state(graded: Graded, row: Any | None) -> RowState:
    """What to do with a change if the archive holds ``row`` under its sha."""
    if row is None:
        return RowState.NEW
    # Smaller is better.
    worth = (-graded.facts.version, count_omitted(graded))
    archived = (-row.facts_version, row.omitted)
    if worth != archived:
        return RowState.BETTER if worth < archived else RowState.KNOWN
    grade = graded.grade
    new = (grade.score, grade.level.rank, grade.by, reasons_text(grade))
    same = new == (row.score, row.level, row.graded_by, row.reasons)
    return RowState.KNOWN if same else RowState.REGRADED


async def archived_rows(
    connection: AsyncConnection, repository: int, shas: Collection[str]
) -> dict[str, Any]:
    """What the archive holds under these shas."""
    rows = _HELD.where(changes.c.repository_id == repository)
    return {row.sha: row for row in await select_in(connection, rows, changes.c.sha, shas)}


async def write(
    connection: AsyncConnection,
    repository: int,
    wanted: Sequence[Graded],
    ready: Mapping[str, ChangeRow],
) -> None:
    """Write the changes according to what the archive holds now; ``ready`` are prepared rows."""
    archived = await archived_rows(connection, repository, [graded.sha for graded in wanted])
    new: list[ChangeRow] = []
    better: list[tuple[int, ChangeRow]] = []
    regraded: list[tuple[int, Graded]] = []
    for graded in wanted:
        row = archived.get(graded.sha)
        state = row_state(graded, row)
        if row is None:
            new.append(ready.get(graded.sha) or entry(graded))
        elif state is RowState.BETTER:
            better.append((row.id, ready.get(graded.sha) or entry(graded)))
        elif state is RowState.REGRADED:
            regraded.append((row.id, graded))
    await _write_new(connection, repository, new)
    await _write_better(connection, repository, better)
    await _write_grades(connection, regraded)


async def _write_new(
    connection: AsyncConnection, repository: int, entries: Sequence[ChangeRow]
) -> None:
    rows = [{"repository_id": repository, **entry.change} for entry in entries]
    if rows:
        await connection.execute(insert(changes), rows)
        shas = [entry.sha for entry in entries]
        pairs = select(changes.c.sha, changes.c.id).where(changes.c.repository_id == repository)
        added = dict(tuple(row) for row in await select_in(connection, pairs, changes.c.sha, shas))
        await _fill(connection, repository, [(added[entry.sha], entry) for entry in entries])


async def _write_better(
    connection: AsyncConnection, repository: int, entries: Sequence[tuple[int, ChangeRow]]
) -> None:
    if entries:
        keys = [key for key, _ in entries]
        await delete_in(connection, contents.c.change_id, keys)
        await clear_indexes(connection, repository, keys)
        await connection.execute(
            update(changes).where(changes.c.id == bindparam("key")),
            [{"key": key, **entry.change} for key, entry in entries],
        )
        await _fill(connection, repository, entries)


async def _write_grades(
    connection: AsyncConnection, regraded: Sequence[tuple[int, Graded]]
) -> None:
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
        await delete_in(connection, change_lines.c.change_id, [key for key, _ in regraded])
        await _write_lines(connection, [(key, lines_of(graded)) for key, graded in regraded])


async def _write_lines(
    connection: AsyncConnection, lines: Iterable[tuple[int, Mapping[str, str]]]
) -> None:
    """Store the lines, by language, of changes that have none; changes are given by key."""
    rows = [(key, language, line) for key, said in lines for language, line in said.items()]
    await insert_rows(connection, change_lines, rows)


async def clear_indexes(
    connection: AsyncConnection, repository: int, keys: Collection[int]
) -> None:
    """Remove the index entries and the lines of the changes with the given keys."""
    index = index_of(connection.dialect.name)
    of_repository = change_topics.c.repository_id == repository
    for chunk in chunks(keys):
        await index.withdraw(connection, chunk)
        for table in (change_texts, change_paths, change_lines):
            await delete_in(connection, table.c.change_id, chunk)
        # The topics have no index by change: they are read through once for this many.
        await connection.execute(
            delete(change_topics).where(of_repository, change_topics.c.change_id.in_(chunk))
        )


async def write_indexes(
    connection: AsyncConnection, repository: int, entries: Sequence[tuple[int, ChangeRow]]
) -> None:
    """Add changes that are not in the indexes yet, and store their lines."""
    index = index_of(connection.dialect.name)
    await connection.execute(
        insert(change_texts), [{"change_id": key, **entry.texts} for key, entry in entries]
    )
    for chunk in chunks(entries):
        await index.enter(connection, repository, {key: e.texts for key, e in chunk})
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
