"""Trailers by git's own rules. Imports nothing of ours.

Source of the rules: git-interpret-trailers(1). The block is the last paragraph below the subject;
it must hold trailers only, or a line that git itself writes and at least a quarter of trailers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_TRAILER = re.compile(r"([A-Za-z0-9-]{1,60})[ \t]*:(?!//)[ \t]*(.*)")
_GITS_OWN = ("Signed-off-by: ", "(cherry picked from commit ")
_PERSON = re.compile(r"([^<]*)<([^<>]*)>?")
_LONGEST = 200  # characters of a person's name; who writes more floods readers

Trailers = tuple[tuple[str, str], ...]


def split_trailers(body: str) -> tuple[str, Trailers]:
    """The text above the block, and its (token, value) pairs in order; continuations are joined."""
    lines = body.rstrip().split("\n")
    start = len(lines)
    while start > 0 and lines[start - 1].strip():
        start -= 1
    block = lines[start:]
    pairs = _read(block)
    if not pairs or not _is_block(block):
        return body, ()
    return "\n".join(lines[:start]).rstrip(), tuple(pairs)


def trailer(line: str) -> tuple[str, str] | None:
    """The (token, value) of a line that has the shape of a trailer."""
    found = _TRAILER.match(line)
    return (found[1], found[2].strip()) if found else None


def co_authors(lines: Iterable[str], author: str, email: str) -> tuple[str, ...]:
    """Names of ``Co-authored-by`` lines, each once, without the author.

    Squashed requests leave such lines above the last paragraph too, so every line counts.
    """
    seen = {author.casefold(), email.casefold()}
    names: list[str] = []
    for line in lines:
        if line[:15].lower() != "co-authored-by:" or not (person := _PERSON.match(line[15:])):
            continue
        name, address = person[1].strip(), person[2].strip()
        name = (name or address)[:_LONGEST]
        if not name or {name.casefold(), address.casefold()} & seen:
            continue
        seen |= {name.casefold(), address.casefold()} - {""}
        names.append(name)
    return tuple(names)


def _is_block(lines: list[str]) -> bool:
    own = trailers = others = 0
    for line in lines:
        if line.startswith(_GITS_OWN):
            own += 1
        elif _TRAILER.match(line):
            trailers += 1
        elif not line[:1].isspace() and not line.startswith("#"):
            others += 1
    return others == 0 or (own > 0 and (own + trailers) * 3 >= others)


def _read(lines: list[str]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for line in lines:
        if line[:1].isspace() and pairs:
            token, value = pairs[-1]
            pairs[-1] = (token, f"{value} {line.strip()}"[:1000])
        elif found := trailer(line):
            pairs.append(found)
    return pairs
