"""Prompts as files: loaded once, filled strictly. Imports nothing of ours.

A file begins with ``version: N``; below it ``=== system`` and ``=== user`` head its two texts,
either of which may be missing. Variables are those of :class:`string.Template`; one that is not
given, and one that is given but not there, are errors.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_HEAD = re.compile(r"version: ([1-9]\d*)\n((?:=== (?:system|user)\n).*)", re.DOTALL)
_SECTION = re.compile(r"^=== (system|user)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The texts of one prompt file, before they are filled."""

    version: int
    system: str = ""
    user: str = ""


@cache
def texts(name: str) -> Texts:
    """The texts of a prompt file by its name without the ending.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file has no proper head.
    """
    source = files("digest.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
    return read(source)


def read(source: str) -> Texts:
    """The texts of a prompt file's content. Raises ``ValueError`` for a malformed one."""
    head = _HEAD.fullmatch(source)
    if head is None:
        raise ValueError("a prompt file begins with 'version: N' and '=== system' or '=== user'")
    _, *parts = _SECTION.split(head[2])
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    if 2 * len(sections) != len(parts):
        raise ValueError("a prompt file has each section once")
    return Texts(version=int(head[1]), **sections)


def filled(text: str, **values: str) -> str:
    """The text with its variables filled in; values are taken as they are.

    Raises:
        KeyError: A variable has no value.
        ValueError: A value has no variable, or the text has a stray ``$``.
    """
    template = string.Template(text)
    unknown = values.keys() - set(template.get_identifiers())
    if unknown:
        raise ValueError(f"the prompt has no variable {', '.join(sorted(unknown))}")
    return template.substitute(values)
