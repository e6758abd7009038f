"""JSON in the text of a model, despite thoughts, fences, chatter and trailing commas.

The text is hostile: every step takes linear time, nesting that would exhaust the stack does not
count as JSON, and characters that no database accepts are replaced. Tags count as thoughts only
where servers leave them. :func:`problem` checks values against a JSON schema; a keyword that the
schemas of our prompts do not need fails an assertion, since none comes from outside.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
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
_KEYWORDS = {
    "$ref", "$defs", "type", "enum", "items", "properties", "required", "additionalProperties",
}  # fmt: skip
_TYPES = {
    dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null",
    int: "integer", float: "number",
}  # fmt: skip


def problem(value: Any, schema: Mapping[str, Any]) -> str:
    """The first error and its location, worded for the model; empty if the value fits."""
    return next(_problems(value, schema, schema.get("$defs", {}), "the reply"), "")


def _problems(
    value: Any, schema: Mapping[str, Any], defined: Mapping[str, Any], where: str
) -> Iterator[str]:
    assert schema.keys() <= _KEYWORDS, f"some keyword of {sorted(schema)} is not checked"
    if reference := schema.get("$ref"):
        schema = defined[reference.removeprefix("#/$defs/")]
    actual = _TYPES[type(value)]
    if actual != schema["type"]:
        yield f"{where} must be {schema['type']}, not {actual}"
    elif actual == "object":
        known = schema["properties"]
        for name, inner in known.items():
            if name in value:
                yield from _problems(value[name], inner, defined, f"{where}.{name}")
        yield from (f"{where} lacks {name!r}" for name in schema["required"] if name not in value)
        yield from (f"{where} has the unknown key {_short(k)}" for k in value if k not in known)
    elif actual == "array":
        for place, one in enumerate(value):
            yield from _problems(one, schema["items"], defined, f"{where}[{place}]")
    elif value not in schema.get("enum", [value]):
        choices = ", ".join(map(repr, schema["enum"]))
        yield f"{where} must be one of {choices}, not {_short(value)}"


def _short(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= 60 else f"{words[:57]}..."
