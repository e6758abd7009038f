"""Facts as JSON, exactly, and facts that are parsed when they are first used.

The keys are part of the archive: they are added to, never renamed. Defaults are written too, so
that a reader need not know them. Most answers list changes by their titles alone, and parsing all
facts would take longer than finding the changes; for that reason the subject is a text of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Self, get_type_hints

from bot.store.columns import adapter, compact_json, value_from
from digest.core.facts import Facts, Subject

_put = object.__setattr__  # fields of the frozen dataclass are set later

_TYPES = get_type_hints(Facts)
_NAMES = tuple(field.name for field in fields(Facts))
_JSON_NAMES = (
    *("version", "subject", "files", "items", "paragraphs", "trailers", "co_authors"),
    *("issues", "reverts", "relands", "merge", "clues", "notes"),
)

# Matches the JSON of :func:`texts_of_facts`: files begin with their paths, and only items have a
# ``name`` key. Quotation marks within texts are escaped, so no text looks like a key.
_WORD = r'("[^"\\]*(?:\\.[^"\\]*)*")'
_PATH = re.compile(r'\{"path":' + _WORD + r',"old_path":')
_NAME = re.compile(r'"name":' + _WORD)
_ITEMS = '],"items":['
_PARAGRAPHS = '],"paragraphs":['

# For texts without escapes, which is nearly all of them; several times faster.
_PLAIN_PATH = re.compile(r'\{"path":"([^"]*)"')
_PLAIN_NAME = re.compile(r'"name":"([^"]*)"')


def facts_to_json(facts: Facts) -> dict[str, Any]:
    """A value for ``json.dumps``; :func:`facts_from_json` returns equal ``Facts`` from it.

    Undecodable bytes of paths stay lone surrogates: dump with ``ensure_ascii`` (the default).
    """
    return {
        name: adapter(_TYPES[name]).dump_python(getattr(facts, name), mode="json")
        for name in _JSON_NAMES
    }


def facts_from_json(value: Mapping[str, Any]) -> Facts:
    """The facts that :func:`facts_to_json` wrote; raises ``ValueError`` for anything else."""
    return value_from(Facts, value)


def texts_of_facts(facts: Facts) -> tuple[str, str]:
    """The subject and the rest as JSON, for :meth:`StoredFacts.from_texts`."""
    value = facts_to_json(facts)
    return compact_json(value.pop("subject")), compact_json(value)


def _words(pattern: re.Pattern[str], plain: re.Pattern[str], text: str) -> tuple[str, ...]:
    if "\\" not in text:
        return tuple(plain.findall(text))
    return tuple(map(json.loads, pattern.findall(text)))


class StoredFacts(Facts):
    """Facts parsed on first use, equal to those that were stored."""

    __slots__ = ("_late", "_rest", "_subject")
    _late: dict[str, Any]
    _rest: str
    _subject: str

    @classmethod
    def from_texts(cls, version: int, subject: str, rest: str) -> Self:
        """Facts from the texts that :func:`texts_of_facts` made."""
        facts = cls.__new__(cls)
        _put(facts, "version", version)
        _put(facts, "_subject", subject)
        _put(facts, "_rest", rest)
        return facts

    def __getattr__(self, name: str) -> Any:
        # Called for missing attributes: a field that was not parsed yet.
        if name == "_late":
            read: Any = json.loads(self._rest)
        elif name == "subject":
            read = adapter(Subject).validate_python(json.loads(self._subject))
        elif name in _TYPES:
            # Facts stored by an older version have neither clues nor notes.
            late = self._late.get(name, ()) if name in {"clues", "notes"} else self._late[name]
            read = adapter(_TYPES[name]).validate_python(late)
        else:
            raise AttributeError(name)
        _put(self, name, read)
        return read

    @property
    def content(self) -> int | None:
        """A number that is the same for the same facts; ``None`` without their texts."""
        rest = getattr(self, "_rest", None)
        return None if rest is None else hash((self.version, self._subject, rest))

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the facts, without parsing the files."""
        rest = getattr(self, "_rest", None)
        if rest is None:
            return super().paths
        return _words(_PATH, _PLAIN_PATH, rest[: rest.index(_ITEMS)])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the facts, without parsing the items."""
        rest = getattr(self, "_rest", None)  # a pickled copy has its fields and no text
        if rest is None:
            return super().names
        items = rest[rest.index(_ITEMS) : rest.index(_PARAGRAPHS)]
        return _words(_NAME, _PLAIN_NAME, items)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Facts):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _NAMES)

    __hash__ = Facts.__hash__
