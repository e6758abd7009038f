"""Sources kept open between questions, with what git told of them."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.sources.address import looks_like_address, read_address
from bot.sources.clones import Clone
from bot.sources.git import GitSource
from bot.sources.opening import open_source
from digest.graded import Repository

FRESH = 300.0
"""Seconds after which a place is looked at again: folders move, remotes are renamed."""


@dataclass(frozen=True, slots=True)
class _Opened:
    repository: Repository
    source: GitSource
    at: float


class Sources:
    """The sources of a process, by place. One that fails to open is tried again next time."""

    def __init__(self, data: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._data = data
        self._clock = clock
        self._opened: dict[str, _Opened] = {}
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def at_hand(self, place: str) -> bool:
        """Whether a place can be opened without asking another machine: nothing is cloned."""
        if place in self._opened:
            return True
        if looks_like_address(place):
            address = read_address(place)
            return address is not None and Clone(address, self._data).git_dir.is_dir()
        return True

    async def open(self, place: str) -> tuple[Repository, GitSource]:
        """As :func:`bot.sources.opening.open_source`; one place is opened by one at a time."""
        async with self._opening[place]:
            held = self._opened.get(place)
            if held is None or held.at + FRESH < self._clock():
                repository, source = await open_source(place, self._data)
                if held is not None and held.source.reads_as(source):
                    source = held.source  # it knows the branch already
                source.stay()
                held = self._opened[place] = _Opened(repository, source, self._clock())
            return held.repository, held.source
