"""A commit-graph for repositories that have none, kept beside them in the data folder.

Cutting a window out of a history without trusting the order of dates means to look at every
commit; git's commit-graph makes that some twenty times faster (git-commit-graph(1)). Clones of
ours have one. Into other repositories we do not write: their graph stands in an object folder of
ours that names theirs as its alternate, and is read by setting ``GIT_OBJECT_DIRECTORY``.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.sources.process import Git, GitFailed

_STALE = 86_400.0
"""Seconds after which a graph is written anew; until then only newer commits are read singly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """The graph of the repository whose objects are in ``objects``, kept in ``folder``."""

    objects: Path
    folder: Path

    @classmethod
    def beside(cls, common_dir: Path, data: Path) -> Graph:
        """The graph of a repository, in a folder of its own under ``data``."""
        key = hashlib.sha256(str(common_dir).encode("utf-8", "surrogateescape")).hexdigest()
        return cls(objects=common_dir / "objects", folder=data / "graphs" / key[:16])

    async def attach(self, git: Git, tip: str) -> Git:
        """Git with the graph at hand, written first where it is missing or old.

        What stands in the way (a folder that cannot be written) costs only time.
        """
        info = self.objects / "info"
        if (info / "commit-graph").exists() or (info / "commit-graphs").exists():
            return git
        attached = git.with_environment(
            GIT_OBJECT_DIRECTORY=str(self.folder),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=_quoted(str(self.objects)),
        )
        written = self.folder / "info" / "commit-graph"
        try:
            if not written.exists() or time.time() - written.stat().st_mtime > _STALE:
                self.folder.mkdir(parents=True, exist_ok=True)
                arguments = ("commit-graph", "write", "--stdin-commits", "--no-progress")
                await attached.run(*arguments, stdin=f"{tip}\n".encode())
                # Written or not, as where history is too short to need one: not again today.
                with suppress(FileNotFoundError):
                    written.touch()
        except (OSError, GitFailed):
            return git
        return attached if written.exists() else git


def _quoted(path: str) -> str:
    """The path as one entry of a list that is parted by colons; git reads C quotes there."""
    if ":" not in path and not path.startswith('"'):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
