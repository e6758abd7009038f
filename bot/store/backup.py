"""Copies of the archive: backup and restore without downtime, and the move to PostgreSQL.

A backup is made under a temporary name, checked, and renamed only if nothing exists under its final
name. SQLite's online backup (https://www.sqlite.org/backup.html) makes it in a single step: one in
several steps starts over whenever another process writes. Copying to PostgreSQL also succeeds
completely or leaves nothing behind.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Select, Table, bindparam, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.dialect import copy_rows, storable
from bot.store.migrations import REVISIONS
from bot.store.postgresql import PostgresDatabase
from bot.store.sqlite import FILE, SqliteDatabase, user_errors
from bot.store.tables.archive_tables import (
    change_texts,
    changes,
    known_topics,
    metadata,
    repositories,
)
from bot.store.text_index_postgresql import PostgresIndex, enter_topics
from digest.errors import BrokenArchive, NewerArchive, UnwritableFolder, UserError
from digest.frozen import frozen

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
"""Errors of file systems without hard links, such as removable disks and some network shares."""

_SIDE_FILES = ("-wal", "-shm", "-journal")


@frozen
class Copied:
    """A finished backup: its path, size in bytes, and the revision of its tables."""

    file: Path
    size: int
    revision: str


def backup(folder: Path, file: Path) -> Copied:
    """Copy the archive of a data folder, which may be in use, to a new file.

    Raises ``UserError`` if there is no archive or the file exists, ``BrokenArchive`` if the archive
    is damaged, and ``UnwritableFolder``.
    """
    archive = folder / FILE
    if not archive.exists():
        raise UserError(f"{str(folder)!r} contains no archive to copy")
    return _copied(archive, file)


def restore(folder: Path, file: Path) -> Copied:
    """Restore a backup as the archive of a data folder that has none.

    An older revision is migrated when the archive is next opened. Raises ``UserError`` if the
    folder has an archive or the backup does not exist, ``NewerArchive`` if a later version of the
    program made the backup, ``BrokenArchive`` if it is damaged, and ``UnwritableFolder``.
    """
    if not file.is_file():
        raise UserError(f"file {str(file)!r} does not exist")
    archive = folder / FILE
    # A log left behind by a removed archive would be replayed into the restored one.
    files = [archive, *(Path(f"{archive}{end}") for end in _SIDE_FILES)]
    for existing in files:
        if existing.exists():
            raise UserError(
                f"{str(existing)!r} already exists and is not overwritten; "
                "stop digestbot and move it away"
            )
    with user_errors(file), closing(_open(file)) as connection:
        revision = _revision(connection, file)
    if revision not in REVISIONS:
        raise NewerArchive(str(file), revision)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableFolder(str(folder), error.strerror or str(error)) from error
    return _copied(file, archive)


def _copied(source: Path, target: Path) -> Copied:
    with _in_place_of(target) as beside:
        with (
            user_errors(source),
            closing(_open(source)) as reading,
            closing(sqlite3.connect(beside)) as writing,
        ):
            reading.backup(writing)
            # The copy is a single file without a log beside it.
            writing.execute("PRAGMA journal_mode = DELETE")
            revision = _revision(writing, source)
            _check(writing, source)
        size = beside.stat().st_size
    return Copied(file=target, size=size, revision=revision)


def _open(file: Path) -> sqlite3.Connection:
    """Open an existing archive; it is written to only if its log has to be replayed."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)


def _revision(connection: sqlite3.Connection, file: Path) -> str:
    try:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError as error:
        raise BrokenArchive(str(file), "the database belongs to another program") from error
    if row is None:
        raise BrokenArchive(str(file), "it is not a digestbot archive")
    return str(row[0])


def _check(connection: sqlite3.Connection, source: Path) -> None:
    """Check every page of the copy. Raises ``BrokenArchive``."""
    problems = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
    if problems != ["ok"]:
        raise BrokenArchive(str(source), "; ".join(problems))


@contextmanager
def _in_place_of(target: Path) -> Iterator[Path]:
    """A new file, private to its owner, that takes the target's place at the end."""
    # Raises ``UserError`` if the target exists, and ``UnwritableFolder``.
    if target.exists():
        raise UserError(f"{str(target)!r} already exists and is not overwritten; name another file")
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise UnwritableFolder(str(target.parent), error.strerror or str(error)) from error
    os.close(descriptor)
    beside = Path(name)
    try:
        yield beside
        _take_place(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _take_place(beside: Path, target: Path) -> None:
    try:
        with beside.open("rb") as handle:
            os.fsync(handle.fileno())
        # Unlike a rename, linking fails if the name is taken.
        target.hardlink_to(beside)
    except FileExistsError:
        raise UserError(f"{str(target)!r} already exists and is not overwritten") from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise UnwritableFolder(str(target), error.strerror or str(error)) from error
        beside.rename(target)


_BATCH = 1000


async def copy_archive(source: SqliteDatabase, target: PostgresDatabase) -> Mapping[str, int]:
    """Copy every row with its key and return the number of rows of each table.

    Writers of the source wait, so the copy is consistent. An interrupted copy leaves nothing
    behind. Raises ``UserError`` if the target is not empty, and the errors of both databases.
    """
    counts: dict[str, int] = {}
    async with source.writing() as reading, target.writing() as writing:
        for table in metadata.sorted_tables:
            if await writing.scalar(select(func.count()).select_from(table)):
                raise UserError(
                    f"table {table.name} of {target.place} is not empty; name an empty database"
                )
        for table in metadata.sorted_tables:
            count = 0
            async for rows in _rows(reading, select(table).order_by(*table.primary_key)):
                await copy_rows(writing, table.name, table.columns.keys(), map(_held, rows))
                count += len(rows)
            counts[table.name] = count
        await _index(reading, writing)
        for table in metadata.sorted_tables:
            await _go_on(writing, table)
    return counts


async def _rows(
    reading: AsyncConnection, wanted: Select[Any], **given: object
) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
    result = await reading.stream(wanted, given)
    async for rows in result.partitions(_BATCH):
        yield [tuple(row) for row in rows]


def _held(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(storable(value) if isinstance(value, str) else value for value in row)


async def _index(reading: AsyncConnection, writing: AsyncConnection) -> None:
    """Build from the rows what the two databases store differently."""
    index = PostgresIndex()
    keys = select(changes.c.id).where(changes.c.repository_id == bindparam("repository"))
    names = change_texts.columns.keys()
    for repository in (await reading.scalars(select(repositories.c.id))).all():
        texts = select(change_texts).where(change_texts.c.change_id.in_(keys))
        async for rows in _rows(reading, texts, repository=repository):
            columns = [dict(zip(names, row, strict=True)) for row in rows]
            texts_of = {given.pop("change_id"): given for given in columns}
            await index.enter(writing, repository, texts_of)
    topics = select(known_topics.c.id, known_topics.c.repository_id, known_topics.c.topic)
    async for rows in _rows(reading, topics):
        await enter_topics(writing, [(row[0], row[1], row[2]) for row in rows])


async def _go_on(writing: AsyncConnection, table: Table) -> None:
    """Let the numbers of new rows continue after the copied ones."""
    counted = table.autoincrement_column
    if counted is None:
        return
    names = {"table": table.name, "column": counted.name}
    sequence = text("SELECT pg_get_serial_sequence(:table, :column)")
    last = await writing.scalar(select(func.max(counted)))
    if last is not None and (name := await writing.scalar(sequence, names)) is not None:
        await writing.execute(text("SELECT setval(:name, :last)"), {"name": name, "last": last})
