"""Runs git as a child process, safely in hostile repositories, and streams its output.

Reading uses only the repository's own configuration, and none of its settings that run programs: no
external diff, text converter, file-system monitor, hook, pager, credential prompt or transport.
Fetching may use the user's configuration, which holds credentials and proxies, but only the allowed
transports. Each child has a session of its own: one signal ends it with everything it started.

Children are started by ``subprocess`` on the event loop's thread and not by uvloop, which forks:
copying the page tables of 150 MB takes 17 ms of processor time for a child that needs 1.5;
``subprocess``, which shares the memory until ``exec`` (``vfork``), takes 2.6.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import field, replace
from pathlib import Path
from typing import IO, TypeVar

from digest.errors import SourceUnavailable
from digest.frozen import frozen

_CHUNK = 1 << 18
_PIPE = 1 << 19
"""Bytes that a child may write ahead of our reading; Linux allows everybody up to 1 MiB."""


class Child:
    """A running program in a session of its own, so that one signal ends everything it started."""

    def __init__(
        self,
        command: Sequence[str | bytes],
        environment: Mapping[str, str],
        *,
        folder: str,
        source: IO[bytes] | None,
        complaints: IO[bytes],
    ) -> None:
        """Start it in ``folder``. Raises ``FileNotFoundError`` if there is no such program."""
        self._process = subprocess.Popen(  # the caller's arguments, without a shell
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
        """The next output, as soon as there is some; empty at its end."""
        await _readable(self._output.fileno())
        return os.read(self._output.fileno(), _CHUNK)

    async def wait(self) -> int:
        """The exit status, once it has ended; negative if a signal ended it."""
        if self._process.poll() is None:
            await self._wait_for_exit()
        return self._process.wait()

    async def end(self) -> None:
        """Kill it with everything it started, if it still runs, and wait until it is gone."""
        # A caller who is cancelled meanwhile leaves no zombie either: a killed child is soon gone.
        self._output.close()
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            try:
                await self._wait_for_exit()
            finally:
                self._process.wait()

    async def _wait_for_exit(self) -> None:
        """Wait until the process has exited."""
        try:
            descriptor = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):  # not Linux, or older than 5.3
            await asyncio.to_thread(self._process.wait)
            return
        try:
            await _readable(descriptor)
        finally:
            os.close(descriptor)


async def _readable(descriptor: int) -> None:
    """Wait until data or the end can be read."""
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
    """Enlarge the pipe if the system can; a failure is harmless."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


_T = TypeVar("_T")
OLDEST = (2, 37)
"""The first git with ``--since-as-filter``, without which clock-skewed commits would be lost."""

_READ_TIMEOUT = 120.0  # seconds without a byte after which a reading child counts as stuck
_FETCH_TIMEOUT = 3600.0  # seconds for a whole clone or fetch, which prints nothing while it runs
_NOWHERE = "/"
"""The folder children run in: one without ``.git``, attributes or files named like revisions."""

_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
    "LANGUAGE": "C",
}

_ALONE = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "HOME": os.devnull,
}

_REDIRECTING = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES", "GIT_CONFIG",
    "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_QUARANTINE_PATH", "GIT_EXTERNAL_DIFF",
    "DISPLAY", "WAYLAND_DISPLAY",
)  # fmt: skip
"""Variables set by a surrounding git (a hook, an alias) that would redirect ours, and displays.
Without a terminal, a display and an askpass program ssh cannot prompt, as in its batch mode;
``GIT_SSH_COMMAND`` would state that more plainly but override the user's ``core.sshCommand``."""

_HARMLESS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "protocol.ext.allow": "never",
    "safe.directory": "*",
}

_PLAIN = {
    "core.bigFileThreshold": "64m",  # larger files count as binary; git would hold them whole
    "core.deltaBaseCacheLimit": "32m",  # a third of the default: a third less memory, as fast
    "core.quotePath": "true",
    "diff.algorithm": "myers",
    "diff.ignoreSubmodules": "none",
    "diff.interHunkContext": "0",
    "diff.orderFile": os.devnull,
    "diff.renameLimit": "1000",
    "diff.submodule": "short",
    "diff.suppressBlankEmpty": "false",
    "i18n.logOutputEncoding": "UTF-8",
    "log.mailmap": "false",
    "log.showRoot": "true",
    "log.showSignature": "false",
}
"""Settings of a repository that would change what is read or make it ambiguous."""

_PATIENT = {
    "gc.autoDetach": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
    "transfer.bundleURI": "false",
}
"""Give up below 1000 bytes a second for a minute; leave no clean-up running behind."""


class GitFailed(Exception):
    """A git command that failed; ``status`` is ``None`` if it was stuck and was killed."""

    # ``complaint`` is the last line it wrote to standard error, ``said`` all of it.

    def __init__(self, command: str, status: int | None, complaint: str, said: str = "") -> None:
        super().__init__(f"git {command}: {complaint or f'status {status}'}")
        self.status = status
        self.complaint = complaint
        self.said = said or complaint


@frozen
class Git:
    """How git is run: environment, settings, and the seconds of silence allowed."""

    environment: Mapping[str, str] = field(repr=False)  # may hold credentials
    options: Sequence[str]
    timeout: float

    async def run(self, *arguments: str | bytes, stdin: bytes = b"") -> bytes:
        """The whole output of the command. Raises ``GitFailed``."""
        async with aclosing(self.stream(*arguments, stdin=stdin)) as chunks:
            return b"".join([chunk async for chunk in chunks])

    async def stream(
        self, *arguments: str | bytes, stdin: bytes = b""
    ) -> AsyncGenerator[bytes, None]:
        """The output of the command in chunks while it runs. Raises ``GitFailed`` at the end."""
        # Files instead of pipes: a child waiting for us to feed its input or read its errors, while
        # we wait for its output, would wait forever.
        with _file_with(stdin) as source, tempfile.TemporaryFile() as complaints:
            child = self._start(arguments, source, complaints)
            try:
                while chunk := await self._soon(child.read(), arguments):
                    yield chunk
                status = await self._soon(child.wait(), arguments)
            finally:
                await child.end()
            if status:
                complaints.seek(0)
                said = complaints.read(1 << 16).decode("utf-8", "replace")
                raise GitFailed(str(arguments[0]), status, _last_line(said), said)

    def with_environment(self, **more: str) -> Git:
        """The same with more variables set."""
        return replace(self, environment={**self.environment, **more})

    def _start(
        self, arguments: Sequence[str | bytes], source: IO[bytes] | None, complaints: IO[bytes]
    ) -> Child:
        try:
            return Child(
                ("git", *self.options, *arguments),
                self.environment,
                folder=_NOWHERE,
                source=source,
                complaints=complaints,
            )
        except FileNotFoundError as error:
            raise SourceUnavailable(
                f"git was not found; install git {OLDEST[0]}.{OLDEST[1]} or newer"
            ) from error

    async def _soon(self, step: Awaitable[_T], arguments: Sequence[str | bytes]) -> _T:
        try:
            async with asyncio.timeout(self.timeout):
                return await step
        except TimeoutError as error:
            silent = f"silent for {self.timeout:.0f} seconds"
            raise GitFailed(str(arguments[0]), None, silent) from error


_accepted: set[tuple[str, int, int]] = set()
"""Git programs known to be new enough: path, inode and time of change."""


async def require_git() -> None:
    """Raise ``SourceUnavailable`` if git is missing or older than ``OLDEST``."""
    # A program is asked for its version once, and again after it was replaced.
    program = _program()
    if program in _accepted:
        return
    await git_version()
    if program is not None:
        _accepted.add(program)


async def git_version() -> str:
    """The version as git writes it. Raises ``SourceUnavailable`` as :func:`require_git` does."""
    try:
        said = (await finding(Path(_NOWHERE)).run("version")).decode("utf-8", "replace").strip()
    except GitFailed as error:
        raise SourceUnavailable(f"git cannot be run ({error})") from error
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST:
        raise SourceUnavailable(
            f"{said!r} is too old; install git {OLDEST[0]}.{OLDEST[1]} or newer"
        )
    return said


def _program() -> tuple[str, int, int] | None:
    path = shutil.which("git")
    if path is None:
        return None
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return path, status.st_ino, status.st_mtime_ns


def reading(git_dir: Path) -> Git:
    """Git for reading a repository; it runs nothing, asks nothing and reaches no network."""
    return Git(
        environment={"PATH": os.environ.get("PATH", os.defpath), **_QUIET, **_ALONE},
        options=("--no-pager", f"--git-dir={git_dir}", "--bare", *_settings(_HARMLESS | _PLAIN)),
        timeout=_READ_TIMEOUT,
    )


def finding(folder: Path) -> Git:
    """Git for finding the repository that a folder belongs to, as safe as :func:`reading`."""
    repository = reading(folder)
    return replace(repository, options=("--no-pager", "-C", str(folder), *_settings(_HARMLESS)))


def fetching(git_dir: Path | None, transports: Sequence[str]) -> Git:
    """Git for cloning and fetching over ``transports`` only, without prompts or hooks."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in _REDIRECTING and not name.startswith("GIT_TRACE")
    }
    place = () if git_dir is None else (f"--git-dir={git_dir}",)
    return Git(
        environment={**environment, **_QUIET, "GIT_ALLOW_PROTOCOL": ":".join(transports)},
        options=("--no-pager", *place, *_settings(_HARMLESS | _PATIENT)),
        timeout=_FETCH_TIMEOUT,
    )


def _settings(values: Mapping[str, str]) -> list[str]:
    return [word for name, value in values.items() for word in ("-c", f"{name}={value}")]


def stdin_lines(words: Iterable[str]) -> bytes:
    """The words as lines for the standard input of a command."""
    return "".join(f"{word}\n" for word in words).encode()


@contextmanager
def _file_with(text: bytes) -> Iterator[IO[bytes] | None]:
    """A file that holds the text, to be read from its beginning; ``None`` for no text."""
    if not text:
        yield None
        return
    with tempfile.TemporaryFile() as file:
        file.write(text)
        file.seek(0)
        yield file


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ") if lines else ""
