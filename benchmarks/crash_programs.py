"""Whole programs killed at random moments, and other faults, for ``make bench-crash``.

A run starts ``digestbot digest`` or ``digestbot run`` in a separate folder, causes a fault at a
random moment, twice, and then lets the program finish undisturbed. Its output, or what people see
on the test platform, is compared with that of an undisturbed run: a missing line is lost, an
additional one is doubled. Programs are forked from a process that has imported everything; they
start, work and die like others.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import pkgutil
import random
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import bot
import digest
import handlers
from tests.e2e.running import missed
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, SECRET
from tests.servers.slack import BOT_TOKEN, CHANNEL, SlackServer
from tests.servers.telegram import GROUP, TOKEN, TelegramServer
from tests.servers.webhook import SECRET as HOOK_SECRET
from tests.servers.webhook import WebhookServer
from tests.support.builders import Entry, RepositoryBuilder

_COMMITS = 40

_PATIENCE = 180.0

_AGAIN = 2.0

_NOBODY = 65534

_DAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)

_SECTIONS = {
    "webhook": '[platforms.webhook]\nurl = "{url}"\nsecret = "' + HOOK_SECRET + '"\n',
    "slack": '[platforms.slack]\nbot_token = "' + BOT_TOKEN + '"\napi = "{url}"\n',
    "telegram": '[platforms.telegram]\ntoken = "' + TOKEN + '"\napi = "{url}"\nlisten = false\n',
    "feishu": (
        f'[platforms.feishu]\napp_id = "{APP}"\napp_secret = "{SECRET}"\n'
        'domain = "{url}"\nlisten = false\n'
    ),
}

_CHATS = {"webhook": "team", "slack": CHANNEL, "telegram": str(GROUP), "feishu": "oc_team"}

PLATFORMS = tuple(_SECTIONS)
_UNREADABLE = {"webhook", "telegram"}
"""Platforms that cannot be searched, so the channel's promise decides about uncertain messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One run: its lost and doubled lines, whether a loss is in the stated window, its trouble."""

    lost: int = 0
    doubled: int = 0
    stated: bool = False
    trouble: str = ""


@dataclass(slots=True, kw_only=True)
class Task:
    """A program: its arguments, its data folder, its output, and its restrictions."""

    words: Sequence[str]
    data: Path
    output: Path
    nobody: bool = False
    jump: float = 0.0


class Programs:
    """Starts programs as forks of a process that has imported everything and has no threads."""

    def __init__(self) -> None:
        mine, theirs = os.pipe(), os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(mine[1])
            os.close(theirs[0])
            _serve(os.fdopen(mine[0]), os.fdopen(theirs[1], "w"))
        os.close(mine[0])
        os.close(theirs[1])
        self._to, self._of = os.fdopen(mine[1], "w"), os.fdopen(theirs[0])

    def start(self, task: Task) -> int:
        """Start the process of a program."""
        return self._ask(
            "start",
            [*task.words],
            str(task.data),
            str(task.output),
            task.nobody,
            task.jump,
        )

    def ended(self, process: int) -> int | None:
        """Its exit status; ``None`` while it runs."""
        status = self._ask("ended", process)
        return None if status == _RUNS else status

    def end(self, process: int, how: signal.Signals = signal.SIGKILL) -> None:
        """Send it a signal, unless it has ended, and wait for its end."""
        if self.ended(process) is None:
            os.kill(process, how)
        while self.ended(process) is None:
            time.sleep(0.005)

    def close(self) -> None:
        self._to.close()
        os.waitpid(self._pid, 0)
        self._of.close()

    def _ask(self, *words: Any) -> int:
        self._to.write(json.dumps(words) + "\n")
        self._to.flush()
        return int(self._of.readline())


_RUNS = 1 << 20


def _serve(tasks: Any, answers: Any) -> None:
    # Load everything now, because the files may change meanwhile.
    for ring in (digest, handlers, bot):
        for module in pkgutil.walk_packages(ring.__path__, f"{ring.__name__}."):
            if "migrations" not in module.name and not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    over: dict[int, int] = {}
    for line in tasks:
        word, *given = json.loads(line)
        if word == "start":
            child = os.fork()
            if child == 0:
                _become(*given)
            answers.write(f"{child}\n")
        else:
            (process,) = given
            if process not in over:
                ended, status = os.waitpid(process, os.WNOHANG)
                if ended:
                    over[process] = os.waitstatus_to_exitcode(status)
            answers.write(f"{over.get(process, _RUNS)}\n")
        answers.flush()
    os._exit(0)


def _become(words: list[str], data: str, output: str, nobody: bool, jump: float) -> None:
    status = 70
    try:
        os.setsid()
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(file, 1)
        os.dup2(os.open(f"{output}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666), 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        os.environ |= {"DIGESTBOT_DATA": data, "DIGESTBOT_LOG_FORMAT": "json", "TZ": "UTC"}
        os.environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory"}
        os.environ["GIT_CONFIG_VALUE_0"] = "*"
        if nobody:
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        if jump:
            _jumping(jump)
        from bot.cli import app, guarded

        status = guarded(lambda: app(words, standalone_mode=False))
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001  # the fork must end here
        os.write(2, repr(error).encode())
    os._exit(status)


def _jumping(most: float) -> None:
    """Let the clock jump back and forth by up to the given seconds, twice a second."""
    from bot.util.machine import SystemClock

    def now(_: SystemClock) -> datetime:
        chance = random.Random(int(time.monotonic() * 2))
        return datetime.now(UTC) + timedelta(seconds=chance.uniform(-most, most))

    setattr(SystemClock, "now", now)  # noqa: B010  # a method is replaced


def project(folder: Path) -> Path:
    """A repository whose last day is yesterday; each of its commits contains its number."""
    repository = RepositoryBuilder(folder)
    repository.commit("Begin", {"README.md": "x\n"}, at=_DAY - timedelta(days=2))
    for n in range(_COMMITS):
        message = f"Raise the limit of worker run{n}mark to {n} (#{n + 1})"
        files: dict[str | bytes, Entry] = {
            f"engine/worker{n}.py": f"LIMIT = {n}\n\n\ndef run(a, b=1):\n    return a\n"
        }
        repository.commit(message, files, at=_DAY + timedelta(minutes=10 * n + 60))
    return repository.path


def lines_of(text: str) -> dict[str, int]:
    """How often each commit of :func:`project` is mentioned."""
    return {f"run{n}mark": text.count(f"run{n}mark") for n in range(_COMMITS)}


def compared(seen: str, whole: dict[str, int], *, stated: bool = False) -> Outcome:
    """What a run lost or doubled, compared with an undisturbed one."""
    counts = lines_of(seen)
    lost = sum(counts[mark] < whole[mark] for mark in whole)
    doubled = sum(counts[mark] > whole[mark] for mark in whole)
    return Outcome(lost=lost, doubled=doubled, stated=stated)


@dataclass(slots=True, kw_only=True)
class World:
    """The place of one run: a folder, the repository and the programs."""

    folder: Path
    place: Path
    programs: Programs
    chance: random.Random
    took: float = 1.0

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def moment(self) -> float:
        """Seconds until a fault: any moment of an undisturbed run."""
        return self.chance.uniform(0.0, 1.1 * self.took)


Fault = Callable[[World, Task], None]
"""Runs a task with a fault in it; may end before the program would."""


def killed(world: World, task: Task) -> None:
    """SIGKILL at a random moment."""
    process = world.programs.start(task)
    time.sleep(world.moment())
    world.programs.end(process)


def git_killed(world: World, task: Task) -> None:
    """Every child of the program is killed for a while; then the program is killed."""
    process = world.programs.start(task)
    until = time.monotonic() + 1.1 * world.took
    time.sleep(world.moment() / 2)
    while time.monotonic() < until and world.programs.ended(process) is None:
        for child in _children(process):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.002)
    world.programs.end(process)


def _children(process: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def locked(world: World, task: Task) -> None:
    """Another process repeatedly holds the archive's lock for a second or two."""
    process = world.programs.start(task)
    until = time.monotonic() + 2 * world.took
    while time.monotonic() < until and world.programs.ended(process) is None:
        archive = world.data / "archive.sqlite3"
        if archive.exists():
            with suppress(sqlite3.OperationalError):
                connection = sqlite3.connect(archive, timeout=0.2)
                connection.execute("BEGIN EXCLUSIVE")
                time.sleep(world.chance.uniform(0.1, 2.0))
                connection.close()
        time.sleep(0.05)
    world.programs.end(process)


def read_only(world: World, task: Task) -> None:
    """The program cannot write to its folder."""
    task.nobody = True
    world.data.mkdir(exist_ok=True)
    world.folder.chmod(0o755)
    _mode(world.data, 0o755, 0o644)
    with suppress(TimeoutError):
        _until_ended(world, world.programs.start(task), 3 * world.took + 5)
    task.nobody = False


def _mode(folder: Path, folders: int, files: int) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(folders if path.is_dir() else files)


def jumping(world: World, task: Task) -> None:
    """The clock jumps within a day; then the program is killed."""
    task.jump = 6 * 3600.0
    killed(world, task)
    task.jump = 0.0


def _until_ended(world: World, process: int, patience: float) -> int:
    until = time.monotonic() + patience
    while (status := world.programs.ended(process)) is None:
        if time.monotonic() > until:
            world.programs.end(process)
            raise TimeoutError(f"{process} did not end")
        time.sleep(0.01)
    return status


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A folder on a small file system of its own. Needs the right to mount."""
    folder.mkdir(parents=True, exist_ok=True)
    library = ctypes.CDLL(None, use_errno=True)
    options = f"size={kilobytes}k,mode=777".encode()
    if library.mount(b"none", str(folder).encode(), b"tmpfs", 0, options):
        raise PermissionError(ctypes.get_errno(), "may not mount")
    try:
        yield
    finally:
        library.umount2(str(folder).encode(), 2)


def full(world: World, task: Task) -> None:
    """The disk is full after some hundred kilobytes; what was written stays."""
    with small_disk(world.folder / "small", world.chance.randrange(64, 1_200)):
        small = world.folder / "small" / "data"
        if world.data.exists():
            try:
                shutil.copytree(world.data, small)
            except (OSError, shutil.Error):
                return
        with suppress(TimeoutError):
            process = world.programs.start(
                Task(words=task.words, data=small, output=task.output, jump=task.jump)
            )
            _until_ended(world, process, 3 * world.took + 5)
        shutil.rmtree(world.data, ignore_errors=True)
        if small.exists():
            shutil.copytree(small, world.data)


def digest_run(world: World, fault: Fault | None, whole: str) -> tuple[str, Outcome]:
    """The output of ``digestbot digest`` after two faults, compared with the ``whole`` one."""
    words = ["digest", str(world.place), "--date", f"{_DAY:%Y-%m-%d}", "--tz", "UTC"]
    words += ["--format", "markdown"]
    task = Task(words=words, data=world.data, output=world.folder / "output")
    for _ in range(2 if fault else 0):
        assert fault is not None
        fault(world, task)
    status = _until_ended(world, world.programs.start(task), _PATIENCE)
    seen = task.output.read_text()
    found = compared(seen, lines_of(whole or seen))
    if status:
        found = Outcome(trouble=(world.folder / "output.log").read_text()[-300:])
    elif whole and seen != whole and not found.lost and not found.doubled:
        found = Outcome(trouble="the output differs")
    return seen, found


class Service:
    """``digestbot run`` that posts yesterday's digest to a test platform."""

    def __init__(self, world: World, platform: str, *, database: str = "", cache: str = "") -> None:
        self._world, self._platform = world, platform
        self._database, self._cache = database, cache

    def run(self, fault: Fault | None, whole: dict[str, int] | None) -> tuple[str, Outcome]:
        """What people see after two faults, compared with the ``whole`` digest."""
        world = self._world
        with _double(self._platform) as server:
            config = self._config(server)
            missed(world.data, "team", url=self._database)
            task = Task(
                words=["run", "--config", str(config)],
                data=world.data,
                output=world.folder / "output",
            )
            for _ in range(2 if fault else 0):
                assert fault is not None
                fault(world, task)
            log = world.folder / "last"
            task.output = log
            process = world.programs.start(task)
            try:
                if trouble := self._until_over(process, Path(f"{log}.log")):
                    return "", Outcome(trouble=trouble)
            finally:
                world.programs.end(process)
            seen = "\n".join(_seen(self._platform, server))
        stated = self._platform in _UNREADABLE and self._in_doubt()
        return seen, compared(seen, whole or lines_of(seen), stated=stated)

    def _config(self, server: Any) -> Path:
        file = self._world.folder / "digestbot.toml"
        url = server.hook if self._platform == "webhook" else server.url
        shared = f'[shared]\nredis_url = "{self._cache}"\n' if self._cache else ""
        database = f'[database]\nurl = "{self._database}"\n' if self._database else ""
        file.write_text(
            f'{database}{shared}[defaults]\nzone = "UTC"\ntime = "00:00"\nleast = "low"\n'
            f'[[repositories]]\nplace = "{self._world.place}"\nname = "acme/engine"\n'
            + _SECTIONS[self._platform].format(url=url)
            + f'[[channels]]\nname = "team"\nplatform = "{self._platform}"\n'
            f'chat = "{_CHATS[self._platform]}"\n'
        )
        file.chmod(0o600)
        return file

    def _until_over(self, process: int, log: Path) -> str:
        """Wait until the digest is posted by any process; return why it was not, or empty.

        A process that finds everything posted gets two seconds in which it might post again.
        """
        began, started = time.monotonic(), 0.0
        while time.monotonic() - began < _PATIENCE:
            told = log.read_text() if log.exists() else ""
            if '"slot.finished"' in told:
                self._world.took = time.monotonic() - began
                return ""
            if '"run.started"' in told:
                started = started or time.monotonic()
                if time.monotonic() - started > _AGAIN and self._is_done():
                    return ""
            if self._world.programs.ended(process) is not None:
                return told[-300:] or "it ended"
            time.sleep(0.02)
        return "the digest was never finished"

    def _is_done(self) -> bool:
        deliveries = self._ledger("SELECT done FROM deliveries")
        return bool(deliveries) and all(done for (done,) in deliveries)

    def _in_doubt(self) -> bool:
        """Whether a message was being sent when a process died, and is assumed to have arrived."""
        errors = self._ledger("SELECT error FROM delivery_parts")
        return any(error.startswith("unproven") for (error,) in errors)

    def _ledger(self, statement: str) -> list[Any]:
        if self._database:
            import psycopg

            with psycopg.connect(self._database) as server:
                return server.execute(statement.encode()).fetchall()
        file = sqlite3.connect(self._world.data / "archive.sqlite3", timeout=10)
        try:
            return file.execute(statement).fetchall()
        finally:
            file.close()


@contextmanager
def _double(platform: str) -> Iterator[Any]:
    server: Any
    match platform:
        case "webhook":
            server = WebhookServer()
        case "slack":
            server = SlackServer(burst=100_000, rate=100_000)
        case "telegram":
            server = TelegramServer()
        case _:
            server = FeishuServer()
    with server:
        yield server


def _seen(platform: str, server: Any) -> list[str]:
    return list(server.texts(GROUP) if platform == "telegram" else server.seen())
