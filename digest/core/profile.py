"""What somebody depends on in a repository: flags, variables, symbols, paths, topics, own patches.

An entry is one word, whose form shows its kind: ``--max-len`` is a flag, ``APP_PORT`` a variable,
``src/server/`` or ``src/**/*.py`` a path, ``app.engine.Engine`` or ``load_model`` a symbol of code,
and anything else a topic such as the name of a model or of hardware. A prefix makes the kind
explicit: ``flag:``, ``env:``, ``path:``, ``symbol:``, ``topic:``; only with ``patch:`` it is a file
that a fork changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from digest.core.patterns import lazy
from digest.errors import UserError
from digest.frozen import frozen

MOST = 500  # entries of a profile
_LONGEST = 200  # characters of an entry


class EntryKind(StrEnum):
    """The kind of an entry of a profile."""

    FLAG = "flag"
    VARIABLE = "env"
    SYMBOL = "symbol"
    PATH = "path"
    TOPIC = "topic"
    PATCH = "patch"


_PREFIXES = {
    "flag": EntryKind.FLAG,
    "env": EntryKind.VARIABLE,
    "variable": EntryKind.VARIABLE,
    "symbol": EntryKind.SYMBOL,
    "import": EntryKind.SYMBOL,
    "path": EntryKind.PATH,
    "patch": EntryKind.PATCH,
    "topic": EntryKind.TOPIC,
    "model": EntryKind.TOPIC,
    "hardware": EntryKind.TOPIC,
}
_AROUND = lazy(r"""^[\s`'",;，；、]+|[\s`'",;，；、]+$""")
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


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ProfileEntry:
    """One thing that somebody depends on; ``name`` is as they wrote it, without a prefix."""

    kind: EntryKind
    name: str

    def __str__(self) -> str:
        """As :func:`parse_entry` reads it."""
        return f"{self.kind}:{self.name}"


@frozen
class Profile:
    """Entries, each once, in the order of their kinds and names."""

    entries: tuple[ProfileEntry, ...] = ()

    def with_(self, more: Iterable[ProfileEntry]) -> Profile:
        """These and more. Raises ``UserError`` for more than ``MOST``."""
        entries = tuple(sorted({*self.entries, *more}))
        if len(entries) > MOST:
            raise UserError(f"a profile holds at most {MOST} entries; remove some first")
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
        name = match[2].strip()
        kind = _PREFIXES[match[1].lower()]
    else:
        name, kind = word, kind_of(word)
    named = any(c.isalnum() or c == "*" for c in name) and name.isprintable()
    if (
        not named
        or name.lower().rstrip(":=") in _PREFIXES
        or len(name) > _LONGEST
        or ".." in name.split("/")
    ):
        raise InvalidEntry(written)
    return ProfileEntry(kind=kind, name=name)


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
