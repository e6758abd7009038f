"""Parses the output of ``git log -p -U0 --raw --no-abbrev --full-index --format=FORMAT``.

A record begins with a NUL at the start of a line, which no line of a raw listing or patch can (each
has a mark in front), and its header counts its NULs, so that no message can be mistaken for a
patch. The raw listing says which files there are and what happened to them; the patches follow in
the same order, one per file, two if its type changed. Formats: git-diff-tree(1), "RAW OUTPUT
FORMAT" and "GENERATING PATCH TEXT WITH -P".

Memory stays flat: hunks that would take a file beyond ``FILE_LIMIT`` or a change beyond
``CHANGE_LIMIT`` are left out, while their lines are still counted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from digest.core.change import Change, Commit, FileChange, FileStatus, Hunk
from digest.diff.unified_diff import unquote

FILE = b"\ndiff --git "  # the start of a file's patch, with the end of the line before
HUNK = b"\n@@ -"
"""The start of a hunk, with the end of the line before; a changed line has a mark in front."""

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
    """A file of the listing while its patches are read; ``room`` is the bytes that may be kept."""

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


class CommitParser:
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
        """Switch to the file that the next patch belongs to."""
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
    """The removed and the added lines of a hunk without context: first all removed ones."""
    text = body.decode("utf-8", "replace")
    if not removed:
        return (), _lines(text, "\n+")
    if not added:
        return _lines(text, "\n-"), ()
    # Every line starts with its mark, so the first "+" after a line end begins the added ones.
    before, _, after = text.partition("\n+")
    return _lines(before, "\n-"), _lines("+" + after, "\n+")


def _lines(text: str, mark: str) -> tuple[str, ...]:
    """The lines without marks, git's note on a missing final line end, and CR."""
    if "\n\\" in text:
        text = text[: text.index("\n\\")]
    lines = text[1:].split(mark)
    if "\r" in text:
        return tuple(line.removesuffix("\r") for line in lines)
    return tuple(lines)


FORMAT = "%x00%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%B%x00"
"""The ``--format`` of the stream; its texts must be UTF-8 (``i18n.logOutputEncoding``)."""

FILE_LIMIT = 4 << 20  # bytes of patch that are kept of one file: four times what is read of a text
CHANGE_LIMIT = 16 << 20
"""Bytes of patch that are kept of one change, so that a vendored tree does not fill the memory."""

_FIELDS = FORMAT.count("%x00") - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RECORD = b"\n\0"
_BOUNDARY = re.compile(rb"\n(?=@@ -|diff --git |\0)")
_LONGEST = len(FILE)
_LONGEST_NAME = 200  # characters of a person's name or address; a longer one is abuse


class PatchReader:
    """Takes the stream in chunks of any size and returns each change once it is complete."""

    # A record is complete when the next one begins or :meth:`finish` is called; if the stream broke
    # off, do not call it.

    def __init__(self, *, file_limit: int = FILE_LIMIT, change_limit: int = CHANGE_LIMIT) -> None:
        self._file_limit = file_limit
        self._change_limit = change_limit
        self._rest = b""
        self._record: CommitParser | None = None
        self._skipping = False

    def feed(self, chunk: bytes) -> list[Change]:
        """The changes that ``chunk`` completes, in the order of the stream."""
        data = self._rest + chunk
        at = 0
        if self._skipping:
            boundary = _BOUNDARY.search(data)
            if boundary is None:
                self._rest = data[-_LONGEST:]
                return []
            at, self._skipping = boundary.start(), False
        changes: list[Change] = []
        while True:
            if self._record is None:
                header = _header(data, at)
                if header is None:
                    break
                commit, at = header
                self._record = CommitParser(commit, self._file_limit, self._change_limit)
            end = data.find(_RECORD, at)
            if end < 0:
                at = self._spill(self._record, data, at)
                break
            self._record.take(data[at:end])
            changes.append(self._record.change())
            self._record = None
            at = end + 1
        self._rest = data[at:]
        return changes

    def finish(self) -> list[Change]:
        """The last change, once the whole stream was fed."""
        # The first bytes of a following record complete the last one.
        changes = self.feed(b"\0")
        self._rest = b""
        return changes

    def _spill(self, record: CommitParser, data: bytes, at: int) -> int:
        """Pass on the complete part of a record too large to wait for; return where it ends."""
        if len(data) - at <= self._file_limit + _LONGEST:
            return at
        cut = max(data.rfind(HUNK, at), data.rfind(FILE, at))
        if cut < 0:
            return at
        record.take(data[at:cut])
        # A hunk of exactly the limit may be here with all but the last byte of what follows it.
        most = self._file_limit + len(HUNK) + _LONGEST
        if len(data) - cut > most and data.startswith(HUNK, cut):
            record.pass_over(data[cut : data.find(b"\n", cut + 1)])
            self._skipping = True
            return len(data) - _LONGEST
        return cut


def _header(data: bytes, at: int) -> tuple[Commit, int] | None:
    """The commit of the header at ``at``, and where its files begin; ``None`` if it is cut."""
    end = at
    for _ in range(_FIELDS):
        end = data.find(b"\0", end + 1)
        if end < 0:
            return None
    if len(data) <= end + 1:
        return None
    sha, parents, author, email, authored, committed, message = (
        data[at + 1 : end].decode("utf-8", "replace").split("\0")
    )
    commit = Commit(
        sha=sha,
        parents=tuple(parents.split()),
        author=author[:_LONGEST_NAME],
        email=email[:_LONGEST_NAME],
        authored_at=_moment(authored),
        committed_at=_moment(committed),
        message=message.rstrip("\n"),
    )
    return commit, end + 1


def _moment(seconds: str) -> datetime:
    """The instant, or the start of 1970 if git could not read a date or it is out of range."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return _EPOCH
