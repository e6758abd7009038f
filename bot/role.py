"""Which part of the program a process is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.forges.arrivals import Taking
    from bot.runner.waking import Wake

Loop = Callable[[asyncio.Event], Coroutine[None, None, None]]
"""Works until the event is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a process does, and how it takes in what forges tell it; not at all without hooks.

    ``wake`` has what is left of a channel sent at once; without it a sweep finds it.
    """

    loop: Loop
    taking: Taking | None = None
    wake: Wake | None = None


class Role(StrEnum):
    """A part of the work. All but ``ALL`` need an archive in PostgreSQL."""

    ALL = "all"
    WEB = "web"
    """Pages, and what platforms tell; others answer."""
    WORKER = "worker"
    """Builds, posts and answers what others found to be done."""
    SCHEDULER = "scheduler"
    """Finds what is due."""

    @property
    def hosts(self) -> bool:
        """Whether it serves what the outside calls."""
        return self in {Role.ALL, Role.WEB}

    @property
    def reads(self) -> bool:
        """Whether it reads repositories."""
        return self in {Role.ALL, Role.WORKER}

    @property
    def sweeps(self) -> bool:
        """Whether it may be held against it that nothing was taken up for long."""
        return self is Role.ALL
