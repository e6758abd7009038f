"""JSON out of what a model writes: thoughts, fences, chatter and trailing commas around it.

The text is hostile: every step is linear in its length, nesting that would exhaust the stack is no
JSON, and characters that no database takes are replaced. Tags of thoughts are taken for such only
where a server leaves them, since a change can be about those tags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any

# Reasoning models think before they answer; servers that do not take the thoughts out leave them
# between such tags. Some chat templates open the thoughts, so that a reply begins inside them.
_TAG = r"(?:think|thinking|thought|reasoning)>"
_OPENING = re.compile(rf"\s*<{_TAG}", re.IGNORECASE)
_CLOSING = re.compile(rf"</{_TAG}", re.IGNORECASE)
_CLOSING_LINE = re.compile(rf"^[ \t]*</{_TAG}[ \t]*$", re.IGNORECASE | re.MULTILINE)
_LONGEST_OPENING = len("<reasoning>")

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_MARK = re.compile(r'["{}\[\]]')
# A text that is not closed reaches to the end: so nothing is looked at twice.
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
_STRING_HERE = re.compile(_STRING, re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)
# Lone surrogates cannot be encoded, and PostgreSQL takes no NUL in a text.
_UNFIT = re.compile("[\ud800-\udfff\x00]")
# How many places an object may begin at before the search is given up.
_TRIES = 6


def without_thoughts(text: str) -> str:
    """The reply itself; blank where the model only thought."""
    if opening := _OPENING.match(text):
        closing = _CLOSING.search(text, opening.end())
        return text[closing.end() :].strip() if closing else ""
    closing = _CLOSING_LINE.search(text)
    return text[closing.end() :].strip() if closing else text.strip()


def objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a reply that stand side by side, in order.

    Raises ``ValueError``, with words for the model, where there is none.
    """
    bare = _FENCE.sub("", without_thoughts(text)).strip()
    whole = _loaded(bare)
    if isinstance(whole, dict):
        return [whole]
    thoughts = list(_CLOSING.finditer(bare))
    after = bare[thoughts[-1].end() :] if thoughts else ""
    for part in (after, bare):
        found = [one for span in _spans(part) if isinstance(one := _loaded(span), dict)]
        if found:
            return found
    raise ValueError(_why(bare))


def _loaded(text: str) -> Any:
    """The value of a JSON text, ``None`` where it is none."""
    try:
        return clean(json.loads(_mended(text), strict=False))
    except (ValueError, RecursionError):
        return None


def _mended(text: str) -> str:
    return _TRAILING_COMMA.sub(lambda found: found.group(1) or "", text)


def clean(value: Any) -> Any:
    """The same value with every text fit to be stored."""
    if isinstance(value, str):
        return _UNFIT.sub("\ufffd", value)
    if isinstance(value, list):
        return [clean(one) for one in value]
    if isinstance(value, dict):
        return {clean(key): clean(one) for key, one in value.items()}
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
    """The place after the brace that closes the one at ``start``."""
    depth = 0
    place = start
    while found := _MARK.search(text, place):
        place = found.end()
        if found.group() == '"':
            string = _STRING_HERE.match(text, found.start())
            place = string.end() if string else len(text)
        elif found.group() in "{[":
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
        json.loads(_mended(text[start:end]), strict=False)
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
    """Takes the thoughts off the front of a text that comes in pieces."""

    def __init__(self) -> None:
        self._held = ""
        self._stage = _Stage.BEGIN

    def feed(self, piece: str) -> str:
        """What can be shown now; it may be empty."""
        if self._stage is _Stage.ANSWER:
            return piece
        self._held += piece
        if self._stage is _Stage.BEGIN:
            if opening := _OPENING.match(self._held):
                self._go_on(_Stage.THOUGHTS, opening.end())
            elif not self._may_open():
                return self._go_on(_Stage.ANSWER, len(self._held))
        if self._stage is _Stage.THOUGHTS and (closing := _CLOSING.search(self._held)):
            self._go_on(_Stage.AFTER, closing.end())
        if self._stage is _Stage.AFTER:
            self._held = self._held.lstrip()
            if self._held:
                return self._go_on(_Stage.ANSWER, len(self._held))
        return ""

    def close(self) -> str:
        """What was held back, at the end."""
        return self._held if self._stage is _Stage.BEGIN else ""

    def _go_on(self, stage: _Stage, place: int) -> str:
        """Enter a stage; what is held up to the place is done with, and returned."""
        done, self._held = self._held[:place], self._held[place:]
        self._stage = stage
        return done

    def _may_open(self) -> bool:
        begun = self._held.lstrip()
        return not begun or (begun[0] == "<" and len(begun) < _LONGEST_OPENING and ">" not in begun)
