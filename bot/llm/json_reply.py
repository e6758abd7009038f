"""JSON in the text of a model, despite thoughts, fences, chatter and trailing commas.

The text is hostile: every step takes linear time, nesting that would exhaust the stack does not
count as JSON, and characters that no database accepts are replaced. Tags count as thoughts only
where servers leave them. :func:`problem` checks values against a JSON schema of the subset that
strict servers accept (https://developers.openai.com/api/docs/guides/structured-outputs); any other
keyword fails an assertion, since schemas never come from outside.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, auto
from typing import Any

# Reasoning models think before they answer; servers that do not remove the thoughts leave them
# between such tags. Some chat templates open the tag, so that a reply begins inside it.
_TAG = r"(?:think|thinking|thought|reasoning)>"
_OPENING = re.compile(rf"\s*<{_TAG}", re.IGNORECASE)
_CLOSING = re.compile(rf"</{_TAG}", re.IGNORECASE)
_CLOSING_LINE = re.compile(rf"^[ \t]*</{_TAG}[ \t]*$", re.IGNORECASE | re.MULTILINE)
_LONGEST_OPENING = len("<reasoning>")
_LONGEST_CLOSING = len("</reasoning>")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_MARK = re.compile(r'["{}\[\]]')

# An unterminated string extends to the end, so that nothing is scanned twice.
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
_STRING_HERE = re.compile(_STRING, re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)

# Lone surrogates cannot be encoded, and PostgreSQL accepts no NUL in a text.
_UNFIT = re.compile("[\ud800-\udfff\x00]")
_TRIES = 6  # how many places are tried as the beginning of an object


def without_thoughts(text: str) -> str:
    """The reply itself; blank if the model only thought."""
    if opening := _OPENING.match(text):
        closing = _CLOSING.search(text, opening.end())
        return text[closing.end() :].strip() if closing else ""
    closing = _CLOSING_LINE.search(text)
    return text[closing.end() :].strip() if closing else text.strip()


def objects(text: str) -> list[dict[str, Any]]:
    """The top-level JSON objects in a reply. Raises ``ValueError``, worded for the model."""
    bare = _FENCE.sub("", without_thoughts(text)).strip()
    whole = _parse(bare)
    if isinstance(whole, dict):
        return [whole]
    thoughts = list(_CLOSING.finditer(bare))
    after = bare[thoughts[-1].end() :] if thoughts else ""
    for part in (after, bare):
        values = [value for span in _spans(part) if isinstance(value := _parse(span), dict)]
        if values:
            return values
    raise ValueError(_why(bare))


def _parse(text: str) -> Any:
    """The value of a JSON text, ``None`` if it is not valid."""
    try:
        return clean(json.loads(_without_trailing_commas(text), strict=False))
    except (ValueError, RecursionError):
        return None


def _without_trailing_commas(text: str) -> str:
    return _TRAILING_COMMA.sub(lambda found: found.group(1) or "", text)


def clean(value: Any) -> Any:
    """The same value with all texts made storable."""
    if isinstance(value, str):
        return _UNFIT.sub("\ufffd", value)
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    return value


def _spans(text: str) -> Iterator[str]:
    """Balanced ``{...}``, none inside another."""
    place = 0
    for _ in range(_TRIES):
        start = text.find("{", place)
        if start < 0:
            return
        end = _end(text, start)
        if end is None:
            # Not closed; an object may still begin further inside.
            place = start + 1
        else:
            yield text[start:end]
            place = end


def _end(text: str, start: int) -> int | None:
    """The position after the brace that closes the one at ``start``."""
    depth = 0
    place = start
    while match := _MARK.search(text, place):
        place = match.end()
        if match.group() == '"':
            string = _STRING_HERE.match(text, match.start())
            place = string.end() if string else len(text)
        elif match.group() in "{[":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return place
    return None


def _why(text: str) -> str:
    start = text.find("{")
    if start < 0:
        return "there is no JSON object in it"
    end = _end(text, start)
    if end is None:
        return "its JSON object is not closed: it breaks off"
    try:
        json.loads(_without_trailing_commas(text[start:end]), strict=False)
    except json.JSONDecodeError as error:
        near = text[start:end][max(0, error.pos - 20) : error.pos + 20]
        return f"it is not valid JSON: {error.msg} near {near!r}"
    except (ValueError, RecursionError):
        return "its JSON is nested too deep, or holds too long a number"
    return "there is no JSON object in it"


class _Stage(Enum):
    BEGIN = auto()
    THOUGHTS = auto()
    AFTER = auto()
    ANSWER = auto()


class Unthinking:
    """Removes thoughts from the front of a text that arrives in pieces."""

    def __init__(self) -> None:
        self._held = ""
        self._stage = _Stage.BEGIN

    def feed(self, piece: str) -> str:
        """The text that can be shown now; may be empty."""
        if self._stage is _Stage.ANSWER:
            return piece
        self._held += piece
        if self._stage is _Stage.BEGIN:
            if opening := _OPENING.match(self._held):
                self._go_on(_Stage.THOUGHTS, opening.end())
            elif not self._may_open():
                return self._go_on(_Stage.ANSWER, len(self._held))
        if self._stage is _Stage.THOUGHTS:
            if closing := _CLOSING.search(self._held):
                self._go_on(_Stage.AFTER, closing.end())
            else:
                # Of thoughts only the beginning of a closing tag has to be kept.
                self._held = self._held[-_LONGEST_CLOSING:]
        if self._stage is _Stage.AFTER:
            self._held = self._held.lstrip()
            if self._held:
                return self._go_on(_Stage.ANSWER, len(self._held))
        return ""

    def close(self) -> str:
        """The text still held back, at the end."""
        return self._held if self._stage is _Stage.BEGIN else ""

    def _go_on(self, stage: _Stage, place: int) -> str:
        """Enter a stage; return the held text up to the position."""
        done, self._held = self._held[:place], self._held[place:]
        self._stage = stage
        return done

    def _may_open(self) -> bool:
        begun = self._held.lstrip()
        return not begun or (begun[0] == "<" and len(begun) < _LONGEST_OPENING and ">" not in begun)


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
    """The first error and its location, worded for the model; empty if the value fits."""
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
                yield from _problems(value, _resolve_reference(rule, root), root, where, depth + 1)
            case "type":
                wanted = rule if isinstance(rule, list) else [rule]
                if not any(_TYPES[one](value) for one in wanted):
                    actual = next(name for name, fits in _TYPES.items() if fits(value))
                    yield f"{where} must be {' or '.join(wanted)}, not {actual}"
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


def _resolve_reference(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    schema: Any = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        schema = schema[step] if step else schema
    return dict(schema)


def _short(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= 60 else f"{words[:57]}..."
