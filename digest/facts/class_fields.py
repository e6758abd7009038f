"""Added, removed and changed fields of classes that configure something or carry data.

Fields are config if the class name says that users set things in it (``CacheConfig``,
``ServerOptions``); otherwise they are public symbols like methods.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Protocol

from digest.core.facts import Action, Fact, FactKind
from digest.facts.call_arguments import conditional, flat, is_told_apart, resolve_default
from digest.facts.paths import language_of
from digest.facts.renames import Comparison, is_opposite
from digest.facts.side_text import SideText, same_place
from digest.facts.symbols import key
from digest.facts.syntax.declarations import CONFIGURES, MOST_BASES, DeclaredField

_MOST_PAIRS = 400  # removed and added fields that are compared; more are generated
_ALIKE = 0.6  # share of equal letters in two names for a rename
_OPPOSITES = ({"True", "False"}, {"true", "false"})
_STATEFUL = frozenset({"javascript", "typescript"})
_TELLING = 8  # characters of a type that only few fields have


_Read = Callable[[str], Mapping[str, DeclaredField] | None]


class FieldsOfSide(Protocol):
    """One side of a file in terms of its language."""

    @property
    def source(self) -> SideText:
        """The side itself."""

    def owners(self) -> tuple[str, ...]:
        """The classes with fields that the change touches, in the order of the text."""

    def fields(self, owner: str) -> Mapping[str, DeclaredField] | None:
        """All public fields of a class by name; ``None`` if there is no such class."""

    def bases(self, owner: str) -> tuple[str, ...]:
        """The names of the types from which a class inherits, or which it embeds."""


def compare(before: FieldsOfSide, after: FieldsOfSide) -> Iterator[Fact]:
    """The facts about fields of classes that exist on both sides of a file."""
    language = language_of(after.source.path)
    fields = cache(before.fields), cache(after.fields)
    elsewhere = _owners(after, fields[1]) if language == "rust" else {}
    for owner in dict.fromkeys((*after.owners(), *before.owners())):
        olds, news = (read(owner) for read in fields)
        if olds is None or news is None:
            continue
        # A field on an unchanged line was added or removed with its header, to or from a base.
        gone = [f for n, f in olds.items() if n not in news and _is_changed(f, before.source)]
        come = [f for n, f in news.items() if n not in olds and _is_changed(f, after.source)]
        gone = _own(gone, owner, before, after, fields[1])
        if language == "go":  # its name in files became its name in code
            named = {n.replace("_", "").casefold() for n in news}
            gone = [f for f in gone if f.name.casefold() not in named or "_" in f.name]
        if language == "rust" and gone:  # the form that is read became another type
            gone = [f for f in gone if not elsewhere.get(f.name, {owner}) - {owner}]
        come = _own(come, owner, after, before, fields[0])
        for old, new in _renames(gone, come, before.source, after.source):
            gone.remove(old)
            come.remove(new)
            yield _fact(Action.RENAMED, new, after.source, (old.name, new.name))
            if {old.read()[1], new.read()[1]} not in _OPPOSITES:  # then its meaning was inverted
                yield from _changes(old, new, before.source, after.source)
        for lost in gone:
            yield _fact(Action.REMOVED, lost, before.source, (lost.read()[1], None))
        for found in come:
            yield _fact(Action.ADDED, found, after.source, (None, found.read()[1]))
        for name, new in news.items():
            if name in olds and (new.touched or olds[name].touched):
                yield from _changes(olds[name], new, before.source, after.source)


def _own(
    those: list[DeclaredField], owner: str, here: FieldsOfSide, there: FieldsOfSide, read: _Read
) -> list[DeclaredField]:
    """The fields without those of bases that only the other side has, or that cannot be read."""
    if not those:
        return those
    above = sorted(set(there.bases(owner)) - set(here.bases(owner)))
    inherited: set[str] = set()
    for base in above:
        if (fields := read(base)) is None or len(above) > MOST_BASES:
            return []
        inherited |= fields.keys()
        above += [one for one in there.bases(base) if one not in above]
    return [field for field in those if field.name not in inherited]


def _owners(after: FieldsOfSide, read: _Read) -> dict[str, set[str]]:
    """The types that are new or changed in a field, by its name."""
    owners = defaultdict[str, set[str]](set)
    for owner in after.owners():
        for name, field in (read(owner) or {}).items():
            if _is_changed(field, after.source):
                owners[name].add(owner)
    return owners


def _is_changed(field: DeclaredField, source: SideText) -> bool:
    return source.changed_line(field.line - field.above, field.line) is not None


def _renames(
    gone: list[DeclaredField], come: list[DeclaredField], before: SideText, after: SideText
) -> list[tuple[DeclaredField, DeclaredField]]:
    """Pairs of a removed field and the one in its place, similar in type and name."""
    pairs: list[tuple[DeclaredField, DeclaredField]] = []
    if len(gone) * len(come) > _MOST_PAIRS:
        return pairs
    left, compared = list(come), Comparison()
    for old in gone:
        here = [n for n in left if same_place(before, after, old.line, n.line)]
        new = max(here, key=lambda n: _likeness(old, n, compared), default=None)
        if new is not None and _likeness(old, new, compared) >= _ALIKE:
            left.remove(new)
            pairs.append((old, new))
    return pairs


def _likeness(old: DeclaredField, new: DeclaredField, compared: Comparison) -> float:
    """The similarity of two names; 0 if types or defaults show that the fields differ."""
    (old_type, old_default), (new_type, new_default) = old.read(), new.read()
    defaults = {key(old_default), key(new_default)}
    if is_opposite(old.name, new.name):
        return 0
    if key(old_type) != key(new_type) or (len(defaults) > 1 and defaults not in _OPPOSITES):
        return 0
    contained = old.name in new.name or new.name in old.name
    tails = [name.rpartition("_")[2] for name in (old.name, new.name)]
    if old_type == "option" and (tails[0].endswith(tails[1]) or tails[1].endswith(tails[0])):
        return max(_ALIKE, compared.ratio(old.name, new.name))
    alike = compared.ratio(old.name, new.name)
    return max(alike, _ALIKE if contained and len(old_type) > _TELLING else 0)


def _changes(
    old: DeclaredField, new: DeclaredField, before: SideText, after: SideText
) -> Iterator[Fact]:
    (old_type, old_default), (new_type, new_default) = old.read(), new.read()
    if not old_type or not new_type:  # one of them could not be read
        return
    values = resolve_default(old_default, before.text), resolve_default(new_default, after.text)
    # The value of a property of a class is a state, not a default that users know.
    state = language_of(after.path) in _STATEFUL and not _configures(new, after)
    # Where one side of C++ or Rust gives no value, a constructor does.
    state |= language_of(after.path) in {"cpp", "rust"} and None in values
    if key(values[0]) != key(values[1]) and is_told_apart(*values) and not state:
        one, other, condition = conditional(*values)
        fact = _fact(Action.CHANGED, new, after, (one, other), "default")
        yield replace(fact, condition=condition)
    if key(old_type) != key(new_type):
        detail = "type" if _configures(new, after) else "types"
        yield _fact(Action.CHANGED, new, after, (old_type, new_type), detail)


def _configures(field: DeclaredField, source: SideText) -> bool:
    """Whether users set a field, rather than it carrying data.

    In Go they do if it has a name in files; what only programs set is a symbol.
    """
    if language_of(source.path) == "go":
        return field.name[:1].islower()
    return CONFIGURES.search(field.owner.rpartition(".")[2]) is not None


def _fact(
    action: Action,
    field: DeclaredField,
    source: SideText,
    values: tuple[str | None, str | None],
    detail: str = "field",
) -> Fact:
    before, after = (None if v is None else flat(v, 120) for v in values)
    return Fact(
        kind=FactKind.CONFIG if _configures(field, source) else FactKind.SYMBOL,
        action=action,
        name=f"{field.owner}.{field.name}",
        before=before,
        after=after,
        detail=detail,
        evidence=source.evidence(field.line),
    )
