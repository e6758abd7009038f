"""An archive opened a second time, as another process would."""

from __future__ import annotations

from bot.store.database import Database
from bot.store.postgresql import PostgresDatabase, open_postgres
from bot.store.sqlite import SqliteDatabase, open_database


async def opened_again(database: Database) -> Database:
    """The same archive through connections of its own."""
    if isinstance(database, SqliteDatabase):
        return await open_database(database.path.parent)
    return await open_postgres(where(database))


def where(database: Database) -> str:
    """The folder or the address of an archive, for another process."""
    if isinstance(database, SqliteDatabase):
        return str(database.path.parent)
    assert isinstance(database, PostgresDatabase)
    return database.url.set(drivername="postgresql").render_as_string(hide_password=False)
