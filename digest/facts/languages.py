"""The language of a file by its name, and what finders look for in the text of each language.

Names are in ``paths.toml``. All else is in ``languages.toml``: a language is added there, in one
section. Finders ask for a key and get what it is by language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from digest.core.patterns import lazy, read_table


@cache
def _languages() -> dict[str, dict[str, Any]]:
    """The sections, each of a language with what it has from the language that it is like."""
    sections = read_table("digest.facts", "languages.toml")

    def whole(name: str) -> dict[str, Any]:
        own = sections[name]
        like = whole(own["like"]) if "like" in own else {}
        also = {key.removeprefix("also_"): value for key, value in own.items() if "also_" in key}
        return {**like, **own, **{key: [*like[key], *value] for key, value in also.items()}}

    return {name: whole(name) for name in sections}


def by_word(groups: Mapping[str, str]) -> dict[str, str]:
    """The group of each word of a table."""
    return {word: name for name, words in groups.items() for word in words.split()}


_FILES = read_table("digest.facts", "paths.toml")["languages"]
_ENDINGS, _NAMES = (by_word(_FILES[key]) for key in ("endings", "names"))
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
        name: tuple(given) for name, section in _languages().items() if (given := section.get(key))
    }


def patterns(key: str) -> dict[str, re.Pattern[str]]:
    """The expression of a key, by language."""
    parts = _languages()["parts"]
    return {
        name: lazy(re.sub(r"<<(\w+)>>", lambda part: parts[part[1]], "|".join(given)))
        for name, given in words(key).items()
    }


def kinds(language: str) -> dict[str, str]:
    """The kinds of declarations by the types of their nodes in the grammar of a language."""
    nodes: dict[str, str] = _languages()[language]["nodes"]
    return nodes
