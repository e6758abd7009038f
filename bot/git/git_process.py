"""A child process whose output is read while it runs, started cheaply whatever the loop is.

uvloop starts children by fork: the page tables of the whole process are copied, and afterwards
every page that either side writes to. With 150 MB that is 17 ms of processor time for a child that
needs 1.5; by ``subprocess``, which shares the memory until the child is another program
(``vfork``), it is 2.6. So children are started by that, in the thread of the loop as asyncio does.

Runs git as a child process, so that nothing in a repository can make it do anything else.

Reading takes no configuration but the repository's own, and of that nothing that runs a program:
no external diff, text converter, file-system monitor, hook, pager, credential prompt or transport
(so that git never fetches absent objects one by one either). Fetching may use the person's own
configuration, since credentials and proxies stand there, but only the transports that were
allowed. Children have a session of their own: no terminal to ask on, and one signal ends git with
everything it has started.
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
from collections.abc import AsyncGenerator, Awaitable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TypeVar

from digest.errors import SourceUnavailable

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


_T = TypeVar("_T")

OLDEST = (2, 37)
"""The first git with ``--since-as-filter``, without which clock-skewed commits would be lost."""

_READ_TIMEOUT = 120.0
"""Seconds without a byte, after which a reading child is taken for stuck."""

_FETCH_TIMEOUT = 3600.0
"""Seconds for a clone or fetch as a whole, which prints nothing while it runs."""

_NOWHERE = "/"
"""Where children run: a folder without ``.git``, attributes or files that look like revisions."""

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
"""What a surrounding git (a hook, an alias) sets and would lead ours elsewhere, and screens.

Without a terminal, a screen and an askpass program ssh cannot ask anything, as in its batch mode;
``GIT_SSH_COMMAND`` would say so more plainly but override the person's ``core.sshCommand``.
"""

_HARMLESS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "protocol.ext.allow": "never",
    "safe.directory": "*",
}

_PLAIN = {
    "core.bigFileThreshold": "64m",  # above it a file counts as binary; git would hold it whole
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
"""What a repository may have set that would change what we read or make it ambiguous."""


_PATIENT = {
    "gc.autoDetach": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
    "transfer.bundleURI": "false",
}
"""Give up on less than 1000 bytes a second for a minute; leave no clean-up behind running."""


class GitFailed(Exception):
    """A child of git that ended badly.

    ``complaint`` is the last thing it said, ``said`` all of it; ``status`` is none where it was
    stuck and was ended.
    """

    def __init__(self, command: str, status: int | None, complaint: str, said: str = "") -> None:
        super().__init__(f"git {command}: {complaint or f'status {status}'}")
        self.status = status
        self.complaint = complaint
        self.said = said or complaint


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """How git is run: environment, settings, and the seconds of silence it is granted."""

    environment: Mapping[str, str] = field(repr=False)  # may hold credentials
    options: Sequence[str]
    timeout: float

    async def run(self, *arguments: str | bytes, stdin: bytes = b"") -> bytes:
        """Everything that the command prints. Raises ``GitFailed``."""
        async with aclosing(self.stream(*arguments, stdin=stdin)) as chunks:
            return b"".join([chunk async for chunk in chunks])

    async def stream(
        self, *arguments: str | bytes, stdin: bytes = b""
    ) -> AsyncGenerator[bytes, None]:
        """What the command prints, in chunks, while it runs; close it early to end the child.

        Raises ``GitFailed`` after the last chunk where the child did not end well.
        """
        # Files instead of pipes: a child that waits for its input to be read, or its complaints,
        # while we wait for its output, would wait for ever.
        with _filled(stdin) as source, tempfile.TemporaryFile() as complaints:
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
"""The programs that were new enough, as they were then: path, inode and time of change."""


async def require_git() -> None:
    """Raise ``SourceUnavailable`` where git is missing or older than ``OLDEST``.

    A program is asked for its version once, and again when another was put in its place.
    """
    program = _program()
    if program in _accepted:
        return
    said = (await finding(Path(_NOWHERE)).run("version")).decode("utf-8", "replace").strip()
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST:
        raise SourceUnavailable(
            f"{said!r} is too old; install git {OLDEST[0]}.{OLDEST[1]} or newer"
        )
    if program is not None:
        _accepted.add(program)


def _program() -> tuple[str, int, int] | None:
    found = shutil.which("git")
    if found is None:
        return None
    try:
        told = Path(found).stat()
    except OSError:
        return None
    return found, told.st_ino, told.st_mtime_ns


def reading(git_dir: Path) -> Git:
    """Git for reading a repository; it runs nothing, asks nothing and reaches no network."""
    return Git(
        environment={"PATH": os.environ.get("PATH", os.defpath), **_QUIET, **_ALONE},
        options=("--no-pager", f"--git-dir={git_dir}", "--bare", *_settings(_HARMLESS | _PLAIN)),
        timeout=_READ_TIMEOUT,
    )


def finding(folder: Path) -> Git:
    """Git for finding out to what repository a folder belongs, as safe as :func:`reading`."""
    found = reading(folder)
    return replace(found, options=("--no-pager", "-C", str(folder), *_settings(_HARMLESS)))


def fetching(git_dir: Path | None, transports: Sequence[str]) -> Git:
    """Git for cloning and fetching over ``transports`` only, without prompts or hooks."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _REDIRECTING and not name.startswith("GIT_TRACE")
    }
    place = () if git_dir is None else (f"--git-dir={git_dir}",)
    return Git(
        environment={**kept, **_QUIET, "GIT_ALLOW_PROTOCOL": ":".join(transports)},
        options=("--no-pager", *place, *_settings(_HARMLESS | _PATIENT)),
        timeout=_FETCH_TIMEOUT,
    )


def _settings(values: Mapping[str, str]) -> list[str]:
    return [word for name, value in values.items() for word in ("-c", f"{name}={value}")]


@contextmanager
def _filled(text: bytes) -> Iterator[IO[bytes] | None]:
    """A file with the text in it, to be read from its beginning; none for no text."""
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
