"""What receivers hear, from connecting to handing it on."""

from __future__ import annotations

import asyncio

import structlog

from bot.platforms.base import Receiver, Sender
from bot.runner.underway import UnderWay, traced
from bot.runner.work import Work
from digest.errors import UserError

log = structlog.get_logger(__name__)

ELECTION = 5.0
"""Seconds between two looks whether the process that hears an account is gone."""

_LONGEST_PAUSE = 60.0


class Listening:
    """Hears accounts; what it hears is under way until it is dealt with."""

    def __init__(self, work: Work, under_way: UnderWay) -> None:
        self._work = work
        self._under_way = under_way

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
                    self._under_way.begin(self._work.hearing.hear(sender, incoming))
            except Exception:
                log.exception("listen.broken", platform=sender.name, pause=pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                log.info("listen.closed", platform=sender.name)
                return

    async def recover(self, sender: Sender) -> None:
        """Take up the answers that a crash left, before there are others."""
        with self._under_way.here(), traced():
            try:
                await self._work.hearing.recover(sender)
            except Exception:
                log.exception("recover.broken", platform=sender.name)
