"""A change: a commit and the files it touches.

All times are aware and in UTC. Bytes that are no UTF-8 become U+FFFD in messages and diff lines; in
paths they are kept by ``surrogateescape``, so that a path still names its file. Renderers show such
paths with :func:`printable`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b

from digest.frozen import frozen

_BLANK = " \t\n\r"
"""What git treats as white space in messages; a line of nothing else ends a paragraph."""


@lru_cache(maxsize=64)
def _split(message: str) -> tuple[list[str], list[str]]:
    """The lines of the first paragraph, and the remaining ones without outer blank ones."""
    lines = message.rstrip(_BLANK).split("\n")
    start = next((i for i, line in enumerate(lines) if line.strip(_BLANK)), len(lines))
    end = next((i for i in range(start, len(lines)) if not lines[i].strip(_BLANK)), len(lines))
    rest = next((i for i in range(end, len(lines)) if lines[i].strip(_BLANK)), len(lines))
    return lines[start:end], lines[rest:]


def printable(path: str) -> str:
    r"""A path for display: undecodable bytes and control characters become ``\x..``."""
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
    """Where evidence is: before the change, after it, or in the message or description."""

    OLD = "old"
    NEW = "new"
    MESSAGE = "message"
    REQUEST = "request"


@frozen
class Hunk:
    """A run of changed lines without context."""

    old_start: int  # from 1, of the first removed line; if none, of the line before
    new_start: int  # the same of the first added line
    removed: tuple[str, ...]
    added: tuple[str, ...]
    section: str = ""  # the enclosing line that git shows after ``@@``, or empty

    @property
    def lines(self) -> tuple[str, ...]:
        """The removed lines and the added ones."""
        return (*self.removed, *self.added)

    @property
    def sides(self) -> tuple[tuple[int, tuple[str, ...]], tuple[int, tuple[str, ...]]]:
        """The start and the lines of the old and of the new side."""
        return (self.old_start, self.removed), (self.new_start, self.added)


@frozen
class FileChange:
    """One file of a change."""

    path: str
    status: FileStatus
    old_path: str | None = None  # for renames and copies only
    added: int = 0  # lines, also those without hunks
    deleted: int = 0
    hunks: tuple[Hunk, ...] = ()  # without what is larger than a source keeps
    omitted: bool = False  # the content could not be read (an absent blob)
    binary: bool = False  # for git
    old_id: str = ""  # of blobs, empty if that side does not exist
    new_id: str = ""
    old_mode: str = "100644"  # octal: ``100755`` executable, ``120000`` link, ``160000`` submodule
    new_mode: str = "100644"

    @property
    def old_runs(self) -> tuple[tuple[int, int], ...]:
        """The first and last old line of each hunk; ``(10, 9)`` only adds lines after line 9."""
        starts = [(h.old_start + (not h.removed), h.removed) for h in self.hunks]
        return tuple((start, start + len(removed) - 1) for start, removed in starts)


def rewritten(
    path: str, text: str, rows: Collection[int], was: Mapping[int, str] | None = None
) -> tuple[FileChange, dict[str, str]]:
    """A file as if some of its lines had just come, and the texts of both sides by their blobs.

    ``rows`` are the numbers of new lines, from 0; ``was`` has other lines that stood at some rows.
    """
    lines, fresh, others = text.split("\n"), set(rows), was or {}
    old: list[str] = []
    hunks: list[Hunk] = []
    for row, line in enumerate(lines):
        removed = (others[row],) if row in others else () if row in fresh else None
        if removed is None:
            old.append(line)
            continue
        start = len(old) + bool(removed)
        hunks.append(Hunk(old_start=start, new_start=row + 1, removed=removed, added=(line,)))
        old += removed
    file = FileChange(
        path=path,
        status=FileStatus.MODIFIED,
        added=len(hunks),
        hunks=tuple(hunks),
        old_id="old",
        new_id="new",
    )
    return file, {"old": "\n".join(old), "new": text}


@frozen
class Commit:
    """A commit without its diff."""

    sha: str
    parents: tuple[str, ...]  # in git's order
    author: str  # of a merge, who wrote most of its branch, if known
    email: str
    authored_at: datetime
    committed_at: datetime
    message: str  # as the author wrote it
    writers: tuple[str, ...] = ()  # of a merge, all its authors

    @property
    def subject(self) -> str:
        """The first paragraph of the message on one line, as ``git log --format=%s`` shows it."""
        return " ".join(line.rstrip(_BLANK) for line in _split(self.message)[0])

    @property
    def body(self) -> str:
        """The message after its first paragraph, without outer blank lines."""
        return "\n".join(_split(self.message)[1])


@frozen
class Change:
    """A commit and its files: the unit that is graded."""

    # A merge commit is one change: what it brought to its first parent.

    commit: Commit
    files: tuple[FileChange, ...]  # in git's order
    omitted: bool = False  # even the list of files is unknown: a shallow clone, absent trees

    @property
    def sha(self) -> str:
        """The full name of the commit."""
        return self.commit.sha


def without_hunks(files: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """The files with their counts but without their lines, as stored after grading."""
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


def fingerprint(change: Change) -> str:
    """32 hex digits, equal for the same message, files and lines at the same places."""
    # A commit that was rebased over unrelated work keeps it: its name, its dates and the rest of
    # its files do not count.
    sum_ = blake2b(digest_size=16)
    for part in _parts(change):
        text = part.encode("utf-8", "surrogatepass")
        # Prefixing the length keeps one part from running into the next.
        sum_.update(b"%d:" % len(text) + text)
    return sum_.hexdigest()


def _parts(change: Change) -> Iterator[str]:
    yield change.commit.message
    yield str(change.omitted)
    for file in change.files:
        yield file.path
        yield file.old_path or ""
        yield f"{file.status} {file.added} {file.deleted} {file.omitted}"
        yield f"{file.old_mode} {file.new_mode}"
        # Files for which git shows no lines are told apart by their blob names.
        yield f"{file.old_id} {file.new_id}" if file.binary else ""
        for hunk in file.hunks:
            yield f"{hunk.old_start} {hunk.new_start} {len(hunk.removed)} {hunk.section}"
            yield "\n".join(hunk.removed)
            yield "\n".join(hunk.added)
