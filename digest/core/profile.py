"""What somebody depends on in a repository, or watches: flags, variables, symbols, paths and more.

An entry is one word, whose form shows its kind: ``--max-len`` is a flag, ``APP_PORT`` a variable,
``src/server/`` or ``src/**/*.py`` a path, ``app.engine.Engine`` or ``load_model`` a symbol of code,
and anything else a topic such as the name of a model or of hardware. A prefix makes the kind
explicit: ``flag:``, ``env:``, ``path:``, ``symbol:``, ``topic:``. Only with ``author:`` it is a
person, and only with ``patch:`` a file that a fork changes. Such a file may be followed by the
commit that the fork left and by its changed lines there: ``patch:src/app.py@COMMIT:10-14,20-20``.
Nothing is removed after line 9 of ``10-9``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from digest.core.change import FileChange, FileStatus
from digest.core.grade import Graded
from digest.core.patterns import lazy
from digest.errors import UserError
from digest.frozen import frozen

MOST = 500  # entries of a profile, beside the files that a fork changes
MOST_PATCHED = 3_000  # such files
_LONGEST = 200  # characters of an entry


class EntryKind(StrEnum):
    """The kind of an entry of a profile."""

    FLAG = "flag"
    VARIABLE = "env"
    SYMBOL = "symbol"
    PATH = "path"
    TOPIC = "topic"
    PATCH = "patch"
    AUTHOR = "author"


_PREFIXES = {
    "flag": EntryKind.FLAG,
    "env": EntryKind.VARIABLE,
    "variable": EntryKind.VARIABLE,
    "symbol": EntryKind.SYMBOL,
    "import": EntryKind.SYMBOL,
    "path": EntryKind.PATH,
    "patch": EntryKind.PATCH,
    "author": EntryKind.AUTHOR,
    "topic": EntryKind.TOPIC,
    "model": EntryKind.TOPIC,
    "hardware": EntryKind.TOPIC,
}
_AROUND = lazy(r"""^[\s`'"“”,;，；、]+|[\s`'"“”,;，；、]+$""")
_PREFIXED = lazy(rf"({'|'.join(_PREFIXES)})[:=](.+)", re.IGNORECASE)
_FLAG = lazy(r"--?[A-Za-z][\w.-]*")
_VARIABLE = lazy(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_PATH = lazy(r"[\w.@+~*?-]*(?:/[\w.@+~*?-]*)+|[\w.@+~-]*\*[\w.@+~*-]*|[\w-]+\.[a-z]{1,5}")
_SYMBOL = lazy(
    r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+(?:\(\))?"  # dotted
    r"|[A-Za-z_]\w*\(\)"  # called
    r"|(?:[A-Z][a-z0-9]+){2,}\w*"  # CamelCase
    r"|[a-z]+(?:_[a-z0-9]+)+"  # snake_case
)
_SOURCES = frozenset({"py", "rs", "go", "js", "ts", "c", "cc", "cpp", "h", "java", "md", "toml"})


class InvalidEntry(UserError):
    """A word that is not a valid entry of a profile."""

    def __init__(self, written: str) -> None:
        super().__init__(
            f"{written[:60]!r} cannot be put into a profile; write a flag (--max-len), "
            "a variable (APP_PORT), a path (src/server/), a symbol (app.Engine) or a topic"
        )


_PATCHED = lazy(r"(.+)@([0-9a-f]{40,64}):([\d,-]{3,})", re.ASCII)
_MOST_RUNS = 60  # runs of lines of a file; of more, the nearest are joined
ALL_LINES = (1, 10**9)
"""Every line of a file: a fork removed it, or it has no lines."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ProfileEntry:
    """One thing that somebody depends on; ``name`` is as they wrote it, without a prefix."""

    kind: EntryKind
    name: str
    base: str = ""  # of a patched file, the commit that the fork left; empty if unknown
    lines: tuple[tuple[int, int], ...] = ()  # the first and the last of each changed run there

    def __str__(self) -> str:
        """As people write it."""
        return f"{self.kind}:{self.name}"

    @property
    def stored(self) -> str:
        """With all that is known, as :func:`parse_entry` reads it."""
        runs = ",".join(f"{first}-{last}" for first, last in self.lines)
        return f"{self}@{self.base}:{runs}" if self.base and runs else str(self)


def patched_file(path: str, base: str, lines: Iterable[tuple[int, int]]) -> ProfileEntry:
    """A file that a fork changes since ``base``, in runs of lines. Raises ``InvalidEntry``."""
    runs = sorted(lines) or [ALL_LINES]
    gaps = sorted(range(1, len(runs)), key=lambda at: runs[at - 1][1] - runs[at][0])
    cuts = [0, *sorted(gaps[: _MOST_RUNS - 1]), len(runs)]
    joined = tuple((runs[start][0], runs[end - 1][1]) for start, end in pairwise(cuts))
    return replace(parse_entry(f"{EntryKind.PATCH}:{path}"), base=base, lines=joined)


@frozen
class Profile:
    """Entries, each once, in the order of their kinds and names."""

    entries: tuple[ProfileEntry, ...] = ()

    def with_(self, more: Iterable[ProfileEntry]) -> Profile:
        """These and more. Raises ``UserError`` for more than the limits."""
        # Of a file that a fork changes, the lines that were read last count.
        known = {(entry.kind, entry.name): entry for entry in self.entries}
        for entry in more:
            if entry.base or (entry.kind, entry.name) not in known:
                known[entry.kind, entry.name] = entry
        entries = tuple(sorted(known.values()))
        patched = sum(entry.kind is EntryKind.PATCH for entry in entries)
        if len(entries) - patched > MOST:
            raise UserError(f"a profile holds at most {MOST} entries; remove some first")
        if patched > MOST_PATCHED:
            raise UserError(f"a profile holds at most {MOST_PATCHED:,} files that a fork changes")
        return Profile(entries=entries)

    def without(self, fewer: Iterable[ProfileEntry]) -> Profile:
        """These without others. Names are compared without their kind, which may be guessed."""
        gone = {entry.name.lower() for entry in fewer}
        return Profile(entries=tuple(e for e in self.entries if e.name.lower() not in gone))

    def of(self, kind: EntryKind) -> tuple[str, ...]:
        """The names of one kind."""
        return tuple(entry.name for entry in self.entries if entry.kind is kind)


def parse_entry(written: str) -> ProfileEntry:
    """Read one entry. Raises ``InvalidEntry``."""
    word = _AROUND.sub("", written)
    if match := _PREFIXED.fullmatch(word):
        name = match[2].strip("\"'“” ")
        kind = _PREFIXES[match[1].lower()]
    else:
        name, kind = word, kind_of(word)
    base, lines = "", tuple[tuple[int, int], ...]()
    if kind is EntryKind.PATCH and (match := _PATCHED.fullmatch(name)):
        name, base, lines = match[1], match[2], _runs(match[3])
    named = any(c.isalnum() or c == "*" for c in name) and name.isprintable()
    if (
        not named
        or name.lower().rstrip(":=") in _PREFIXES
        or len(name) > _LONGEST
        or ".." in name.split("/")
    ):
        raise InvalidEntry(written)
    return ProfileEntry(kind=kind, name=name, base=base, lines=lines)


def _runs(written: str) -> tuple[tuple[int, int], ...]:
    """The runs of lines of ``10-14,20-20``."""
    runs = (run.partition("-") for run in written.split(","))
    pairs = [(first, last) for first, _, last in runs if first.isdigit() and last.isdigit()]
    return tuple((int(first[:10]), int(last[:10])) for first, last in pairs)[:_MOST_RUNS]


def kind_of(word: str) -> EntryKind:
    """The kind of a word by its form."""
    if _FLAG.fullmatch(word):
        return EntryKind.FLAG
    if _VARIABLE.fullmatch(word):
        return EntryKind.VARIABLE
    if _PATH.fullmatch(word) and (not word.isascii() or _is_path(word)):
        return EntryKind.PATH
    return EntryKind.SYMBOL if _SYMBOL.fullmatch(word) else EntryKind.TOPIC


def _is_path(word: str) -> bool:
    return "/" in word or "*" in word or word.rpartition(".")[2] in _SOURCES


@frozen
class PatchedFile:
    """A file that a fork changes and the project has changed since."""

    entry: ProfileEntry
    file: FileChange  # what the project did to it
    changes: tuple[Graded, ...]  # the changes that touched it, newest first
    known: bool = True  # the lines that the fork changes

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """The runs of the fork's lines that were changed too."""
        runs = (ALL_LINES,) if self.file.binary else self.file.old_runs
        # git merges what has at least one unchanged line in between.
        return tuple(
            (first, last)
            for first, last in self.entry.lines
            if any(start <= last + 1 and first <= end + 1 for start, end in runs)
        )

    @property
    def conflict(self) -> bool | None:
        """Whether to expect a conflict from a merge; ``None`` if the lines are unknown."""
        if self.file.status is FileStatus.DELETED:
            return True
        return bool(self.lines) if self.known and not self.file.omitted else None
