"""From a place in a change to the id of the hunk that holds it. Imports ``material`` and values."""

from __future__ import annotations

from bisect import bisect_right

from digest.change import Change, Side
from digest.facts.model import Evidence
from digest.material import MESSAGE, file_id, hunk_id


class Places:
    """The hunks of a change by path, side and line."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._files = {file.path: at for at, file in enumerate(change.files)}
        self._old = {file.old_path or file.path: at for at, file in enumerate(change.files)}
        self._starts: dict[tuple[int, bool], list[int]] = {}

    def indexes(self, place: Evidence) -> tuple[int, int | None] | None:
        """The index of the file, and of the hunk where a changed line of one is meant."""
        new = place.side is not Side.OLD
        at = (self._files if new else self._old).get(place.path)
        if at is None:
            return None
        hunks = self._change.files[at].hunks
        if (at, new) not in self._starts:
            self._starts[at, new] = [h.new_start if new else h.old_start for h in hunks]
        starts = self._starts[at, new]
        number = bisect_right(starts, place.line) - 1
        if number < 0 or not place.line:
            return at, None
        lines = hunks[number].added if new else hunks[number].removed
        return at, number if place.line < starts[number] + len(lines) else None

    def id_of(self, place: Evidence) -> str:
        """The id of the hunk, of the file where no hunk holds the place, or of the message."""
        if place.side is Side.MESSAGE:
            return MESSAGE
        found = self.indexes(place)
        if found is None:
            return MESSAGE
        at, number = found
        return file_id(at) if number is None else hunk_id(at, number)
