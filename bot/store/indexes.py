"""Which index of texts a database has."""

from __future__ import annotations

from functools import lru_cache

from bot.store.fulltext import TextIndex


@lru_cache
def index_of(dialect: str) -> TextIndex:
    """The index of a database, by SQLAlchemy's name of its dialect."""
    if dialect == "postgresql":
        from bot.store.fulltext_postgresql import PostgresIndex

        return PostgresIndex()
    from bot.store.fulltext_sqlite import SqliteIndex

    return SqliteIndex()
