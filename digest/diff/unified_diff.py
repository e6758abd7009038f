"""Parses unified diffs with context, as forges give them, and git's quoted paths.

Context is dropped: a hunk here is a run of changed lines. Unreadable parts are skipped, since a
diff comes from outside. Formats: git-diff-tree(1), "GENERATING PATCH TEXT WITH -P", and for quoted
paths, which are escaped like C strings, git-config(1), ``core.quotePath``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from digest.core.change import FileChange, FileStatus, Hunk
from digest.core.patterns import lazy
from digest.frozen import frozen

_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-3][0-7]{2})')
_SIMPLE = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
    b'"': b'"',
    b"\\": b"\\",
}


def unquote(path: str) -> str:
    """The path that git wrote, quoted or not; bytes that are no UTF-8 stay by surrogateescape."""
    if not path.startswith('"'):
        return path
    inner = path[1:-1].encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_meaning, inner).decode("utf-8", "surrogateescape")


def _meaning(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return _SIMPLE.get(code) or bytes([int(code, 8)])


_RANGES = lazy(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_FILE = "diff --git "
_NO_NEWLINE = "\\"


@frozen
class Hunks:
    """The changed lines of one file, and their counts."""

    hunks: tuple[Hunk, ...]
    added: int
    deleted: int


def read_hunks(patch: str) -> Hunks:
    """The hunks of one file's patch, which begins at its first ``@@``."""
    hunks, _ = _hunks(patch.split("\n"), 0)
    return Hunks(
        hunks=hunks,
        added=sum(len(hunk.added) for hunk in hunks),
        deleted=sum(len(hunk.removed) for hunk in hunks),
    )


def read_diff(text: str) -> tuple[FileChange, ...]:
    """The files of a whole diff, in its order."""
    lines = text.split("\n")
    files: list[FileChange] = []
    at = 0
    while at < len(lines):
        if not lines[at].startswith(_FILE):
            at += 1
            continue
        head = _Head(lines[at].removeprefix(_FILE).rstrip("\r"))
        at += 1
        while at < len(lines) and not lines[at].startswith((_FILE, "@@ -")):
            head.take(lines[at].rstrip("\r"))
            at += 1
        hunks, at = _hunks(lines, at)
        if (file := head.file(hunks)) is not None:
            files.append(file)
    return tuple(files)


def before(after: str, hunks: Sequence[Hunk]) -> str | None:
    """The old text of a file, from the new one and its hunks; ``None`` if they do not match."""
    # A forge gives the new text and the patch; the old one would cost another call.
    lines = after.split("\n")
    for hunk in reversed(hunks):
        # If nothing was added, the hunk names the line before.
        at = hunk.new_start - 1 if hunk.added else hunk.new_start
        there = [line.removesuffix("\r") for line in lines[at : at + len(hunk.added)]]
        if there != list(hunk.added):
            return None
        lines[at : at + len(hunk.added)] = hunk.removed
    return "\n".join(lines)


@dataclass(slots=True)
class _Head:
    """The lines above the hunks of a file."""

    names: str
    status: FileStatus = FileStatus.MODIFIED
    old: str = ""
    new: str = ""
    modes: dict[str, str] = field(default_factory=dict)
    binary: bool = False

    def take(self, line: str) -> None:
        """Read a line of the head; unknown ones are ignored."""
        for begin, status in _STATUSES.items():
            if line.startswith(begin):
                self.status = status
        if line.startswith(("rename from ", "copy from ")):
            self.old = unquote(line.partition(" from ")[2])
        elif line.startswith(("rename to ", "copy to ")):
            self.new = unquote(line.partition(" to ")[2])
        elif line.startswith("--- ") and not self.old:
            self.old = _side(line[4:], "a/")
        elif line.startswith("+++ ") and not self.new:
            self.new = _side(line[4:], "b/")
        elif line.startswith(("Binary files ", "GIT binary patch")):
            self.binary = True
        elif match := _MODE.fullmatch(line):
            self.modes[match[1]] = match[2]

    def file(self, hunks: tuple[Hunk, ...]) -> FileChange | None:
        """The file; ``None`` if no line tells its name."""
        path = (self.old if self.status is FileStatus.DELETED else self.new) or self.old
        path = path or _common(self.names)
        if not path:
            return None
        moved = self.status in {FileStatus.RENAMED, FileStatus.COPIED}
        mode = self.modes.get("index", "100644")
        return FileChange(
            path=path,
            status=self.status,
            old_path=self.old if moved else None,
            added=sum(len(hunk.added) for hunk in hunks),
            deleted=sum(len(hunk.removed) for hunk in hunks),
            hunks=hunks,
            binary=self.binary,
            old_mode=self.modes.get("old", self.modes.get("deleted file", mode)),
            new_mode=self.modes.get("new", self.modes.get("new file", mode)),
        )


_STATUSES = {
    "new file mode ": FileStatus.ADDED,
    "deleted file mode ": FileStatus.DELETED,
    "rename from ": FileStatus.RENAMED,
    "copy from ": FileStatus.COPIED,
}
_MODE = lazy(r"(old|new|new file|deleted file|index)(?: mode| \S+) (\d{6})")


def _side(written: str, prefix: str) -> str:
    """A path of a ``---`` or ``+++`` line; empty for ``/dev/null``."""
    path = unquote(written.rstrip("\t"))
    return path.removeprefix(prefix) if path != "/dev/null" else ""


def _common(names: str) -> str:
    """The path of ``a/PATH b/PATH``, which may contain spaces, if both are the same."""
    half = len(names) // 2
    old, new = names[:half], names[half + 1 :]
    if names.startswith('"'):
        old, new = unquote(old), unquote(new)
    same = old.removeprefix("a/") == new.removeprefix("b/")
    return old.removeprefix("a/") if same and old.startswith("a/") else ""


def _hunks(lines: Sequence[str], at: int) -> tuple[tuple[Hunk, ...], int]:
    """The hunks that begin at a line, and where they end."""
    hunks: list[Hunk] = []
    while at < len(lines):
        ranges = _RANGES.match(lines[at])
        if ranges is None:
            if lines[at].startswith(_FILE):
                break
            at += 1
            continue
        reading = _Reading(ranges)
        at += 1
        while at < len(lines) and reading.take(lines[at]):
            at += 1
        hunks.extend(reading.finish())
    return tuple(hunks), at


class _Reading:
    """A hunk with context while it is split into runs of changed lines."""

    __slots__ = (
        "_added",
        "_hunks",
        "_new",
        "_old",
        "_removed",
        "_section",
        "_to_add",
        "_to_remove",
    )

    def __init__(self, ranges: re.Match[str]) -> None:
        old, removed, new, added, self._section = ranges.groups()
        self._to_remove = 1 if removed is None else int(removed)
        self._to_add = 1 if added is None else int(added)
        # The line before, if the hunk has none of that side, as git writes it.
        self._old = int(old) if self._to_remove else int(old) + 1
        self._new = int(new) if self._to_add else int(new) + 1
        self._removed: list[str] = []
        self._added: list[str] = []
        self._hunks: list[Hunk] = []

    def take(self, line: str) -> bool:
        """Read the next line; false if the hunk has ended before it."""
        mark = line[:1]
        if mark == _NO_NEWLINE:
            return True
        if not (self._to_remove > 0 or self._to_add > 0):
            return False
        text = line[1:].removesuffix("\r")
        if mark == "-":
            if self._added:
                self._flush()
            self._removed.append(text)
            self._to_remove -= 1
        elif mark == "+":
            self._added.append(text)
            self._to_add -= 1
        elif mark in {" ", ""}:
            self._flush()
            self._old += 1
            self._new += 1
            self._to_remove -= 1
            self._to_add -= 1
        else:
            return False
        return True

    def finish(self) -> list[Hunk]:
        """The runs of changed lines, in order."""
        self._flush()
        return self._hunks

    def _flush(self) -> None:
        if self._removed or self._added:
            self._hunks.append(
                Hunk(
                    old_start=self._old if self._removed else max(self._old - 1, 0),
                    new_start=self._new if self._added else max(self._new - 1, 0),
                    removed=tuple(self._removed),
                    added=tuple(self._added),
                    section=self._section,
                )
            )
            self._old += len(self._removed)
            self._new += len(self._added)
            self._removed, self._added = [], []
