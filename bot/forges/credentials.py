"""As whom a forge is asked: nobody, a token, or an app (see :mod:`bot.forges.app`)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Protocol


class Credentials(Protocol):
    """What goes with every request."""

    name: str
    """Tells accounts apart without telling secrets: pages are kept by it."""

    known: bool
    """Whether it is somebody: nobody has few requests, which are not spent unasked."""

    async def headers(self) -> Mapping[str, str]:
        """The headers, in small letters. Raises what asking a forge raises."""

    def refused(self) -> bool:
        """Told that the forge did not take them; whether new ones are to be had."""


class Anonymous:
    """Nobody."""

    name = ""
    known = False

    async def headers(self) -> Mapping[str, str]:
        """None."""
        return {}

    def refused(self) -> bool:
        """There are no others."""
        return False


class Token:
    """A token that stays the same. ``header`` and ``scheme`` are how the forge takes it."""

    known = True

    def __init__(self, token: str, header: str = "authorization", scheme: str = "") -> None:
        self._token = token
        self._header = header
        self._scheme = f"{scheme} " if scheme else ""
        digest = hashlib.sha256(token.encode()).hexdigest()
        self.name = f"token {digest[:16]}"

    async def headers(self) -> Mapping[str, str]:
        """The token in its header."""
        return {self._header: f"{self._scheme}{self._token}"}

    def refused(self) -> bool:
        """There are no others."""
        return False
