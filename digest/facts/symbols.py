"""Public symbols that came, went, were renamed or look different from outside.

A class that comes or goes speaks for its members: they are not listed one by one. The details are
listed in ``code``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Protocol

from digest.facts.arguments import flat
from digest.facts.model import Action, Evidence, Fact, FactKind
from digest.facts.source import Source
from digest.facts.syntax.entry import Entry, Parameter, Signature

_ALIKE = 0.75
"""Least share of equal lines in two bodies for one to be the other's new name."""

_LONGEST_SIGNATURE = 300  # characters
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


def compare(before: Side, after: Side) -> Iterator[Fact]:
    """The facts about the symbols of one file."""
    gone: list[Entry] = []
    come: list[Entry] = []
    kept: list[tuple[Entry, Entry]] = []
    touched = {e.name: e for side in (before, after) for e in side.entries()}
    for name, entry in touched.items():
        olds, news = before.named(entry), after.named(entry)
        if olds and news:
            kept.extend(_pairs(olds, news))
        elif olds and not olds[0].quiet and not after.may_name(name):
            gone.append(olds[0])
        elif news and not news[0].quiet and not before.may_name(name):
            come.append(news[0])
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
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    if len(old) != len(new) or len(old) > 8:
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
    name = re.split(r"[.:]+", entry.name)[-1]
    body = entry.body()[:_LONGEST_BODY].replace(name, "\0")
    return [line.strip() for line in body.split("\n") if line.strip()]


def _changes(old: Entry, new: Entry, before: Source, after: Source) -> Iterator[Fact]:
    then, now = old.read(), new.read()
    if then is None or now is None or then == now:
        return
    if detail := difference(then, now):
        short = abridged(then.text, now.text)
        yield Fact(
            kind=FactKind.SYMBOL,
            action=Action.CHANGED,
            name=new.name,
            before=short[0],
            after=short[1],
            detail=detail,
            evidence=_place(then, now, (old.line, new.line), before, after),
        )
    for one, other in _shared(then, now):
        if _key(one.default) != _key(other.default):
            yield Fact(
                kind=FactKind.SYMBOL,
                action=Action.CHANGED,
                name=f"{new.name}.{other.name}",
                before=None if one.default is None else flat(one.default, 120),
                after=None if other.default is None else flat(other.default, 120),
                detail="default",
                evidence=after.evidence(new.line + other.row),
            )


def _place(
    then: Signature, now: Signature, lines: tuple[int, int], before: Source, after: Source
) -> Evidence:
    """Where the difference of two signatures shows: a parameter that differs, else the header."""
    olds = {_look(p) for p in then.parameters}
    news = {_look(p) for p in now.parameters}
    for p in now.parameters:
        if _look(p) not in olds:
            return after.evidence(lines[1] + p.row)
    for p in then.parameters:
        if _look(p) not in news:
            return before.evidence(lines[0] + p.row)
    return after.evidence(lines[1])


def _look(p: Parameter) -> tuple[str, str, str | None]:
    return p.name, p.kind, _key(p.annotation)


def abridged(before: str, now: str) -> tuple[str, str]:
    """Two long texts on one line each, without the parameters with which both begin."""
    before, now = flat(before, _LONGEST_BODY), flat(now, _LONGEST_BODY)
    if max(len(before), len(now)) > _LONGEST_SIGNATURE:
        same = 0
        while same < min(len(before), len(now)) and before[same] == now[same]:
            same += 1
        same = before.rfind(", ", 0, same)
        if same > 0:
            before, now = (f"(…{text[same:]}" for text in (before, now))
    return flat(before, _LONGEST_SIGNATURE), flat(now, _LONGEST_SIGNATURE)


def _shared(before: Signature, now: Signature) -> list[tuple[Parameter, Parameter]]:
    olds = {p.name: p for p in before.parameters}
    return [(olds[p.name], p) for p in now.parameters if p.name in olds]


def _key(text: str | None) -> str | None:
    """A text without what a formatter may change."""
    if text is None:
        return None
    return "".join(text.replace("'", '"').replace(",)", ")").replace(",]", "]").split())


def difference(before: Signature, now: Signature) -> str:
    """What sets two signatures apart, the gravest first; empty if nothing but defaults does."""
    olds = {p.name: p for p in before.parameters}
    news = {p.name: p for p in now.parameters}
    added = [p for p in now.parameters if p.name not in olds]
    removed = [p for p in before.parameters if p.name not in news]
    if len(added) == len(removed) == 1 and _same_place(before, now, removed[0], added[0]):
        return "parameter renamed"
    if any(p.default is None and not p.kind for p in added):
        return "required parameter added"
    if removed:
        return "parameter removed"
    if added:
        return "parameter added"
    if _shape(before) != _shape(now):
        return "signature"
    if tuple(map(_key, before.bases)) != tuple(map(_key, now.bases)):
        return "bases"
    return "types" if _types(before) != _types(now) else ""


def _same_place(before: Signature, now: Signature, old: Parameter, new: Parameter) -> bool:
    return (
        before.parameters.index(old) == now.parameters.index(new)
        and len(before.parameters) == len(now.parameters)
        and (old.kind, _key(old.annotation), _key(old.default), old.keyword)
        == (new.kind, _key(new.annotation), _key(new.default), new.keyword)
    )


def _shape(s: Signature) -> tuple[object, ...]:
    """What a caller depends on: the order of what goes by place, and what goes by name only."""
    by_place = tuple((p.name, p.kind) for p in s.parameters if not p.keyword)
    by_name = frozenset((p.name, p.kind) for p in s.parameters if p.keyword)
    return s.prefix, by_place, by_name


def _types(s: Signature) -> tuple[object, ...]:
    return _key(s.returns), {p.name: _key(p.annotation) for p in s.parameters}
