"""Paths as git quotes them. Imports nothing of ours.

Git puts a path between double quotes and escapes it like a C string where it holds a control
character, a quote, a backslash or, with ``core.quotePath``, any byte outside ASCII; every other
path stands as it is. Source: git-config(1), ``core.quotePath``.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-3][0-7]{2})')
_SIMPLE = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
    b'"': b'"',
    b"\\": b"\\",
}


def unquote(path: str) -> str:
    """The path that git wrote as ``path``, quoted or not; no UTF-8 is kept by surrogateescape."""
    if not path.startswith('"'):
        return path
    inner = path[1:-1].encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_meaning, inner).decode("utf-8", "surrogateescape")


def _meaning(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return _SIMPLE.get(code) or bytes([int(code, 8)])
