"""Settings by name on both sides of a file: what was added, removed or changed.

Flags, environment variables, routes and metrics are compared alike: by name. A name that occurs
anywhere on the other side is neither new nor removed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from digest.core.facts import Action, Fact, FactKind
from digest.core.patterns import lazy
from digest.facts.call_arguments import conditional, flat, is_told_apart, resolve_default
from digest.facts.side_text import SideLines, SideText, same_place
from digest.facts.similarity import Comparison, common_start, is_opposite
from digest.frozen import frozen

_WORD = lazy(r"[\w-]++")
_JOINED = lazy(r"[\w-]")
_BEFORE = lazy(r"(?:[\w-]|\w\.)\Z")
_AFTER = lazy(r"[\w-]|\.\w")
_LONGEST = 120  # characters of a value that is shown
_MOST_PAIRS = 400
_SHORT = 400_000  # characters of a text that is searched for each name before its words are listed
_MOST_TRIED = 40  # places that are tried before
_HIDDEN = lazy(
    r"\bSUPPRESS\b|\b[hH]id(?:e|den)\s*[=:(]\s*(?:true|True)\b|\.(?:Hidden|hideHelp|hide)\("
    r"|(?:\(|, )hide\b(?=[,)])|\.hide\(true\)"
)
"""How a declaration keeps a flag out of the help."""

_COMMENTS = ("# ", "//", "* ", "/*", "#:")
_SECOND_NAME = lazy(r"\b(?:visible_)?alias\s*=\s*\"[^\"\n]*\"")
_ALIAS = "alias"
_FORMAT = lazy(r"\s*+\n\s*+|,(?=[)\]])")
_NEARLY = 0.6  # the same, if the names are alike
_ALIKE = 0.8  # share of equal text around two names for a rename
_RELATED, _SAME = 0.4, 0.9  # the same, if the names have little in common


@frozen
class NamedSetting:
    """A name that a user types or sees, at its declaration or use.

    ``names`` are all synonyms, the main one first. ``value`` is the default as written, or ``None``
    for none; ``known`` is false if it cannot be determined. ``choices`` are the allowed values as
    written. ``text`` is the whole declaration. ``spelled`` is the form in program text if it is not
    one of ``names``; ``quoted`` are the only spellings that count if a bare name means something
    else. ``scope`` is what the name belongs to, such as a command. ``line`` is 1-based. ``detail``
    distinguishes kinds of declarations.
    """

    names: tuple[str, ...]
    line: int
    value: str | None = None
    choices: str | None = None
    text: str = ""
    spelled: str = ""
    quoted: tuple[str, ...] = ()
    known: bool = True
    detail: str = ""
    scope: str = ""


def compare(
    kind: FactKind,
    before: SideText,
    after: SideText,
    olds: Iterable[NamedSetting],
    news: Iterable[NamedSetting],
) -> Iterator[Fact]:
    """The facts about settings that the change touches on either side of a file."""
    pairs, gone, come = _matched(list(olds), list(news))
    renamed = _renames(gone, come, before, after)
    ends = [{id(pair[n]) for pair in renamed} for n in (0, 1)]
    gone = [s for s in gone if id(s) not in ends[0] and not is_named(after.text, s)]
    come = [s for s in come if id(s) not in ends[1] and not is_named(before.text, s)]
    for old, new in renamed:
        yield _fact(kind, Action.RENAMED, new, after, before=old.names[0], after=new.names[0])
        same = replace(old, names=(new.names[0], *old.names[1:]))
        yield from _aliases(kind, same, new, before, after)
        yield from _changed(kind, old, new, before, after)
    for lost in gone:
        yield _fact(kind, Action.REMOVED, lost, before, before=lost.value)
        for name in lost.names[1:]:
            yield _fact(kind, Action.REMOVED, lost, before, name=name, detail="alias")
    for found in come:
        fact = _fact(kind, Action.ADDED, found, after, after=found.value)
        is_hidden = kind is FactKind.FLAG and _HIDDEN.search(found.text)
        yield replace(fact, public=False) if is_hidden else fact
    for old, new in pairs:
        first, now = old.names[0], new.names[0]
        is_renamed = _ALIAS in new.text and first in new.names and now not in old.names
        long = {*filter(_is_long, old.names)}
        is_renamed |= _is_long(first) and _is_long(now) and not long & {*new.names}
        if is_renamed:
            yield _fact(kind, Action.RENAMED, new, after, before=first, after=now)
        others = (name for name in old.names if first in new.names or name != first)
        was = replace(old, names=(now, *others)) if is_renamed else old
        yield from _aliases(kind, was, new, before, after)
        yield from _changed(kind, old, new, before, after)


def _matched(
    olds: list[NamedSetting], news: list[NamedSetting]
) -> tuple[list[tuple[NamedSetting, NamedSetting]], list[NamedSetting], list[NamedSetting]]:
    """Pairs of those on both sides, and the rest of each side, every name once."""
    pairs: list[tuple[NamedSetting, NamedSetting]] = []
    left = dict(enumerate(_once(olds)))
    places = defaultdict[str, list[int]](list)
    for place, old in left.items():
        for name in old.names:
            places[name].append(place)
    come: list[NamedSetting] = []
    # A synonym may be the main name of another scope, which has its own pair there.
    for same_scope in (True, False):
        tried, come = come or _once(news), []
        for new in tried:
            those = sorted({p for name in new.names for p in places.get(name, ()) if p in left})
            found = next((p for p in those if not same_scope or left[p].scope == new.scope), None)
            if found is None:
                come.append(new)
            else:
                pairs.append((left.pop(found), new))
        if not come:
            break
    return pairs, [*left.values()], come


def _once(settings: Sequence[NamedSetting]) -> list[NamedSetting]:
    """Each main name of a scope once; with several different defaults it has none."""
    result: dict[tuple[str, str], NamedSetting] = {}
    for setting in settings:
        key = (setting.scope, setting.names[0])
        other = result.setdefault(key, setting)
        if other.value != setting.value:
            result[key] = replace(other, value=None, choices=None, known=False)
    return list(result.values())


def is_named(text: str, setting: NamedSetting) -> bool:
    """Whether a text has a name in one of the spellings of a setting."""
    names = setting.quoted or (*setting.names, setting.spelled)
    return any(_mentions(text, n) for n in names if _WORD.search(n))


def _mentions(text: str, name: str) -> bool:
    """Whether a name occurs anywhere in a text as a whole word."""
    at = -1
    for _ in range(_MOST_TRIED if len(text) < _SHORT else 0):
        if (at := text.find(name, at + 1)) < 0:
            return False
        if _stands(text, name, at):
            return True
    known = _places(text)
    places, start = min(
        ((known.get(m[0], ()), m.start()) for m in _WORD.finditer(name)),
        key=lambda found: len(found[0]),
        default=((), 0),
    )
    return any(
        at >= 0 and text.startswith(name, at) and _stands(text, name, at)
        for at in (place - start for place in places)
    )


def _stands(text: str, name: str, at: int) -> bool:
    """Whether a name that a text has at an offset is a whole word there, outside of comments."""
    end = at + len(name)
    joined = (_JOINED.match(name) and _BEFORE.search(text[max(at - 2, 0) : at])) or (
        _JOINED.match(name[-1]) and _AFTER.match(text, end)
    )
    line = text[max(at - 400, 0) : at].rpartition("\n")[2].lstrip()
    comment = line.startswith(_COMMENTS) or "  # " in line or " // " in line
    return not joined and not comment


@lru_cache(maxsize=4)
def _places(text: str) -> dict[str, list[int]]:
    """Where each word of a text begins, with dashes as in a name."""
    places = defaultdict[str, list[int]](list)
    for match in _WORD.finditer(text):
        places[match[0]].append(match.start())
    return places


def _renames(
    gone: Sequence[NamedSetting], come: Sequence[NamedSetting], before: SideText, after: SideText
) -> list[tuple[NamedSetting, NamedSetting]]:
    """Pairs of a removed name and the one that replaced it, each once, most similar first."""
    if len(gone) * len(come) > _MOST_PAIRS:
        return []
    compared = Comparison()
    scored = sorted(
        (
            (-likeness, number, other)
            for number, old in enumerate(gone)
            for other, new in enumerate(come)
            if (likeness := _likeness(old, new, before, after, compared))
            and (old.scope or not (is_named(after.text, old) or is_named(before.text, new)))
        )
    )
    pairs: list[tuple[NamedSetting, NamedSetting]] = []
    used: tuple[set[int], set[int]] = (set(), set())
    for _, number, other in scored:
        if number not in used[0] and other not in used[1]:
            used[0].add(number)
            used[1].add(other)
            pairs.append((gone[number], come[other]))
    return pairs


def _likeness(
    old: NamedSetting, new: NamedSetting, before: SideText, after: SideText, compared: Comparison
) -> float:
    """How likely one is the other's new name; 0 if it is not."""
    if not old.text or not new.text or max(len(old.text), len(new.text)) > 4_000:
        return 0
    if _ALIAS in new.text and f'"{old.names[0].lstrip("-")}"' in new.text.partition(_ALIAS)[2][:80]:
        return 2  # the old name remains as an alias of the new one
    stays = old.scope in after.text or new.scope in before.text
    if (old.scope != new.scope and stays) or not same_place(before, after, old.line, new.line):
        return 0
    if is_opposite(old.names[0], new.names[0]):
        return 0
    bare = [s.names[0].lstrip("-") for s in (old, new)]
    texts = [
        s.text.replace(name, "").replace(name.replace("-", "_"), "")
        for s, name in zip((old, new), bare, strict=True)
    ]
    texts = [_FORMAT.sub("", _SECOND_NAME.sub("", text)) for text in texts]
    alike = compared.ratio(texts[0], texts[1], _NEARLY)
    whole, apart = (
        compared.ratio(*pair)
        for pair in ((old.names[0], new.names[0]), _apart(old.names[0], new.names[0]))
    )
    names = whole if apart >= _RELATED else apart
    if old.value != new.value and names < _ALIKE:
        return 0
    least = _NEARLY if names >= _ALIKE else _ALIKE if names >= _RELATED else _SAME
    return alike + names if alike >= least else 0


def _apart(one: str, other: str) -> tuple[str, str]:
    """Two names without the words that both begin with, unless that is all of one."""
    same = common_start(one, other)
    start = max(one.rfind(mark, 0, same) for mark in "_.-") + 1
    return (one, other) if one[:same] in {one, other} else (one[start:], other[start:])


def _aliases(
    kind: FactKind, old: NamedSetting, new: NamedSetting, before: SideText, after: SideText
) -> Iterator[Fact]:
    for name in new.names:
        if name.startswith("-") and name not in old.names:
            yield _fact(kind, Action.ADDED, new, after, name=name, detail="alias")
    kept = {_bare(name) for name in new.names}
    for name in old.names:
        bare = name.lstrip("-")
        spelled = (name, f'"{bare}"') if _is_long(name) else (name, f'"{bare}"', f"'{bare}'")
        alone = replace(old, names=(name,), quoted=spelled)
        if name.startswith("-") and _bare(name) not in kept and not is_named(after.text, alone):
            yield _fact(kind, Action.REMOVED, old, before, name=name, detail="alias")


def _is_long(name: str) -> bool:
    return name.startswith("--")


def _bare(name: str) -> str:
    return name.replace("_", "-").lstrip("-")


def _changed(
    kind: FactKind, old: NamedSetting, new: NamedSetting, before: SideText, after: SideText
) -> Iterator[Fact]:
    for detail in ("value", "choices"):
        one = resolve_default(getattr(old, detail), before.text)
        other = resolve_default(getattr(new, detail), after.text)
        same = _plain(one) == _plain(other) or not is_told_apart(one, other)
        if old.known and new.known and not same:
            one, other, condition = conditional(one, other)
            if one and other and flat(one, _LONGEST) == flat(other, _LONGEST):
                continue  # they differ only in parts that are not shown
            if detail == "choices" and (lost := _refused(one, other)):
                for value in lost:
                    name = f"{new.names[0]}={value}"
                    yield _fact(kind, Action.REMOVED, new, after, name=name)
                continue
            fact = _fact(
                kind,
                Action.CHANGED,
                new,
                after,
                before=one,
                after=other,
                detail="default" if detail == "value" else detail,
            )
            yield replace(fact, condition=condition)


_VALUES = lazy(r"[\[(]\s*+(?:[\"'][\w.-]{1,60}[\"']\s*+,?\s*+){1,60}[\])]")


def _refused(before: str | None, after: str | None) -> list[str]:
    """The values that a setting no longer takes, where it takes no new one."""
    if not before or not after or not (_VALUES.fullmatch(before) and _VALUES.fullmatch(after)):
        return []
    olds, news = (re.findall(r"[\w.-]+", text) for text in (before, after))
    return [] if set(news) - set(olds) else [value for value in olds if value not in news]


def _plain(text: str | None) -> str | None:
    return None if text is None else "".join(text.replace("'", '"').replace(",)", ")").split())


def _fact(
    kind: FactKind,
    action: Action,
    setting: NamedSetting,
    source: SideText,
    *,
    name: str | None = None,
    before: str | None = None,
    after: str | None = None,
    detail: str | None = None,
) -> Fact:
    before, after = (None if v is None else flat(v, _LONGEST) for v in (before, after))
    name, values = name or setting.names[0], (before, after)
    detail = setting.detail if detail is None else detail
    return source.fact(kind, action, name, setting.line, values, detail=detail)


_CMAKE_OPTION = lazy(
    r"\s*(?:cmake_dependent_)?option\s*\(\s*(\w+)\s+\".*?\"\s+(\w+)", re.IGNORECASE
)


def build_options(before: SideText, after: SideText) -> Iterator[Fact]:
    """The options that a CMake file declares."""
    yield from compare(FactKind.CONFIG, before, after, _options(before), _options(after))


def _options(source: SideText) -> Iterator[NamedSetting]:
    for row, line in source.changed():
        if match := _CMAKE_OPTION.match(line):
            yield NamedSetting(
                names=(match[1],), line=row + 1, value=match[2], detail="build option"
            )


def default_fact(after: SideText | SideLines, name: str, values: tuple[str, str], row: int) -> Fact:
    """A setting that has another default, found on a 0-based line."""
    shown = flat(values[0], 120), flat(values[1], 120)
    return after.fact(
        FactKind.CONFIG, Action.CHANGED, name, row + 1, shown, detail="default", public=True
    )


def is_same_default(fact: Fact, title: str) -> bool:
    """Whether a default is a constant in another spelling, or a version that nobody chooses.

    That is the version of a release, or a number of the form in which a file is written.
    """
    before, after = (fact.before or "").strip("\"'"), (fact.after or "").strip("\"'")
    if fact.detail != "default":
        return False
    named = before.isidentifier() and fact.before == before
    versions = _NUMBERED.fullmatch(before) and _NUMBERED.fullmatch(after)
    alike = named and before.casefold() == after.casefold()
    form = before.isdigit() and after.isdigit() and _FORM.fullmatch(fact.name.rpartition(".")[2])
    return alike or bool(form) or bool(versions and _RELEASES.search(title))


_NUMBERED = lazy(r"v?\d{1,6}(?:\.\d{1,6}){1,3}[\w.+-]{0,30}")
_FORM = lazy(r"(?:(?:config|data|file|format|layout|schema|state)_?)?version", re.IGNORECASE)
_RELEASES = lazy(r"\b(?:bump|cut|prepar|tag)\w{0,3} (?:the )?(?:release|version)\b", re.IGNORECASE)
