"""Changes made from whole texts, as git would tell them with ``-U0``."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from difflib import SequenceMatcher
from itertools import takewhile
from operator import eq

from digest.core.change import Change, Commit, FileChange, FileStatus, Hunk
from digest.core.facts import Action, Fact, FactKind, Side
from digest.facts.extract import extract, wanted_blobs
from digest.facts.languages import language_of
from digest.facts.paths import area_of
from digest.facts.side_text import FileContext

_AT_MARGIN = re.compile(r"[A-Za-z_$]")
START = datetime(2026, 1, 1, tzinfo=UTC)


def commit(message: str, *, parents: int = 1, author: str = "Ada Lovelace") -> Commit:
    return Commit(
        sha="c" * 40,
        parents=tuple("p" * 40 for _ in range(parents)),
        author=author,
        email="ada@example.org",
        authored_at=START,
        committed_at=START,
        message=message,
    )


def blob(text: str | None) -> str:
    return hashlib.sha1(text.encode("utf-8", "replace")).hexdigest() if text is not None else ""


def same(first: list[str], second: list[str]) -> int:
    """How many lines two texts begin with alike."""
    return sum(1 for _ in takewhile(bool, map(eq, first, second)))


def hunks(old: str, new: str) -> tuple[Hunk, ...]:
    before, after = old.splitlines(), new.splitlines()
    # Like git, compare only what differs: long texts with a small change take no time then.
    head = same(before, after)
    tail = same(before[head:][::-1], after[head:][::-1])
    first, second = before[head : len(before) - tail], after[head : len(after) - tail]
    return tuple(
        Hunk(
            old_start=head + (i1 + 1 if i2 > i1 else i1),
            new_start=head + (j1 + 1 if j2 > j1 else j1),
            removed=tuple(first[i1:i2]),
            added=tuple(second[j1:j2]),
            section=next(filter(_AT_MARGIN.match, reversed(before[: head + i1])), "")[:80].rstrip(),
        )
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, first, second, False).get_opcodes()
        if tag != "equal"
    )


def file(path: str, old: str | None, new: str | None) -> FileChange:
    made = hunks(old or "", new or "")
    status = (
        FileStatus.ADDED
        if old is None
        else FileStatus.DELETED
        if new is None
        else FileStatus.MODIFIED
    )
    return FileChange(
        path=path,
        status=status,
        added=sum(len(h.added) for h in made),
        deleted=sum(len(h.removed) for h in made),
        hunks=made,
        old_id=blob(old),
        new_id=blob(new),
        old_mode="100644" if old is not None else "000000",
        new_mode="100644" if new is not None else "000000",
    )


def scene(path: str, old: str | None, new: str | None, *, whole: bool = True) -> FileContext:
    return FileContext(
        file=file(path, old, new),
        area=area_of(path),
        language=language_of(path),
        old=old if whole else None,
        new=new if whole else None,
    )


def facts_of(message: str, *files: tuple[str, str | None, str | None]):
    """The facts of a change with these files, with the texts that it asks for."""
    change = Change(commit=commit(message), files=tuple(file(*f) for f in files))
    texts = {blob(text): text for _, *sides in files for text in sides if text is not None}
    found = extract(change, {one: texts[one] for one in wanted_blobs(change)})
    sides = {
        (path, side): text for path, *both in files for side, text in zip(_SIDES, both, strict=True)
    }
    for fact in found.items:
        if text := sides.get((fact.evidence.path, fact.evidence.side)):
            assert is_there(fact, text), (fact, text)
    return found


_SIDES = Side.OLD, Side.NEW

_ELSEWHERE = {"alias", "module", "types"}
"""Details of facts whose names stand beside their line, as those of deprecations may."""


def is_there(fact: Fact, text: str) -> bool:
    """Whether the line of a fact has its name, or its value, or begins or ends what has it."""
    lines = ["", *text.split("\n")]
    line = lines[fact.evidence.line] if 0 < fact.evidence.line < len(lines) else ""
    if fact.kind is FactKind.DEPRECATION or fact.detail in _ELSEWHERE:
        return bool(line.strip())
    opens = fact.kind in {FactKind.METRIC, FactKind.ENVIRONMENT} and line.endswith(("(", "{"))
    if opens or (fact.kind is FactKind.CONFIG and line == "}"):
        return True
    if lines[fact.evidence.line - 1].lstrip().startswith(("#[", "@")):
        line += lines[fact.evidence.line - 1]
    flag, _, value = fact.name.partition("=")
    last = re.split(r"[./: ]+", (value or flag).rstrip("/"))[-1]
    last = last.strip("-*") or last
    wanted = [last, last.partition("_")[2], fact.before or "", fact.after or ""]
    if value and fact.action is Action.CHANGED:
        wanted.append("enabled")
    if value and fact.evidence.side is Side.NEW and fact.action is Action.REMOVED:
        wanted.append(flag.strip("-"))
    whole = _plain(line).rstrip(",")
    part = whole and any(whole in _plain(one) for one in wanted[2:4])  # of a signature
    return bool(part) or any(_plain(one) in whole for one in wanted if one)


def _plain(text: str) -> str:
    return re.sub(r"[-_\s]", "", text.lower())


def told(facts) -> list[str]:
    """Facts in short: ``kind action name before -> after @path:line:side``."""

    def one(fact: Fact) -> str:
        values = f" {fact.before} -> {fact.after}" if fact.before or fact.after else ""
        at = fact.evidence
        return f"{fact.action} {fact.name}{values} @{at.line}{at.side[0]}"

    return [one(fact) for fact in facts]


class CountedLines(tuple):
    """Lines that count how many of them were read, of all of their kind together."""

    __slots__ = ()
    read = 0

    def __iter__(self):
        CountedLines.read += len(self)
        return super().__iter__()

    def __getitem__(self, place):
        CountedLines.read += 1
        return super().__getitem__(place)
