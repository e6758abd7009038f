"""Cues around names: which name a question is about, which kind it asks for, what it leaves out."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from digest.core.facts import FactKind
from digest.question.slot_values import (
    ARTICLES,
    MOST_NAMES,
    Filters,
    Path,
    Quote,
    Symbol,
    Token,
    name_of,
)

_SORTS = frozenset({"mechanism", "mechanisms", "type", "types", "kind", "kinds"})


def is_thing(token: Token) -> bool:
    """Whether a word is a kind of name: a flag, a variable, a metric."""
    return any(tag.startswith("thing:") for tag in token.tags)


def things_said(tokens: Sequence[Token], spoken: Iterable[str]) -> tuple[FactKind, ...]:
    """The kinds of names, without those of code that only tell what is done: *pooling methods*."""
    kinds = tuple(map(FactKind, spoken))
    pairs = itertools.pairwise(tokens)
    ways = any(two.text.lower() in _WAYS and not (one.slot or one.tags) for one, two in pairs)
    if FactKind.ROUTE in kinds or ways:
        return tuple(kind for kind in kinds if kind is not FactKind.SYMBOL)  # "API routes"
    return kinds


_WAYS = frozenset({"method", "methods", "方法"})


def is_noun(token: Token) -> bool:
    """Whether a word stands for changes: *changes*, *fixes*."""
    of_changes = any(tag == "change" or tag.startswith("kind:") for tag in token.tags)
    return of_changes and token.text.lower().endswith("s")


def qualifies(tokens: Sequence[Token], place: int) -> bool:
    """Whether a verb begins a noun: *build system changes*, *in the build log*, *uv build*."""
    verb, before, after = tokens[place], tokens[:place], tokens[place + 1 : place + 3]
    if not after or not verb.tags & {"todo", "agent", "noise"} or not verb.text.isascii():
        return False
    if before and "own" in before[-1].tags and is_noun(after[0]):
        return verb.tags <= {"agent", "todo", "noise"}
    if "todo" not in verb.tags or after[0].slot or after[0].tags:
        return False
    if before and before[-1].text.lower() in {*ARTICLES, "changed"} - {"this"}:
        return True
    return len(after) > 1 and is_noun(after[1]) and all("noise" in t.tags for t in before)


def things_listed(tokens: Sequence[Token], *, changed: bool) -> bool:
    """Whether the question asks for names: *which flags changed*."""
    things = (n for n, t in enumerate(tokens) if is_thing(t) and changed)
    for place in things:
        after = 0 if tokens[place].text.isascii() else 3
        first = place - 1
        while first > 0 and tokens[first].text == "些":
            first -= 1  # "哪些参数"
        near = tokens[max(0, first) : place + after]
        if any(token.tags & {"ask", "aux"} for token in near):
            return True
    return False


def new_things(tokens: Sequence[Token]) -> bool:
    """Whether the question asks for what is new: names of a kind, or a thing."""
    fresh = any(token.text.lower() in {"new", "新", "新的", "newest"} for token in tokens)
    return (fresh and _new_name(tokens)) or _new_topic(tokens)


def _new_name(tokens: Sequence[Token]) -> bool:
    """Whether the question asks for new names: *new flags*, *which flags are new*."""
    for place, token in enumerate(tokens):
        if not is_thing(token):
            continue
        near = tokens[max(0, place - 2) : place + 4]
        if not place or any(t.text.lower().startswith(("new", "brand new", "新")) for t in near):
            return True
        if "ask" in tokens[place - 1].tags:
            return True
    return False


def _new_topic(tokens: Sequence[Token]) -> bool:
    """Whether the question asks for new things: *new backends*, *a new cache mechanism*."""
    plain = [token.slot is None and token.tags <= {"help"} for token in tokens]
    for place, token in enumerate(tokens):
        end = place + 1
        while end < len(plain) and plain[end]:
            end += 1
        if token.text.lower() in {"new", "brand new"} and end > place + 1:
            after = tokens[end].text.lower() if end < len(plain) else ""
            one = place > 0 and tokens[place - 1].text.lower().split()[-1] in {"a", "any"}
            return one or after in _SORTS or tokens[end - 1].text.endswith("s")
    return False


_DONE = frozenset({"state", "act:removed", "act:added", "act:renamed", "history", "default"})
_UNNAMED = _DONE | {
    "future",
    "neg",
    "aux",
    "ask",
    "noise",
    "again",
    "own",
    "it",
    "greet",
    "me",
    "prep",
    "happened",
    "they",
    "bump",
    "upgrade",
}
_OPENING = frozenset({"aux", "why", "again", "ask", "history"})
_INSIDE = frozenset({"for", "in", "of"})


def stated_in(tokens: Sequence[Token]) -> str:
    """The name between a verb and a state or deed, or behind *support*; empty if there is none."""
    chinese_words = any(not token.text.isascii() for token in tokens if token.slot is None)
    begins = [n + 1 for n, token in enumerate(tokens) if token.tags & _OPENING]
    words: list[str] = []
    for end in (n for n, token in enumerate(tokens) if token.tags & _DONE):
        spans = [(begin, end) for begin in reversed(begins) if begin < end]
        spans += [(0, end)] if chinese_words or tokens[0].tags <= {"noise"} else []
        if end + 1 < len(tokens) and "prep" not in tokens[end + 1].tags:
            spans.append((end + 1, len(tokens)))  # "do we support X", "did they drop X"
        words = next(filter(None, (_named_within(tokens, *span) for span in spans)), words)
    return " ".join(words) if len(words) <= MOST_NAMES else ""


def _named_within(tokens: Sequence[Token], begin: int, end: int) -> list[str]:
    words: list[str] = []
    if not any(token.slot or not token.tags or "own" in token.tags for token in tokens[begin:end]):
        return words  # cue words alone are not a name
    for place in range(begin, end):
        token = tokens[place]
        command = place > 0 and "own" in tokens[place - 1].tags and "noise" in token.tags
        if command and not words and place + 1 == end:
            words = [tokens[place - 1].text, token.text]  # "uv check"
        elif not words and token.tags == {"todo"} and place + 1 < end:
            continue  # "did they drop X"
        elif (words and token.text in _INSIDE) or not token.tags & _UNNAMED:
            words += filter(None, [name_of(token)])
    return words[:-1] if words and words[-1] in _INSIDE else words


def exclusions_in(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """The tokens without exclusions, and the words of the exclusions."""
    kept: list[Token] = []
    items: list[str] = []
    inside = ends = False
    for token in tokens:
        if isinstance(token.slot, Filters) and token.slot == Filters(without=token.slot.without):
            items += token.slot.without
        elif "except" in token.tags:
            inside, ends = True, True
        elif inside and (text := _excludable(token)) is not None:
            if text and not ends:
                items[-1] += f" {text}"
            elif text:
                items.append(text)
            ends = (not text and bool(items)) or (not text and ends)
        else:
            inside = False
            kept.append(token)
    return (tuple(kept), tuple(items)) if items else (tuple(tokens), ())


_BESIDE = frozenset({"noise", "join", "change", "by"})


def _excludable(token: Token) -> str | None:
    """The words of a token that names an exclusion; empty for a token beside these."""
    if isinstance(token.slot, Path):
        return token.slot.path
    if token.slot is None and (not token.tags or any(tag[:5] == "kind:" for tag in token.tags)):
        return name_of(token)
    if isinstance(token.slot, Quote | Symbol):
        return name_of(token)
    return "" if token.slot is None and token.tags & _BESIDE else None
