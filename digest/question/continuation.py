"""How a follow-up goes on with the question before it: asked of its subject, narrowed or turned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from digest.core.facts import Action, Fact, FactKind
from digest.core.patterns import lazy
from digest.errors import NothingBefore
from digest.question.commit_range import Refs, Span
from digest.question.intent import (
    Affected,
    Again,
    Changed,
    Compare,
    DigestOf,
    Explain,
    Intent,
    Nth,
    OfCurrent,
    Released,
    Releases,
    Risky,
    Search,
    ShowDiff,
    Touched,
    in_period,
    span_of,
)
from digest.question.periods import Now, beside
from digest.window import Window


def applied(intent: Intent, subject: Intent) -> Intent | None:
    """The question about a subject; ``None`` if it does not fit it."""
    match intent, subject:
        case OfCurrent(), Explain(reference=reference):
            return replace(intent, reference=reference)
        case Nth() | Touched(), Explain() | Touched():
            return subject
        case Released() | ShowDiff(), Touched():
            return subject
        case Released(), _ if isinstance(span := span_of(subject), Refs):
            return Releases(window=span)
        case Affected(), Explain(reference=reference):
            return Risky(reference=reference)
        case Affected(), Changed() | DigestOf() | Compare():
            return Affected(window=span_of(subject))
    return None


# --- The name of a change -------------------------------------------------------------------------


def names_meant(facts: Sequence[Fact], intent: Touched) -> tuple[str, ...]:
    """The names of a change that a question about its name may mean; a flag before its fields."""
    facts = [fact for fact in facts if fact.detail != "moved"]
    kinds = [kind for kind in _NAMED if kind in intent.things or not intent.things]
    found = [fact for kind in kinds for fact in facts if fact.kind is kind]
    if intent.claim == "instead":
        replaced = [fact for fact in facts if fact.replacement]
        return _distinct(replaced or [fact for fact in found if fact.action is Action.REMOVED])
    if intent.claim in _OF_VALUE:
        stays = [fact for fact in found if fact.action is not Action.REMOVED]
        found = [fact for fact in stays if fact.action is Action.CHANGED] or stays
    return _distinct(found)


def names_in_title(title: str) -> tuple[str, ...]:
    """The flags and variables that a title names."""
    return tuple(dict.fromkeys(_IN_TITLE.findall(title)))


_IN_TITLE = lazy(
    r"(?<![\w-])--[A-Za-z][\w-]{1,80}|(?<![\w-])[A-Z][A-Z0-9]{0,40}_[A-Z0-9_]{1,80}", re.ASCII
)


def _distinct(facts: Sequence[Fact]) -> tuple[str, ...]:
    """The names of facts, each once: a flag may set several fields of its name."""
    names = dict[str, str]()
    for fact in facts:
        field = fact.name.rpartition(".")[2].lstrip("-").replace("-", "_")
        names.setdefault(field.lower(), fact.name)
    return tuple(names.values())


_NAMED = (FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG, FactKind.METRIC, FactKind.ROUTE)
_OF_VALUE = frozenset({"value", "default", "off", "revalued"})


# --- Lists ----------------------------------------------------------------------------------------


def looked_at(again: Again, lists: Sequence[Intent], now: Now) -> Intent | None:
    """The list that a follow-up filters: the last one, but not numbers asked for beside it."""
    last = lists[0] if lists else None
    says = again.topic or again.kinds or again.level or again.without or again.author or again.path
    if not isinstance(last, Changed) or not says:
        return last
    plain = replace(last, **COUNTED)
    seen = [replace(list_of(one, now), window=last.window) for one in lists]
    return plain if plain in seen else last


def back_to(lists: Sequence[Intent]) -> Intent:
    """All of a list that was narrowed, in the period of the last one."""
    last, whole = lists[0], lists[-1]
    if isinstance(last, Changed) and getattr(whole, "topic", "") not in last.topic:
        return lists[1]  # from what the author of a change of it did
    if isinstance(last, Changed | DigestOf) and isinstance(whole, Changed | DigestOf):
        whole = replace(whole, window=last.window)
    if whole != last or not isinstance(last, Changed):
        return whole
    return Changed(window=last.window, topic=last.topic, author=last.author, path=last.path)


_ASKED = ("topic", "author", "path", "per", "people", "files", "folders", "top", "things",
          "actions", "switched", "shipped")  # fmt: skip
"""Fields of a follow-up that replace those of a list question."""
COUNTED: dict[str, Any] = {"per": "", "people": False, "files": False, "folders": False}


def turned(last: Intent | None, again: Again, now: Now) -> Intent:
    """The last question filtered, for another period, or about another topic in the same one."""
    base = list_of(last, now)
    if again.compared:
        other = span_of(turned(last, replace(again, compared=False), now))
        if not (isinstance(base.window, Window) and isinstance(other, Window)):
            raise NothingBefore
        return replace(last if isinstance(last, Releases) else base, against=other)
    if unit := again.earlier or again.later:
        if not isinstance(base.window, Window):
            raise NothingBefore
        stepped = beside(base.window, unit, now, later=bool(again.later))
        return turned(last, replace(again, window=stepped, earlier="", later=""), now)
    if again.level or (again.kinds and not again.topic):
        whole = last if isinstance(last, Search) else base
        level, kinds = again.level or whole.level, again.kinds or whole.kinds
        whole = replace(whole, level=level, kinds=kinds)
        whole = replace(whole, window=again.window) if again.window else whole
        return replace(whole, undone=again.undone) if isinstance(whole, Changed) else whole
    base = replace(base, without=(*base.without, *again.without))
    if again == Again(without=again.without):
        return base
    if isinstance(last, Touched) and again == Again(topic=again.topic):
        return Touched(name=again.topic)  # "and what about --slow"
    asks = {name: getattr(again, name) for name in _ASKED if getattr(again, name)}
    if asks.keys() & COUNTED.keys():
        base = replace(base, **COUNTED)  # "and by folder" instead of by author
    if again.author and base.people:
        base = replace(base, people=False, top=None)  # one of the people who were listed
    if not asks:
        return in_period(base if isinstance(last, Changed) else last, again.window)
    if not again.actions:  # "and the variables", of flags
        asks.pop("topic" if again.things and (base.things or base.actions) else "things", None)
    if again.only and "/" in base.topic:
        base = replace(base, topic="", path=base.topic)  # "how many of those are panics"
    elif again.only and base.topic:
        asks["topic"] = f"{base.topic} {again.topic}"
    if again.things or again.actions:
        base = replace(base, switched="")
    if again.switched and not base.things:
        base = replace(base, actions=(Action.ADDED,))
    kinds = again.kinds or base.kinds
    return replace(base, window=again.window or base.window, kinds=kinds, **asks)


def list_of(subject: Intent | None, now: Now) -> Changed:
    """The list question of a subject, or all changes of its period."""
    if isinstance(subject, Changed):
        return replace(subject, shipped=False)  # that was asked once
    return Changed(window=window_of(subject, now))


def window_of(last: Intent | None, now: Now) -> Span:
    """The period of a question, or the usual one."""
    listed = isinstance(last, Changed | DigestOf | Search | Compare)
    return (last and listed and span_of(last)) or now.usual
