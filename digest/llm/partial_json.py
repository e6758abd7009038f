"""Parses a JSON reply while it arrives: each entry of a section as soon as it is complete.

The entries are as untrusted as the reply; no part of an incomplete entry is ever yielded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


class PartialReply:
    """Reads ``{"section": [{...}, {...}], ...}`` piece by piece, whatever text is around it."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._open: list[str] = []
        self._section = ""
        self._string: int | None = None
        self._escaped = False
        self._entry = 0

    def feed(self, piece: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The entries that the piece completes, each with its section."""
        self._text += piece
        while self._at < len(self._text):
            at = self._at
            self._at += 1
            yield from self._step(at, self._text[at])

    def _step(self, at: int, char: str) -> Iterator[tuple[str, dict[str, Any]]]:
        if self._string is not None:
            self._inside(at, char)
        elif char == '"' and self._open:
            self._string = at
        elif char in "{[" and (self._open or char == "{"):
            if char == "{" and len(self._open) == 2:
                self._entry = at
            self._open.append(char)
        elif char in "}]" and self._open:
            self._open.pop()
            if char == "}" and self._open == ["{", "["]:
                yield from self._whole(self._text[self._entry : at + 1])

    def _inside(self, at: int, char: str) -> None:
        """One more character of a string; a string right below the root may name a section."""
        assert self._string is not None
        if self._escaped:
            self._escaped = False
        elif char == "\\":
            self._escaped = True
        elif char == '"':
            if self._open == ["{"]:
                self._section = self._text[self._string + 1 : at]
            self._string = None

    def _whole(self, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
        try:
            entry = json.loads(text)
        except (ValueError, RecursionError):
            return
        if isinstance(entry, dict):
            yield self._section, entry
