"""Messages that were heard, remembered in front of the database.

Platforms deliver a message again, some of them three times in a minute, and to another process
than before. A message is remembered only after the database has its record: what Redis knows is
claimed for certain, and what it forgot the database still knows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.conversation.record import Key, Record, Records, Stage
from bot.platforms.base import Incoming, Receipt
from bot.shared.connection import PREFIX, Connection

_KEPT = timedelta(hours=1)
"""Most of what is delivered again comes within that; Feishu's last time is after 6 hours."""


class RememberedRecords:
    """``Records`` that spare the database the claims of what was claimed before."""

    def __init__(self, records: Records, connection: Connection) -> None:
        self._records = records
        self._connection = connection

    async def claim(self, key: Key, asked: Incoming, now: datetime) -> bool:
        """As :meth:`bot.conversation.record.Records.claim`."""
        name = _name(key)
        if await self._connection.ask(lambda redis: redis.exists(name)):
            return False
        first = await self._records.claim(key, asked, now)
        await self._connection.ask(lambda redis: redis.set(name, "1", ex=_KEPT))
        return first

    async def get(self, key: Key) -> Record | None:
        """As :meth:`bot.conversation.record.Records.get`."""
        return await self._records.get(key)

    async def mark(self, key: Key, stage: Stage, receipt: Receipt | None = None) -> None:
        """As :meth:`bot.conversation.record.Records.mark`."""
        await self._records.mark(key, stage, receipt)

    async def ask_again(self, key: Key, asked: Incoming) -> None:
        """As :meth:`bot.conversation.record.Records.ask_again`."""
        await self._records.ask_again(key, asked)

    async def left(self, account: str) -> Sequence[Record]:
        """As :meth:`bot.conversation.record.Records.left`."""
        return await self._records.left(account)


def _name(key: Key) -> str:
    named = json.dumps([key.account, key.chat, key.message])
    return f"{PREFIX}:heard:{hashlib.sha256(named.encode()).hexdigest()[:32]}"
