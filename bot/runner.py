"""The loop of ``digestbot run``: slots that are due, deliveries that are left, questions.

A slot goes through the ledger in three steps, so that no crash loses or doubles it::

    claimed      one process has it; the newest claimed slot of a channel is what was last due
    frozen       its documents are in the ledger, and the delivery brings them to an end
    finished     marked once everything is frozen; until then the slot is built again

A sweep at the start, and then every few minutes, takes up what is left: pending deliveries, the
newest slot that was missed, a slot that was claimed and not finished. A channel that was never
seen begins with its next slot; channels may come, change and go while the loop runs. In a channel's
rest nothing is posted. Exceptions end at this loop: they are logged, the rest goes on.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol

import structlog

from bot.delivery import Delivered, Delivery, Left, Posting
from bot.lease import Leases
from bot.parking import Parking, refusal_of
from bot.platforms.base import Incoming, Receiver, Sender, trace
from bot.roster import Channels, Post
from bot.schedule import LONGEST_REACH, Slot, missed, next_slot, slots_between
from bot.timetable import Timetable
from bot.tracing import span
from digest.document import Document
from digest.errors import UserError
from handlers.context import Watched
from handlers.ports import Clock, DeliveryKey, Ledger

log = structlog.get_logger(__name__)

SWEEP = timedelta(minutes=5)
# How late a digest is still simply late, even for a channel that catches nothing up.
LATE = timedelta(minutes=15)
# What is under way at a stop gets so many seconds, after the web server's five: 30 in all, which is
# what Kubernetes gives; systemd's own default is 90.
GRACE = 25.0
ELECTION = 5.0
"""Seconds between two looks whether the process that hears an account is gone."""
_DAY = timedelta(days=1)
_LONGEST_PAUSE = 60.0
NOTES = _FINISHED, _FIRST_SEEN = "finished:", "first-seen:"
"""What stands before a channel's name where the ledger's slots are notes of this loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A document to post; ``digest`` is its stable name, as in ``DeliveryKey``.

    ``details`` follow in its thread, where the platform has threads. ``repository`` is the one that
    it tells of.
    """

    digest: str
    document: Document
    details: Document | None = None
    repository: str = ""


Build = Callable[[Post, Slot], Awaitable[Sequence[Ready]]]
"""Makes the digests of a slot, none for a quiet one; repeatable until the slot is finished."""

Finish = Callable[[Post, Slot, Sequence[Delivered]], Awaitable[None]]
"""Called when the slot's content is frozen, and again if the process dies in it."""


class Alerts(Protocol):
    """Tells what cannot wait for a slot. Nothing but cancellation leaves it."""

    async def look(self) -> None:
        """Look at everything; called often."""

    async def moved(self, watched: Watched) -> None:
        """Look at a repository whose newest changes were just fetched."""


class Hearing(Protocol):
    """Deals with what platforms hear. Nothing but cancellation leaves it."""

    async def hear(self, sender: Sender, incoming: Incoming) -> None:
        """Answer a message, unless it was heard before."""

    async def recover(self, sender: Sender) -> None:
        """Bring to an end what a process that died left half answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What the loop is given. ``receivers`` are senders that listen as well."""

    posts: Channels
    build: Build
    finish: Finish
    hearing: Hearing
    delivery: Delivery
    ledger: Ledger
    leases: Leases
    clock: Clock
    receivers: Sequence[Sender] = ()
    elected: Mapping[str, Sender] = field(default_factory=dict)
    """The receivers, by account, that one process at a time may have a connection of."""
    parking: Parking | None = None
    """Knows dead chats; without it one is left alone until the next start."""
    amend: Callable[[Mapping[str, Post]], Awaitable[None]] | None = None
    """Tells, in what was posted to the channels given, what became of it since."""
    alerts: Alerts | None = None
    """Tells at once what cannot wait for a slot."""


async def run(work: Work, stop: asyncio.Event, *, sweep: timedelta = SWEEP) -> None:
    """Work until ``stop`` is set, then finish what is under way within ``GRACE`` seconds."""
    timetable = Timetable(timedelta(days=1))
    runner = Runner(work, timetable)
    await runner.look()
    timetable.every("sweep", sweep, runner.sweep)
    timetable.start()
    listeners = [asyncio.create_task(runner.listen(sender)) for sender in work.receivers]
    duties = [asyncio.create_task(runner.sweep()), asyncio.create_task(runner.follow())]
    duties += [asyncio.create_task(runner.recover(sender)) for sender in work.receivers]
    log.info("run.started", channels=len(runner.posts), receivers=len(listeners))
    try:
        await stop.wait()
    finally:
        log.info("run.stopping")
        timetable.pause()
        for task in listeners:
            task.cancel()
        await runner.settle(GRACE)
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
    """The duties of the loop, each of which may be called at any time and from any process."""

    def __init__(self, work: Work, timetable: Timetable | None = None) -> None:
        """``timetable`` is kept as the channels are; without one nothing is called by itself."""
        self.posts: Mapping[str, Post] = {}
        self._work = work
        self._timetable = timetable
        self._active: set[asyncio.Task[None]] = set()
        self._given_up: set[DeliveryKey] = set()
        self._told_missed: dict[str, str] = {}

    async def look(self) -> Sequence[Post]:
        """Read the channels again; those that are new or changed."""
        posts = {post.name: post for post in await self._work.posts.current()}
        fresh = [post for name, post in posts.items() if self.posts.get(name) != post]
        self.posts = posts
        if self._timetable is not None:
            for post in fresh:
                self._timetable.put(post.name, post.spec, partial(self.attend_named, post.name))
                log.info("channel.scheduled", channel=post.name, next=_next(post, self._work.clock))
            for name in self._timetable.keep(posts):
                log.info("channel.dropped", channel=name)
        return fresh

    async def follow(self) -> None:
        """Take up channels as soon as they are told to have changed."""
        while True:
            await self._work.posts.changed()
            with self._under_way():
                fresh = await self.look()
                await asyncio.gather(self._alert(), *(self.attend(post) for post in fresh))

    async def watch(self) -> None:
        """Read the channels as soon as they are told to have changed, and do no more."""
        while True:
            await self._work.posts.changed()
            await self.look()

    async def sweep(self) -> None:
        """Take up what is left of every channel; none waits for another's platform."""
        with self._under_way(), _traced():
            began = time.perf_counter()
            left: Mapping[str, Left] = {}
            await self.look()
            posts = tuple(self.posts.values())
            try:
                if self._work.parking is not None:
                    await self._work.parking.look(
                        {post.target.place: post.target for post in posts}
                    )
                targets = [post.target for post in posts]
                left = await self._work.delivery.left(self._given_up, targets)
            except Exception:
                log.exception("sweep.broken")
            await asyncio.gather(
                self._amend(posts),
                self._alert(),
                *(self._take_up(post, left.get(post.name, ())) for post in posts),
            )
            log.debug("sweep.done", left=sum(map(len, left.values())), seconds=_since(began))

    async def _amend(self, posts: Sequence[Post]) -> None:
        if self._work.amend is not None:
            try:
                await self._work.amend({p.name: p for p in posts if not self._left_alone(p)})
            except Exception:
                log.exception("amend.broken")

    async def _alert(self) -> None:
        if self._work.alerts is not None:
            await self._work.alerts.look()

    async def _take_up(self, post: Post, left: Left) -> None:
        """Pending deliveries first, so that digests come in their order; then a slot."""
        with self._under_way():
            if self._left_alone(post):
                return
            await self._conclude(post, await self._work.delivery.resume(post.target, left))
            await self.attend(post)

    async def attend_named(self, name: str) -> None:
        """Attend to a channel as it is now, if it is still there."""
        if (post := self.posts.get(name)) is not None:
            await self.attend(post)

    async def attend(self, post: Post) -> None:
        """Post the channel's newest due slot, if that is not yet done."""
        with self._under_way(), _traced():
            try:
                async with self._work.leases.hold(f"slot\0{post.name}") as mine:
                    slot = await self._due(post) if mine else None
                    if slot is not None:
                        with span("slot", channel=post.name, slot=slot.name):
                            await self._produce(post, slot)
            except UserError as error:
                log.error("slot.failed", channel=post.name, error=str(error))  # noqa: TRY400  # it says all
            except Exception:
                log.exception("slot.failed", channel=post.name)

    async def _due(self, post: Post) -> Slot | None:
        """The slot to work on, claimed by us: a missed one, or one that was not finished."""
        ledger, now = self._work.ledger, self._work.clock.now()
        if self._left_alone(post):
            return None
        reach = max(post.catch_up, LATE)
        last = await ledger.last_slot(post.name)
        first = await ledger.last_slot(_FIRST_SEEN + post.name)
        if last is None and first is None:
            await ledger.claim_slot(_FIRST_SEEN + post.name, _newest(post, now))
            return None
        newest = max(filter(None, (last, first)))
        slot = missed(post.spec, newest, now, reach)
        self._tell_missed(post, newest, slot, now)
        if slot is not None:
            mine = await ledger.claim_slot(post.name, slot.name)
            log.info("slot.claimed" if mine else "slot.taken", channel=post.name, slot=slot.name)
            return slot if mine else None
        if last is None or last == await ledger.last_slot(_FINISHED + post.name):
            return None
        left = slots_between(post.spec, now - reach, now)
        return await self.unfinished(post, next((one for one in left if one.name == last), None))

    async def unfinished(self, _post: Post, slot: Slot | None) -> Slot | None:
        """What becomes of a slot that was claimed and not finished: it is worked on here."""
        return slot

    def _tell_missed(self, post: Post, last: str, slot: Slot | None, now: datetime) -> None:
        """Log, once, the due slots of which no digest will come; a later one covers them."""
        due = slots_between(post.spec, now - LONGEST_REACH, now)
        gone = [one for one in due if one.name > last and (slot is None or one < slot)]
        if gone and self._told_missed.get(post.name, "") < gone[-1].name:
            self._told_missed[post.name] = gone[-1].name
            log.warning("slot.missed", channel=post.name, count=len(gone), slot=gone[-1].name)

    async def _produce(self, post: Post, slot: Slot) -> None:
        ready = await self._work.build(post, slot)
        postings = [
            Posting(
                target=post.target,
                digest=one.digest,
                document=one.document,
                details=one.details,
                repository=one.repository,
            )
            for one in ready
        ]
        results = await self._work.delivery.deliver_all(postings)
        await self._conclude(post, results)
        if all(result.frozen for result in results):
            await self._work.finish(post, slot, results)
            await self._work.ledger.claim_slot(_FINISHED + post.name, slot.name)
            late = self._work.clock.now() - slot.at
            log.info(
                "slot.finished",
                channel=post.name,
                slot=slot.name,
                digests=len(results),
                late=round(late.total_seconds(), 3),
            )

    def _left_alone(self, post: Post) -> bool:
        """Whether nothing may be posted now: the channel rests, or its chat is parked."""
        parking = self._work.parking
        parked = parking is not None and parking.holds(post.target)
        return parked or post.spec.resting(self._work.clock.now())

    async def _conclude(self, post: Post, results: Sequence[Delivered]) -> None:
        """Remember what is not worth another attempt."""
        parking = self._work.parking
        if parking is not None:
            await parking.note(post.target, results)
        self._given_up |= {
            one.key for one in results if one.lasting and (parking is None or not refusal_of(one))
        }

    async def listen(self, sender: Sender) -> None:
        """Answer what a platform hears, as long as this process is the one that may hear it."""
        account = next((name for name, one in self._work.elected.items() if one is sender), "")
        if not account:
            await self._listen(sender)
            return
        while True:
            try:
                async with self._work.leases.hold(f"listen\0{account}") as mine:
                    if mine:
                        log.info("listen.elected", platform=sender.name, account=account)
                        await self._listen(sender)
                        return
            except UserError as error:
                log.warning("listen.election", account=account, error=str(error))
            await asyncio.sleep(ELECTION)

    async def _listen(self, sender: Sender) -> None:
        """Answer what a platform hears, until it closes for good; connect again when it breaks."""
        assert isinstance(sender, Receiver)
        pause = 1.0
        while True:
            try:
                async for incoming in sender.listen():
                    pause = 1.0
                    task = asyncio.create_task(self._work.hearing.hear(sender, incoming))
                    self._active.add(task)
                    task.add_done_callback(self._active.discard)
            except Exception:
                log.exception("listen.broken", platform=sender.name, pause=pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                log.info("listen.closed", platform=sender.name)
                return

    async def recover(self, sender: Sender) -> None:
        """Take up the answers that a crash left, before there are others."""
        with self._under_way(), _traced():
            try:
                await self._work.hearing.recover(sender)
            except Exception:
                log.exception("recover.broken", platform=sender.name)

    async def settle(self, seconds: float) -> None:
        """Wait for what is under way, then cancel it."""
        if self._active:
            _, late = await asyncio.wait(self._active, timeout=seconds)
            for task in late:
                task.cancel()
            if late:
                log.warning("run.cancelled", tasks=len(late))
                await asyncio.wait(late)

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        task = asyncio.current_task()
        assert task is not None
        outermost = task not in self._active
        self._active.add(task)
        try:
            yield
        finally:
            if outermost:
                self._active.discard(task)


@contextmanager
def _traced() -> Iterator[None]:
    """Log under one id, with whatever is called from here."""
    with structlog.contextvars.bound_contextvars(trace=trace()):
        yield


def _since(began: float) -> float:
    """The seconds since a moment of ``time.perf_counter``."""
    return round(time.perf_counter() - began, 3)


def _next(post: Post, clock: Clock) -> str:
    return next_slot(post.spec, clock.now()).at.astimezone(post.spec.zone).isoformat()


def _newest(post: Post, now: datetime) -> str:
    """The name of the newest slot that is due; where all were held, that of yesterday's date."""
    due = slots_between(post.spec, now - LONGEST_REACH, now)
    return due[-1].name if due else (now.astimezone(post.spec.zone).date() - _DAY).isoformat()
