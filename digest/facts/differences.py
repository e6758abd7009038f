"""What sets two signatures apart, from the point of view of those who call.

The words are those that ``code`` lists as details of a changed symbol.
"""

from __future__ import annotations

from digest.facts.arguments import flat
from digest.facts.syntax.entry import Calling, Parameter, Signature

_LONGEST_SIGNATURE = 300  # characters
_LONGEST_TEXT = 20_000  # characters that are compared


def difference(before: Signature, now: Signature) -> str:
    """What sets two signatures apart, the gravest first; empty if nothing but defaults does."""
    if now.calling is Calling.BY_NAME:
        if detail := _by_name(before, now):
            return detail
    elif detail := _by_place(before, now):
        return detail
    if tuple(map(key, before.bases)) != tuple(map(key, now.bases)):
        return "bases"
    if before.prefix != now.prefix:
        return "signature"
    types = _types(before) != _types(now)
    return ("signature" if now.calling is Calling.BY_TYPE else "types") if types else ""


def shared(before: Signature, now: Signature) -> list[tuple[Parameter, Parameter]]:
    """The parameters of one name on both sides."""
    olds = {p.name: p for p in before.parameters}
    return [(olds[p.name], p) for p in now.parameters if p.name in olds]


def look(p: Parameter) -> tuple[str, str, str | None]:
    """What of a parameter its callers see, its default apart."""
    return p.name, p.kind, key(p.annotation)


def key(text: str | None) -> str | None:
    """A text without what a formatter may change."""
    if text is None:
        return None
    text = "".join(text.replace("'", '"').split()).replace(",)", ")").replace(",]", "]")
    while text[:1] == "(" and _is_wrapped(text):
        text = text[1:-1]
    return text


def _is_wrapped(text: str) -> bool:
    """Whether a text is one pair of round brackets that only groups: around no tuple."""
    depth = 0
    for place, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if (c == "," and depth == 1) or (not depth and place < len(text) - 1):
            return False
    return len(text) > 2 and not depth


def abridged(before: str, now: str) -> tuple[str, str]:
    """Two long texts on one line each, without the parameters with which both begin."""
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
    """What a caller depends on: the order of what goes by place, and what goes by name only."""
    by_place = tuple((p.name, p.kind) for p in s.parameters if not p.keyword)
    by_name = frozenset((p.name, p.kind) for p in s.parameters if p.keyword)
    return by_place, by_name


def _types(s: Signature) -> tuple[object, ...]:
    types = [key(p.annotation) for p in s.parameters]
    if s.calling is Calling.BY_NAME:
        return key(s.returns), dict(zip((p.name for p in s.parameters), types, strict=True))
    return key(s.returns), types
