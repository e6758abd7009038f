"""The changed lines of a change as a page shows them, and the files that a part names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from digest.core.change import Change, FileChange, printable
from digest.core.facts import Area
from digest.facts.paths import area_of
from digest.topics.synonyms import kin
from digest.topics.terms import pieces, term

PAGE_LINES = 60  # lines of a diff on a page
_WIDE = 200  # characters of a line that are shown


def files_about(change: Change, part: str) -> tuple[FileChange, ...]:
    """The files of a change that a part names, in their order; all without a part.

    A part is a path or its start or end, a word of a path, or the name of an area such as tests or
    docs, in English or Chinese; else a name in the changed lines, of which only its hunks are left.
    """
    if not part:
        return change.files
    wanted = {k for word in (term(part), term(part.lower())) if word for k in kin(word)}
    files = tuple(f for f in change.files if _is_about(f, part, wanted))
    naming = [f for f in (_naming(f, part) for f in change.files) if f.hunks]
    return files or tuple(sorted(naming, key=lambda f: area_of(f.path) is not Area.CORE))


def is_name_in(files: Sequence[FileChange], part: str) -> bool:
    """Whether all of some files have a name in their changed lines."""
    return bool(files) and all(_naming(file, part).hunks for file in files)


def _naming(file: FileChange, part: str) -> FileChange:
    """The file with only the hunks that have a name, however joined; long hunks are cut to it."""
    name = part.strip("-").replace("-", "_").casefold()

    def having(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(line for line in lines if name in line.replace("-", "_").casefold())

    named = [(h, having(h.removed), having(h.added)) for h in file.hunks]
    hunks = (
        h if len(h.removed) + len(h.added) <= _SHORT else replace(h, removed=removed, added=added)
        for h, removed, added in named
        if removed or added
    )
    return replace(file, hunks=tuple(hunks))


_SHORT = 30  # lines of a hunk that is shown whole


def _is_about(file: FileChange, part: str, wanted: set[str]) -> bool:
    path = printable(file.path)
    if part.casefold().strip("/") in path.casefold():
        return True
    named = {name for piece in path.split("/") for name in pieces(piece)}
    return bool(wanted & {*named, term(area_of(file.path))})


def lines_of(file: FileChange) -> Iterator[str]:
    """A file's hunks in the unified form without context, long lines cut."""
    if not file.hunks:
        return
    yield f"--- {printable(file.old_path or file.path)}"
    yield f"+++ {printable(file.path)}"
    for hunk in file.hunks:
        yield (
            f"@@ -{hunk.old_start},{len(hunk.removed)} +{hunk.new_start},{len(hunk.added)} @@"
            f" {hunk.section}"
        ).rstrip()
        yield from (_cut(f"-{line}") for line in hunk.removed)
        yield from (_cut(f"+{line}") for line in hunk.added)


def _cut(line: str) -> str:
    line = line.rstrip("\r\n")
    return f"{line[: _WIDE - 1]}…" if len(line) > _WIDE else line
