"""A platform that calls over HTTP, and what it calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol, runtime_checkable

AsgiScope = MutableMapping[str, Any]
AsgiReceive = Callable[[], Awaitable[MutableMapping[str, Any]]]
AsgiSend = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Asgi = Callable[[AsgiScope, AsgiReceive, AsgiSend], Awaitable[None]]
"""An application for a web server: https://asgi.readthedocs.io/en/latest/specs/www.html"""


@runtime_checkable
class Called(Protocol):
    """A receiver that its platform can call over HTTP.

    ``web`` answers those calls, and refuses what the platform did not sign; the program's web
    server mounts it. ``None`` where the receiver is configured to connect by itself.
    """

    web: Asgi | None
