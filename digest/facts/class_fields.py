"""Added, removed and changed fields of classes that configure something or carry data.

Fields are config if the class name says that users set things in it (``CacheConfig``,
``ServerOptions``); otherwise they are public symbols like methods.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice, takewhile
from typing import Protocol

from digest.core.change import Hunk
from digest.core.facts import Action, Fact, FactKind
from digest.facts.call_arguments import conditional, flat, is_told_apart, resolve_default
from digest.facts.languages import language_of
from digest.facts.named_settings import default_fact
from digest.facts.side_text import COMMENT, SideText, Values, block, same_place
from digest.facts.similarity import Comparison, is_opposite, spelled
from digest.facts.syntax import javascript
from digest.facts.syntax.declarations import CONFIGURES, MOST_BASES, DeclaredField, key, type_key

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
    # In Rust the form that is read may have become another type, in Go a part a type of its own.
    owners = [o for o in after.owners() if language == "rust" or fields[0](o) is None]
    changed = (fields[1](owner) or {} for owner in owners if language in {"go", "rust"})
    elsewhere = {n for own in changed for n, f in own.items() if _is_changed(f, after.source)}
    for owner in dict.fromkeys((*after.owners(), *before.owners())):
        olds, news = (read(owner) for read in fields)
        if olds is None or news is None:
            continue
        # A field on an unchanged line was added or removed with its header, to or from a base.
        gone = [f for n, f in olds.items() if n not in news and _is_changed(f, before.source)]
        come = [f for n, f in news.items() if n not in olds and _is_changed(f, after.source)]
        if language in {"javascript", "typescript"}:
            gone = [f for f in gone if not _is_internal(f, before.source)]
            come = [f for f in come if not _is_internal(f, after.source)]
            kept = [fields[1](o) or {} for o in javascript.beside(after.source.text, owner)]
            gone = [f for f in gone if not any(f.name in others for others in kept)]
        gone = _own(gone, owner, before, after, fields[1])
        if language == "go":  # its name in files became its name in code
            named = {n.replace("_", "").casefold() for n in news}
            gone = [f for f in gone if f.name.casefold() not in named or "_" in f.name]
        if language == "rust":  # another attribute may give it its name in files
            both = {*map(spelled, olds)} & {*map(spelled, news)}
            gone, come = ([f for f in one if spelled(f.name) not in both] for one in (gone, come))
        left = elsewhere | _taken(owner, after.source) if gone else elsewhere
        gone = [f for f in gone if f.name not in left]
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
            value = found.read()[1]
            if value and value.endswith("()"):
                value = resolve_default(value, after.source.text)
            yield _fact(Action.ADDED, found, after.source, (None, value))
        for name, new in news.items():
            if name in olds and (new.touched or olds[name].touched):
                yield from _changes(olds[name], new, before.source, after.source)


def _is_internal(field: DeclaredField, source: SideText) -> bool:
    """Whether the comment above a field says that it is internal."""
    above = takewhile(COMMENT.match, source.above(field.line - 1, _LONGEST_COMMENT))
    return any("@internal" in line for line in above)


_LONGEST_COMMENT = 24  # lines


def _taken(owner: str, source: SideText) -> frozenset[str]:
    """What a class of Python has as an attribute or keyword, perhaps without declaring it."""
    match = _head(source.text, owner) if language_of(source.path) == "python" else None
    body = block(source.text, match.start()) if match else ""
    return frozenset(one[1] or one[2] for one in _TAKEN.finditer(body))


_TAKEN = re.compile(
    r"\bkwargs(?:\.(?:get|setdefault)\(|\[)\s*[\"'](\w+)[\"']"
    r"|\bself\.(\w+)\s*(?::[^=\n]{1,80})?=(?!=)"
)


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
        if new is None or _is_closer(here, old, new, compared):
            continue  # what has the name nearly unchanged is another thing, and so is the rest
        if _likeness(old, new, compared) >= _ALIKE:
            left.remove(new)
            pairs.append((old, new))
    return pairs


def _is_closer(
    those: Iterable[DeclaredField], old: DeclaredField, new: DeclaredField, compared: Comparison
) -> bool:
    """Whether a field of another type has nearly the name of an old one, unlike its likely heir."""
    alike = compared.ratio(old.name, new.name)
    return any(
        key(one.read()[0]) != key(old.read()[0])
        and compared.ratio(old.name, one.name) > max(alike, _NEARLY)
        for one in those
        if one is not new
    )


_NEARLY = 0.9  # likeness of a name and its plural


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
    optional = old_type == new_type and new_type.startswith("Option<")
    if language_of(after.path) == "rust" and optional and (new_default or "").endswith("()"):
        old_default = old_default or "None"  # a function gives now what was left out
    values = _effective(old, before, old_default), _effective(new, after, new_default)
    is_filled = "None" in {old_default, new_default} - {*values}
    # The value of a property of a class is a state, not a default that users know.
    state = language_of(after.path) in _STATEFUL and not _configures(new, after)
    # Where one side of C++ or Rust gives no value, a constructor does.
    state |= language_of(after.path) in {"cpp", "rust"} and None in values
    # What takes the place of a missing value could not be read.
    sides = zip(values, (before, after), strict=True)
    state |= any(v == "None" and f"if self.{new.name} is None:" in s.text for v, s in sides)
    if key(values[0]) != key(values[1]) and (is_filled or is_told_apart(*values)) and not state:
        one, other, condition = conditional(*values)
        fact = _fact(Action.CHANGED, new, after, (one, other), "default")
        yield replace(fact, condition=condition)
    if type_key(old_type) != type_key(new_type):
        detail = "type" if _configures(new, after) else "types"
        yield _fact(Action.CHANGED, new, after, (old_type, new_type), detail)


def _effective(field: DeclaredField, source: SideText, default: str | None) -> str | None:
    """A default as a value; for ``None`` the plain one that the same file puts in its place."""
    if default != "None" or _FILLED.search(source.text) is None:
        return resolve_default(default, source.text)
    name = re.escape(field.name)
    given = re.findall(
        rf"^(?P<margin> +)if self\.{name} is None:\n(?:(?P=margin) +(?!self\b)\S[^\n]*\n|\n)*?"
        rf"(?P=margin)    (?:self\.{name} = |object\.__setattr__\(self, \"{name}\", )"
        r"(?:\w+\(os\.(?:environ\.get|getenv)\([^,\n]{1,80}, \"(\d[\w.]{0,20})\"\)\)"
        r"|([\w.\"'-]{1,80})\)?)$",
        source.text,
        re.MULTILINE,
    )
    if len(given) != 1:
        return default
    value = given[0][1] or given[0][2]
    constant = value.removeprefix("self.")
    if constant != value:
        one = re.search(rf"^    {constant}\b[^=\n]*= (\S+)$", source.text, re.MULTILINE)
        value = one[1] if one else value
    return resolve_default(value, source.text)


_FILLED = re.compile(r"if self\.\w+ is None:")


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
    values: Values,
    detail: str = "field",
) -> Fact:
    before, after = (None if v is None else flat(v, 120) for v in values)
    kind = FactKind.CONFIG if _configures(field, source) else FactKind.SYMBOL
    name = f"{field.owner}.{field.name}"
    return source.fact(kind, action, name, field.line, (before, after), detail=detail)


_FLAGS_OF_FIELDS = re.compile(
    r"\bf([\"'])--\{(?:\w{1,40}\.)?\w{1,40}\.replace\([\"']_[\"'], ?[\"']-[\"']\)\}\1"
)


def as_flag(fact: Fact, text: str) -> Fact:
    """The field of a class of arguments as a flag, if a Python file derives one from each field."""
    owner, _, name = fact.name.rpartition(".")
    if fact.kind is not FactKind.CONFIG or not owner.endswith(("Args", "Arguments")):
        return fact
    if "--{" not in text or not _FLAGS_OF_FIELDS.search(text):
        return fact
    before, after = fact.before, fact.after
    if fact.action is Action.RENAMED:
        before, after = _flag((before or "").rpartition(".")[2]), None
    return replace(fact, kind=FactKind.FLAG, name=_flag(name), before=before, after=after)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


_ATTRIBUTE = re.compile(r"    (?P<name>[A-Za-z]\w*)\s*(?::[^=]{1,80})?=(?!=)")
_ALIAS = re.compile(r"(?P<name>[A-Za-z]\w*) = [A-Za-z]\w*(?:\s*#.*)?$")
_CLASS = re.compile(r"^(?:class (?P<name>[A-Za-z]\w*)\b|[A-Za-z_@])", re.MULTILINE)
_KEPT = r"^\s*NAME\s*=|^\s*(?:class|def|async def) NAME\b|\bimport\b.*\bNAME\b|^    NAME,?$"
_MOST = 40  # lines of one change that are read; more are data
_REACH = 60_000  # characters above a line in which its class begins


def may_go(hunks: Iterable[Hunk]) -> bool:
    """Whether some line could be an attribute of a class, or a removed one another name for one."""
    return any(
        _ALIAS.match(line) or (hunk.section.startswith("class") and _ATTRIBUTE.match(line))
        for hunk in hunks
        for line in (*hunk.removed, *(hunk.added if hunk.section.startswith("class") else ()))
    )


def find_gone(before: SideText, after: SideText) -> Iterator[Fact]:
    """Removed attributes and aliases of classes."""
    lines = [one for one in before.changed() if _ALIAS.match(one[1]) or _ATTRIBUTE.match(one[1])]
    for row, line in lines if len(lines) <= _MOST else ():
        if match := _ALIAS.match(line):
            name = match["name"]
            if re.search(_KEPT.replace("NAME", name), after.text, re.MULTILINE) is None:
                yield before.fact(FactKind.SYMBOL, Action.REMOVED, name, row + 1, detail="alias")
        elif match := _ATTRIBUTE.match(line):
            if before.text.count('"""', 0, before.offset(row + 1)) % 2:
                continue  # of an example in a docstring
            owner = owner_of(before, row + 1)
            heads = {m[0] for s in (before, after) if owner and (m := _head(s.text, owner))}
            if len(heads) > 1:
                continue  # another base may have it
            if owner and not _has(after.text, owner, match["name"]):
                name = f"{owner}.{match['name']}"
                if (new := _successor(before, after, row, match)) is None:
                    yield _attribute(Action.REMOVED, name, before, row)
                else:
                    names = name, f"{owner}.{new[1]}"
                    yield _attribute(Action.RENAMED, names[1], after, new[0], names)


def find_come(before: SideText, after: SideText) -> Iterator[Fact]:
    """New attributes of classes that a module lists as exported; others are not a contract."""
    if "__all__" not in after.text:
        return
    lines = [one for one in after.changed() if _ATTRIBUTE.match(one[1])]
    listed = _EXPORTS.search(after.text) if lines else None
    exported = set(re.findall(r"\w+", listed[1])) if listed else set()
    for row, line in lines if exported and len(lines) <= _MOST else ():
        name = line.split("=", 1)[0].partition(":")[0].strip()
        owner = owner_of(after, row + 1)
        if owner not in exported or after.text.count('"""', 0, after.offset(row + 1)) % 2:
            continue
        heads = {m[0] for s in (before, after) if (m := _head(s.text, owner))}
        if _head(before.text, owner) and len(heads) == 1 and not _has(before.text, owner, name):
            yield _attribute(Action.ADDED, f"{owner}.{name}", after, row)


_EXPORTS = re.compile(r"^__all__\s*=\s*[\[(]([^\])]*)[\])]", re.MULTILINE)


def _successor(
    before: SideText, after: SideText, row: int, old: re.Match[str]
) -> tuple[int, str] | None:
    """The row and name of the only attribute in the place of another, with the same value."""
    for (first, olds), (start, news) in zip(before.places, after.places, strict=False):
        if first <= row < first + len(olds):
            lost, come = (
                [(n, m["name"]) for n, t in enumerate(lines, at) if (m := _ATTRIBUTE.match(t))]
                for at, lines in ((first, olds), (start, news))
            )
            if len(lost) == len(come) == 1 and not is_opposite(old["name"], come[0][1]):
                new = news[come[0][0] - start]
                same = old.string.replace(old["name"], come[0][1]).split() == new.split()
                return come[0] if same and f" {come[0][1]} " not in before.text else None
    return None


def owner_of(source: SideText, line: int) -> str:
    """The class at the left margin whose body contains a line."""
    end = source.offset(line)
    for reach in (_REACH // 32, _REACH // 8, _REACH):  # it is usually near
        if above := list(_CLASS.finditer(source.text, max(0, end - reach), end)):
            return above[-1]["name"] or ""
    return ""


def _head(text: str, owner: str) -> re.Match[str] | None:
    """The first line of a class at the left margin."""
    # A pattern that begins with plain letters is searched many times faster.
    found = re.finditer(rf"class {owner}\b.*", text)
    return next((m for m in found if not m.start() or text[m.start() - 1] == "\n"), None)


def _has(text: str, owner: str, name: str) -> bool:
    """Whether a class has the name, or is removed as a whole, which covers its attributes."""
    match = _head(text, owner)
    if match is None:
        return True
    body = block(text, match.start())
    return (
        re.search(rf"\b(?:self\.|def |^    ){name}\b|^ +{name}\b", body, re.MULTILINE) is not None
    )


def _attribute(
    action: Action, name: str, source: SideText, row: int, values: Values = (None, None)
) -> Fact:
    return source.fact(FactKind.SYMBOL, action, name, row + 1, values, detail="attribute")


def find_variants(before: SideText, after: SideText) -> Iterator[Fact]:
    """The enumerations of Rust that have another variant as their default."""
    if "#[default]" not in before.text or not MARKS_DEFAULT.search(after.changed_text):
        return
    olds, news = (dict(_defaults_of(side.text)) for side in (before, after))
    for owner, found in news.items():
        was = olds.get(owner)
        kept = was and re.search(rf"^\s+{was['value']}\b", after.text, re.MULTILINE)
        if was and kept and was["value"] != found["value"]:  # else the variant has another name
            row = after.line_at(found.start("value")) - 1
            values = was["value"], found["value"]
            yield replace(default_fact(after, owner, values, row), public=None)


def _defaults_of(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The enumerations with a default variant, and the place of the variant."""
    for mark in islice(re.finditer(r"#\[default\]", text), _MOST):
        start = text.rfind("enum ", max(0, mark.start() - _LONGEST_ENUM), mark.start())
        head = _ENUM.match(text, start) if start >= 0 else None
        variant = _VARIANT.match(text, mark.end())
        if head and variant and "\n}" not in text[start : mark.start()]:
            yield head["owner"], variant


_LONGEST_ENUM = 8_000  # characters
MARKS_DEFAULT = re.compile(r"^[ \t]+(?:#\[default\]|[A-Z]\w*,)$", re.MULTILINE)
"""A line that may give an enumeration of Rust another default."""

_ENUM = re.compile(r"enum (?P<owner>\w+) \{")
_VARIANT = re.compile(r"\s{0,40}+(?:(?:#\[|//)[^\n]{0,300}+\s{1,40}+){0,9}+(?P<value>\w+)")
