"""Puts the files of one commit together from its raw listing and its patches.

Imports ``change`` and ``quoting``. Formats: git-diff-tree(1), "RAW OUTPUT FORMAT" and
"GENERATING PATCH TEXT WITH -P".
"""

from __future__ import annotations

import re

from digest.change import Change, Commit, FileChange, FileStatus, Hunk
from digest.quoting import unquote

FILE = b"\ndiff --git "
"""What begins the patch of a file, with the end of the line before."""

HUNK = b"\n@@ -"
"""What begins a hunk, with the end of the line before; a changed line has a mark in front."""

_RANGES = re.compile(rb"(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?([^\n]*)\n?")
_NO_OBJECT = "0" * 40
_STATUS = {
    "A": FileStatus.ADDED,
    "M": FileStatus.MODIFIED,
    "D": FileStatus.DELETED,
    "R": FileStatus.RENAMED,
    "C": FileStatus.COPIED,
    "T": FileStatus.RETYPED,
}


class _Draft:
    """A file of the listing while its patches are read; ``room`` is what may be kept, in bytes."""

    __slots__ = ("added", "binary", "deleted", "hunks", "line", "patches", "room")

    def __init__(self, line: str, room: int) -> None:
        self.line = line
        self.room = room
        self.patches = 0
        self.hunks: list[Hunk] = []
        self.added = 0
        self.deleted = 0
        self.binary = False

    def file(self) -> FileChange:
        """The finished file."""
        meta, first, *second = self.line.split("\t")
        old_mode, new_mode, old_id, new_id, status = meta.split(" ")
        return FileChange(
            path=unquote(second[0] if second else first),
            status=_STATUS[status[0]],
            old_path=unquote(first) if second else None,
            added=self.added,
            deleted=self.deleted,
            hunks=tuple(self.hunks),
            binary=self.binary,
            old_id="" if old_id.startswith(_NO_OBJECT) else old_id,
            new_id="" if new_id.startswith(_NO_OBJECT) else new_id,
            old_mode=old_mode,
            new_mode=new_mode,
        )


class Record:
    """A commit while its files are read. ``file_limit`` and ``change_limit`` are bytes of patch."""

    __slots__ = ("_commit", "_drafts", "_file_limit", "_position", "_room")

    def __init__(self, commit: Commit, file_limit: int, change_limit: int) -> None:
        self._commit = commit
        self._file_limit = file_limit
        self._room = change_limit
        self._drafts: list[_Draft] = []
        self._position = 0

    def take(self, body: bytes) -> None:
        """Read more of the commit: whole pieces, each with the end of the line before it."""
        head, *files = body.split(FILE)
        if head.startswith(HUNK):
            self._hunks(head.split(HUNK)[1:])
        elif head:
            self._listing(head)
        for file in files:
            preamble, *hunks = file.split(HUNK)
            self._begin(preamble)
            self._hunks(hunks)

    def pass_over(self, ranges: bytes) -> None:
        """Count a hunk of which only the first line is given, because the rest is too large."""
        self._drafts[self._position].room = 0
        self.take(ranges)

    def change(self) -> Change:
        """The commit with its files in the order of the listing."""
        return Change(commit=self._commit, files=tuple(draft.file() for draft in self._drafts))

    def _listing(self, text: bytes) -> None:
        lines = text.decode("utf-8", "surrogateescape").split("\n")
        self._drafts = [_Draft(line[1:], self._file_limit) for line in lines if line[:1] == ":"]

    def _begin(self, preamble: bytes) -> None:
        """Turn to the file that the next patch belongs to."""
        draft = self._drafts[self._position]
        # The listing's fifth word is the status; a changed type makes two patches of one file.
        if draft.patches == (2 if draft.line.split(" ", 5)[4][0] == "T" else 1):
            self._position += 1
            draft = self._drafts[self._position]
        draft.patches += 1
        draft.binary |= b"\nBinary files " in preamble

    def _hunks(self, hunks: list[bytes]) -> None:
        draft = self._drafts[self._position] if hunks else None
        for hunk in hunks:
            assert draft is not None
            ranges = _RANGES.match(hunk)
            if ranges is None:
                raise ValueError(f"no hunk of a patch: {hunk[:80]!r}")
            old, removed, new, added, section = ranges.groups()
            deleted_lines = 1 if removed is None else int(removed)
            added_lines = 1 if added is None else int(added)
            draft.deleted += deleted_lines
            draft.added += added_lines
            size = len(hunk)
            if size > draft.room or size > self._room:
                draft.room = 0
                continue
            draft.room -= size
            self._room -= size
            before, after = _sides(hunk[ranges.end() :], deleted_lines, added_lines)
            draft.hunks.append(
                Hunk(
                    old_start=int(old),
                    new_start=int(new),
                    removed=before,
                    added=after,
                    section=section.decode("utf-8", "replace"),
                )
            )


def _sides(body: bytes, removed: int, added: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The removed and the added lines of a hunk without context: first all of the one kind."""
    text = body.decode("utf-8", "replace")
    if not removed:
        return (), _lines(text, "\n+")
    if not added:
        return _lines(text, "\n-"), ()
    # Every line has its mark in front, so the first "+" behind a line end begins the added ones.
    before, _, after = text.partition("\n+")
    return _lines(before, "\n-"), _lines("+" + after, "\n+")


def _lines(text: str, mark: str) -> tuple[str, ...]:
    """The lines without marks, without git's remark on a missing last line end, without CR."""
    if "\n\\" in text:
        text = text[: text.index("\n\\")]
    lines = text[1:].split(mark)
    if "\r" in text:
        return tuple(line.removesuffix("\r") for line in lines)
    return tuple(lines)
