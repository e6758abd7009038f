"""Storage for inboxes: one that outlives a process, and one that accepts nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bot.messaging.inbox import Arrival, InboxStore
from digest.errors import UnwritableFolder


class FullShelf(InboxStore):
    """A full disk."""

    async def keep(self, arrival: Arrival) -> None:
        raise UnwritableFolder("/there", "No space left on device")


class KeptShelf:
    """Storage in memory that outlives the inboxes that use it."""

    def __init__(self) -> None:
        self.rows: dict[str, Arrival] = {}

    async def keep(self, arrival: Arrival) -> None:
        self.rows[arrival.key] = arrival

    def drop(self, key: str) -> None:
        self.rows.pop(key, None)

    async def left(self, account: str, until: datetime) -> Sequence[Arrival]:
        return [
            one for _, one in sorted(self.rows.items()) if one.account == account and one.at < until
        ]

    async def tried(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.rows[key] = replace(self.rows[key], tries=self.rows[key].tries + 1)
