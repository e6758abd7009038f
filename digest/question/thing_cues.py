"""Cues around a kind of name: whether the question asks for such names, or for new ones."""

from __future__ import annotations

from collections.abc import Sequence

from digest.question.slot_values import Token

_SORTS = frozenset({"mechanism", "mechanisms", "type", "types", "kind", "kinds"})


def is_thing(token: Token) -> bool:
    """Whether a word is a kind of name: a flag, a variable, a metric."""
    return any(tag.startswith("thing:") for tag in token.tags)


def things_listed(tokens: Sequence[Token], *, changed: bool) -> bool:
    """Whether the question asks for names: *which flags changed*."""
    things = (n for n, t in enumerate(tokens) if is_thing(t) and changed)
    for place in things:
        after = 0 if tokens[place].text.isascii() else 3
        near = tokens[max(0, place - 1) : place + after]
        if any(token.tags & {"ask", "aux"} for token in near):
            return True
    return False


def new_thing(tokens: Sequence[Token]) -> bool:
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


def new_topic(tokens: Sequence[Token]) -> bool:
    """Whether the question asks for new things: *new backends*, *a new cache mechanism*."""
    plain = [token.slot is None and token.tags <= {"help"} for token in tokens]
    for place, token in enumerate(tokens):
        end = place + 1
        while end < len(plain) and plain[end]:
            end += 1
        if token.text.lower() in {"new", "brand new"} and end > place + 1:
            after = tokens[end].text.lower() if end < len(plain) else ""
            return after in _SORTS or tokens[end - 1].text.endswith("s")
    return False
