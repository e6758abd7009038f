"""What a file declares, in terms that hold for every language. Imports nothing of ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter as written.

    ``kind`` is empty, ``*`` and ``**`` for those that gather the rest, or ``?`` for those that may
    be left out. ``annotation`` and ``default`` are ``None`` where there is none. ``keyword`` says
    that it can only be given by name. ``row`` counts lines from that of the declaration.
    """

    name: str
    annotation: str | None = None
    default: str | None = None
    kind: str = ""
    keyword: bool = False
    row: int = field(default=0, compare=False)


def last_part(name: str) -> str:
    """The name itself of a qualified name: ``c`` of ``a.b.c`` and of ``a::b::c``."""
    return re.split(r"[.:]+", name)[-1]


class Calling(StrEnum):
    """What of a signature the callers of a language depend on."""

    BY_NAME = "by name"
    """Parameters may be given by name, and types are advice: Python."""
    BY_PLACE = "by place"
    """Parameters go by place, and types are advice: JavaScript, TypeScript."""
    BY_TYPE = "by type"
    """Parameters go by place, and types must fit: Rust, Go, Java, C and C++."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a declaration looks like from outside.

    ``parameters`` stand in their order without the receiver; ``returns`` is ``None`` where nothing
    is said. ``prefix`` are words that change what it is (``async``), ``bases`` those a class
    inherits from. ``text`` is all of it as one line of source.
    """

    text: str
    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None
    prefix: str = ""
    bases: tuple[str, ...] = ()
    calling: Calling = Calling.BY_NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A public declaration of a file.

    ``kind`` is ``function``, ``method``, ``class`` or what the language calls it. ``name`` is
    qualified within the file with dots, ``parent`` the qualified name that holds it, or empty.
    ``line`` is 1-based; ``head`` gives the last line of the header. ``read`` gives the signature
    and ``body`` the text, on demand since most are not needed. ``quiet`` entries can change but
    do not count as coming or going (``__init__``).
    """

    kind: str
    name: str
    parent: str
    line: int
    head: Callable[[], int]
    read: Callable[[], Signature | None]
    body: Callable[[], str]
    quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field that configures something or carries data; ``line`` is 1-based.

    ``touched`` says that the change has lines in it. ``read`` gives the annotation and the
    default, ``None`` where it must be given; it is called for the few fields that need it.
    """

    owner: str
    name: str
    line: int
    touched: bool
    read: Callable[[], tuple[str, str | None]]
