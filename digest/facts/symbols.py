"""Public symbols that came, went, were renamed or look different from outside.

A class that comes or goes speaks for its members: they are not listed one by one. The details are
listed in ``code``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import NamedTuple, Protocol

from digest.facts.arguments import flat
from digest.facts.differences import abridged, difference, key, look, shared
from digest.facts.model import Action, Evidence, Fact, FactKind
from digest.facts.source import Source
from digest.facts.syntax.entry import Entry, Signature, last_part

_ALIKE = 0.75
"""Least share of equal lines in two bodies for one to be the other's new name."""

_MOST_OVERLOADS = 8  # declarations of one name; more are generated
_LONGEST_BODY = 20_000  # characters that are compared


class Side(Protocol):
    """The declarations on one side of a file, in the manner of its language."""

    @property
    def source(self) -> Source:
        """The side itself."""

    def entries(self) -> Iterable[Entry]:
        """The public declarations whose header the change touches."""

    def named(self, entry: Entry) -> list[Entry]:
        """All public declarations of the same kind and name, touched or not."""

    def may_name(self, name: str) -> bool:
        """Whether a name may be declared in a place that could not be read."""

    def hides(self, entry: Entry) -> bool:
        """Whether a changed line of this side declares the same thing for inside use only."""

    def inherits(self, entry: Entry) -> bool:
        """Whether the owner of a method has it on this side from what it is derived of."""


def compare(before: Side, after: Side) -> Iterator[Fact]:
    """The facts about the symbols of one file."""
    gone: list[Entry] = []
    come: list[Entry] = []
    kept: list[tuple[Entry, Entry]] = []
    for name, olds, news in _sides(before, after):
        if olds and news:
            kept.extend(_pairs(olds, news))
        elif olds and not olds[0].quiet and not after.may_name(name):
            if after.hides(olds[0]):
                yield _visibility(olds[0], after.source, "public", "private")
            else:
                gone.extend(olds[:1] if not after.inherits(olds[0]) else [])
        elif news and not news[0].quiet and not before.may_name(name):
            if before.hides(news[0]):
                yield _visibility(news[0], after.source, "private", "public")
            else:
                come.extend(news[:1] if not before.inherits(news[0]) else [])
    gone, come = _whole(gone), _whole(come)
    for lost, found in _renames(gone, come):
        gone.remove(lost)
        come.remove(found)
        yield _renamed(lost, found, after.source)
        kept.append((lost, found))
    for lost in gone:
        yield _one(Action.REMOVED, lost, before.source)
    for found in come:
        yield _one(Action.ADDED, found, after.source)
    for old, new in kept:
        yield from _changes(old, new, before.source, after.source)


def _sides(before: Side, after: Side) -> Iterator[tuple[str, list[Entry], list[Entry]]]:
    """Each name that the change touches, with its declarations on both sides.

    Where only one side of a header changed, the other is looked up; overloads that the change
    does not touch are left out where that does not matter.
    """
    olds, news = _grouped(before.entries()), _grouped(after.entries())
    for name, entries in news.items():
        others = olds.get(name)
        if others is not None and len(others) == len(entries):
            yield name, others, entries
        else:
            found = before.named(entries[0])
            yield name, found, after.named(entries[0]) if found else entries
    for name, entries in olds.items():
        if name not in news:
            found = after.named(entries[0])
            yield name, before.named(entries[0]) if found else entries, found


def _grouped(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    result: dict[str, list[Entry]] = {}
    for entry in entries:
        result.setdefault(entry.name, []).append(entry)
    return result


def _visibility(entry: Entry, after: Source, was: str, is_: str) -> Fact:
    return Fact(
        kind=FactKind.SYMBOL,
        action=Action.CHANGED,
        name=entry.name,
        before=was,
        after=is_,
        detail="visibility",
        evidence=after.evidence(_line_of(entry, after)),
    )


def _line_of(entry: Entry, after: Source) -> int:
    """The changed line that has the name, 1-based; that of the entry if none has."""
    last = last_part(entry.name)
    return next((row + 1 for row, line in after.changed() if last in line), entry.line)


def _renamed(lost: Entry, found: Entry, after: Source) -> Fact:
    return Fact(
        kind=FactKind.SYMBOL,
        action=Action.RENAMED,
        name=found.name,
        before=lost.name,
        after=found.name,
        detail=found.kind,
        evidence=after.evidence(found.line),
    )


def _whole(entries: list[Entry]) -> list[Entry]:
    """Without the members of what comes or goes as a whole."""
    names = {e.name for e in entries}
    return [e for e in entries if e.parent not in names]


def _one(action: Action, entry: Entry, source: Source) -> Fact:
    signature = entry.read()
    text = flat(signature.text) if signature else None
    return Fact(
        kind=FactKind.SYMBOL,
        action=action,
        name=entry.name,
        before=text if action is Action.REMOVED else None,
        after=text if action is Action.ADDED else None,
        detail=entry.kind,
        evidence=source.evidence(entry.line),
    )


def _pairs(old: list[Entry], new: list[Entry]) -> list[tuple[Entry, Entry]]:
    """Declarations of one name on both sides; overloads that do not pair off are left alone."""
    if [e.kind for e in old] != [e.kind for e in new] or len(old) > _MOST_OVERLOADS:
        return []
    return list(zip(old, new, strict=True))


def _renames(gone: list[Entry], come: list[Entry]) -> list[tuple[Entry, Entry]]:
    """Pairs of one kind in one place whose bodies are nearly the same, the likest first."""
    if not gone or not come or len(gone) * len(come) > 400:
        return []
    scored = []
    for lost in gone:
        for found in come:
            if lost.kind == found.kind and lost.parent == found.parent:
                likeness = _likeness(lost, found)
                if likeness >= _ALIKE:
                    scored.append((-likeness, abs(lost.line - found.line), lost, found))
    scored.sort(key=lambda s: (s[0], s[1]))
    used: set[int] = set()
    pairs = []
    for _, _, lost, found in scored:
        if id(lost) not in used and id(found) not in used:
            used |= {id(lost), id(found)}
            pairs.append((lost, found))
    return pairs


def _likeness(one: Entry, other: Entry) -> float:
    """The share of equal lines of two declarations, each with its own name taken out."""
    a, b = (_lines(e) for e in (one, other))
    if min(len(a), len(b)) < 2 or not 0.5 <= len(a) / len(b) <= 2:
        return 0.0
    return SequenceMatcher(None, a, b, autojunk=False).ratio() if len(a) < 400 else float(a == b)


def _lines(entry: Entry) -> list[str]:
    body = entry.body()[:_LONGEST_BODY].replace(last_part(entry.name), "\0")
    return [line.strip() for line in body.split("\n") if line.strip()]


def _changes(old: Entry, new: Entry, before: Source, after: Source) -> Iterator[Fact]:
    then, now = old.read(), new.read()
    if then is None or now is None or then == now:
        return
    sides = (_Look(after, new, now), _Look(before, old, then))
    if detail := difference(then, now):
        short = abridged(then.text, now.text)
        yield Fact(
            kind=FactKind.SYMBOL,
            action=Action.CHANGED,
            name=new.name,
            before=short[0],
            after=short[1],
            detail=detail,
            evidence=_place(*sides),
        )
    for one, other in shared(then, now):
        if key(one.default) != key(other.default):
            line = new.line + other.row
            shown = after.changed_line(line, line) is not None
            yield Fact(
                kind=FactKind.SYMBOL,
                action=Action.CHANGED,
                name=f"{new.name}.{other.name}",
                before=None if one.default is None else flat(one.default, 120),
                after=None if other.default is None else flat(other.default, 120),
                detail="default",
                evidence=after.evidence(line) if shown else _header(*sides),
            )


class _Look(NamedTuple):
    """A declaration as one side shows it."""

    source: Source
    entry: Entry
    signature: Signature


def _place(new: _Look, old: _Look) -> Evidence:
    """Where the difference of two signatures shows: a parameter that differs, else the header."""
    for side, other in ((new, old), (old, new)):
        known = {look(p) for p in other.signature.parameters}
        for p in side.signature.parameters:
            line = side.entry.line + p.row
            if look(p) not in known and side.source.changed_line(line, line) is not None:
                return side.source.evidence(line)
    return _header(new, old)


def _header(new: _Look, old: _Look) -> Evidence:
    """The first changed line of a header, the new one before the old, or the line of its name."""
    for source, entry, _ in (new, old):
        if (found := source.changed_line(entry.line, entry.head())) is not None:
            return source.evidence(found)
    return new.source.evidence(new.entry.line)
