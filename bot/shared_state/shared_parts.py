"""What the parts of ``run`` are given, with a Redis and without one.

The library of Redis is imported where an address is configured, and nowhere else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from bot.access.gate import Alone, QuestionCounts
from bot.messaging.rates import Paces
from bot.messaging.sender import Bounded, Sender
from bot.store.replies import Records
from digest.errors import InvalidConfig

if TYPE_CHECKING:
    from bot.shared_state.redis_connection import RedisConnection
    from bot.shared_state.redis_state import Nudges, RedisTurns


class SharedParts:
    """What a process has in common with others; without a connection, nothing."""

    def __init__(self, connection: RedisConnection | None = None) -> None:
        self._connection = connection
        self._nudges: Nudges | None = None

    @property
    def look(self) -> Callable[[], Awaitable[str]] | None:
        """Asks whether Redis answers; ``None`` where there is none."""
        return self._connection.look if self._connection else None

    def asked(self) -> QuestionCounts:
        """Where the questions of each person are counted."""
        if self._connection is None:
            return Alone()
        from bot.shared_state.redis_state import RedisAsked

        return RedisAsked(self._connection)

    def records(self, records: Records) -> Records:
        """The records of messages, with what spares the database their repetitions."""
        if self._connection is None:
            return records
        from bot.shared_state.redis_state import RememberedRecords

        return RememberedRecords(records, self._connection)

    def nudging(self, nudge: Callable[[], None]) -> Callable[[], None]:
        """What tells every process that something changed; ``nudge`` tells this one."""
        if self._connection is None:
            return nudge
        from bot.shared_state.redis_state import Nudges

        self._nudges = Nudges(self._connection, nudge)
        return self._nudges.tell

    def share_turns(self, senders: Mapping[str, Sender]) -> None:
        """Let all processes that speak by these accounts count their messages together."""
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
        """Hear of other processes' changes while inside."""
        if self._nudges is None:
            yield
            return
        async with self._nudges.heard():
            yield


def _turns(connection: RedisConnection, account: str, part: str) -> RedisTurns:
    from bot.shared_state.redis_state import RedisTurns

    return RedisTurns(connection, f"{account}/{part}")


async def open_common(
    url: str, senders: Mapping[str, Sender], stack: AsyncExitStack
) -> SharedParts:
    """The Redis at an address, which need not answer now; an empty one is none.

    Closed with ``stack``. Raises ``InvalidConfig``.
    """
    if not url:
        return SharedParts()
    from bot.shared_state.redis_connection import RedisConnection as Connection

    try:
        connection = Connection(url)
    except ValueError as error:
        raise InvalidConfig(f"the address of Redis cannot be read: {error}") from None
    stack.push_async_callback(connection.aclose)
    await connection.look()
    common = SharedParts(connection)
    common.share_turns(senders)
    return common
