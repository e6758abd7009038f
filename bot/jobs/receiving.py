"""The web process: hears, writes down with a job, and lets workers answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import structlog

from bot.conversation.record import Key, Records, dump
from bot.jobs.engine import Engine
from bot.platforms.base import Fate, Incoming, Sender
from bot.runner import GRACE, Work
from bot.runner.channels import Served
from bot.runner.listening import Listening
from bot.runner.underway import UnderWay
from handlers.ports import Clock

log = structlog.get_logger(__name__)


class Intake:
    """Implements ``bot.runner.work.Hearing``. ``records`` put a job down with each claim."""

    def __init__(
        self, records: Records, engine: Engine, clock: Clock, accounts: Mapping[str, Sender]
    ) -> None:
        self._records = records
        self._engine = engine
        self._clock = clock
        self._accounts = {id(sender): name for name, sender in accounts.items()}

    async def hear(self, sender: Sender, incoming: Incoming) -> None:
        """Write the message down for a worker, unless it was heard before."""
        account = self._accounts.get(id(sender), sender.name)
        key = Key(account=account, chat=incoming.chat, message=incoming.id)
        with structlog.contextvars.bound_contextvars(trace=incoming.trace):
            try:
                if incoming.fate is not Fate.SAID:
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
        """Nothing: what was left half answered is a job that the library puts down again."""


async def receive(work: Work, stop: asyncio.Event) -> None:
    """Hear until ``stop`` is set."""
    channels, under_way = Served(work.posts), UnderWay()
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
