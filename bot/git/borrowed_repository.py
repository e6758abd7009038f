"""A repository of our own that borrows another one's objects and nothing else.

Everything but references is read through such a view. It has none of the other repository's
configuration, hooks, attributes, grafts, replacements or remotes: nothing there can run a program
or change what is read, and an absent object is simply absent instead of being fetched. The view
also holds a commit-graph: cutting a window out of a history without trusting the order of dates
means looking at every commit, which a graph makes some twenty times faster (git-commit-graph(1)),
and we do not write into other people's repositories.
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
"""Seconds after which a graph is rewritten; until then newer commits are read individually."""


class BorrowedRepository:
    """A view of the repository in ``common_dir``, stored under ``data`` or temporarily.

    ``object_format`` is git's name of the hash, ``sha1`` or ``sha256``. If ``data`` cannot be
    written, the view is temporary and removed with this object.
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
        """The view's folder, which also has room for other data about the repository."""
        return self._folder

    def git(self) -> Git:
        """Git for reading objects by their full names; the view has no branches."""
        git = reading(self._folder)
        if self._shallow.exists():
            return git.with_environment(GIT_SHALLOW_FILE=str(self._shallow))
        return git

    def boundary(self) -> frozenset[str]:
        """The commits whose parents a shallow clone lacks (git-shallow(5))."""
        try:
            return frozenset(self._shallow.read_text(encoding="ascii").split())
        except OSError:
            return frozenset()

    async def index(self, tip: str) -> None:
        """Write a commit-graph for the history of ``tip`` if there is none or only an old one.

        A failure only costs time.
        """
        info = self._objects / "info"
        theirs = (info / "commit-graph", info / "commit-graphs")
        ours = self._folder / "objects" / "info" / "commit-graph"
        # Git uses no graph if the history is shallow.
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
    """The path quoted as git does, with every unusual character escaped."""
    raw = path.encode("utf-8", "surrogateescape")
    return '"' + re.sub(rb"[^A-Za-z0-9._/-]", _escape, raw).decode("ascii") + '"'


def _escape(match: re.Match[bytes]) -> bytes:
    return b"\\%03o" % match[0][0]
