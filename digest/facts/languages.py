"""The language of a file by its name, and what finders look for in the text of each language.

All of it is in ``languages.toml``: a language is added there, in one section. Finders ask for a key
and get what it is by language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from digest.core.patterns import lazy, read_table

_SECTIONS = read_table("digest.facts", "languages.toml")
_PARTS: dict[str, str] = _SECTIONS["parts"]


def _whole(name: str) -> dict[str, Any]:
    """The section of a language with what it has from the language that it is like."""
    own = _SECTIONS[name]
    section = _whole(own["like"]) if "like" in own else {}
    also = {key.removeprefix("also_"): value for key, value in own.items() if "also_" in key}
    return {**section, **own, **{key: [*section[key], *value] for key, value in also.items()}}


_LANGUAGES = {name: _whole(name) for name in _SECTIONS if name not in {"files", "parts"}}


def by_word(groups: Mapping[str, str]) -> dict[str, str]:
    """The group of each word of a table."""
    return {word: name for name, words in groups.items() for word in words.split()}


_ENDINGS, _NAMES = (by_word(_SECTIONS["files"][key]) for key in ("endings", "names"))
_CACHE = 16_384  # paths; more than a large tree changes in a month, but bounded


def endings_of(language: str) -> tuple[str, ...]:
    """The file name extensions of a language, without the dot."""
    return tuple(ending for ending, of in _ENDINGS.items() if of == language)


@lru_cache(maxsize=_CACHE)
def language_of(path: str) -> str:
    """A lower-case name such as ``python``, or empty if the name says nothing."""
    name = path.rpartition("/")[2].lower()
    if (language := _NAMES.get(name)) is not None:
        return language
    stem, dot, ending = name.rpartition(".")
    if name.startswith(("dockerfile", "containerfile")) or ending == "dockerfile":
        return "dockerfile"
    return _ENDINGS.get(ending, "") if dot and stem else ""


def words(key: str) -> dict[str, tuple[str, ...]]:
    """The words of a key, by language."""
    return {
        name: tuple(given) for name, section in _LANGUAGES.items() if (given := section.get(key))
    }


def patterns(key: str) -> dict[str, re.Pattern[str]]:
    """The expression of a key, by language."""
    return {
        name: lazy(re.sub(r"<<(\w+)>>", lambda part: _PARTS[part[1]], "|".join(given)))
        for name, given in words(key).items()
    }


def kinds(language: str) -> dict[str, str]:
    """The kinds of declarations by the types of their nodes in the grammar of a language."""
    nodes: dict[str, str] = _LANGUAGES[language]["nodes"]
    return nodes
