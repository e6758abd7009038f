r"""Dead chats: one that refuses repeatedly is parked, and nothing more is sent to it.

::

    taking --refusal--> struck --3 in a row, over 5 minutes--> parked
       ^                  |  ^                                   |
       \----- a post -----/  \---- a probe that succeeds --------/

A refusal means that there is no such chat, or that the bot may not post in it. A parked chat is
probed at growing intervals, without sending anything; if it refuses a post after that, it is parked
at once, and the intervals go on growing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from bot.delivery.delivery import Delivered
from bot.delivery.part_sender import Target
from bot.messaging.sender import SendError, SendReason
from bot.store.deliveries import ChatRefusal, SqlRefusals
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)

REFUSALS = frozenset({SendReason.NO_CHANNEL, SendReason.UNAUTHORIZED})
STRIKES = 3
LASTING = timedelta(minutes=5)  # a platform's momentary failure must not park a thousand chats
_FIRST_PROBE = timedelta(minutes=15)
_LONGEST = timedelta(days=1)
_GROWTH = 4
_PATIENCE = 30.0  # seconds for one probe
_AT_ONCE = 8


class Quarantine:
    """Which chats are parked, as last read, updated by the result of each attempt."""

    def __init__(self, refusals: SqlRefusals, clock: Clock) -> None:
        self._kept = refusals
        self._clock = clock
        self._known: dict[tuple[str, str], ChatRefusal] = {}

    async def look(self, targets: Mapping[tuple[str, str], Target]) -> None:
        """Reload the stored refusals, and probe the parked chats of ``targets`` that are due."""
        self._known = {refusal.place: refusal for refusal in await self._kept.all()}
        now = self._clock.now()
        due = [
            (refusal, targets[refusal.place])
            for refusal in self._known.values()
            if refusal.place in targets
            and refusal.parked_at
            and refusal.next_probe
            and refusal.next_probe <= now
        ]
        places = asyncio.Semaphore(_AT_ONCE)
        await asyncio.gather(*(self._probe(refusal, target, places) for refusal, target in due))

    def holds(self, target: Target) -> bool:
        """Whether nothing may be sent there."""
        known = self._known.get(target.place)
        return known is not None and known.parked_at is not None

    async def note(self, target: Target, results: Sequence[Delivered]) -> None:
        """Record the results of an attempt: a post clears the chat, a refusal counts against it."""
        if any(result.new for result in results):
            if self._known.pop(target.place, None):
                await self._kept.forget(*target.place)
            return
        refused = next((r.error for r in results if refusal_of(r)), "")
        if refused:
            now = self._clock.now()
            reason, _, detail = refused.partition(": ")
            account, chat = target.place
            known = self._known.get(target.place) or ChatRefusal(
                account=account, chat=chat, reason=reason, detail=detail, strikes=0, since=now
            )
            known = replace(known, reason=reason, detail=detail, strikes=known.strikes + 1)
            if known.strikes >= STRIKES and now - known.since >= LASTING:
                known = replace(known, parked_at=now, next_probe=now + pause(known.probes))
                log.warning("chat.parked", account=account, chat=chat, error=refused)
            self._known[target.place] = known
            await self._kept.keep(known)

    async def _probe(self, known: ChatRefusal, target: Target, places: asyncio.Semaphore) -> None:
        try:
            async with places, asyncio.timeout(_PATIENCE):
                await target.sender.probe(target.chat)
        except (SendError, TimeoutError) as error:
            probes = known.probes + 1
            again = self._clock.now() + pause(probes)
            log.info("chat.still_parked", account=known.account, chat=known.chat, error=str(error))
            known = replace(known, probes=probes, next_probe=again)
        else:
            log.warning("chat.back", account=known.account, chat=known.chat)
            # The refusals stay counted: one more parks it again, with its previous intervals.
            known = replace(known, parked_at=None, next_probe=None, probes=known.probes + 1)
        self._known[known.place] = known
        await self._kept.keep(known)


def refusal_of(result: Delivered) -> bool:
    """Whether a delivery ended in a refusal."""
    return result.error.partition(":")[0] in REFUSALS


def pause(probes: int) -> timedelta:
    """The interval until the next probe after this many probes."""
    grown: int = _GROWTH ** min(probes, 5)
    return min(_LONGEST, _FIRST_PROBE * grown)


def parked_chats(refusals: Sequence[ChatRefusal]) -> list[tuple[ChatRefusal, datetime]]:
    """The parked chats, each with the time since when."""
    return [(refusal, refusal.parked_at) for refusal in refusals if refusal.parked_at is not None]
