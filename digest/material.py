"""A change as it may be shown to a model, with what the program knows of it. Imports values only.

Files and hunks carry ids that never depend on what fits into a prompt: ``F2`` is the second file in
git's order, ``F2.H3`` its third hunk, ``M`` the message. Models cite them and code looks them up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from digest.change import Change, FileChange, Hunk
from digest.facts.model import Facts, FileFacts
from digest.graded import Graded

MESSAGE = "M"
"""The id of the commit's message."""

_ID = re.compile(r"F([1-9]\d{0,5})(?:\.H([1-9]\d{0,6}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What is shown of a change, and the change as it is.

    ``change`` and ``facts`` are what a repository's privacy lets out, with secrets masked;
    ``graded`` is the whole of what is known and never leaves the machine. ``secrets`` counts what
    was masked; ``bare`` says that privacy keeps all lines back. ``change.files`` and
    ``facts.files`` stand in the same order.
    """

    change: Change
    facts: Facts
    graded: Graded
    secrets: int = 0
    bare: bool = False

    @property
    def sha(self) -> str:
        """The full name of the commit."""
        return self.change.sha

    def files(self) -> list[tuple[str, FileChange, FileFacts]]:
        """Each file with its id."""
        pairs = zip(self.change.files, self.facts.files, strict=True)
        return [(file_id(at), file, facts) for at, (file, facts) in enumerate(pairs)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """What an id stands for: a hunk, a file as a whole, or (both ``None``) the message."""

    file: FileChange | None = None
    hunk: Hunk | None = None


def file_id(at: int) -> str:
    """The id of the file at an index."""
    return f"F{at + 1}"


def hunk_id(at: int, hunk: int) -> str:
    """The id of a hunk by the indexes of its file and of itself."""
    return f"F{at + 1}.H{hunk + 1}"


def cited(reference: str, change: Change) -> Cited | None:
    """What an id stands for in a change, or ``None`` where there is no such thing."""
    reference = reference.strip().strip("[]()`").upper()
    if reference == MESSAGE:
        return Cited()
    match = _ID.fullmatch(reference)
    if match is None or int(match[1]) > len(change.files):
        return None
    file = change.files[int(match[1]) - 1]
    if match[2] is None:
        return Cited(file=file)
    at = int(match[2]) - 1
    return Cited(file=file, hunk=file.hunks[at]) if at < len(file.hunks) else None
