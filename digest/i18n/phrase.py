"""A phrase in every language, with slots that take spans.

A slot ``{name}`` takes a span, spans, words or a number; ``{n:file|files}`` writes a count with the
form that fits it. Chinese has no plural, so its templates write the bare number and a measure word.

Texts are in catalogues, JSON files of this package. In a catalogue a name stands for a phrase, in
English and Chinese, or for a table of phrases. A module ``<catalogue>.py`` gives its phrases as
attributes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

from digest.core.enums import Language
from digest.core.patterns import read_file
from digest.document import Code, Span, Spans, Text, plain
from digest.frozen import frozen

K = TypeVar("K")
Part = Span | Spans | str | int
_SLOT = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}")


@frozen(kw_only=False)
class Phrase:
    """The same text in English and in Chinese."""

    en: str
    zh: str

    def template(self, language: Language) -> str:
        """The template in one language, with its slots."""
        return self.zh if language is Language.ZH else self.en

    def __call__(self, language: Language, /, **parts: Part) -> Spans:
        """The phrase with its slots filled; adjacent plain words are one span."""
        row = join(_fill(self.template(language), parts))
        return with_spaces(row) if language is Language.ZH else row

    def text(self, language: Language, /, **parts: Part) -> str:
        """The phrase as plain text."""
        return plain(join(_fill(self.template(language), parts)))


def phrases_of(package: str, file: str) -> dict[str, Phrase]:
    """The phrases of a JSON file in a package: English and Chinese by key."""
    pairs = json.loads(read_file(package, file))
    return {key: Phrase(en, zh) for key, (en, zh) in pairs.items()}


@cache
def _catalogue(name: str) -> dict[str, Any]:
    return dict(json.loads(read_file("digest.i18n", f"{name}.json")))


@cache
def phrase_in(catalogue: str, name: str) -> Phrase:
    """A phrase of a catalogue. Raises ``AttributeError`` for an unknown name."""
    pair = _catalogue(catalogue).get(name)
    if not isinstance(pair, list):
        raise AttributeError(f"{catalogue}.json has no phrase {name}")  # noqa: TRY004 - for imports
    return Phrase(*pair)


def table_of(key: Callable[[str], K], catalogue: str, name: str) -> dict[K, Phrase]:
    """The phrases of a table in a catalogue; ``key`` makes their keys, such as an enumeration."""
    return {key(value): Phrase(*pair) for value, pair in _catalogue(catalogue)[name].items()}


@lru_cache(maxsize=1024)
def _pieces(template: str) -> tuple[str | tuple[str, str, str], ...]:
    """A template as literal words and ``(slot, one, many)``."""
    parts = _SLOT.split(template)
    pieces: list[str | tuple[str, str, str]] = [parts[0]]
    for at in range(1, len(parts), 4):
        pieces.append((parts[at], parts[at + 1] or "", parts[at + 2] or ""))
        pieces.append(parts[at + 3])
    return tuple(p for p in pieces if p)


def _fill(template: str, parts: dict[str, Part]) -> Iterable[Part]:
    for piece in _pieces(template):
        if isinstance(piece, str):
            yield piece
            continue
        slot, one, many = piece
        value = parts[slot]
        if isinstance(value, int):
            yield f"{value:,} {one if value == 1 else many}" if many else f"{value:,}"
        else:
            yield value


def spans(part: Part) -> Spans:
    """Any part as spans."""
    if isinstance(part, tuple):
        return part
    if isinstance(part, str | int):
        return (Text(str(part)),)
    return (part,)


def join(parts: Iterable[Part]) -> Spans:
    """The parts in a row; adjacent plain words become one span, empty ones are dropped."""
    out: list[Span] = []
    words = ""
    for part in parts:
        if isinstance(part, str):
            words += part
            continue
        for span in part if isinstance(part, tuple) else spans(part):
            if isinstance(span, Text):
                words += span.text
            elif span.text:
                if words:
                    out.append(Text(words))
                    words = ""
                out.append(span)
    if words:
        out.append(Text(words))
    return tuple(out)


_AND = Phrase(" and ", "和")
_BETWEEN = Phrase(", ", "、")
_MORE = Phrase(" and {n:more|more}", "等 {total} 项")


def between(parts: Sequence[Part], separator: str) -> Spans:
    """The parts with a separator between them."""
    row: list[Part] = []
    for part in parts:
        row += [separator, part] if row else [part]
    return join(row)


def list_in_words(
    parts: Sequence[Part], language: Language, *, limit: int, total: int = 0
) -> Spans:
    """The first ``limit`` parts as a list in words; the others are counted.

    ``total`` is the number of all if ``parts`` already holds fewer. English counts the rest ("a, b
    and 3 more"), Chinese the whole ("a、b 等 5 项").
    """
    count = max(total, len(parts))
    shown = parts[:limit]
    row: list[Part] = []
    for at, part in enumerate(shown):
        if at:
            last = at == len(shown) - 1 and count == len(shown)
            row.append((_AND if last else _BETWEEN).template(language))
        row.append(part)
    if count > len(shown):
        row.append(_MORE(language, n=count - len(shown), total=count))
    return with_spaces(join(row)) if language is Language.ZH else join(row)


_IDEOGRAPHS = range(0x4E00, 0xA000)


def with_spaces(row: Spans) -> Spans:
    """The row with a space between Chinese characters and code, by the rules of typography."""
    out: list[Span] = []
    for at, span in enumerate(row):
        if not isinstance(span, Text):
            out.append(span)
            continue
        text = span.text
        if at and isinstance(row[at - 1], Code) and ord(text[0]) in _IDEOGRAPHS:
            text = " " + text
        if at + 1 < len(row) and isinstance(row[at + 1], Code) and ord(text[-1]) in _IDEOGRAPHS:
            text += " "
        out.append(Text(text))
    return tuple(out)
