"""A repository of ours that borrows the objects of another and nothing else of it.

Everything but references is read through such a view. No configuration, hook, attribute, graft,
replacement or remote of the other repository is in reach there: nothing it says can run a program
or change what is read, and an absent object is simply absent, never fetched one by one. The view
also has room for a commit-graph: to cut a window out of a history without trusting the order of
dates means to look at every commit, which a graph makes some twenty times faster
(git-commit-graph(1)), and into other people's repositories we do not write.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path

from bot.git.git_process import Git, GitFailed, reading
from bot.util.files import write_whole
from digest.errors import UnwritableFolder

_STALE = 86_400.0
"""Seconds after which a graph is written anew; until then only newer commits are read singly."""


class BorrowedRepository:
    """The view of the repository in ``common_dir``, kept under ``data``, or else for a while.

    ``object_format`` is git's name of the hash, ``sha1`` or ``sha256``. Where nothing can be
    written under ``data`` the view is temporary and ends with this value.
    """

    def __init__(self, common_dir: Path, data: Path, object_format: str) -> None:
        self._objects = common_dir / "objects"
        self._shallow = common_dir / "shallow"
        self._files = {
            "HEAD": "ref: refs/heads/none\n",
            "config": _CONFIG[object_format],
            "objects/info/alternates": _quoted(str(self._objects)) + "\n",
        }
        key = hashlib.sha256(str(common_dir).encode("utf-8", "surrogateescape")).hexdigest()
        self._folder = self._make(data / "views" / key[:16])

    @property
    def folder(self) -> Path:
        """Where the view lies, with room for what is known of the repository besides."""
        return self._folder

    def git(self) -> Git:
        """Git for reading what full names stand for; branches are not known here."""
        git = reading(self._folder)
        if self._shallow.exists():
            return git.with_environment(GIT_SHALLOW_FILE=str(self._shallow))
        return git

    def boundary(self) -> frozenset[str]:
        """The commits whose parents a shallow clone does not have (git-shallow(5))."""
        try:
            return frozenset(self._shallow.read_text(encoding="ascii").split())
        except OSError:
            return frozenset()

    async def index(self, tip: str) -> None:
        """Write a graph of the history of ``tip`` where none is, or an old one.

        What stands in the way costs only time.
        """
        info = self._objects / "info"
        theirs = (info / "commit-graph", info / "commit-graphs")
        ours = self._folder / "objects" / "info" / "commit-graph"
        # Git does without a graph where history is cut.
        if self._shallow.exists() or any(path.exists() for path in theirs) or _fresh(ours):
            return
        with suppress(GitFailed, OSError):
            arguments = ("commit-graph", "write", "--stdin-commits", "--no-progress")
            await self.git().run(*arguments, stdin=f"{tip}\n".encode())
            os.utime(ours)

    def _make(self, folder: Path) -> Path:
        try:
            self._fill(folder)
        except (OSError, UnwritableFolder):
            folder = Path(tempfile.mkdtemp(prefix="digestbot-view-"))
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._fill(folder)
        return folder

    def _fill(self, folder: Path) -> None:
        (folder / "refs").mkdir(parents=True, exist_ok=True)
        for name, text in self._files.items():
            file = folder / name
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                write_whole(file, text)


_CONFIG = {
    "sha1": "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n",
    "sha256": (
        "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n"
        "[extensions]\n\tobjectFormat = sha256\n"
    ),
}


def _fresh(file: Path) -> bool:
    return file.exists() and time.time() - file.stat().st_mtime < _STALE


def _quoted(path: str) -> str:
    """The path as git quotes it, with everything escaped that is not plain."""
    raw = path.encode("utf-8", "surrogateescape")
    return '"' + re.sub(rb"[^A-Za-z0-9._/-]", _escape, raw).decode("ascii") + '"'


def _escape(match: re.Match[bytes]) -> bytes:
    return b"\\%03o" % match[0][0]
