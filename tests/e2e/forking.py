"""``digestbot run`` in forks of a process that has imported the program.

Each is a process like any other, but starts without importing, which takes most of a second.
``python -m tests.e2e.forking N`` is the process that forks; it is told what to start on the socket
that it has as file N.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from select import select
from typing import IO, Any

# What a process imports once it knows its role, its database, its platforms and what it is asked.
_MODULES = (
    "bot.cli.run_service",
    "bot.forges.github",
    "bot.git.clones",
    "bot.jobs.job_engine",
    "bot.platforms.feishu.receiver",
    "bot.platforms.slack.receiver",
    "bot.platforms.telegram.receiver",
    "bot.store.postgresql",
    "bot.web.server",
    "handlers.digests.tree_facts",
    "uvloop",
)

_LONGEST = 1 << 20  # bytes of a message


class Forked:
    """A process under way, with the methods of :class:`subprocess.Popen` that tests use."""

    def __init__(self, status: socket.socket) -> None:
        self._status, self._code = status.makefile("r"), None
        self.pid = int(self._status.readline())

    def poll(self) -> int | None:
        return self.wait(0.0) if self._code is not None or self._ended(0.0) else None

    def wait(self, seconds: float | None = None) -> int:
        if self._code is None:
            if not self._ended(seconds):
                raise subprocess.TimeoutExpired("digestbot run", seconds or 0.0)
            self._code = int(self._status.readline())
            self._status.close()
        return self._code

    def _ended(self, seconds: float | None) -> bool:
        return bool(select([self._status], [], [], seconds)[0])

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def forked(words: list[str], environment: dict[str, str], folder: Path, log: IO[str]) -> Forked:
    """Start the program with words of its command line; standard error goes to the log."""
    status, theirs = socket.socketpair()
    with status, theirs:
        told = json.dumps({"words": words, "environment": environment, "folder": str(folder)})
        files = [sys.__stdout__.fileno(), log.fileno(), theirs.fileno()]
        socket.send_fds(_forking(), [told.encode() + b"\n"], files)
        return Forked(status)


@cache
def _forking() -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.forking", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONUTF8": "1"},
            pass_fds=[theirs.fileno()],
        )
    atexit.register(process.wait)
    atexit.register(ours.close)  # called first, and ends the process
    return ours


def _serve(control: socket.socket) -> dict[str, Any]:
    """Fork whenever told to; what to start, in the fork. Ends with the process that tells."""
    children: dict[int, socket.socket] = {}
    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    signal.set_wakeup_fd(wakes.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, _, _ = select([control, woken], [], [])
        if woken in ready:
            woken.recv(_LONGEST)
            _tell_ends(children)
        if control not in ready:
            continue
        told, files, *_ = socket.recv_fds(control, _LONGEST, 3)
        if not told:
            sys.exit()
        while not told.endswith(b"\n"):
            told += control.recv(_LONGEST)
        status = socket.socket(fileno=files.pop())
        if (child := os.fork()) == 0:
            break
        children[child] = status
        status.send(b"%d\n" % child)
        for file in files:
            os.close(file)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for one in (control, woken, wakes, status, *children.values()):
        one.close()
    for number, file in enumerate(files, start=1):
        os.dup2(file, number)
        os.close(file)
    order: dict[str, Any] = json.loads(told)
    return order


def _tell_ends(children: dict[int, socket.socket]) -> None:
    while children:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        with children.pop(child) as told:
            told.send(b"%d\n" % os.waitstatus_to_exitcode(status))


def _main() -> None:
    from bot import cli
    from bot.jobs import loop, services

    for name in _MODULES:
        import_module(name)
    # The program as it is, but that an end waits for three seconds and not for half a minute.
    services.GRACE = loop.GRACE = 3.0
    gc.freeze()  # forks share what was imported as long as none searches it for garbage
    order = _serve(socket.socket(fileno=int(sys.argv[1])))
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    os.chdir(order["folder"])
    sys.argv[1:] = order["words"]
    cli.main()


if __name__ == "__main__":
    _main()
