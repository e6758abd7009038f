"""What a process with a role does: scheduler, web, or worker.

A scheduler finds what is due, claims it and defers it as jobs, in one transaction. Any number of
schedulers may run: each slot is claimed by one, and the library's unique key allows one periodic
sweep at a time. A web process receives messages, stores each with a job, and lets workers answer. A
worker builds and posts what was claimed, and answers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.chat.message_service import Conversation
from bot.delivery.delivery import Left
from bot.forges.hooks import Arrived
from bot.jobs.channel_worker import NOTES, ChannelWorker, CurrentChannels
from bot.jobs.job_engine import Duty, Engine
from bot.jobs.loop import Listening, Runner
from bot.jobs.roles import Precedence, ProcessRole, RoleDuties
from bot.jobs.services import GRACE, LoopServices, TaskTracker
from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import Sender
from bot.publishing.forge_sync import ForgeSync
from bot.scheduler.timetable import Timetable
from bot.shared_state.shared_parts import SharedParts
from bot.store.database import Database
from bot.store.job_queue import ANSWERS, CHANNELS, REPOSITORIES, SWEEPS, JobKind
from bot.store.ledger import HOOK, SqlLedger
from bot.store.postgresql import PostgresDatabase
from bot.store.replies import MessageKey, Records, SqlReplies, dump, load
from bot.subscriptions.channel_registry import Subscription
from bot.util.tracing import span
from bot.workspace.workspace import Workspace
from digest.errors import InvalidConfig, UserError
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)

_FRESH = 60.0  # seconds for which the channels' settings are cached
_ANSWERED_AT_ONCE, _BUILT_AT_ONCE = 16, 48
"""Concurrent jobs of a process; most of them wait for a platform, a model or git. A digest of two
messages waits a second between them, where a platform takes one in a second. Questions have
separate places: nobody who asks waits until a thousand digests are posted."""

_ANSWERED_ALONE = 6
"""Concurrent questions without a model: each is answered before it needs a placeholder, which would
cost two more calls. More would be no faster, because all need the processor."""

_BUILT_MEANWHILE = 2
"""Concurrent digests while so many questions are answered: people wait for answers."""


class RetryLater(Exception):
    """Another process is working on it, or it failed: the library is to retry."""


class Worker:
    """Runs jobs. ``accounts`` are the senders by their names in the configuration."""

    def __init__(
        self,
        work: LoopServices,
        conversation: Conversation,
        accounts: Mapping[str, Sender],
        forge_sync: ForgeSync | None = None,
        *,
        asks_model: bool = False,
    ) -> None:
        """Without ``forge_sync``: no forge events; ``asks_model``: answers may need a model."""
        self.at_once = _ANSWERED_AT_ONCE if asks_model else _ANSWERED_ALONE
        # Questions that wait for a model do not need the processor.
        meanwhile = _BUILT_AT_ONCE if asks_model else _BUILT_MEANWHILE
        self._precedence = Precedence(
            questions=self.at_once, digests=_BUILT_AT_ONCE, meanwhile=meanwhile
        )
        self.channels = CurrentChannels(work.posts)
        self.under_way = TaskTracker()
        self._work = work
        self._channel_worker = ChannelWorker(work)
        self._conversation = conversation
        self._accounts = accounts
        self._forge_sync = forge_sync
        self._looked = -_FRESH

    @property
    def duties(self) -> Mapping[JobKind, Duty]:
        """What handles each kind of job; the names of parameters are those in stored jobs."""
        return {
            JobKind.CHANNEL: self.channel,
            JobKind.ANSWER: self.answer,
            JobKind.CHANGE: self.change,
            JobKind.ARRIVED: self.arrived,
            JobKind.ALERT: self.alert,
            JobKind.AMEND: self.amend,
            JobKind.FORGES: self.forges,
        }

    async def channel(self, name: str, left: bool) -> None:  # a job's arguments
        """Bring a channel up to date. Raises :class:`RetryLater` and building errors."""
        # The channel's state is read when its turn has come.
        async with self._precedence.building():
            await self._channel(name, left=left)

    async def _channel(self, name: str, *, left: bool) -> None:
        await self._refresh(name)
        channel = self.channels.posts.get(name)
        if channel is None or self._channel_worker.left_alone(channel):
            return
        with self.under_way.here():
            try:
                await self._bring_up_to_date(channel, left=left)
            except RetryLater:
                raise
            except UserError as error:
                log.error("slot.failed", channel=name, error=str(error))  # noqa: TRY400  # the message suffices
                raise
            except Exception:
                log.exception("slot.failed", channel=name)
                raise

    async def _bring_up_to_date(self, channel: Subscription, *, left: bool) -> None:
        if left:
            pending = await self._work.delivery.left_of(channel.target)
            await self._channel_worker.resume(channel, pending)
        async with self._work.leases.hold(f"slot\0{channel.name}") as leased:
            if not leased:
                raise RetryLater(f"another process is working on {channel.name}")
            if (due := await self._channel_worker.due(channel)) is not None:
                with span("slot", channel=channel.name, slot=due.slot.name):
                    await self._channel_worker.produce(channel, due.slot)

    async def answer(self, account: str, chat: str, message: str) -> None:
        """Answer a message. Raises :class:`RetryLater` if that failed."""
        sender = self._accounts.get(account)
        if sender is None:
            log.error("answer.no_account", account=account)
            return
        with self.under_way.here(), self._precedence.answering():
            key = MessageKey(account=account, chat=chat, message=message)
            if not await self._conversation.take_up(sender, key):
                raise RetryLater("the reply was not sent")

    async def change(self, account: str, incoming: str) -> None:
        """Update the reply to an edited or deleted question."""
        sender = self._accounts.get(account)
        if sender is not None:
            with self.under_way.here():
                await self._conversation.hear(sender, load(incoming))

    async def arrived(self, host: str, repository: str, moved: bool) -> None:  # by its name
        """Handle an event of a forge."""
        if self._forge_sync is not None:
            with self.under_way.here():
                arrived = Arrived(host=host, repository=repository, moved=moved)
                await self._forge_sync.arrived(arrived)

    async def forges(self) -> None:
        """Read what forges say about every repository."""
        if self._forge_sync is not None:
            with self.under_way.here():
                await self._forge_sync.enrich_all()

    async def alert(self, repository: str) -> None:
        """Alert those whom a change in a repository may break."""
        if self._work.alerts is not None:
            with self.under_way.here():
                await self._work.alerts.look_at(repository)

    async def amend(self) -> None:
        """Carry out the planned amendments, except for channels that rest or are parked."""
        if self._work.amend is not None:
            await self._refresh("")
            alone = self._channel_worker.left_alone
            posts = {
                channel.name: channel
                for channel in self.channels.posts.values()
                if not alone(channel)
            }
            with self.under_way.here():
                await self._work.amend(posts)

    async def _refresh(self, name: str) -> None:
        now = time.monotonic()
        if name in self.channels.posts and now - self._looked < _FRESH:
            return
        self._looked = now
        await self.channels.look()
        if self._work.parking is not None:
            await self._work.parking.look({})


async def run_worker(worker: Worker, engine: Engine, stop: asyncio.Event) -> None:
    """Run jobs until ``stop`` is set, then finish the running ones."""
    engine.serve(worker.duties)
    log.info("run.started", role="worker")
    answers = engine.work([ANSWERS], worker.at_once)
    digests = engine.work([CHANNELS, REPOSITORIES], _BUILT_AT_ONCE)
    await _until(stop, worker.under_way, answers, digests, worker.channels.watch())


async def _until(
    stop: asyncio.Event, under_way: TaskTracker, *duties: Coroutine[Any, Any, object]
) -> None:
    """Run the duties until ``stop`` is set, then cancel them and finish what is under way."""
    tasks = [asyncio.create_task(duty) for duty in duties]
    try:
        await stop.wait()
    finally:
        for task in tasks:
            task.cancel()
        await under_way.settle(GRACE)
        await asyncio.gather(*tasks, return_exceptions=True)
        log.info("run.stopped")


class DeferringLedger(SqlLedger):
    """The ledger of a process that claims slots for others to work on."""

    def __init__(self, database: Database, engine: Engine) -> None:
        super().__init__(database)
        self._engine = engine

    async def _on_claimed(
        self, connection: AsyncConnection, claims: Sequence[tuple[str, str]]
    ) -> None:
        # The loop's own notes are among the slots.
        names = [name for name, _ in claims if not name.startswith(NOTES)]
        if names:
            await self._engine.put_channels(names, connection)


class DeferringArrivals(SqlLedger):
    """Accepts forge events for other processes; implements ``bot.forges.hooks.Taking``."""

    def __init__(self, database: Database, engine: Engine) -> None:
        super().__init__(database)
        self._engine = engine

    async def take(self, forge: str, delivery: str, arrived: Arrived) -> bool:
        """Claim the delivery together with its job."""
        async with self._database.writing() as connection:
            if delivery and not await self._claim(connection, f"{HOOK}{forge}", delivery):
                return False
            await self._engine.put_arrival(arrived, connection)
            return True

    async def settle(self) -> None:
        """Nothing is started here."""


class DeferringReplies(SqlReplies):
    """The message records of a process that receives for others to answer."""

    def __init__(self, database: Database, engine: Engine) -> None:
        super().__init__(database)
        self._engine = engine

    async def _on_recorded(
        self, connection: AsyncConnection, made: Collection[tuple[str, ...]]
    ) -> None:
        keys = [(account, chat, message) for account, chat, message in made]
        await self._engine.put_answers(keys, connection)


class Scheduler(Runner):
    """A loop that only claims. Its ledger is a ``DeferringLedger``."""

    def __init__(
        self, work: LoopServices, engine: Engine, timetable: Timetable | None = None
    ) -> None:
        super().__init__(work, timetable)
        self._engine = engine

    async def take_up(self, channel: Subscription, left: Left) -> None:
        """Defer the channel's pending deliveries, and what is due."""
        if self._channel_worker.left_alone(channel):
            return
        if left:
            await self._engine.put_channel(channel.name, left=True)
        await self.attend(channel)

    async def _attend(self, channel: Subscription) -> None:
        """Claim what is due and defer its job, unless a worker or another process has it."""
        due = await self._channel_worker.due(channel)
        if due is not None and due.again:
            async with self._work.leases.hold(f"slot\0{channel.name}") as free:
                pass
            if free:
                await self._engine.put_channel(channel.name)

    async def _amend(self, posts: Sequence[Subscription]) -> None:
        if self._work.amend is not None and posts:
            await self._quietly("amend.broken", self._engine.put_amendments)

    async def _alert(self) -> None:
        if self._work.alerts is not None:
            await self._quietly("alert.failed", self._put_alerts)

    async def _put_alerts(self) -> None:
        assert self._work.alerts is not None
        for repository in await self._work.alerts.wanted():
            await self._engine.put_alert(repository)


async def schedule(work: LoopServices, engine: Engine, stop: asyncio.Event) -> None:
    """Schedule until ``stop`` is set."""
    timetable = Timetable(timedelta(days=1))
    scheduler = Scheduler(work, engine, timetable)
    await scheduler.channels.look()
    timetable.start()
    engine.serve({JobKind.SWEEP: scheduler.sweep})
    duties = [
        asyncio.create_task(scheduler.sweep()),
        asyncio.create_task(scheduler.follow()),
        asyncio.create_task(engine.work([SWEEPS], 1)),
    ]
    log.info("run.started", role="scheduler", channels=len(scheduler.channels.posts))
    try:
        await stop.wait()
    finally:
        timetable.pause()
        await scheduler.under_way.settle(GRACE)
        timetable.close()
        for task in duties:
            task.cancel()
        await asyncio.gather(*duties, return_exceptions=True)
        log.info("run.stopped")


class MessageIntake:
    """Implements ``bot.jobs.services.MessageHandler``. ``records`` defer a job with each claim."""

    def __init__(
        self, records: Records, engine: Engine, clock: Clock, accounts: Mapping[str, Sender]
    ) -> None:
        self._records = records
        self._engine = engine
        self._clock = clock
        self._accounts = {id(sender): name for name, sender in accounts.items()}

    async def hear(self, sender: Sender, incoming: Incoming) -> None:
        """Store the message for a worker, unless it was received before."""
        account = self._accounts.get(id(sender), sender.name)
        key = MessageKey(account=account, chat=incoming.chat, message=incoming.id)
        with structlog.contextvars.bound_contextvars(trace=incoming.trace):
            try:
                if incoming.fate is not MessageEvent.SAID:
                    await self._engine.put_change(
                        (account, incoming.chat, incoming.id), dump(incoming)
                    )
                else:
                    fresh = await self._records.claim(key, incoming, self._clock.now())
                    event = "message.heard" if fresh else "message.repeated"
                    log.info(event, platform=sender.name, id=key.message)
                incoming.taken()
            except Exception:
                log.exception("message.unanswered", platform=sender.name)

    async def recover(self, sender: Sender) -> None:
        """Nothing: a half-finished reply is a job that the library retries."""


async def receive(work: LoopServices, stop: asyncio.Event) -> None:
    """Receive until ``stop`` is set."""
    channels, under_way = CurrentChannels(work.posts), TaskTracker()
    listening = Listening(work, under_way)
    await channels.look()
    listeners = [listening.listen(sender) for sender in work.receivers]
    log.info("run.started", role="web", receivers=len(listeners))
    await _until(stop, under_way, *listeners, channels.watch())


async def duties_of(
    role: ProcessRole,
    app: Workspace,
    work: LoopServices,
    senders: Mapping[str, Sender],
    common: SharedParts,
    *,
    forge_sync: ForgeSync,
    stack: AsyncExitStack,
) -> RoleDuties:
    """The duties of a process with the role; ``stack`` closes its engine."""
    # Raises ``InvalidConfig`` if the archive is in a file, and ``UnreachableDatabase``.
    if not isinstance(app.database, PostgresDatabase):
        raise InvalidConfig(
            f"the role {role} needs PostgreSQL (set DATABASE_URL); "
            "with SQLite, run one process without a role"
        )
    engine = await stack.enter_async_context(Engine(app.database))
    match role:
        case ProcessRole.SCHEDULER:
            ledger = DeferringLedger(app.database, engine)
            return RoleDuties(loop=partial(schedule, replace(work, ledger=ledger), engine))
        case ProcessRole.WORKER:
            assert isinstance(work.hearing, Conversation)
            model = app.runtime is not None
            worker = Worker(work, work.hearing, senders, forge_sync, asks_model=model)
            return RoleDuties(loop=partial(run_worker, worker, engine))
        case _:
            records = common.records(DeferringReplies(app.database, engine))
            intake = MessageIntake(records, engine, app.clock, senders)
            return RoleDuties(
                loop=partial(receive, replace(work, hearing=intake)),
                taking=DeferringArrivals(app.database, engine),
                wake=engine.put_left,
            )
