"""``digestbot archive backup`` and ``restore``: the archive kept elsewhere, and put back."""

from __future__ import annotations

from pathlib import Path

from bot.app import configuration
from bot.commands import emit, finish
from bot.folders import Environment, data_folder
from bot.store import backup as copying
from bot.store.engine import FILE, open_database
from bot.store.migrations import HEAD
from digest.errors import UserError


def backup(file: Path, config: Path | None) -> None:
    """Copy the archive as it stands, of whatever revision, without opening it for work.

    Raises ``UserError``, as :func:`restore` does.
    """
    done = copying.backup(_folder(config), file)
    emit(f"{done.file}: {done.size / 1e6:.1f} MB, revision {done.revision}, looked through")


def restore(file: Path, config: Path | None) -> None:
    """Put a copy back into a data folder that has no archive."""
    done = copying.restore(_folder(config), file)
    later = "" if done.revision == HEAD else f"; it is brought to {HEAD} when it is next opened"
    emit(f"{done.file}: {done.size / 1e6:.1f} MB, revision {done.revision}{later}")


def copy(url: str, config: Path | None) -> None:
    """Copy the archive of the data folder to an empty database. Raises ``UserError``."""
    from bot.store.moving import copy_archive
    from bot.store.postgresql import open_postgres

    found = configuration(config)
    data = found.data if found else data_folder()

    async def work() -> None:
        if not (data / FILE).exists():
            raise UserError(f"there is no archive in {str(data)!r} to copy")
        async with await open_database(data) as source, await open_postgres(url) as target:
            counts = await copy_archive(source, target)
            total = sum(counts.values())
            emit(f"{target.place}: {counts['changes']} changes, {total} rows in all")
            emit("name it under [database], or in DATABASE_URL, before the next run")

    finish(work())


def _folder(config: Path | None) -> Path:
    """The data folder, as every other command finds it. Raises ``UserError`` for a server's."""
    found = configuration(config)
    if found.database_url if found else Environment.read().database:
        raise UserError(
            "the archive is in PostgreSQL, which has tools of its own: "
            "pg_dump --format=custom to copy it, pg_restore to put it back"
        )
    return found.data if found else data_folder()
