"""The slots of channels: which one is due, how it is completed, and when each channel is called."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from hashlib import blake2b

import structlog
from structlog.contextvars import bind_contextvars

from bot.delivery.delivery import Delivered, Left
from bot.delivery.part_sender import Target
from bot.delivery.quarantine import refusal_of
from bot.jobs.services import LoopServices
from bot.scheduler.schedule import Slot, Spec, missed_slot, next_slot, slots_between
from bot.scheduler.timetable import Timetable
from bot.subscriptions.channel_registry import ChannelRegistry, Subscription
from digest.frozen import frozen
from handlers.ports.storage import Clock, DeliveryKey

log = structlog.get_logger(__name__)

LATE = timedelta(minutes=15)  # how late a digest may be, even for a channel that does not catch up
NOTES = _FINISHED, _FIRST_SEEN = "finished:", "first-seen:"
"""Prefixes of the loop's own notes among the ledger's slots, before a channel's name."""

_DAY = timedelta(days=1)


@frozen
class ClaimedSlot:
    """A slot claimed by us; ``again`` if it was claimed before and not finished."""

    slot: Slot
    again: bool = False


class ChannelWorker:
    """Handles the slots of channels. ``given_up`` are deliveries not worth another attempt."""

    def __init__(self, work: LoopServices) -> None:
        self.given_up: set[DeliveryKey] = set()
        self._work = work
        self._told_missed: dict[str, str] = {}

    def left_alone(self, channel: Subscription) -> bool:
        """Whether nothing may be posted now: the channel rests, or its chat is parked."""
        parking = self._work.parking
        parked = parking is not None and parking.holds(channel.target)
        return parked or channel.spec.resting(self._work.clock.now())

    async def idle(self, channel: Subscription) -> bool:
        """Whether a channel has nothing to do now, found out without claiming anything."""
        # Of thousands of channels few are due at a time. A channel never seen is not idle.
        if self.left_alone(channel):
            return True
        last, first, finished = await self._slots(channel)
        newest = max(filter(None, (last, first)), default=None)
        if newest is None or last != finished:
            return False
        now = self._work.clock.now()
        if missed_slot(channel.spec, newest, now, max(channel.catch_up, LATE)) is not None:
            return False
        self._tell_missed(channel, newest, None, now)
        return True

    async def _slots(self, channel: Subscription) -> Sequence[str | None]:
        """The slot claimed last, the one at which the channel was first seen, the finished one."""
        names = (channel.name, _FIRST_SEEN + channel.name, _FINISHED + channel.name)
        return await asyncio.gather(*map(self._work.ledger.last_slot, names))

    async def due(self, channel: Subscription) -> ClaimedSlot | None:
        """The slot to work on: one that is due, was missed, or was not finished."""
        ledger, now = self._work.ledger, self._work.clock.now()
        if self.left_alone(channel):
            return None
        reach = max(channel.catch_up, LATE)
        last, first, finished = await self._slots(channel)
        if last is None and first is None:
            await ledger.claim_slot(_FIRST_SEEN + channel.name, _newest(channel, now))
            return None
        newest = max(filter(None, (last, first)))
        slot = missed_slot(channel.spec, newest, now, reach)
        self._tell_missed(channel, newest, slot, now)
        unfinished = last is not None and last != finished
        if slot is not None:
            if last is not None and unfinished:
                # A process died over it: what was posted of it is not new to this slot.
                await self._work.finish(channel, Slot(day=date.fromisoformat(last), at=slot.at), ())
            _log_under(channel, slot.name)
            claimed = await ledger.claim_slot(channel.name, slot.name)
            log.info(
                "slot.claimed" if claimed else "slot.taken", channel=channel.name, slot=slot.name
            )
            return ClaimedSlot(slot=slot) if claimed else None
        if not unfinished:
            return None
        for candidate in slots_between(channel.spec, now - reach, now):
            if candidate.name == last:
                _log_under(channel, last)
                return ClaimedSlot(slot=candidate, again=True)
        return None

    async def resume(self, channel: Subscription, left: Left) -> None:
        """Deliver the pending digests of a channel, in order."""
        await self._conclude(channel, await self._work.delivery.resume(channel.target, left))

    async def produce(self, channel: Subscription, slot: Slot) -> None:
        """Build a slot and post it; it is finished once all of it is in the ledger."""
        postings = await self._work.build(channel, slot)
        results = await self._work.delivery.deliver_all(postings)
        await self._conclude(channel, results)
        if all(result.frozen for result in results):
            await self._work.finish(channel, slot, results)
            await self._work.ledger.claim_slot(_FINISHED + channel.name, slot.name)
            late = self._work.clock.now() - slot.at
            log.info(
                "slot.finished",
                channel=channel.name,
                slot=slot.name,
                digests=len(results),
                late=round(late.total_seconds(), 3),
            )
            await self._amend(channel)

    async def _amend(self, channel: Subscription) -> None:
        """Amend what the finished slot corrects; what fails is left to the next sweep."""
        if self._work.amend is not None:
            try:
                await self._work.amend({channel.name: channel})
            except Exception:
                log.exception("amend.broken")

    async def _conclude(self, channel: Subscription, results: Sequence[Delivered]) -> None:
        """Remember deliveries that are not worth another attempt."""
        parking = self._work.parking
        if parking is not None:
            await parking.note(channel.target, results)
        self.given_up |= {
            result.key
            for result in results
            if result.lasting and (parking is None or not refusal_of(result))
        }

    def _tell_missed(
        self, channel: Subscription, last: str, slot: Slot | None, now: datetime
    ) -> None:
        """Log, once, the due slots that get no digest; a later one covers them."""
        # For a channel that is up to date, this covers no more than a day or two.
        day = datetime.fromisoformat(last).replace(tzinfo=UTC)
        due = slots_between(channel.spec, max(now - channel.spec.reach, day - 2 * _DAY), now)
        passed = [s for s in due if s.name > last and (slot is None or s < slot)]
        if passed and self._told_missed.get(channel.name, "") < passed[-1].name:
            self._told_missed[channel.name] = passed[-1].name
            log.warning(
                "slot.missed", channel=channel.name, count=len(passed), slot=passed[-1].name
            )


def _log_under(channel: Subscription, slot: str) -> None:
    """Log the rest of this piece of work under the id of a slot, the same in every process."""
    # A slot may be claimed by one process, and finished by a job that another put in its place.
    name = f"{channel.name}\0{slot}".encode()
    bind_contextvars(trace=blake2b(name, digest_size=6).hexdigest())


def _newest(channel: Subscription, now: datetime) -> str:
    """The name of the newest slot that is due; if all were held, yesterday's date."""
    due = slots_between(channel.spec, now - channel.spec.reach, now)
    return due[-1].name if due else (now.astimezone(channel.spec.zone).date() - _DAY).isoformat()


def _timing(channel: Subscription) -> tuple[Target, Spec, timedelta]:
    return channel.target, channel.spec, channel.catch_up


class CurrentChannels:
    """The channels as last read; ``posts`` are by name."""

    def __init__(self, channels: ChannelRegistry) -> None:
        self.posts: Mapping[str, Subscription] = {}
        self._channels = channels

    async def look(self) -> Sequence[Subscription]:
        """Read the channels again; return those that are new, or have another time or place."""
        posts = {channel.name: channel for channel in await self._channels.current()}
        known = {name: _timing(channel) for name, channel in self.posts.items()}
        self.posts = posts
        return [channel for name, channel in posts.items() if known.get(name) != _timing(channel)]

    async def changed(self) -> None:
        """Return as soon as the channels are reported to have changed."""
        await self._channels.changed()

    async def watch(self) -> None:
        """Read the channels whenever they are reported to have changed; do nothing else."""
        while True:
            await self.changed()
            await self.look()


class ScheduledChannels(CurrentChannels):
    """Channels with timers: ``attend`` is called with the name of one whose slot is due."""

    def __init__(
        self,
        channels: ChannelRegistry,
        timetable: Timetable,
        clock: Clock,
        attend: Callable[[str], Coroutine[None, None, None]],
    ) -> None:
        super().__init__(channels)
        self._timetable = timetable
        self._clock = clock
        self._attend = attend

    async def look(self) -> Sequence[Subscription]:
        """Read the channels again, and update the timetable."""
        fresh = await super().look()
        for channel in fresh:
            self._timetable.put(channel.name, channel.spec, partial(self._attend, channel.name))
            log.info("channel.scheduled", channel=channel.name, next=self._next(channel))
        for name in self._timetable.keep(self.posts):
            log.info("channel.dropped", channel=name)
        return fresh

    def _next(self, channel: Subscription) -> str:
        return (
            next_slot(channel.spec, self._clock.now()).at.astimezone(channel.spec.zone).isoformat()
        )
