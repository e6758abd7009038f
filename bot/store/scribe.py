"""A connection to an archive in a file that writes in one go, and waits for the disk.

Through SQLAlchemy a transaction hops between the loop and the driver's thread a dozen times, each
time behind whatever else the loop has to do. Here it is one hop.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_PATIENCE = 30.0
"""Seconds that it waits for another process's transaction."""


class Scribe:
    """Opened at the first writing; closed with ``aclose``. One writing at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._thread: ThreadPoolExecutor | None = None

    async def write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run a statement for each row in one transaction. Raises ``sqlite3.Error``."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "scribe")
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._write, statement, rows)

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        connection = self._opened()
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany(statement, rows)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self._path, _PATIENCE, isolation_level=None)
            # What is committed is on the disk: https://www.sqlite.org/pragma.html#pragma_synchronous
            connection.execute("PRAGMA synchronous = FULL")
            self._connection = connection
        return self._connection

    async def aclose(self) -> None:
        """Close the connection, in the thread that it belongs to."""
        if self._thread is None:
            return
        if self._connection is not None:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, self._connection.close)
            self._connection = None
        self._thread.shutdown()
        self._thread = None
