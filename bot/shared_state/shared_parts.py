"""The services that ``run`` shares with other processes, with or without Redis.

The Redis library is imported only if an address is configured.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from bot.access.gate import QuestionCounts
from bot.messaging.rates import Paces
from bot.messaging.sender import Bounded, Sender
from bot.store.replies import Records
from digest.errors import InvalidConfig

if TYPE_CHECKING:
    from bot.shared_state.redis_state import RedisConnection, RedisWindows, WakeUps


class SharedParts:
    """The services shared with other processes; local ones without a connection."""

    def __init__(self, connection: RedisConnection | None = None) -> None:
        self._connection = connection
        self._nudges: WakeUps | None = None

    @property
    def look(self) -> Callable[[], Awaitable[str]] | None:
        """A check whether Redis answers; ``None`` without Redis."""
        return self._connection.look if self._connection else None

    def asked(self) -> QuestionCounts:
        """The counter of each person's questions."""
        if self._connection is None:
            return QuestionCounts()
        from bot.shared_state.redis_state import RedisQuestionCounts

        return RedisQuestionCounts(self._connection)

    def records(self, records: Records) -> Records:
        """The records of messages, with a cache of repeated deliveries."""
        if self._connection is None:
            return records
        from bot.shared_state.redis_state import CachedRecords

        return CachedRecords(records, self._connection)

    def nudging(self, nudge: Callable[[], None]) -> Callable[[], None]:
        """A function that wakes every process after a change; ``nudge`` wakes this one."""
        if self._connection is None:
            return nudge
        from bot.shared_state.redis_state import WakeUps

        self._nudges = WakeUps(self._connection, nudge)
        return self._nudges.tell

    def share_turns(self, senders: Mapping[str, Sender]) -> None:
        """Let all processes that use these accounts share their rate limits."""
        if self._connection is None:
            return
        for name, sender in senders.items():
            if isinstance(sender, Bounded):
                turns = partial(_turns, self._connection, name)
                if isinstance(sender.paces, Paces):
                    sender.paces.share(turns)
                    continue
                for part, pace in sender.paces.items():
                    pace.share(turns(part))

    @asynccontextmanager
    async def hearing(self) -> AsyncIterator[None]:
        """Receive other processes' changes while inside."""
        if self._nudges is None:
            yield
            return
        async with self._nudges.heard():
            yield


def _turns(connection: RedisConnection, account: str, part: str) -> RedisWindows:
    from bot.shared_state.redis_state import RedisWindows

    return RedisWindows(connection, f"{account}/{part}")


async def open_common(
    url: str, senders: Mapping[str, Sender], stack: AsyncExitStack
) -> SharedParts:
    """The Redis at an address, closed with ``stack``; empty is none. Raises ``InvalidConfig``."""
    if not url:
        return SharedParts()
    from bot.shared_state.redis_state import RedisConnection as Connection

    try:
        connection = Connection(url)
    except ValueError as error:
        raise InvalidConfig(f"the address of Redis cannot be read: {error}") from None
    stack.push_async_callback(connection.aclose)
    await connection.look()
    common = SharedParts(connection)
    common.share_turns(senders)
    return common
