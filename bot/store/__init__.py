"""The database: one SQLite file in the data folder, written through SQLAlchemy Core.

:func:`bot.store.sqlite.open_database` opens it. What a port of :mod:`handlers.ports.storage`
promises is kept by :class:`~bot.store.archive.SqlArchive`, :class:`~bot.store.coverage.SqlCoverage`
and :class:`~bot.store.ledger.SqlLedger`; frozen digests are in :mod:`bot.store.digests`.

What only SQLite can do stands in :mod:`bot.store.sqlite` (connections, errors),
:mod:`bot.store.query_plan` (full text) and :mod:`bot.store.maintenance`. The rest is SQL that
PostgreSQL runs as well.
"""
