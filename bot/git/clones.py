"""Bare clones of addresses, one folder each, and explanations of why a remote could not be read.

File contents are fetched when needed. A clone is made under a temporary name, and two processes
never fetch into the same one at once. Credentials reach git through its environment and are neither
stored in the clone nor visible among a process's arguments. Causes are recognised by the messages
of OpenSSH, curl and the forges in the C locale, in which git is run.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import re
import shutil
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bot.git.address import Address, without_credentials
from bot.git.git_process import Git, GitFailed, fetching, reading, stdin_lines
from digest.errors import SourceUnavailable, UnknownBranch, UnwritableFolder
from handlers.ports.storage import Tip

_EMPTY = re.compile(
    r"(?:fatal: )?(?:Could not read from remote repository\.|the remote end hung up unexpectedly)?"
    r"|Please make sure you have the correct access rights|and the repository exists\."
    r"|Cloning into .*|Warning: Permanently added .*"
)
"""Lines that git writes after the one that states the cause."""

_CREDENTIALS = "give git credentials for the host (a credential helper, or a token in the address)"
_WAYS_OUT = (
    (
        r"host key verification failed|no .{0,40}host key is known",
        "add the host's key to known_hosts, for example by connecting once with ssh",
    ),
    (
        r"permission denied|publickey|too many authentication failures",
        "load a key that the host accepts (ssh-add -l lists them), or give an https:// address",
    ),
    (
        r"could not resolve|name or service not known|temporary failure in name resolution",
        "check the host name and the network",
    ),
    (
        (
            r"connection (?:refused|timed out|reset)|no route to host|unreachable|failed to connect"
            r"|could not connect|operation timed out"
        ),
        "check host and port, and for a firewall or proxy in between",
    ),
    (
        (
            r"authentication failed|could not read (?:username|password)"
            r"|invalid (?:username|credentials)|error: 40[13]|terminal prompts disabled"
        ),
        _CREDENTIALS,
    ),
    (
        r"not found|does not (?:exist|appear to be a git repository)|error: 404",
        "check the address, its owner and name; a private repository needs access rights, too",
    ),
    (
        r"prerequisite commits",
        "begin with a bundle of all commits (git bundle create --all); later ones may hold less",
    ),
    (r"cannot run ssh|ssh: not found", "install an ssh client, or give an https:// address"),
    (r"\.lock'?: file exists", "wait a minute: stale lock files are then removed"),
    (r"certificate|ssl|tls", "check the host's certificate, and this machine's clock"),
)
_KNOWN = tuple((re.compile(cause, re.IGNORECASE), out) for cause, out in _WAYS_OUT)
_USUAL = "check the address, the network and the access rights"


def cause_of(said: str) -> str:
    """The line of git's error output that states the cause; empty if none does."""
    lines = [line.strip() for line in said.splitlines()]
    telling = [line for line in lines if not _EMPTY.fullmatch(line)]
    known = [line for line in telling if any(cause.search(line) for cause, _ in _KNOWN)]
    found = next(iter(known or telling[-1:]), "")
    return re.sub(r"^(?:(?:fatal|error|remote|ERROR|ssh): )+", "", found).rstrip(". ")


def way_out(cause: str) -> str:
    """Advice for a cause."""
    return next((out for known, out in _KNOWN if known.search(cause)), _USUAL)


log = logging.getLogger(__name__)

_LOCK_PATIENCE = 3600.0
"""Seconds to wait for another process's clone or fetch: as long as git itself may take."""

_LOCK_PAUSE = 0.2
_ABANDONED = 60.0
"""Seconds after which a lock file of git is stale: git holds one only while it writes a name."""

_BLOBLESS = "--filter=blob:none"
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


class Clone:
    """The clone of an address under a data folder."""

    def __init__(self, address: Address, data: Path) -> None:
        self._address = address
        # A bundle is complete. If a clone of one lacked something, git would look for it in the
        # bundle, again and again, with a child for each attempt.
        bundle = address.transport == "file" and "://" not in address.url
        self._filter = () if bundle else (_BLOBLESS,)
        self.git_dir = data / "clones" / address.folder
        self._lock_file = self.git_dir.with_name(f"{address.folder}.lock")

    async def ensure(self) -> None:
        """Clone unless that was done. Raises ``SourceUnavailable`` and ``UnwritableFolder``."""
        if self.git_dir.is_dir():
            return
        async with self._lock():
            if not self.git_dir.is_dir():
                await self._clone()

    async def fetch(self, since: datetime | None = None) -> None:
        """Update branches and tags, removing deleted branches. ``HEAD`` follows the remote.

        Nothing is fetched if a fetch began at ``since`` or later, an aware time that defaults to
        the time of this call: of processes that want a fetch at once, one does it.
        """
        wanted = time.time() if since is None else since.timestamp()
        async with self._lock() as lock:
            began = time.time()
            if wanted <= _last_fetch(lock) <= began:
                return
            await self._run(
                "fetch", "--quiet", "--prune", "--no-write-fetch-head", *self._filter, "origin",
                "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*",
            )  # fmt: skip
            await self._follow_head()
            await _write_graph(self.git_dir)
            _note(lock, began)

    async def remote_tip(self, branch: str | None) -> Tip:
        """The tip of a branch as the remote has it now; nothing is cloned or fetched.

        Raises ``SourceUnavailable`` and ``UnknownBranch``.
        """
        names = ("HEAD", "refs/heads/*", "refs/tags/*")
        answer = await self._run(
            "ls-remote", "--symref", "--", self._address.url, *names, outside=True
        )
        listed = [line.split("\t") for line in answer.decode(errors="replace").splitlines()]
        shas = {name: sha for sha, name in listed if not sha.startswith("ref: ")}
        if branch is None:
            heads = [sha.removeprefix("ref: ") for sha, _ in listed if sha.startswith("ref: ")]
            head = next(iter(heads), "HEAD").removeprefix("refs/heads/")
            return Tip(branch=head, sha=shas.get("HEAD"))
        for name in (f"refs/heads/{branch}", f"refs/tags/{branch}^{{}}", f"refs/tags/{branch}"):
            if name in shas:
                return Tip(branch=branch, sha=shas[name])
        if _COMMIT.fullmatch(branch):  # a remote cannot be asked for it
            return Tip(branch=branch[:12], sha=branch)
        short = [name.removeprefix("refs/heads/") for name in shas]
        raise UnknownBranch(branch, get_close_matches(branch, short))

    async def bring(self, blobs: Sequence[str]) -> None:
        """Fetch absent blobs together, because git itself would fetch them one by one."""
        async with self._lock():
            await self._run(
                "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags",
                "--no-auto-maintenance", "--no-write-fetch-head", "--recurse-submodules=no",
                _BLOBLESS, "origin", "--stdin",
                stdin=stdin_lines(blobs),
            )  # fmt: skip

    async def _clone(self) -> None:
        unfinished = self.git_dir.with_name(f"{self.git_dir.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        try:
            await self._run(
                "clone", "--quiet", "--bare", "--origin=origin", "--template=", *self._filter, "--",
                self._address.url, str(unfinished),
                outside=True,
            )  # fmt: skip
            await _write_graph(unfinished)
            unfinished.rename(self.git_dir)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    async def _follow_head(self) -> None:
        """Point ``HEAD`` to the remote's default branch if the branch it named is gone."""
        git = reading(self.git_dir)
        try:
            await git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        except GitFailed:
            answer = (await self._run("ls-remote", "--symref", "origin", "HEAD")).decode()
            head = answer.partition("\t")[0].removeprefix("ref: ")
            if head.startswith("refs/heads/"):
                await git.run("symbolic-ref", "HEAD", head)

    async def _run(self, *arguments: str, stdin: bytes = b"", outside: bool = False) -> bytes:
        # The user's own configuration may redirect an address to one of the two safest transports.
        transports = dict.fromkeys((self._address.transport, "https", "ssh"))
        git = fetching(None if outside else self.git_dir, list(transports))
        try:
            return await _with_secret(git, self._address).run(*arguments, stdin=stdin)
        except GitFailed as failure:
            cause = cause_of(without_credentials(failure.said))
            remedy = way_out(cause)
            if remedy == _CREDENTIALS and self._address.secret:
                remedy = "the host refuses the credentials in the address; replace them"
            raise SourceUnavailable(
                f"{self._address.url} could not be fetched "
                f"({cause or 'git did not say why'}); {remedy}"
            ) from failure

    @asynccontextmanager
    async def _lock(self) -> AsyncIterator[int]:
        """Lock the clone against others; yields the descriptor of the lock file."""
        try:
            self.git_dir.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise UnwritableFolder(str(self.git_dir.parent), error.strerror or "") from error
        try:
            await self._acquire(descriptor)
            await asyncio.to_thread(_unlock, self.git_dir)
            yield descriptor
        finally:
            os.close(descriptor)

    async def _acquire(self, descriptor: int) -> None:
        end = time.monotonic() + _LOCK_PATIENCE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise SourceUnavailable(
                        f"another process has been fetching {self._address.url} for too long"
                    ) from None
                await asyncio.sleep(_LOCK_PAUSE)
            else:
                return


def _unlock(git_dir: Path) -> None:
    for lock in (*git_dir.glob("*.lock"), *(git_dir / "refs").rglob("*.lock")):
        with suppress(OSError):
            if abs(time.time() - lock.stat().st_mtime) > _ABANDONED:
                lock.unlink()
                log.warning("clone.unlocked", extra={"lock": str(lock)})


def _last_fetch(lock: int) -> float:
    """When the last successful fetch began, in seconds since 1970; 0 if there was none."""
    try:
        return float(os.pread(lock, 64, 0))
    except (OSError, ValueError):
        return 0.0


def _note(lock: int, began: float) -> None:
    with suppress(OSError):  # the next process fetches again
        os.pwrite(lock, f"{began:020.6f}\n".encode(), 0)


def _with_secret(git: Git, address: Address) -> Git:
    """Git that sends the credentials in a header, only to the host of the address."""
    # An address with credentials, even one made by git's configuration (``insteadOf``), is visible
    # to everybody on the machine among the arguments of ``git-remote-https``.
    if not address.secret:
        return git
    given = git.environment.get("GIT_CONFIG_COUNT", "")
    count = int(given) if given.isdecimal() else 0
    host = "{0.scheme}://{0.netloc}/".format(urlsplit(address.url))
    return git.with_environment(
        **{
            "GIT_CONFIG_COUNT": str(count + 1),
            f"GIT_CONFIG_KEY_{count}": f"http.{host}.extraHeader",
            f"GIT_CONFIG_VALUE_{count}": f"Authorization: Basic {_basic(address.secret)}",
        }
    )


def _basic(address: str) -> str:
    """The credentials of an address in the form of RFC 7617."""
    user, _, password = urlsplit(address).netloc.rpartition("@")[0].partition(":")
    return b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()


async def _write_graph(git_dir: Path) -> None:
    with suppress(GitFailed):  # without a graph reading is only slower
        await reading(git_dir).run("commit-graph", "write", "--reachable", "--no-progress")
