"""The loop of a process that does everything: listening, sweeps, timers and a clean stop."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

import structlog

from bot.delivery.delivery import Left
from bot.jobs.channel_worker import ChannelWorker, CurrentChannels, ScheduledChannels
from bot.jobs.services import GRACE, LoopServices, TaskTracker, traced
from bot.messaging.receiver import Receiver
from bot.messaging.sender import Sender
from bot.scheduler.timetable import Timetable
from bot.subscriptions.channel_registry import Subscription
from bot.util.tracing import span
from digest.errors import UserError

log = structlog.get_logger(__name__)

ELECTION = 5.0  # seconds between checks whether the process that listens to an account is gone
_LONGEST_PAUSE = 60.0


class Listening:
    """Listens to accounts; messages count as running tasks until they are handled."""

    def __init__(self, work: LoopServices, under_way: TaskTracker) -> None:
        self._work = work
        self._under_way = under_way

    async def listen(self, sender: Sender) -> None:
        """Answer an account's messages while this process is the one that may listen."""
        account = next(
            (name for name, receiver in self._work.elected.items() if receiver is sender), ""
        )
        if not account:
            await self._listen(sender)
            return
        while True:
            try:
                async with self._work.leases.hold(f"listen\0{account}") as leased:
                    if leased:
                        log.info("listen.elected", platform=sender.name, account=account)
                        await self._listen(sender)
                        return
            except UserError as error:
                log.warning("listen.election", account=account, error=str(error))
            await asyncio.sleep(ELECTION)

    async def _listen(self, sender: Sender) -> None:
        """Answer an account's messages until it closes for good; reconnect when it breaks."""
        assert isinstance(sender, Receiver)
        pause = 1.0
        while True:
            try:
                async for incoming in sender.listen():
                    pause = 1.0
                    self._under_way.begin(self._work.hearing.hear(sender, incoming))
            except Exception:
                log.exception("listen.broken", platform=sender.name, pause=pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                log.info("listen.closed", platform=sender.name)
                return

    async def recover(self, sender: Sender) -> None:
        """Complete the replies that a crash left, before new ones begin."""
        with self._under_way.here(), traced():
            try:
                await self._work.hearing.recover(sender)
            except Exception:
                log.exception("recover.broken", platform=sender.name)


SWEEP = timedelta(minutes=5)
_DAY = timedelta(days=1)


async def run(work: LoopServices, stop: asyncio.Event, *, sweep: timedelta = SWEEP) -> None:
    """Work until ``stop`` is set, then finish running tasks within ``GRACE`` seconds."""
    timetable = Timetable(timedelta(days=1))
    runner = Runner(work, timetable)
    listening = Listening(work, runner.under_way)
    await runner.channels.look()
    timetable.every("sweep", sweep, runner.sweep)
    timetable.start()
    listeners = [asyncio.create_task(listening.listen(sender)) for sender in work.receivers]
    duties = [asyncio.create_task(runner.sweep()), asyncio.create_task(runner.follow())]
    duties.append(asyncio.create_task(runner.wake()))
    duties += [asyncio.create_task(listening.recover(sender)) for sender in work.receivers]
    log.info("run.started", channels=len(runner.channels.posts), receivers=len(listeners))
    try:
        await stop.wait()
    finally:
        log.info("run.stopping")
        timetable.pause()
        for task in listeners:
            task.cancel()
        await runner.under_way.settle(GRACE)
        timetable.close()
        for task in duties:
            task.cancel()
        await asyncio.gather(*duties, *listeners, return_exceptions=True)
        log.info("run.stopped")


def stop_on_signals(stop: asyncio.Event) -> None:
    """Set ``stop`` at SIGTERM or SIGINT; a second one ends the process at once."""
    loop = asyncio.get_running_loop()

    def heard(number: signal.Signals) -> None:
        log.info("run.signal", signal=number.name)
        loop.remove_signal_handler(number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, heard, number)


class Runner:
    """The work on channels; each method may be called at any time, from any process."""

    def __init__(self, work: LoopServices, timetable: Timetable | None = None) -> None:
        """``timetable`` follows the channels; without one there are no timers."""
        self.under_way = TaskTracker()
        self.channels = (
            CurrentChannels(work.posts)
            if timetable is None
            else ScheduledChannels(work.posts, timetable, work.clock, self.attend_named)
        )
        self._work = work
        self._channel_worker = ChannelWorker(work)

    async def follow(self) -> None:
        """Handle channels as soon as they are reported to have changed."""
        while True:
            await self.channels.changed()
            with self.under_way.here():
                fresh = await self.channels.look()
                await asyncio.gather(self._alert(), *(self.attend(channel) for channel in fresh))

    async def wake(self) -> None:
        """Deliver a channel's pending posts as soon as it is reported, even those given up."""
        while True:
            name = await self._work.waking.told()
            if (channel := self.channels.posts.get(name)) is not None:
                with self.under_way.here(), traced():
                    try:
                        await self.take_up(
                            channel, await self._work.delivery.left_of(channel.target)
                        )
                    except Exception:
                        log.exception("wake.broken", channel=name)

    async def sweep(self) -> None:
        """Handle what is left of every channel; none waits for another's platform."""
        with self.under_way.here(), traced():
            began = time.perf_counter()
            await self.channels.look()
            now = self._work.clock.now()
            # Longest waiting first: the backlog of an outage is worked off in its order.
            posts = sorted(
                self.channels.posts.values(), key=lambda channel: _since_due(channel, now)
            )[::-1]
            left = await self._pending(posts)
            await asyncio.gather(
                self._amend(posts),
                self._alert(),
                self._quietly("tidy.broken", self._work.tidy),
                self._quietly("refresh.broken", self._work.refresh),
                *(self.take_up(channel, left.get(channel.name, ())) for channel in posts),
            )
            seconds = round(time.perf_counter() - began, 3)
            log.debug("sweep.done", left=sum(map(len, left.values())), seconds=seconds)

    async def take_up(self, channel: Subscription, left: Left) -> None:
        """Pending deliveries first, so that digests come in order; then a slot."""
        with self.under_way.here():
            if not self._channel_worker.left_alone(channel):
                await self._channel_worker.resume(channel, left)
                await self.attend(channel)

    async def attend_named(self, name: str) -> None:
        """Attend to a channel in its present state, if it still exists."""
        if (channel := self.channels.posts.get(name)) is not None:
            await self.attend(channel)

    async def attend(self, channel: Subscription) -> None:
        """Complete the channel's newest due slot; raises nothing but cancellation."""
        with self.under_way.here(), traced():
            try:
                await self._attend(channel)
            except UserError as error:
                log.error("slot.failed", channel=channel.name, error=str(error))  # noqa: TRY400  # the message suffices
            except Exception:
                log.exception("slot.failed", channel=channel.name)

    async def _attend(self, channel: Subscription) -> None:
        """Post what is due, unless another process does. Raises whatever building it raises."""
        if await self._channel_worker.idle(channel):
            return
        async with self._work.leases.hold(f"slot\0{channel.name}") as leased:
            due = await self._channel_worker.due(channel) if leased else None
            if due is not None:
                with span("slot", channel=channel.name, slot=due.slot.name):
                    await self._channel_worker.produce(channel, due.slot)

    async def _pending(self, posts: Sequence[Subscription]) -> Mapping[str, Left]:
        """The pending deliveries, by channel; empty if they cannot be read."""
        try:
            if self._work.parking is not None:
                await self._work.parking.look(
                    {channel.target.place: channel.target for channel in posts}
                )
            targets = [channel.target for channel in posts]
            return await self._work.delivery.left(self._channel_worker.given_up, targets)
        except Exception:
            log.exception("sweep.broken")
            return {}

    async def _amend(self, posts: Sequence[Subscription]) -> None:
        if self._work.amend is not None:
            alone = self._channel_worker.left_alone
            open_posts = {channel.name: channel for channel in posts if not alone(channel)}
            await self._quietly("amend.broken", partial(self._work.amend, open_posts))

    async def _alert(self) -> None:
        if self._work.alerts is not None:
            await self._work.alerts.look()

    async def _quietly(self, event: str, work: Callable[[], Awaitable[None]] | None) -> None:
        """Do the work, if there is any; a failure is logged, and the next sweep tries again."""
        if work is not None:
            try:
                await work()
            except Exception:
                log.exception(event)


def _since_due(channel: Subscription, now: datetime) -> timedelta:
    """The time since a channel's hour last passed, on whatever day."""
    local, at = now.astimezone(channel.spec.zone), channel.spec.at
    return (timedelta(hours=local.hour - at.hour, minutes=local.minute - at.minute)) % _DAY
