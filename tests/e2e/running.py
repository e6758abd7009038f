"""``digestbot run`` as a process: what it logs, what its web server answers, how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from bot.store.ledger import SqlLedger
from bot.store.sqlite import open_archive
from tests.e2e.forking import forked

_PATIENCE = 120.0


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
        return port


class Running:
    """A process under way."""

    def __init__(self, config: Path, environment: dict[str, str], port: int, *words: str) -> None:
        # One of a port, so that several beside each other can be told apart.
        self._log = config.with_name(f"{config.stem}-{port}.log")
        self._stream = self._log.open("w", encoding="utf-8")
        self.process = forked(
            ["run", "--config", str(config), *words],
            {"DIGESTBOT_LOG_FORMAT": "json", **environment},
            config.parent,
            self._stream,
        )
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=120
        )

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def events(self, name: str) -> list[dict[str, Any]]:
        """The events of a name that were logged so far."""
        # Asked for again and again while a log grows: what cannot be meant is not parsed.
        lines = [line for line in self.log.splitlines() if line.startswith("{") and name in line]
        return [told for line in lines if (told := json.loads(line))["event"] == name]

    def until(self, happened: Callable[[], object]) -> None:
        """Wait for something."""
        end = time.monotonic() + _PATIENCE
        while not happened():
            assert self.process.poll() is None, self.log
            assert time.monotonic() < end, self.log
            time.sleep(0.02)

    def stop(self) -> int:
        """End it as an operator does; its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_PATIENCE + 15)

    def close(self) -> None:
        self.client.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._stream.close()


def missed(data: Path, *channels: str, url: str = "") -> None:
    """Let channels be known for long: what was due today is caught up as soon as the bot runs."""

    async def work() -> None:
        async with await open_archive(data, url) as database:
            for channel in channels:
                await SqlLedger(database).claim_slot(f"first-seen:{channel}", "2000-01-01")

    asyncio.run(work())


@contextmanager
def running(config: Path, environment: dict[str, str], port: int, *words: str) -> Iterator[Running]:
    """The process, once it works; killed at the end where it still runs.

    ``words`` are said on the command line besides.
    """
    one = Running(config, {**os.environ, **environment}, port, *words)
    try:
        one.until(lambda: one.events("run.started"))
        yield one
    finally:
        one.close()
