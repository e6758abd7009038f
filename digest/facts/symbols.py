"""Public symbols that came, went, were renamed or look different from outside.

A class that comes or goes speaks for its members: they are not listed one by one. The details are
listed in ``code``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Protocol

from digest.facts.arguments import flat
from digest.facts.model import Action, Evidence, Fact, FactKind
from digest.facts.source import Source
from digest.facts.syntax.entry import Calling, Entry, Parameter, Signature, last_part

_ALIKE = 0.75
"""Least share of equal lines in two bodies for one to be the other's new name."""

_MOST_OVERLOADS = 8  # declarations of one name; more are generated
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
    if detail := difference(then, now):
        short = abridged(then.text, now.text)
        yield Fact(
            kind=FactKind.SYMBOL,
            action=Action.CHANGED,
            name=new.name,
            before=short[0],
            after=short[1],
            detail=detail,
            evidence=_place(old, new, before, after),
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


def _place(old: Entry, new: Entry, before: Source, after: Source) -> Evidence:
    """Where the difference of two signatures shows.

    That is a parameter that differs, else the first changed line of the header, else its name.
    """
    then, now = old.read(), new.read()
    for source, entry, own, others in ((after, new, now, then), (before, old, then, now)):
        known = {_look(p) for p in others.parameters} if others else set()
        for p in own.parameters if own else ():
            line = entry.line + p.row
            if _look(p) not in known and source.changed_line(line, line):
                return source.evidence(line)
    for source, entry in ((after, new), (before, old)):
        if (found := source.changed_line(entry.line, entry.head())) is not None:
            return source.evidence(found)
    return after.evidence(new.line)


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
    if now.calling is Calling.BY_NAME:
        if detail := _by_name(before, now):
            return detail
    elif detail := _by_place(before, now):
        return detail
    if tuple(map(_key, before.bases)) != tuple(map(_key, now.bases)):
        return "bases"
    if before.prefix != now.prefix:
        return "signature"
    types = _types(before) != _types(now)
    return ("signature" if now.calling is Calling.BY_TYPE else "types") if types else ""


def _by_name(before: Signature, now: Signature) -> str:
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
    return "signature" if _shape(before) != _shape(now) else ""


def _by_place(before: Signature, now: Signature) -> str:
    olds, news = before.parameters, now.parameters
    if len(news) > len(olds):
        kept = {p.name for p in olds}
        added = [p for p in news if p.name not in kept] or news[len(olds) :]
        required = any(p.default is None and not p.kind for p in added)
        return "required parameter added" if required else "parameter added"
    if len(news) < len(olds):
        return "parameter removed"
    names = [p.name for p in olds], [p.name for p in news]
    return "signature" if names[0] != names[1] and sorted(names[0]) == sorted(names[1]) else ""


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
    return by_place, by_name


def _types(s: Signature) -> tuple[object, ...]:
    types = [_key(p.annotation) for p in s.parameters]
    if s.calling is Calling.BY_NAME:
        return _key(s.returns), dict(zip((p.name for p in s.parameters), types, strict=True))
    return _key(s.returns), types
