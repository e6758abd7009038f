"""The database: SQLite or PostgreSQL, used through SQLAlchemy Core.

:func:`bot.store.sqlite.open_archive` opens it. The ports of :mod:`handlers.ports.storage` are
implemented by :class:`~bot.store.archive.SqlArchive`, :class:`~bot.store.coverage.SqlCoverage` and
:class:`~bot.store.ledger.SqlLedger`; frozen digests are in :mod:`bot.store.digests`.

Code for one database only is in :mod:`bot.store.sqlite`, :mod:`bot.store.postgresql`, the two text
index modules and :mod:`bot.store.maintenance`. Everything else is SQL that both run.
"""

from bot.store.core_only import spare_mapper

spare_mapper()
