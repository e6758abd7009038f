"""The database: one SQLite file in the data folder, written through SQLAlchemy Core.

:func:`bot.store.engine.open_database` opens it. What a port of :mod:`handlers.ports` promises is
kept by :class:`~bot.store.archive.SqlArchive`, :class:`~bot.store.coverage.SqlCoverage` and
:class:`~bot.store.ledger.SqlLedger`; frozen digests are in :mod:`bot.store.digests`.

What only SQLite can do stands in :mod:`bot.store.engine` (connections, errors),
:mod:`bot.store.search` (full text) and :mod:`bot.store.upkeep`. The rest is SQL that PostgreSQL
runs as well.
"""
