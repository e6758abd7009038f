"""Leases: a name is held by one process at a time and released when the process dies.

The ledger records how far a delivery is, but not whether the process that wrote "sending" is still
alive. The lease does: a part found in that state while its lease is free was left by a crash.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

from digest.errors import UnwritableFolder


class Leases(Protocol):
    """Mutual exclusion by name among all processes that share a ledger."""

    def hold(self, name: str) -> AbstractAsyncContextManager[bool]:
        """Hold the name while inside; yields false at once if another process holds it."""


@asynccontextmanager
async def turn(leases: Leases, name: str, *, pause: float = 0.25) -> AsyncIterator[None]:
    """Wait for the name, trying every ``pause`` seconds, and hold it. Raises what ``hold`` does."""
    while True:
        async with leases.hold(name) as mine:
            if mine:
                yield
                return
        await asyncio.sleep(pause)


class FileLeases:
    """Leases among the processes of one machine: a byte of one file for each name."""

    # POSIX record locks end with the process, however it ends, and leave nothing to clean up
    # (``fcntl(2)``, "Advisory record locking"). They do not exclude tasks of the same process, and
    # closing any descriptor of the file drops them all: hence the set and the single descriptor.

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None
        self._held: set[int] = set()

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[bool]:
        """Hold the name, or yield false if others do. Raises ``UnwritableFolder``."""
        byte = int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big")
        if byte in self._held or not self._lock(byte):
            yield False
            return
        self._held.add(byte)
        try:
            yield True
        finally:
            self._held.discard(byte)
            fcntl.lockf(self._open(), fcntl.LOCK_UN, 1, byte)

    def _lock(self, byte: int) -> bool:
        try:
            fcntl.lockf(self._open(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _open(self) -> int:
        if self._descriptor is None:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as error:
                raise UnwritableFolder(str(self._file), error.strerror or str(error)) from error
        return self._descriptor
