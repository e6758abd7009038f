"""Builds real git repositories in a test's folder, fast and with the same hashes on every run.

Commits go through ``git fast-import``, so names, texts and messages may contain any bytes, and no
work tree is needed. Dates are fixed: without ``at``, a commit is made one minute after the previous
one, the first at 2026-01-01T00:00Z.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2026, 1, 1, tzinfo=UTC)
ADA = "Ada Lovelace <ada@example.org>"


@dataclass(frozen=True)
class Executable:
    """A file with the executable bit."""

    content: str | bytes


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str | bytes


@dataclass(frozen=True)
class Submodule:
    """A commit of another repository, which need not exist."""

    sha: str


@dataclass(frozen=True)
class Moved:
    """A file that moved here from ``old``; with ``content`` it changes as well."""

    old: str | bytes
    content: str | bytes | None = None


Entry = str | bytes | Executable | Link | Submodule | Moved | None
"""The content of a path after a commit; ``None`` removes it."""


def environment() -> dict[str, str]:
    """An environment in which git is configured only by the command line."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TEMPLATE_DIR": "",  # no samples of hooks
        # A repository that is thrown away need not survive a crash of the machine.
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsync",
        "GIT_CONFIG_VALUE_0": "none",
        "GIT_AUTHOR_NAME": "Ada Lovelace",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada Lovelace",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
    }


class RepositoryBuilder:
    """A repository at ``path``, with methods that add to it; every commit returns its hash."""

    def __init__(self, path: Path, *, bare: bool = False, branch: str = "main") -> None:
        self.path = path
        self.branch = branch
        self.clock = START
        self._tips: dict[str, str] = {}
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", f"--initial-branch={branch}", *(["--bare"] if bare else []))

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git in the repository; return its output, stripped."""
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env=environment(),
        )
        if done.returncode:
            raise AssertionError(f"git {arguments}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(
        self,
        message: str | bytes = "Change something",
        files: Mapping[str | bytes, Entry] | None = None,
        *,
        at: datetime | None = None,
        authored_at: datetime | None = None,
        author: str | bytes = ADA,
        branch: str | None = None,
        parents: Sequence[str] | None = None,
        encoding: str | None = None,
    ) -> str:
        """Add a commit to ``branch`` (by default the builder's) and return its full hash.

        ``parents`` are full hashes, or branches of this builder; the default is the branch's tip.
        ``files`` are the differences from the first parent.
        """
        branch = branch or self.branch
        at = at or self.clock
        self.clock = at + timedelta(minutes=1)
        if parents is None:
            parents = [self._tips[branch]] if branch in self._tips else []
        parents = [self._tips.get(parent, parent) for parent in parents]
        stream = _commit(branch, _bytes(message), _bytes(author), at, authored_at or at, encoding)
        stream += _parents(parents) + b"".join(
            _entry(_bytes(path), entry) for path, entry in (files or {}).items()
        )
        sha = self.git(
            "fast-import", "--quiet", "--force", "--done", stdin=stream + b"\nget-mark :1\ndone\n"
        )
        self._tips[branch] = sha
        return sha

    def merge(
        self,
        *branches: str,
        message: str | bytes = "Merge branches",
        files: Mapping[str | bytes, Entry] | None = None,
        at: datetime | None = None,
        branch: str | None = None,
    ) -> str:
        """Merge ``branches`` (two or more make an octopus) into ``branch``.

        ``files`` are the differences from the first parent; nothing is merged automatically.
        """
        into = branch or self.branch
        return self.commit(message, files, at=at, branch=into, parents=[into, *branches])

    def sha(self, name: str) -> str:
        """The full hash of ``name``, or empty."""
        done = subprocess.run(
            ["git", "-C", str(self.path), "rev-parse", "--verify", "--quiet", name],
            capture_output=True,
            check=False,
            env=environment(),
        )
        return done.stdout.decode().strip()

    def checkout(self, branch: str | None = None) -> None:
        """Populate the work tree."""
        self.git("checkout", "--quiet", "--force", branch or self.branch)

    def forget(self, name: str) -> str:
        """Delete the loose object that ``name`` (such as ``main:file``) refers to."""
        sha = self.sha(name)
        folder = Path(self.git("rev-parse", "--absolute-git-dir")) / "objects"
        (folder / sha[:2] / sha[2:]).unlink()
        return sha


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: bytes) -> bytes:
    def escape(match: re.Match[bytes]) -> bytes:
        return b"\\%03o" % match[0][0]

    return b'"' + re.sub(rb"[^ !#-\[\]-~]", escape, path) + b'"'


def _commit(
    branch: str,
    message: bytes,
    author: bytes,
    at: datetime,
    authored: datetime,
    encoding: str | None,
) -> bytes:
    lines = [
        b"commit refs/heads/%s" % branch.encode(),
        b"mark :1",
        b"author %s %d +0000" % (author, authored.timestamp()),
        b"committer %s %d +0000" % (ADA.encode(), at.timestamp()),
    ]
    if encoding:
        lines.append(b"encoding %s" % encoding.encode())
    return b"\n".join(lines) + b"\n" + _data(message)


def _parents(parents: Sequence[str]) -> bytes:
    words = ["from", *["merge"] * (len(parents) - 1)]
    return b"".join(f"{word} {sha}\n".encode() for word, sha in zip(words, parents, strict=False))


def _entry(path: bytes, entry: Entry) -> bytes:
    if entry is None:
        return b"D %s\n" % _quoted(path)
    if isinstance(entry, Submodule):
        return b"M 160000 %s %s\n" % (entry.sha.encode(), _quoted(path))
    if isinstance(entry, Moved):
        moved = b"R %s %s\n" % (_quoted(_bytes(entry.old)), _quoted(path))
        return moved + (b"" if entry.content is None else _entry(path, entry.content))
    mode, content = b"100644", entry
    if isinstance(entry, Executable):
        mode, content = b"100755", entry.content
    elif isinstance(entry, Link):
        mode, content = b"120000", entry.target
    return b"M %s inline %s\n%s" % (mode, _quoted(path), _data(_bytes(content)))
