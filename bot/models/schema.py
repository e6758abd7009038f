"""Whether a value fits a JSON schema, for the part of the standard that strict servers take.

The part is the one of https://developers.openai.com/api/docs/guides/structured-outputs: ``type``,
``properties``, ``required``, ``additionalProperties`` false, ``items``, ``enum``, ``const``,
``anyOf``, ``$ref`` into ``$defs``, and the bounds of numbers, texts and arrays. Another keyword is
a mistake of ours and stops at an assertion, so that no rule is silently not checked: schemas are
the program's own, never from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

_SILENT = frozenset({"title", "description", "$defs", "$schema", "examples"})
_DEEPEST = 24

_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}

_BOUNDS: Mapping[str, tuple[type | tuple[type, ...], Callable[[Any, Any], bool], str]] = {
    "minimum": ((int, float), lambda value, bound: value >= bound, "is below {}"),
    "maximum": ((int, float), lambda value, bound: value <= bound, "is above {}"),
    "minLength": (str, lambda value, bound: len(value) >= bound, "is shorter than {}"),
    "maxLength": (str, lambda value, bound: len(value) <= bound, "is longer than {}"),
    "minItems": (list, lambda value, bound: len(value) >= bound, "has fewer than {} items"),
    "maxItems": (list, lambda value, bound: len(value) <= bound, "has more than {} items"),
}


def problem(value: Any, schema: Mapping[str, Any]) -> str:
    """What is wrong first, with its place, in words for the model; empty where the value fits."""
    return next(_problems(value, schema, schema, "the reply", 0), "")


def _problems(
    value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], where: str, depth: int
) -> Iterator[str]:
    if depth > _DEEPEST:
        yield f"{where} is nested too deep"
        return
    for keyword, rule in schema.items():
        match keyword:
            case "$ref":
                yield from _problems(value, _referred(rule, root), root, where, depth + 1)
            case "type":
                wanted = rule if isinstance(rule, list) else [rule]
                if not any(_TYPES[one](value) for one in wanted):
                    yield f"{where} must be {' or '.join(wanted)}, not {_kind(value)}"
                    return
            case "enum" if value not in rule:
                yield f"{where} must be one of {', '.join(map(repr, rule))}, not {_short(value)}"
            case "const" if value != rule:
                yield f"{where} must be {rule!r}, not {_short(value)}"
            case "anyOf":
                found = [next(_problems(value, one, root, where, depth + 1), "") for one in rule]
                if all(found):
                    yield (
                        found[-1] if len(found) == 1 else f"{where} fits none of the forms allowed"
                    )
            case "required" if isinstance(value, dict):
                yield from (f"{where} lacks {name!r}" for name in rule if name not in value)
            case "additionalProperties" if isinstance(value, dict) and rule is False:
                known = schema.get("properties", {})
                yield from (
                    f"{where} has the unknown key {_short(k)}" for k in value if k not in known
                )
            case "properties" if isinstance(value, dict):
                for name, inner in rule.items():
                    if name in value:
                        yield from _problems(value[name], inner, root, f"{where}.{name}", depth + 1)
            case "items" if isinstance(value, list):
                for place, one in enumerate(value):
                    yield from _problems(one, rule, root, f"{where}[{place}]", depth + 1)
            case _ if keyword in _BOUNDS:
                kind, holds, words = _BOUNDS[keyword]
                if isinstance(value, kind) and not holds(value, rule):
                    yield f"{where} {words.format(rule)}"
            case "enum" | "const" | "required" | "properties" | "items":
                pass
            case "additionalProperties" if isinstance(rule, bool):
                pass
            case _:
                assert keyword in _SILENT, f"the schema's keyword {keyword!r} is not checked"


def _referred(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        found = found[step] if step else found
    return dict(found)


def _kind(value: Any) -> str:
    return next(name for name, fits in _TYPES.items() if fits(value))


def _short(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= 60 else f"{words[:57]}..."
