"""What Telegram does to the text of a message: checks, trims, and finds active parts.

The rules are those of the official Bot API server and of TDLib (``MessageEntity.cpp``),
reimplemented, and stricter where they are lenient: entities that the server would silently repair
are refused, so that a test notices them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

MOST_UNITS = 4096
MOST_BYTES = 1 << 15
MOST_ENTITIES = 100
TYPES = frozenset(
    {"bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", "text_link"}
    | {"blockquote", "expandable_blockquote"}
)
QUOTES = frozenset({"blockquote", "expandable_blockquote"})
FIXED = frozenset({"code", "pre"})
NOTHING = frozenset("\n \xa0\u1680\u180e\u202e\u202f\u205f\u2800\u3000\ufeff\ufffc") | frozenset(
    map(chr, range(0x2000, 0x2010))
)


class Refused(Exception):
    """400, with the server's text."""


@dataclass(frozen=True)
class Entity:
    """An entity; ``of`` is the text in it."""

    type: str
    offset: int
    length: int
    of: str
    url: str = ""
    language: str = ""

    @property
    def end(self) -> int:
        return self.offset + self.length


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def taken(text: str, given: list[dict[str, Any]]) -> tuple[str, list[Entity]]:
    """The stored text and entities, including those found in it."""
    if len(text.encode()) > MOST_BYTES:
        raise Refused("text is too long")
    if all(char in NOTHING for char in text):
        raise Refused("message text is empty")
    entities = [checked(text, one) for one in given][:MOST_ENTITIES]
    nested(entities)
    trimmed = text.rstrip(" \n")
    lead = 0
    first = min([one.offset for one in entities], default=units(trimmed))
    while lead < first and trimmed[lead] in " \n":
        lead += 1
    if units(trimmed[lead:]) > MOST_UNITS:
        raise Refused("message is too long")
    if lead:
        entities = [
            Entity(e.type, e.offset - lead, e.length, e.of, e.url, e.language) for e in entities
        ]
    trimmed = trimmed[lead:]
    return trimmed, [*entities, *found(trimmed, entities)]


def checked(text: str, given: dict[str, Any]) -> Entity:
    """One entity, checked alone."""
    kind, offset, length = given.get("type"), given.get("offset"), given.get("length")
    if kind not in TYPES:
        raise Refused(f"can't parse entities: unsupported type {kind!r}")
    if not isinstance(offset, int) or not isinstance(length, int) or offset < 0 or length < 1:
        raise Refused(f"can't parse entities: incorrect offset {offset} or length {length}")
    if offset + length > units(text):
        raise Refused(f"entity beginning at UTF-16 offset {offset} ends after the end of the text")
    raw = text.encode("utf-16-le")
    try:
        raw[: 2 * offset].decode("utf-16-le")
        of = raw[2 * offset : 2 * (offset + length)].decode("utf-16-le")
    except UnicodeDecodeError:
        raise Refused(
            f"entity beginning at UTF-16 offset {offset} begins or ends in a middle of a symbol"
        ) from None
    if kind == "text_link":
        link(given.get("url", ""), "entity")
    return Entity(kind, offset, length, of, given.get("url", ""), given.get("language", ""))


def nested(entities: list[Entity]) -> None:
    """Sorted, nested or separate, as https://core.telegram.org/bots/api requires."""
    if entities != sorted(entities, key=lambda e: (e.offset, -e.length)):
        raise Refused("can't parse entities: not in order")
    around: list[Entity] = []
    for entity in entities:
        while around and entity.offset >= around[-1].end:
            around.pop()
        kinds = {one.type for one in around}
        if around and entity.end > around[-1].end:
            raise Refused(f"can't parse entities: {entity.type} overlaps {around[-1].type}")
        if kinds & FIXED:
            raise Refused(f"can't parse entities: {entity.type} within {kinds & FIXED}")
        if entity.type in FIXED and kinds - QUOTES:
            raise Refused(f"can't parse entities: {entity.type} within {kinds - QUOTES}")
        if entity.type in QUOTES and kinds & QUOTES:
            raise Refused("can't parse entities: a quote within a quote")
        if entity.type in kinds:
            raise Refused(f"can't parse entities: {entity.type} within itself")
        around.append(entity)


def link(url: str, what: str) -> None:
    """Whether a URL may be a link: http, and a server with a dot in its name."""
    try:
        parts = urlsplit(url)
        good = parts.scheme.lower() in {"http", "https"} and "." in (parts.hostname or "")
        good = good and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or any(char.isspace() for char in url):
        raise Refused(f"{what} Wrong HTTP URL")


# What is found without markup

_NAME = "[a-zA-Z0-9_]"
_TLD = frozenset(
    [
        "com",
        "org",
        "net",
        "io",
        "dev",
        "app",
        "ai",
        "md",
        "py",
        "rs",
        "sh",
        "me",
        "pl",
        "cc",
        "so",
        "ts",
        "do",
        "to",
        "in",
        "is",
        "it",
        "co",
        "cn",
        "ru",
        "de",
        "uk",
        "example",
        "test",
        "рф",
        "中国",
    ]
)


def found(text: str, given: list[Entity]) -> list[Entity]:
    """The active parts outside links and code: mentions, commands, tags, URLs."""
    covered = [e for e in given if e.type in FIXED or e.type == "text_link"]
    out: list[Entity] = []
    for kind, start, end in _candidates(text):
        offset, of = units(text[:start]), text[start:end]
        one = Entity(kind, offset, units(of), of)
        if not any(one.offset < c.end and c.offset < one.end for c in covered):
            out.append(one)
    return out


def _candidates(text: str):
    for match in re.finditer(rf"@{_NAME}{{2,32}}", text):
        if not _word(text, match.start() - 1) and not _word(text, match.end()):
            yield "mention", *match.span()
    for match in re.finditer(rf"/{_NAME}{{1,64}}(?:@{_NAME}{{3,32}})?", text):
        before, after = match.start() - 1, match.end()
        if not any(_word(text, at) or _at(text, at) in "/<>" for at in (before, after)):
            yield "bot_command", *match.span()
    for match in re.finditer(r"#([\w\u200c\u00b7]{1,256})", text):
        if not _word(text, match.start() - 1) and any(c.isalpha() for c in match[1]):
            yield "hashtag", *match.span()
    for match in re.finditer(r"\$(?:1INCH|[A-Z]{1,8})(?!\w)", text):
        if not _word(text, match.start() - 1):
            yield "cashtag", *match.span()
    for match in re.finditer(rf"(?:tg|ton|tonsite)://{_NAME}", text, re.IGNORECASE):
        yield "url", *match.span()
    symbol = r"[\w~\u00c0-\u1fff\u200c\u200d\u2010-\u2015\u2070-\U0010ffff-]"
    for match in re.finditer(
        rf"(https?://|ftp://)?(\S*@)?({symbol}+(?:\.{symbol}+)+)", text, re.IGNORECASE
    ):
        domain = unicodedata.normalize("NFC", match[3])
        last = domain.rpartition(".")[2].lower()
        numbers = domain.split(".")
        ipv4 = len(numbers) == 4 and all(n.isdecimal() and int(n) < 256 for n in numbers)
        if match[1] or last in _TLD or last.startswith("xn--") or ipv4:
            yield ("email" if match[2] else "url"), *match.span()


def _at(text: str, place: int) -> str:
    return text[place] if 0 <= place < len(text) else "\0"


def _word(text: str, place: int) -> bool:
    char = _at(text, place)
    return char == "_" or unicodedata.category(char)[0] in "LN"
