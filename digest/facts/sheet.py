"""One side of a changed file as its lines: which changed, and what stands around them.

Imports ``scene`` and ``model``. A manifest's line means something by where it stands
(``rand = "1"`` under ``[dependencies]`` or not), and a hunk without context does not show that;
hence the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from digest.change import FileChange, FileStatus, Side
from digest.facts.model import Evidence
from digest.facts.scene import Scene

_LONGEST_LINE = 600
"""Characters; a longer line is data or made to be hard to read, and nothing is found in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A side: ``changed`` as (1-based number, text) in order; ``whole`` is empty if not at hand."""

    path: str
    side: Side
    changed: tuple[tuple[int, str], ...]
    whole: tuple[str, ...] = ()

    def above(self, line: int, most: int = 200) -> Iterator[str]:
        """The lines above a line, nearest first; none where the whole is not at hand."""
        for index in range(min(line - 1, len(self.whole)) - 1, max(-1, line - 2 - most), -1):
            yield self.whole[index]

    def evidence(self, line: int) -> Evidence:
        """A line of this side as evidence."""
        return Evidence(path=self.path, line=line, side=self.side)


def removed_lines(file: FileChange) -> Iterator[tuple[int, str]]:
    """The removed lines with their numbers on the old side, without overlong ones."""
    for hunk in file.hunks:
        for offset, line in enumerate(hunk.removed):
            if len(line) <= _LONGEST_LINE:
                yield hunk.old_start + offset, line


def added_lines(file: FileChange) -> Iterator[tuple[int, str]]:
    """The added lines with their numbers on the new side, without overlong ones."""
    for hunk in file.hunks:
        for offset, line in enumerate(hunk.added):
            if len(line) <= _LONGEST_LINE:
                yield hunk.new_start + offset, line


def changed_text(file: FileChange) -> str:
    """All changed lines of both sides as one text: what a finder asks whether to look closer."""
    return "\n".join(
        ["\n".join(side) for hunk in file.hunks for side in (hunk.removed, hunk.added)]
    )


def sheets(scene: Scene) -> tuple[Sheet, Sheet]:
    """The old and the new side. The hunks of a file that comes or goes are its whole."""
    file = scene.file
    old = tuple(removed_lines(file))
    new = tuple(added_lines(file))
    return (
        Sheet(
            path=file.old_path or file.path,
            side=Side.OLD,
            changed=old,
            whole=_whole(scene.old, old, alone=file.status is FileStatus.DELETED),
        ),
        Sheet(
            path=file.path,
            side=Side.NEW,
            changed=new,
            whole=_whole(scene.new, new, alone=file.status is FileStatus.ADDED),
        ),
    )


def _whole(
    text: str | None, changed: tuple[tuple[int, str], ...], *, alone: bool
) -> tuple[str, ...]:
    if text is not None:
        return tuple(text.split("\n"))
    if alone and changed and changed[-1][0] == len(changed):
        return tuple(line for _, line in changed)
    return ()
