"""Moves and renames, which one file or one declaration does not show.

A name that is removed and one that is added are one rename if the names of other renames changed
alike, or if the message says so. A name that is added is the new name of an old one that still
works if the title says so, or if the text beside it names the old one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from digest.core.change import Hunk
from digest.core.facts import Action, Fact, FactKind
from digest.core.patterns import lazy
from digest.facts.paths import area_of
from digest.facts.similarity import (
    NAME_WORDS,
    common_start,
    endings,
    is_opposite,
    last,
    last_part,
    spelled,
)
from digest.facts.syntax.declarations import grouped

Beside = Callable[[Fact], tuple[str, str]]
"""The changed lines around the evidence of a fact, and the text of its file before the change."""

_GONE_FLAG = (FactKind.FLAG, Action.REMOVED)
_OF_FILES = frozenset({FactKind.SYMBOL, FactKind.CONFIG})
_CODE = _OF_FILES | {FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.ROUTE, FactKind.METRIC}


def reconcile(
    facts: Sequence[Fact], message: str = "", beside: Beside = lambda _fact: ("", "")
) -> tuple[Fact, ...]:
    """The facts of all files of a change, in order, with moves recognised.

    A symbol that is removed in one file and added in another under the same name is one fact,
    changed and ``moved``, whose ``before`` and ``after`` are the paths; the same is true of config
    fields. Flags, environment variables, routes and metrics do not belong to a file: if one is
    removed in one file and added in another, both facts are dropped, unless the default changed
    within one area. A flag removed where a field of its name is added is one made from fields, and
    stays. A declared variable is not reported again where it is read.
    """
    declared = {f.name for f in facts if f.kind is FactKind.ENVIRONMENT and not f.detail}
    facts = _without_members(facts)
    come = [f for f in facts if f.action is Action.ADDED]
    fields = {last(f.name) for f in come if f.detail == "field"}
    # Rust makes flags of fields; Go declares them apart.
    made = {f.name for f in come if f.kind is FactKind.FLAG and f.evidence.path.endswith(".go")}
    facts = [
        f
        for f in facts
        if not (f.detail == "read" and f.name in declared)
        and ((f.kind, f.action) != _GONE_FLAG or last(f.name) not in fields or f.name in made)
    ]
    facts = _without_inherited(_without_lists(_renamed(facts, message, beside)))
    gone = (f for f in facts if f.kind in _CODE and f.action is Action.REMOVED)
    lost = grouped(gone, lambda fact: (fact.kind, fact.name))
    if not lost:
        return tuple(facts)
    known = {_section_key(f) for f in facts if f.action is Action.ADDED and f.detail == "field"}
    facts = [
        f
        for f in facts
        if f.action is not Action.REMOVED or not (key := _section_key(f)) or key not in known
    ]
    replaced: dict[int, Fact | None] = {}
    for fact in facts:
        if fact.kind not in _CODE or fact.action is not Action.ADDED:
            continue
        waiting = lost.get((fact.kind, fact.name), [])
        same = [f for f in waiting if f.detail == fact.detail]
        for other in same[:1] if fact.kind in _OF_FILES else same:
            waiting.remove(other)
            replaced[id(other)] = None
            replaced[id(fact)] = _moved(other, fact)
    kept = (replaced.get(id(fact), fact) for fact in facts)
    return _without_renamed([fact for fact in kept if fact is not None])


def _without_members(facts: Sequence[Fact]) -> list[Fact]:
    """The facts without fields that became methods, and without members of types that moved."""
    made = {f.name for f in facts if f.action is Action.ADDED and f.detail not in _MEMBERS}
    facts = [
        f for f in facts if f.action is not Action.REMOVED or f.name.rpartition("::")[0] not in made
    ]
    steps = {(_place(f), f.action) for f in facts if f.detail in _MEMBERS and "." in f.name}
    both = {at for at, _ in steps if {(at, Action.REMOVED), (at, Action.ADDED)} <= steps}
    return [f for f in facts if f.detail not in _MEMBERS or _place(f) not in both]


_MEMBERS = frozenset({"field", "attribute", "method"})


def _place(fact: Fact, name: str = "") -> tuple[str, str, str]:
    """The scope of a name: its file, unless its kind belongs to the whole program."""
    if fact.kind in _OF_FILES:
        return "", fact.evidence.path, name or fact.name
    return fact.kind, "", name or fact.name


def _without_renamed(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts without removals of things that another fact reports as renamed."""
    told = [f for f in facts if f.action is Action.RENAMED and f.before]
    old = {_place(f, name) for f in told for name in (f.before or "", f"{_of(f)}.{f.before}")}
    return tuple(f for f in facts if f.action is not Action.REMOVED or _place(f) not in old)


def _without_inherited(facts: Sequence[Fact]) -> list[Fact]:
    """The facts without methods of Java that the change gives to another type, maybe their base."""
    methods = [f for f in facts if f.detail == "method" and f.evidence.path.endswith(".java")]
    come = {last(f.name) for f in methods if f.action in {Action.ADDED, Action.RENAMED}}
    held = {id(f) for f in methods if f.action is Action.REMOVED and last(f.name) in come}
    return [f for f in facts if id(f) not in held]


def _without_lists(facts: Sequence[Fact]) -> list[Fact]:
    """The facts with exports merged into the facts about the exported things.

    A removal is reported where the thing was exported, since its own file may not show that it was
    public.
    """
    symbols = [f for f in facts if f.kind is FactKind.SYMBOL and f.detail != "export"]
    known = {n for f in symbols for n in (f.name, f.after) if n}
    known |= {f.before or "" for f in symbols if f.action is Action.RENAMED}
    gone = {f.name: f for f in symbols if f.action is Action.REMOVED}
    lists = {
        id(gone[f.name]): replace(gone[f.name], evidence=f.evidence)
        for f in facts
        if f.detail == "export" and f.action is Action.REMOVED and f.name in gone
    }
    return [lists.get(id(f), f) for f in facts if f.detail != "export" or f.name not in known]


_TELLING = 10  # characters of a name that another section hardly has for another thing


def _section_key(fact: Fact) -> tuple[str, str] | None:
    """The file and name of a setting; in another section of the file it may be for all now."""
    name = last(fact.name)
    path = "" if "_" in name and len(name) >= _TELLING else fact.evidence.path
    return (path, name) if fact.kind is FactKind.CONFIG else None


_REFERENCE = r"(?P<name>[A-Z]\w{1,80}\.[a-z]\w{1,80})"
_CALLED = r"(?:(?<=[.(,=!])|(?<== ))\w{3,80}(?=\()"
_USED = lazy(_REFERENCE.replace("?P<name>", "?:") + f"|{_CALLED}")
_LONGEST_LINE = 400  # characters


def forwarded(facts: Sequence[Fact], hunks: Iterable[Hunk]) -> list[Fact]:
    """The facts with names as renamed whose uses became uses of other names.

    A setting becomes one of another class, a function one whose name is a part of the other.
    """
    gone = {
        f.name if f.kind is FactKind.CONFIG else last_part(f.name): f
        for f in facts
        if f.kind in _OF_FILES and f.action is Action.REMOVED
    }
    come = [f for f in facts if (f.kind, f.action) == (FactKind.SYMBOL, Action.ADDED)]
    told: dict[int, Fact] = {}
    for hunk in hunks if gone else ():
        for line in hunk.removed[:_MOST_TOLD]:
            for at in _USED.finditer(line[:_LONGEST_LINE]):
                if (old := gone.get(at[0])) and (new := _used_now(old, line, at, hunk, come)):
                    told[id(old)] = new
    news = {f.name for f in told.values()}
    taken = {id(f) for f in come if f.name in news}
    return [told.get(id(f), f) for f in facts if id(f) not in taken]


def _used_now(
    old: Fact, line: str, at: re.Match[str], hunk: Hunk, come: Sequence[Fact]
) -> Fact | None:
    """The rename of what a removed line used, according to an added line that equals it so far."""
    start, end = line[: at.start()], line[at.end() :]
    if old.kind is FactKind.CONFIG:
        now = re.compile(re.escape(start) + _REFERENCE + re.escape(end))
        match = next((m for new in hunk.added if (m := now.fullmatch(new))), None)
        if match is None or match["name"].split(".")[0] == _of(old):
            return None
        return replace(old, action=Action.RENAMED, name=match["name"], before=old.name, after=None)
    added = "\n".join(("", *hunk.added[:_MOST_TOLD]))
    for new in come[:_MOST_TOLD]:
        one, other = at[0].casefold(), last_part(new.name).casefold()
        part = (one in other or other in one) and not is_opposite(one, other)
        alike = part and _sort(old) == _sort(new) and _of(old) == _of(new)
        if alike and f"\n{start}{last_part(new.name)}(" in added:
            return _as_renamed(old, new)
    return None


def is_quoted(flag: str, code: str) -> bool:
    """Whether code has a flag in quotes, or its end below a prefix that it adds."""
    below = (f'{sign}"{end}"' for end in (flag, *endings(flag)) for sign in ("+", "+ "))
    return any(text in code for text in (f"'{flag}'", f'"{flag}"', *below))


def _moved(old: Fact, new: Fact) -> Fact | None:
    if new.kind in _OF_FILES:
        return replace(
            new,
            action=Action.CHANGED,
            detail="moved",
            before=old.evidence.path,
            after=new.evidence.path,
        )
    same_program = area_of(old.evidence.path) is area_of(new.evidence.path)
    if same_program and None not in (old.before, new.after) and old.before != new.after:
        return replace(new, action=Action.CHANGED, detail="default", before=old.before)
    return None


_MOST_TOLD = 100  # maximum pairs of a removed and an added name that are searched in a message
_RENAMES = lazy(r"\brenam|\b(?:s|S)/\w|\S\s*(?:->|→|=>)\s*\S", re.IGNORECASE)
_OLD_NAME = lazy(
    r"\b(?:formerly|previously|renamed from|old name|backwards? compatib"
    r"|also (?:supported|accepted|read))",
    re.IGNORECASE,
)
_QUOTED = lazy(r"[`'\"](-{0,2}[A-Za-z][\w.-]{2,80})[`'\"]")
_SIMILAR = 0.6  # share of equal letters of an old name and the one that replaces it


def _renamed(facts: Sequence[Fact], message: str, beside: Beside) -> list[Fact]:
    """The facts, with pairs of removed and added names merged into renames."""
    result = _alike(_told(list(facts), message), message)
    if "renam" in message.partition("\n")[0].lower():
        result = _kept(result)
    return [_beside(f, beside) if f.action is Action.ADDED else f for f in result]


def _told(facts: list[Fact], message: str) -> list[Fact]:
    """The facts with the renames that the message mentions."""
    if not _RENAMES.search(message[:_LONGEST_MESSAGE]):
        return facts
    title = message.partition("\n")[0].lower()
    words = _flat(_DASHES.sub("", message[:_LONGEST_MESSAGE]))
    groups: dict[tuple[str, str], tuple[list[Fact], list[Fact]]] = {}
    for fact in facts:
        if fact.kind in _CODE and fact.action in {Action.REMOVED, Action.ADDED}:
            sides = groups.setdefault(_sort(fact), ([], []))
            sides[fact.action is Action.ADDED].append(fact)
    changed: dict[int, Fact | None] = {}
    for gone, come in groups.values():
        if not come or len(gone) * len(come) > _MOST_TOLD:
            continue
        alone = len(gone) == len(come) == 1 and "renam" in title
        for old in gone:
            named = [
                n
                for n in come
                if old.name != n.name and ((alone and _together(old, n)) or _says(words, old, n))
            ]
            own = [n for n in named if _of(n) == _of(old)]
            if not named and "renam" in title:
                own = _alone(old, gone, come)
            if len(own or named) == 1:
                new = (own or named)[0]
                clash = old.kind is FactKind.FLAG and is_opposite(old.name, new.name)
                if id(new) not in changed and not clash:
                    changed[id(old)] = None
                    changed[id(new)] = _as_renamed(old, new)
    return [kept for f in facts if (kept := changed.get(id(f), f)) is not None]


_TYPES = frozenset({"class", "struct", "interface", "type", "enum", "trait", "record", "union"})


def _sort(fact: Fact) -> tuple[str, str]:
    """The kind and detail of a fact; what declares a type may change with its name."""
    return fact.kind, "type" if fact.detail in _TYPES else fact.detail


def _of(fact: Fact) -> str:
    """The type that a member belongs to."""
    return fact.name.rpartition(".")[0]


def _alone(old: Fact, gone: Sequence[Fact], come: Sequence[Fact]) -> list[Fact]:
    """The member that replaces another with the same signature, if its type has no other one."""
    lost, found = ([f for f in side if _of(f) == _of(old)] for side in (gone, come))
    signed = [n for n in found if n.after == old.before and (n.after or n.detail == "field")]
    return signed if _of(old) and len(lost) == len(found) == 1 else []


_LONGEST_MESSAGE = 20_000  # characters
_DASHES = lazy(r"(?<![\w-])--?(?=[A-Za-z])")
"""The dashes of a flag, which the last part of its name lacks."""


def _says(words: str, old: Fact, new: Fact) -> bool:
    """Whether a text has both names with a word of renaming around or between them."""
    ends = [last(f.name) for f in (old, new)]
    if old.kind is FactKind.METRIC:  # of which the program calls the part that differs
        start = ends[0].rfind("_", 0, common_start(*ends)) + 1
        ends = [spelled(name[start:]) for name in ends]
        words = spelled(words)
    names = [_flat(name) for name in ends]
    places = [m.start() for m in re.finditer(rf"(?<!\w){re.escape(names[0])}(?!\w)", words)]
    joint = re.compile(
        rf"\W{{1,6}}(?:(?:is|was|are|has|been|now|renamed|flag|option|setting|field|metric)\W+){{0,4}}"
        rf"(?:to|as|into|->|→|=>|/)\W{{0,6}}(?:the\W+)?(?:new\W+)?(?:\w+[. ]){{0,3}}"
        rf"{re.escape(names[1])}(?!\w)"
    )
    return any(joint.match(words, place + len(names[0])) for place in places[:20])


def _together(old: Fact, new: Fact) -> bool:
    """Whether two names may be one thing: members of a type only in one file or if alike."""
    member = old.detail in {"method", "field", "attribute"}
    here = old.evidence.path == new.evidence.path
    return here or not member or _similar(old.name, new.name)


def _flat(text: str) -> str:
    return text.lower().replace("-", "_").replace("_>", "->")


def _kept(facts: list[Fact]) -> list[Fact]:
    """The facts with names that were added to replace a deprecated one."""
    olds = {
        _flat(last(f.replacement)): f.name
        for f in facts
        if f.kind is FactKind.DEPRECATION and f.action is Action.ADDED and f.replacement
    }
    return [
        _as_kept(f, old)
        if f.action is Action.ADDED
        and f.kind in _CODE
        and (old := olds.get(_flat(last(f.name))))
        and old.startswith("-") == f.name.startswith("-")
        else f
        for f in facts
    ]


def _beside(fact: Fact, beside: Beside) -> Fact:
    """The fact with the old name, according to the text beside the new one."""
    if fact.kind not in {FactKind.ENVIRONMENT, FactKind.FLAG, FactKind.CONFIG}:
        return fact
    text, before = beside(fact)
    if not _OLD_NAME.search(text):
        return fact
    olds = {o for o in _QUOTED.findall(text) if o in before and _similar(o, fact.name)}
    return _as_kept(fact, olds.pop()) if len(olds) == 1 else fact


def _as_kept(fact: Fact, old: str) -> Fact:
    name = fact.name if "." not in fact.name or "." in old else last(fact.name)
    return replace(fact, action=Action.RENAMED, before=old, after=name)


def _similar(old: str, new: str) -> bool:
    one, other = last(old), last(new)
    if one == other or is_opposite(one, other):
        return False
    return SequenceMatcher(None, one, other).ratio() >= _SIMILAR


def _alike(facts: list[Fact], message: str) -> list[Fact]:
    """The facts with renames that follow the pattern of other renames or of the title.

    If ``Head`` became ``Block``, then ``NewHead`` became ``NewBlock``, wherever they are, and the
    methods of ``Head`` are those of ``Block``. A change of case alone is a rename.
    """
    swaps = [_swap(f) for f in facts if f.action is Action.RENAMED] + _parallel(facts)
    swaps += [(m["old"], m["new"]) for m in _SWAPS.finditer(message.partition("\n")[0][:300])]
    swaps = [*dict.fromkeys(swaps)][:_MOST_SWAPS]
    come = {(*_sort(f), spelled(f.name)): f for f in facts if f.action is Action.ADDED}
    if not come:
        return facts
    renames: dict[int, Fact | None] = {}
    for fact in facts:
        if fact.action is not Action.REMOVED or fact.kind not in _CODE:
            continue
        plain = spelled(fact.name)
        for old, new in ((plain, plain), *swaps):
            first, second = spelled(old), spelled(new)
            ends = second.join(plain.rsplit(first, 1)) if len(old) > 1 else plain
            owner, dot, end = plain.rpartition(".")
            swapped = plain.replace(first, second) if len(old) > 1 else plain
            names = (swapped, ends, f"{owner}{dot}deprecated{end}")
            key = next((k for n in names if (k := (*_sort(fact), n)) in come), None)
            if key and (found := come[key]).name != fact.name:
                del come[key]
                renames[id(fact)] = None
                whole = last_part(fact.name) == last_part(found.name)
                renames[id(found)] = None if whole else _as_renamed(fact, found)
                break
    return [kept for f in facts if (kept := renames.get(id(f), f)) is not None]


_SWAPS = lazy(
    r"(?<![\w.])[`'\"]?(?P<old>[A-Za-z][\w-]{2,60}+)[`'\"]?\s*(?:->|=>|→|\bto\b)\s*"
    r"[`'\"]?(?P<new>[A-Za-z][\w-]{2,60}+)[`'\"]?(?![\w.])"
)
"""Two names in a title, the second of which replaces the first; facts must confirm it."""

_MOST_SWAPS = 20


def _parallel(facts: Sequence[Fact]) -> list[tuple[str, str]]:
    """Methods that several types lose, with those of equal parameters that they all gain.

    A type must lose and get one method only, as an interface and what implements it do.
    """
    steps: dict[str, tuple[list[Fact], list[Fact]]] = {}
    for fact in facts:
        if fact.detail == "method" and fact.action in {Action.REMOVED, Action.ADDED}:
            sides = steps.setdefault(_of(fact), ([], []))
            sides[fact.action is Action.ADDED].append(fact)
    pairs = Counter(
        (last_part(gone[0].name), last_part(come[0].name))
        for gone, come in steps.values()
        if len(gone) == len(come) == 1
        and (gone[0].before or "").partition(")")[0] == (come[0].after or "").partition(")")[0]
    )
    return [pair for pair, count in pairs.items() if count >= _LEAST_TYPES]


_LEAST_TYPES = 3


def _swap(fact: Fact) -> tuple[str, str]:
    """What a rename replaces by what, as far as the two names differ in their middle.

    Where one only has fewer words, the word before them is a part of both.
    """
    old, new = ((name or "").rpartition(".")[2].lstrip("-") for name in (fact.before, fact.after))
    start = common_start(old, new)
    if old.endswith(new[start:]) or new.endswith(old[start:]):
        start = max((m.start() for m in NAME_WORDS.finditer(old, 0, start)), default=start)
    rest = old[start:], new[start:]
    end = common_start(rest[0][::-1], rest[1][::-1])
    first, second = (text[: len(text) - end] for text in rest)
    return (first, second) if first and second else (old, new)


def _as_renamed(old: Fact, new: Fact) -> Fact:
    public = old.public if new.kind is FactKind.FLAG else new.public
    return replace(new, action=Action.RENAMED, before=old.name, after=new.name, public=public)
