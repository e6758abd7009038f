"""The worker: builds and posts what schedulers claimed, answers what web processes received."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

import structlog

from bot.chat.message_service import Conversation
from bot.forges.hooks import Arrived
from bot.jobs.channel_worker import ChannelWorker, CurrentChannels
from bot.jobs.job_engine import Duty, Engine
from bot.jobs.roles import Precedence
from bot.jobs.services import GRACE, LoopServices, TaskTracker
from bot.messaging.sender import Sender
from bot.publishing.forge_sync import ForgeSync
from bot.store.job_queue import ANSWERS, CHANNELS, REPOSITORIES, JobKind
from bot.store.replies import MessageKey, load
from bot.subscriptions.channel_registry import Post
from bot.util.tracing import span
from digest.errors import UserError

log = structlog.get_logger(__name__)

_FRESH = 60.0  # seconds for which the channels' settings are cached
_ANSWERED_AT_ONCE, _BUILT_AT_ONCE = 16, 48
"""Concurrent jobs of a process; most of them wait for a platform, a model or git.

A digest of two messages waits a second between them, where a platform takes one in a second.

Questions have separate places: nobody who asks waits until a thousand digests are posted.
"""

_ANSWERED_ALONE = 6
"""Concurrent questions without a model: each is answered before it needs a placeholder, which would

cost two more calls. More would be no faster, because all need the processor.
"""

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
        post = self.channels.posts.get(name)
        if post is None or self._channel_worker.left_alone(post):
            return
        with self.under_way.here():
            try:
                await self._bring_up_to_date(post, left=left)
            except RetryLater:
                raise
            except UserError as error:
                log.error("slot.failed", channel=name, error=str(error))  # noqa: TRY400  # the message suffices
                raise
            except Exception:
                log.exception("slot.failed", channel=name)
                raise

    async def _bring_up_to_date(self, post: Post, *, left: bool) -> None:
        if left:
            pending = await self._work.delivery.left_of(post.target)
            await self._channel_worker.resume(post, pending)
        async with self._work.leases.hold(f"slot\0{post.name}") as leased:
            if not leased:
                raise RetryLater(f"another process is working on {post.name}")
            if (due := await self._channel_worker.due(post)) is not None:
                with span("slot", channel=post.name, slot=due.slot.name):
                    await self._channel_worker.produce(post, due.slot)

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
            posts = {post.name: post for post in self.channels.posts.values() if not alone(post)}
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
    duties = [
        asyncio.create_task(engine.work([ANSWERS], worker.at_once)),
        asyncio.create_task(engine.work([CHANNELS, REPOSITORIES], _BUILT_AT_ONCE)),
        asyncio.create_task(worker.channels.watch()),
    ]
    log.info("run.started", role="worker")
    try:
        await stop.wait()
    finally:
        for task in duties:
            task.cancel()
        await worker.under_way.settle(GRACE)
        await asyncio.gather(*duties, return_exceptions=True)
        log.info("run.stopped")
