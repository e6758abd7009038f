"""Public symbols that were added, removed or renamed, or whose signature changed for callers.

An added or removed class covers its members: they are not listed one by one. ``code`` lists the
details.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, Protocol

from digest.core.facts import OVERLOAD, Action, Fact, FactKind
from digest.facts.call_arguments import NOTHING, flat, is_told_apart, resolve_default
from digest.facts.languages import language_of
from digest.facts.side_text import SideText, is_local
from digest.facts.similarity import Comparison, is_opposite, last_part
from digest.facts.syntax.declarations import (
    BasesOf,
    Calling,
    Parameter,
    PublicDeclaration,
    Signature,
    grouped,
    is_compatible,
    key,
    lost_overloads,
)

_LONGEST_SIGNATURE = 300  # characters
_LONGEST_TEXT = 20_000  # characters that are compared


def difference(before: Signature, now: Signature) -> str:
    """The most serious difference of two signatures; empty if only defaults differ."""
    if now.calling is Calling.BY_NAME:
        if detail := _by_name(before, now):
            return detail
    elif detail := _by_place(before, now):
        return detail
    if tuple(map(key, before.bases)) != tuple(map(key, now.bases)):
        return "bases"
    promised = now.calling is Calling.BY_PLACE and "Promise" in (before.returns or "")
    if before.prefix != now.prefix and not promised:
        return "signature"
    if _types(before) == _types(now):
        return ""
    matter = now.calling is Calling.BY_TYPE and not is_compatible(before, now)
    return "signature" if matter else "types"


def shared(before: Signature, now: Signature) -> list[tuple[Parameter, Parameter]]:
    """The parameters of one name on both sides."""
    olds = {p.name: p for p in before.parameters}
    return [(olds[p.name], p) for p in now.parameters if p.name in olds]


def look(p: Parameter) -> tuple[str, str, str | None]:
    """What callers see of a parameter, apart from its default."""
    return p.name, p.kind, key(p.annotation)


def abridge(before: str, now: str) -> tuple[str, str]:
    """Two long texts on one line each, without the parameters that both begin with."""
    before, now = flat(before, _LONGEST_TEXT), flat(now, _LONGEST_TEXT)
    if max(len(before), len(now)) > _LONGEST_SIGNATURE:
        same = 0
        while same < min(len(before), len(now)) and before[same] == now[same]:
            same += 1
        same = before.rfind(", ", 0, same)
        if same > 0:
            before, now = (f"(…{text[same:]}" for text in (before, now))
    return flat(before, _LONGEST_SIGNATURE), flat(now, _LONGEST_SIGNATURE)


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
        and (old.kind, key(old.annotation), key(old.default), old.keyword)
        == (new.kind, key(new.annotation), key(new.default), new.keyword)
    )


def _shape(s: Signature) -> tuple[object, ...]:
    """What a caller depends on: the order of positional parameters and the keyword-only names."""
    by_place = tuple((p.name, p.kind) for p in s.parameters if not p.keyword)
    by_name = frozenset((p.name, p.kind) for p in s.parameters if p.keyword)
    return by_place, by_name


def _types(s: Signature) -> tuple[object, ...]:
    types = [key(p.annotation) for p in s.parameters]
    if s.calling is Calling.BY_NAME:
        return key(s.returns), dict(zip((p.name for p in s.parameters), types, strict=True))
    return key(s.returns), types


_ALIKE = 0.75  # minimum share of equal lines in two bodies for a rename
_MADE = re.compile(r"^[\w.]*\(\)$|^(?:\[\]|\{\})$")
_OF_OTHERS = re.compile(r"[a-z]\w*(?:\.[a-z]\w*)+$")
_MOST_SEARCHED = 40  # the most names to search for as aliases of remaining ones
_NEARLY = 0.5
_ALIKE_NAMES = 0.4
_SMALL = 4  # lines of what only returns a field
_ALIKE_ALONE = 0.6  # the same share for declarations of one line
_ONE_LINE = 300  # characters
_NUMBERS = re.compile(r"\b\d+\b")
_NEAR = 12  # maximum lines between a removed name and the one that replaced it
_MOST_OVERLOADS = 8  # declarations of one name; more are generated
_OVERLOADED = frozenset({"cpp", "cuda", "java"})
_CALLED = frozenset({"function", "method", "constructor"})
_OVERRIDES = re.compile(r"\boverride\b|@Override\b")  # a base keeps it


class SymbolsOfSide(Protocol):
    """The declarations on one side of a file in terms of its language."""

    @property
    def source(self) -> SideText:
        """The side itself."""

    def entries(self) -> Iterable[PublicDeclaration]:
        """The public declarations whose header the change touches."""

    def named(self, entry: PublicDeclaration) -> list[PublicDeclaration]:
        """All public declarations of the same kind and name, touched or not."""

    def may_name(self, name: str) -> bool:
        """Whether a name may be declared in a place that could not be read."""

    def hides(self, entry: PublicDeclaration) -> bool:
        """Whether a changed line of this side declares the same thing as private."""

    def bases(self, owner: str) -> tuple[str, ...]:
        """The names of the types from which a type inherits."""

    def inherits(self, entry: PublicDeclaration, known: BasesOf) -> bool:
        """Whether the owner of a method, unlike with its bases on the other side, inherits it."""


def compare(before: SymbolsOfSide, after: SymbolsOfSide) -> Iterator[Fact]:
    """The facts about the symbols of one file."""
    gone: list[PublicDeclaration] = []
    come: list[PublicDeclaration] = []
    kept: list[tuple[PublicDeclaration, PublicDeclaration]] = []
    for name, olds, news in _sides(before, after):
        if olds and news:
            kept.extend(_pairs(olds, news))
            for lost in _lost_overloads(olds, news, before, after):
                yield replace(_one(Action.REMOVED, lost, before.source), detail=OVERLOAD)
        elif olds and not olds[0].quiet and not after.may_name(name):
            if after.hides(olds[0]):
                yield _visibility(olds[0], after.source, "public", "private")
            else:
                gone.extend(olds[:1] if not after.inherits(olds[0], before.bases) else [])
        elif news and not news[0].quiet and not before.may_name(name):
            if before.hides(news[0]):
                yield _visibility(news[0], after.source, "private", "public")
            else:
                come.extend(news[:1] if not before.inherits(news[0], after.bases) else [])
    gone, come = _whole(gone), _whole(come)
    if len(gone) + len(come) <= _MOST_SEARCHED:
        gone = [e for e in gone if e.kind == "export" or not _is_assigned(e, after.source)]
        come = [e for e in come if e.kind == "export" or not _is_assigned(e, before.source)]
    for lost, found in _renames(gone, come):
        gone.remove(lost)
        come.remove(found)
        names = lost.name, found.name
        yield after.source.fact(
            FactKind.SYMBOL, Action.RENAMED, names[1], found.line, names, detail=found.kind
        )
        kept.append((lost, found))
    for lost in gone:
        yield _one(Action.REMOVED, lost, before.source)
    for found in come:
        yield _one(Action.ADDED, found, after.source)
    for old, new in kept:
        yield from _changes(old, new, before.source, after.source)


def _is_assigned(entry: PublicDeclaration, source: SideText) -> bool:
    """Whether a side assigns the name as an alias: ``old = new``."""
    if (last := last_part(entry.name)) not in source.text:
        return False
    alias = rf"^[ \t]*(?:export\s+)?(?:const\s+|let\s+|type\s+)?{re.escape(last)}\s*=[^=\n]"
    imported = rf"\bas {re.escape(last)}\b"
    if not entry.parent:
        imported += rf"|^(?:from [\w.]+ )?import [^\n]*\b{last}\b|^[ \t]+{last},$"
    if re.search(imported, source.text, re.MULTILINE):
        return True
    found = re.finditer(alias, source.text, re.MULTILINE)
    return any(not entry.parent or not is_local(source.text, m.start()) for m in found)


def _sides(
    before: SymbolsOfSide, after: SymbolsOfSide
) -> Iterator[tuple[str, list[PublicDeclaration], list[PublicDeclaration]]]:
    """Each name that the change touches, with its declarations on both sides.

    If only one side of a header changed, the other is looked up; overloads that the change does not
    touch are left out if they do not matter.
    """
    olds, news = (grouped(s.entries(), lambda one: one.name) for s in (before, after))
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


def _visibility(entry: PublicDeclaration, after: SideText, was: str, is_: str) -> Fact:
    line = after.first_changed.get(last_part(entry.name), entry.line)
    values = was, is_
    return after.fact(
        FactKind.SYMBOL, Action.CHANGED, entry.name, line, values, detail="visibility"
    )


def _whole(entries: list[PublicDeclaration]) -> list[PublicDeclaration]:
    """The entries without members of classes that are added or removed as a whole."""
    names = {e.name for e in entries}
    return [e for e in entries if e.parent not in names]


def _one(action: Action, entry: PublicDeclaration, source: SideText) -> Fact:
    text = flat(signature.text) if (signature := entry.read()) else None
    sides = (text, None) if action is Action.REMOVED else (None, text)
    return source.fact(FactKind.SYMBOL, action, entry.name, entry.line, sides, detail=entry.kind)


def _pairs(
    old: list[PublicDeclaration], new: list[PublicDeclaration]
) -> list[tuple[PublicDeclaration, PublicDeclaration]]:
    """Declarations of one name on both sides; overloads without a counterpart are ignored.

    In Python the last declaration is what is called.
    """
    if [e.kind for e in old] != [e.kind for e in new] or len(old) > _MOST_OVERLOADS:
        ends = old[-1].read(), new[-1].read()
        called = all(end and end.calling is Calling.BY_NAME for end in ends)
        return [(old[-1], new[-1])] if called and old[-1].kind == new[-1].kind else []
    return list(zip(old, new, strict=True))


def _lost_overloads(
    old: list[PublicDeclaration],
    new: list[PublicDeclaration],
    before: SymbolsOfSide,
    after: SymbolsOfSide,
) -> list[PublicDeclaration]:
    """The overloads that go while others of their name stay as they are."""
    if not len(new) < len(old) <= _MOST_OVERLOADS or any(e.kind not in _CALLED for e in old):
        return []
    overloaded = language_of(after.source.path) in _OVERLOADED
    if not overloaded or last_part(old[0].name) in after.source.first_changed:
        return []
    sides = ([s for one in side if (s := one.read())] for side in (old, new))
    lost = (old[place] for place in lost_overloads(*sides))
    gone = (one for one in lost if before.source.changed_line(one.line, one.line) is not None)
    return [one for one in gone if not _OVERRIDES.search(one.body().partition("{")[0])]


def _renames(
    gone: list[PublicDeclaration], come: list[PublicDeclaration]
) -> list[tuple[PublicDeclaration, PublicDeclaration]]:
    """Pairs of one kind in one place with nearly the same body, the most similar first."""
    if not gone or not come or len(gone) * len(come) > 400:
        return []
    scored = []
    compared = Comparison()
    for lost in gone:
        for found in come:
            if lost.kind == found.kind != "export" and lost.parent == found.parent:
                if _is_getter(lost) and _alike_getters(lost, come, compared) != [found]:
                    continue
                likeness = _likeness(lost, found, compared)
                if likeness >= _ALIKE or (
                    likeness >= _NEARLY and _in_its_place(lost, found, compared)
                ):
                    scored.append((-likeness, abs(lost.line - found.line), lost, found))
    scored.sort(key=lambda s: (s[0], s[1]))
    used: set[int] = set()
    pairs = []
    for _, _, lost, found in scored:
        if id(lost) not in used and id(found) not in used:
            used |= {id(lost), id(found)}
            pairs.append((lost, found))
    return pairs


def _in_its_place(
    lost: PublicDeclaration,
    found: PublicDeclaration,
    compared: Comparison,
    alike: float = _ALIKE_NAMES,
) -> bool:
    """Whether one is in the place of the other, with names that share most of their letters."""
    names = last_part(lost.name).lower(), last_part(found.name).lower()
    near = abs(lost.line - found.line) <= _NEAR
    return near and compared.ratio(*names) >= alike


def _likeness(one: PublicDeclaration, other: PublicDeclaration, compared: Comparison) -> float:
    """The share of equal lines of two declarations, each with its own name removed."""
    a, b = (_lines(e) for e in (one, other))
    if len(a) == len(b) == 1:  # a name without a body: a method of an interface, a constant
        near = (
            _in_its_place(one, other, compared, _ALIKE_ALONE)
            and max(len(a[0]), len(b[0])) < _ONE_LINE
            and _NUMBERS.findall(a[0]) == _NUMBERS.findall(b[0])
            and not is_opposite(one.name, other.name)
        )
        return compared.ratio(a[0], b[0], autojunk=False) if near else 0.0
    if min(len(a), len(b)) < 2 or not 0.5 <= len(a) / len(b) <= 2:
        return 0.0
    return compared.ratio(a, b, _NEARLY, autojunk=False) if len(a) < 400 else float(a == b)


def _alike_getters(
    lost: PublicDeclaration, come: Iterable[PublicDeclaration], compared: Comparison
) -> list[PublicDeclaration]:
    """The new declarations that one may have become that is the same as any of its kind."""
    name = last_part(lost.name)
    those = [c for c in come if c.parent == lost.parent]
    return [c for c in those if compared.ratio(name, last_part(c.name)) >= _ALIKE_NAMES]


def _is_getter(entry: PublicDeclaration) -> bool:
    """Whether a declaration only returns what has its name, as any other of its type may do."""
    lines = _lines(entry)
    return len(lines) <= _SMALL and any("\0" in line for line in lines[1:])


def _lines(entry: PublicDeclaration) -> list[str]:
    body = entry.body()[:_LONGEST_TEXT].replace(last_part(entry.name), "\0")
    return [line.strip() for line in body.split("\n") if line.strip()]


def _changes(
    old: PublicDeclaration, new: PublicDeclaration, before: SideText, after: SideText
) -> Iterator[Fact]:
    then, now = old.read(), new.read()
    if then is None or now is None or then == now:
        return
    sides = (_Look(after, new, now), _Look(before, old, then))
    lost = any(a.default and not b.default and not b.kind for a, b in shared(then, now))
    if detail := difference(then, now) or ("required parameter added" if lost else ""):
        short = abridge(then.text, now.text)
        source, line = _place(*sides)
        yield source.fact(FactKind.SYMBOL, Action.CHANGED, new.name, line, short, detail=detail)
    for one, other in shared(then, now):
        was, is_ = (
            resolve_default(one.default, before.text),
            resolve_default(other.default, after.text),
        )
        private = other.name.startswith("_")
        if (
            not private
            and _tells(was, is_)
            and not (is_ in NOTHING and _is_filled(other.name, new.body()))
            and not (was in NOTHING and _is_filled(other.name, old.body()))
        ):
            line = new.line + other.row
            shown = after.changed_line(line, line) is not None
            source, line = (after, line) if shown else _header(*sides)
            values = flat(was or "", 120), flat(is_ or "", 120)
            name = f"{new.name}.{other.name}"
            yield source.fact(FactKind.SYMBOL, Action.CHANGED, name, line, values, detail="default")


def _tells(before: str | None, after: str | None) -> bool:
    """Whether a parameter has another default: both are comparable values."""
    if before is None or after is None or key(before) == key(after):
        return False
    if after in NOTHING and _MADE.search(before):
        return False
    return is_told_apart(before, after) and not any(map(_OF_OTHERS.match, (before, after)))


def _is_filled(name: str, body: str) -> bool:
    """Whether a body gives a parameter its default where callers give none."""
    filled = (
        rf"\bnot {re.escape(name)}\b"
        rf"|\b{re.escape(name)}\s*(?:or\b|is None\b|if\b|\?\?|\|\||={{2,3}}\s*(?:null|undefined))"
    )
    return re.search(filled, body[:_LONGEST_TEXT]) is not None


class _Look(NamedTuple):
    """A declaration as seen on one side."""

    source: SideText
    entry: PublicDeclaration
    signature: Signature


def _place(new: _Look, old: _Look) -> tuple[SideText, int]:
    """The place where two signatures differ: a parameter that differs, else the header."""
    for side, other in ((new, old), (old, new)):
        known = {look(p) for p in other.signature.parameters}
        for p in side.signature.parameters:
            line = side.entry.line + p.row
            if look(p) not in known and side.source.changed_line(line, line) is not None:
                return side.source, line
    return _header(new, old)


def _header(new: _Look, old: _Look) -> tuple[SideText, int]:
    """The first changed line of a header, the new one before the old, or the line of its name."""
    for source, entry, _ in (new, old):
        if (found := source.changed_line(entry.line, entry.head())) is not None:
            return source, found
    return new.source, new.entry.line
