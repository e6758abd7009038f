"""Reads what ``git log`` prints into changes, piece by piece. Imports ``change`` and ``record``.

The stream is that of ``git log -p -U0 --raw --no-abbrev --full-index --format=FORMAT``. A record
begins with a NUL at the start of a line, which no line of a raw listing or patch can (each has a
mark in front), and its header counts its NULs, so that no message can be taken for a patch. The
raw listing says which files there are and what happened to them; the patches follow in the same
order, one for a file, two where its type changed (git deletes one and creates the other).

Memory stays flat whatever the patch: hunks that would take a file beyond ``FILE_LIMIT`` or a
change beyond ``CHANGE_LIMIT`` are left out, while their lines are still counted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from digest.change import Change, Commit
from digest.record import FILE, HUNK, Record

FORMAT = "%x00%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%B%x00"
"""The ``--format`` of the stream; the texts in it are to be UTF-8 (``i18n.logOutputEncoding``)."""

FILE_LIMIT = 4 << 20
"""Bytes of patch that are kept of one file: four times what is read of a text."""

CHANGE_LIMIT = 16 << 20
"""Bytes of patch that are kept of one change, so that a vendored tree does not fill the memory."""

_FIELDS = FORMAT.count("%x00") - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RECORD = b"\n\0"
_BOUNDARY = re.compile(rb"\n(?=@@ -|diff --git |\0)")
_LONGEST = len(FILE)
_LONGEST_NAME = 200  # characters of a person's name or address; who writes more floods readers


class PatchReader:
    """Takes the stream in chunks of any size and returns each change when its record is complete.

    The result does not depend on where the chunks end. A record is known to be complete when
    the next one begins or :meth:`finish` is called; where the stream broke off, do not call it.
    """

    def __init__(self, *, file_limit: int = FILE_LIMIT, change_limit: int = CHANGE_LIMIT) -> None:
        self._file_limit = file_limit
        self._change_limit = change_limit
        self._rest = b""
        self._record: Record | None = None
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
                self._record = Record(commit, self._file_limit, self._change_limit)
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
        # What would follow is a record; its first bytes complete the one before.
        changes = self.feed(b"\0")
        self._rest = b""
        return changes

    def _spill(self, record: Record, data: bytes, at: int) -> int:
        """Hand over what is complete of a record too large to wait for; return where it ends."""
        if len(data) - at <= self._file_limit + _LONGEST:
            return at
        cut = max(data.rfind(HUNK, at), data.rfind(FILE, at))
        if cut < 0:
            return at
        record.take(data[at:cut])
        # A hunk of just the limit may stand there with all but the last byte of what follows it.
        most = self._file_limit + len(HUNK) + _LONGEST
        if len(data) - cut > most and data.startswith(HUNK, cut):
            record.pass_over(data[cut : data.find(b"\n", cut + 1)])
            self._skipping = True
            return len(data) - _LONGEST
        return cut


def _header(data: bytes, at: int) -> tuple[Commit, int] | None:
    """The commit whose header begins at ``at``, and where its files begin; none if it is cut."""
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
    """The instant, or that of 1970 where git could not read a date or no calendar holds it."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return _EPOCH
