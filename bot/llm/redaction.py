"""Finds and masks secrets in changes before anything of a change leaves the machine.

Keys and tokens of known services are found by Kingfisher (mongodb/kingfisher), which scans within
this process and uses no network; what it omits on purpose, such as passwords in assignments, by a
few rules of our own. Masking rather hits too much than too little. The library's rules take seconds
to compile, so they are stored, for all data folders of a user where that is possible; masking a
change takes 0.1 ms for each 10 kB.
"""

from __future__ import annotations

import os
import re
import stat
import string
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from digest.core.change import Change
from digest.core.facts import Facts
from digest.facts.security import credentials
from digest.llm.model_input import Masked, mask_change

if TYPE_CHECKING:
    from kingfisher_sdk import Scanner

MASK = "[secret]"  # the text that replaces a secret
_SHORTEST = 6
"""Characters of the shortest secret. Shorter values are words, and masking them everywhere would
hide more than it protects."""

_LINE = 12  # characters of the shortest line of a multi-line secret that is masked on its own


_COMPILED = "*.vscdb"


def rules_folder(own: Path) -> Path:
    """Where rules are compiled already, or else can be stored: with the user's caches, or here."""
    import platformdirs

    shared = platformdirs.user_cache_path("digestbot", appauthor=False) / own.name
    if any(own.glob(_COMPILED)) and not any(shared.glob(_COMPILED)):
        return own
    return shared if _is_private(shared) else own


_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def _is_private(folder: Path) -> bool:
    """Whether nobody else can write to a folder, which is made if missing, or to one above it."""
    # Elsewhere the library stores nothing, and would compile its rules for every process.
    try:
        for path in (folder.parent, folder):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        modes = [path.stat().st_mode for path in (folder, *folder.resolve().parents)]
    except OSError:
        return False
    shared = any(mode & _OF_OTHERS and not mode & stat.S_ISVTX for mode in modes)
    return not shared and os.access(folder, os.W_OK)


class Secrets:
    """Implements ``Redactor`` for all threads; ``folder`` stores compiled rules."""

    # If they may be ``shared``, :func:`rules_folder` chooses.

    def __init__(self, folder: Path, *, shared: bool = False) -> None:
        self._folder = folder
        self._shared = shared
        self._scanner: Scanner | None = None
        self._lock = Lock()

    def __call__(self, change: Change, facts: Facts) -> Masked:
        """The change and its facts without their secrets, line for line."""
        # All text of a change that could be sent, the lines of a hunk's side together.
        parts = [change.commit.message]
        for file in change.files:
            for hunk in file.hunks:
                parts += [hunk.section, *hunk.removed, *hunk.added]
        secrets = self.find("\n".join(parts))
        if not secrets:
            return Masked(change=change, facts=facts, secrets=0)
        shown, known = mask_change(change, facts, partial(_rule(secrets).sub, MASK))
        return Masked(change=shown, facts=known, secrets=len(secrets))

    def find(self, text: str) -> frozenset[str]:
        """The distinct secrets in a text, as written there."""
        return frozenset(
            secret
            for secret in (*self._by_library(text), *_by_rules(text))
            if len(secret) >= _SHORTEST and MASK not in secret
        )

    def load(self) -> None:
        """Load the rules now rather than at the first change. Takes seconds the first time."""
        self._load_scanner()

    def _load_scanner(self) -> Scanner:
        with self._lock:
            if self._scanner is None:
                from kingfisher_sdk import Rules, Scanner

                folder = rules_folder(self._folder) if self._shared else self._folder
                self._scanner = Scanner(Rules(cache_dir=str(folder)))
            return self._scanner

    def _by_library(self, text: str) -> Iterator[str]:
        data = text.encode("utf-8", "replace")
        for finding in self._load_scanner().scan(data):
            if finding.secret in text:
                yield finding.secret
            else:  # found inside encoded text: the encoded text is the secret
                place = finding.location
                span = data[place["start_offset"] : place["end_offset"]]
                yield span.decode("utf-8", "replace").strip()


def _rule(secrets: Iterable[str]) -> re.Pattern[str]:
    """A pattern of the secrets, longest first; multi-line ones are matched line by line."""
    pieces: set[str] = set()
    for secret in secrets:
        lines = secret.splitlines()
        pieces.update([secret] if len(lines) < 2 else filter(_telling, map(str.strip, lines)))
    ordered = sorted(pieces, key=lambda piece: (-len(piece), piece))
    return re.compile("|".join(map(re.escape, ordered)))


def _telling(line: str) -> bool:
    """Whether a line of a secret is secret on its own; header and footer of a key block are not."""
    return len(line) >= _LINE and not line.startswith("-----")


# Placeholders for secrets: examples, names of variables, templates, calls.
_PLACEHOLDER = re.compile(
    r"(?:empty|none|null|true|false|change_?me|example|placeholder|dummy|fake|redacted|default"
    r"|your[-_ ]|my[-_]|test[-_]|sample|insert|replace|todo).*|[x*.]{3,}.*|[<${%\[(].*|[A-Z][A-Z_]+"
    r"|\w*(?:passwords?|secrets?|tokens?|key)|[\w.]+\(.*|env[.:].*|os\..*|self\..*"
)
_KEY = (
    r"(?:passwords?|passwd|pwd|passphrase|secrets?|api[_-]?keys?|access[_-]?key|private[_-]?key"
    r"|auth[_-]?key|account[_-]?key|secret[_-]?key|(?:auth|access|bot)[_-]?token|credentials?)"
)
# Between the name and the value may be a type, as in Python, TypeScript, Rust, Kotlin and Go.
_TYPE = r"(?::\s{0,2}[\w.<>\[\]|&' ]{1,40}|\s{1,2}[\w.\[\]]{1,20}\s{1,2})="
_ASSIGNED = re.compile(
    rf"{_KEY}[\w-]{{0,24}}(?:{_TYPE}\s{{0,4}}[rbfu]?([\"'`])([^\"'`\s]{{6,200}})\1"
    r"|[\"'\]]{0,2}\s{0,4}(?::=|=>|[=:])\s{0,4}"
    r"(?:[rbfu]?[\"']([^\"'\s]{6,200})[\"']|([^\s\"'#,;(){}\[\]<>]{8,200})(?=\s|$)))",
    re.IGNORECASE,
)

# Several words between quotes; what speaks about a password or ends as a sentence is no password.
_PHRASE = re.compile(
    rf"{_KEY}[\"'\]]{{0,2}}\s{{0,4}}(?::=|=>|[=:])\s{{0,4}}[rbfu]?"
    r"(?:\"([^\"\n]{8,200})\"|'([^'\n]{8,200})')",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r".*(?:pass|pwd|secret|key|token|credential|[{}<>()%]).*|.*[.:!?…]", re.IGNORECASE
)

# A name that ends in a word for a secret, with a long random value.
_RANDOM = re.compile(
    r"(?:token|secret|key|credentials?|salt|signature)[\"'\]]{0,2}\s{0,4}(?::=|=>|[=:])\s{0,4}"
    r"[rbfu]?[\"']?([A-Za-z0-9+/_.~=-]{20,200})(?![A-Za-z0-9+/_.~=(\[-])",
    re.IGNORECASE,
)

_USER_INFO = re.compile(
    r"([a-z][a-z0-9+.-]{1,30})://[^/\s:@\"']{0,64}:([^/\s:@\"']{3,200})@([\w.-]{0,200})",
    re.IGNORECASE,
)

# Hosts that anybody may see: of the web, and those of examples.
_OPEN_HOST = re.compile(r"localhost|[\d.]+|(?:[\w-]+\.)*example\.\w+|[^.]{1,12}", re.IGNORECASE)
_HEADER = re.compile(r"\b(?:bearer|basic)\s{1,3}([A-Za-z0-9._~+/=-]{20,2000})", re.IGNORECASE)
_ACCOUNT = re.compile(r"AccountKey=([A-Za-z0-9+/]{40,200}={0,2})")

# Token formats that the library omits, or finds only between quotes or blanks.
_KNOWN = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{35}|hf_[A-Za-z0-9]{30,64}"
    r"|(?<!-)sk-(?=[\w-]{0,220}\d)[\w-]{32,220}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,120}|\d{8,10}:AA[\w-]{33}"
    r"|eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}"
    r"|[MNO](?=[\w-]{0,27}\d)[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40})(?![A-Za-z0-9])"
)

# A key block that the diff cuts off; the library finds complete ones.
_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----\n((?:[A-Za-z0-9+/=]{16,100}\n?){1,200})"
)

_ALTERNATING = 4  # times that a random value goes over from letters to digits or back, at least
_LOWER = {ord(upper): upper.lower() for upper in string.ascii_uppercase}
_WORDS = ("pass", "pwd", "secret", "key", "token", "credential", "salt", "signature")
_BEFORE, _BEHIND = 200, 2_000
"""Characters around a keyword that the rules read: the value is within that distance."""


def _by_rules(text: str) -> Iterator[str]:
    """Secrets that the library omits, because it needs a service's format and some evidence."""
    yield from _KNOWN.findall(text)
    yield from (secret for secret in credentials(text) if not secret.startswith("-----"))
    yield from _BLOCK.findall(text)
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have a lower case of two characters
        lowered = text.translate(_LOWER)
    for line in _lines(text, lowered, ("://",)):
        # Passwords in addresses, and the hosts that they open where those are not of the web.
        for scheme, password, host in _USER_INFO.findall(line):
            if _worth(password):
                yield password
                if not scheme.lower().startswith("http") and not _OPEN_HOST.fullmatch(host):
                    yield host
    for line in _lines(text, lowered, ("bearer ", "basic ", "accountkey=")):
        yield from filter(_is_mixed, _HEADER.findall(line))
        yield from _ACCOUNT.findall(line)
    for line in _lines(text, lowered, _WORDS):
        yield from filter(_random, _RANDOM.findall(line))
        for _, typed, untyped, bare in _ASSIGNED.findall(line):
            quoted = typed or untyped
            if _worth(quoted) if quoted else _worth(bare) and _is_mixed(bare):
                yield quoted or bare
        yield from _phrases(line)


def _phrases(line: str) -> Iterator[str]:
    """Passwords of several words."""
    for double, single in _PHRASE.findall(line):
        words = (phrase := double or single).split()
        if len(words) > 1 and not _SPOKEN.fullmatch(phrase) and not _PLACEHOLDER.fullmatch(phrase):
            yield phrase


def _lines(text: str, lowered: str, words: Iterable[str]) -> Iterator[str]:
    """The lines that contain one of the words, long ones in parts: searching words is fast."""
    for word in words:
        at = lowered.find(word)
        while at >= 0:
            start = max(text.rfind("\n", max(0, at - _BEFORE), at) + 1, at - _BEFORE, 0)
            end = text.find("\n", at, at + _BEHIND)
            end = min(at + _BEHIND, len(text)) if end < 0 else end
            yield text[start:end]
            at = lowered.find(word, end)


def _worth(value: str) -> bool:
    return bool(value) and not _PLACEHOLDER.fullmatch(value) and len(set(value)) > 3


def _random(value: str) -> bool:
    """Whether a value has no words: letters and digits alternate as in random values."""
    kinds = [c.isdigit() for c in value if c.isalnum()]
    changes = sum(a != b for a, b in pairwise(kinds))
    return _worth(value) and changes >= _ALTERNATING and changes > len(re.split(r"[-_./]", value))


def _is_mixed(value: str) -> bool:
    """Whether a value has both letters and digits, as random values do and names mostly do not."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
