"""A child process whose output is read while it runs, started cheaply whatever the loop is.

uvloop starts children by fork: the page tables of the whole process are copied, and afterwards
every page that either side writes to. With 150 MB that is 17 ms of processor time for a child that
needs 1.5; by ``subprocess``, which shares the memory until the child is another program
(``vfork``), it is 2.6. So children are started by that, in the thread of the loop as asyncio does.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

_CHUNK = 1 << 18
_PIPE = 1 << 19
"""Bytes that a child may run ahead of us; Linux allows everybody up to 1 MiB."""


class Child:
    """A running program. It has a session of its own, so that one signal ends all it started."""

    def __init__(
        self,
        command: Sequence[str | bytes],
        environment: Mapping[str, str],
        *,
        folder: str,
        source: IO[bytes] | None,
        complaints: IO[bytes],
    ) -> None:
        """Start it in ``folder``. Raises ``FileNotFoundError`` where there is no such program."""
        self._process = subprocess.Popen(  # the callers' words, without a shell
            command,
            stdin=source or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=environment,
            cwd=folder,
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdout is not None
        self._output = self._process.stdout
        os.set_blocking(self._output.fileno(), False)
        _widen(self._output.fileno())

    async def read(self) -> bytes:
        """Some of its output, as soon as there is some; nothing once it is at its end."""
        await _readable(self._output.fileno())
        return os.read(self._output.fileno(), _CHUNK)

    async def wait(self) -> int:
        """Its status, once it has ended; negative where a signal ended it."""
        if self._process.poll() is None:
            await self._gone()
        return self._process.wait()

    async def end(self) -> None:
        """See it gone, with all that it started, whether or not it was done."""
        self._output.close()
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._gone()
            self._process.wait()

    async def _gone(self) -> None:
        """Wait until it is no more than a status to be read."""
        try:
            descriptor = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):  # not Linux, or one before 5.3
            await asyncio.to_thread(self._process.wait)
            return
        try:
            await _readable(descriptor)
        finally:
            os.close(descriptor)


async def _readable(descriptor: int) -> None:
    """Wait until something, or the end, can be read."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(descriptor, _settle, ready)
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _widen(pipe: int) -> None:
    """A larger pipe, where the system has such, and enough for one more."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)
