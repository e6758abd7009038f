"""What a change is: a commit and the files it touches. Imports nothing of ours.

All times are aware and in UTC. Texts are ``str`` in which bytes that are no UTF-8 stand as
U+FFFD (messages, diff lines) or are kept by ``surrogateescape`` (paths, so that they still name
the file); renderers show such paths with :func:`printable`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


def printable(path: str) -> str:
    """A path as it may be shown: undecodable bytes and control characters become ``\\x..``."""
    if path.isprintable():
        return path
    return "".join(
        c
        if c.isprintable()
        else f"\\x{ord(c) - 0xDC00:02x}"
        if 0xDC80 <= ord(c) <= 0xDCFF
        else c.encode("unicode_escape").decode("ascii")
        for c in path
    )


class FileStatus(StrEnum):
    """What happened to a file; the words are git's own."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    COPIED = "copied"
    RETYPED = "retyped"


class Side(StrEnum):
    """Where a piece of evidence stands: before the change, after it, or in the message."""

    OLD = "old"
    NEW = "new"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """A run of changed lines without context.

    ``old_start`` and ``new_start`` are the 1-based numbers of the first removed and the first
    added line (of the line before, as git writes it, where there is none). ``section`` is the
    enclosing line that git names behind ``@@``, or empty.
    """

    old_start: int
    new_start: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file of a change.

    ``old_path`` is set for renames and copies only. ``added`` and ``deleted`` count lines.
    ``omitted`` says that the content could not be read (an absent blob), so that lines and
    hunks are unknown; ``binary`` that git calls it binary. ``old_id`` and ``new_id`` are blob
    names, or empty where that side does not exist; ``old_mode`` and ``new_mode`` git's octal
    modes (``100644`` file, ``100755`` executable, ``120000`` link, ``160000`` submodule), or
    ``000000``.
    """

    path: str
    status: FileStatus
    old_path: str | None = None
    added: int = 0
    deleted: int = 0
    hunks: tuple[Hunk, ...] = ()
    omitted: bool = False
    binary: bool = False
    old_id: str = ""
    new_id: str = ""
    old_mode: str = "100644"
    new_mode: str = "100644"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit without its diff. ``parents`` in git's order; ``message`` as the author wrote it."""

    sha: str
    parents: tuple[str, ...]
    author: str
    email: str
    authored_at: datetime
    committed_at: datetime
    message: str

    @property
    def subject(self) -> str:
        """The first paragraph of the message on one line, as ``git log --format=%s`` shows it."""
        first, _, _ = self.message.lstrip("\n").partition("\n\n")
        return " ".join(line.strip() for line in first.splitlines()).strip()

    @property
    def body(self) -> str:
        """The message after its first paragraph, without outer blank lines."""
        _, _, rest = self.message.lstrip("\n").partition("\n\n")
        return rest.strip("\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A commit and its files, in git's order: the unit that is graded.

    A merge commit is one change: what it brought to its first parent.
    """

    commit: Commit
    files: tuple[FileChange, ...]

    @property
    def sha(self) -> str:
        """The full name of the commit."""
        return self.commit.sha


def without_hunks(files: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """The files with their counts but without their lines: what is kept after grading."""
    return tuple(
        FileChange(
            path=f.path,
            status=f.status,
            old_path=f.old_path,
            added=f.added,
            deleted=f.deleted,
            omitted=f.omitted,
            binary=f.binary,
            old_id=f.old_id,
            new_id=f.new_id,
            old_mode=f.old_mode,
            new_mode=f.new_mode,
        )
        for f in files
    )
