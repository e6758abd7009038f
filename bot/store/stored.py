"""Facts that are read from their text when one is first asked for.

Most changes that an answer lists are listed by their title: reading all of their facts would take
longer than finding them. The subject is a text of its own for that reason.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any, Self

from digest.facts.form import READ, to_json
from digest.facts.model import Facts

_put = object.__setattr__  # the dataclass is frozen, and its fields are put in late
_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_FIELDS = tuple(field.name for field in fields(Facts))

# As ``_text`` writes what ``to_json`` makes: files begin with their paths, and only items have a
# name. A quotation mark within a text has a stroke before it, so no text looks like a key.
_WORD = r'("[^"\\]*(?:\\.[^"\\]*)*")'
_PATH = re.compile(r'\{"path":' + _WORD + r',"old_path":')
_NAME = re.compile(r'"name":' + _WORD)
_ITEMS = '],"items":['
_PARAGRAPHS = '],"paragraphs":['
# Where nothing is escaped; nearly always, and several times faster.
_PLAIN_PATH = re.compile(r'\{"path":"([^"]*)"')
_PLAIN_NAME = re.compile(r'"name":"([^"]*)"')


def texts_of_facts(facts: Facts) -> tuple[str, str]:
    """The subject and the rest as JSON, for :meth:`StoredFacts.from_texts`."""
    value = to_json(facts)
    return _text(value.pop("subject")), _text(value)


def _words(pattern: re.Pattern[str], plain: re.Pattern[str], text: str) -> tuple[str, ...]:
    if "\\" not in text:
        return tuple(plain.findall(text))
    return tuple(map(json.loads, pattern.findall(text)))


class StoredFacts(Facts):
    """Equal in all to the facts that were stored."""

    __slots__ = ("_late", "_rest", "_subject")
    _late: dict[str, Any]
    _rest: str
    _subject: str

    @classmethod
    def from_texts(cls, version: int, subject: str, rest: str) -> Self:
        """The facts of the texts that :func:`texts_of_facts` made."""
        facts = cls.__new__(cls)
        _put(facts, "version", version)
        _put(facts, "_subject", subject)
        _put(facts, "_rest", rest)
        return facts

    def __getattr__(self, name: str) -> Any:
        # Called for what is not there: a field that was not read yet.
        if name == "_late":
            read: Any = json.loads(self._rest)
        elif name == "subject":
            read = READ[name](json.loads(self._subject))
        elif name in READ:
            read = READ[name](self._late[name])
        else:
            raise AttributeError(name)
        _put(self, name, read)
        return read

    @property
    def paths(self) -> tuple[str, ...]:
        """As of any facts, without reading the files."""
        rest = getattr(self, "_rest", None)
        if rest is None:
            return super().paths
        return _words(_PATH, _PLAIN_PATH, rest[: rest.index(_ITEMS)])

    @property
    def names(self) -> tuple[str, ...]:
        """As of any facts, without reading the items."""
        rest = getattr(self, "_rest", None)  # a copy by pickle has its fields, and no text
        if rest is None:
            return super().names
        items = rest[rest.index(_ITEMS) : rest.index(_PARAGRAPHS)]
        return _words(_NAME, _PLAIN_NAME, items)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Facts):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    __hash__ = Facts.__hash__
