"""What a process with a role does: scheduler, web, or worker.

A scheduler finds what is due, claims it and defers it as jobs, in one transaction. Any number of
schedulers may run: each slot is claimed by one, and the library's unique key allows one periodic
sweep at a time. A web process receives messages, stores each with a job, and lets workers answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.chat.message_service import Conversation
from bot.delivery.delivery import Left
from bot.forges.hooks import Arrived
from bot.jobs.channel_worker import NOTES, CurrentChannels
from bot.jobs.job_engine import Engine
from bot.jobs.loop import Listening, Runner
from bot.jobs.roles import ProcessRole, RoleDuties
from bot.jobs.services import GRACE, LoopServices, TaskTracker
from bot.jobs.worker import Worker, run_worker
from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import Sender
from bot.publishing.forge_sync import ForgeSync
from bot.scheduler.timetable import Timetable
from bot.shared_state.shared_parts import SharedParts
from bot.store.database import Database
from bot.store.job_queue import SWEEPS, JobKind
from bot.store.ledger import HOOK, SqlLedger
from bot.store.postgresql import PostgresDatabase
from bot.store.replies import MessageKey, Records, SqlReplies, dump
from bot.subscriptions.channel_registry import Post
from bot.workspace.workspace import Workspace
from digest.errors import InvalidConfig
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)


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

    async def take_up(self, post: Post, left: Left) -> None:
        """Defer the channel's pending deliveries, and what is due."""
        if self._channel_worker.left_alone(post):
            return
        if left:
            await self._engine.put_channel(post.name, left=True)
        await self.attend(post)

    async def _attend(self, post: Post) -> None:
        """Claim what is due and defer its job, unless a worker or another process has it."""
        due = await self._channel_worker.due(post)
        if due is not None and due.again:
            async with self._work.leases.hold(f"slot\0{post.name}") as free:
                pass
            if free:
                await self._engine.put_channel(post.name)

    async def _amend(self, posts: Sequence[Post]) -> None:
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
    listeners = [asyncio.create_task(listening.listen(sender)) for sender in work.receivers]
    following = asyncio.create_task(channels.watch())
    log.info("run.started", role="web", receivers=len(listeners))
    try:
        await stop.wait()
    finally:
        for task in (*listeners, following):
            task.cancel()
        await under_way.settle(GRACE)
        await asyncio.gather(*listeners, following, return_exceptions=True)
        log.info("run.stopped")


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
    """The duties of a process with the role; ``stack`` closes its engine.

    Raises ``InvalidConfig`` if the archive is in a file, and ``UnreachableDatabase``.
    """
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
            model = app.mind is not None
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
