r"""Sends one part to one chat, so that only one call is ever in doubt.

The states of a part in the ledger::

    WAITING -> SENDING -> SENT        the platform accepted it; its receipt is stored at once
                      \-> WAITING     it did not, and the call is repeated after a pause
                      \-> FAILED      it did not, and repeating now is useless; resuming tries again

A part found in ``SENDING`` was handed over without a known outcome: the process died, or no answer
came. It is resolved as follows:

- if the platform can find its messages, the part is looked up, and sent again only if missing;
- otherwise by the channel's promise: *at most once* (the default) counts it as sent, without a
  receipt and with the doubt recorded beside it; *at least once* sends it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import stamina
import structlog

from bot.config.channel_section import Promise
from bot.messaging.sender import Ability, Paced, Part, Receipt, Sender, SendError, SendReason
from bot.store.ledger import SqlLedger
from digest.frozen import frozen
from handlers.ports.storage import DeliveryKey, PartRecord, PartState

log = structlog.get_logger(__name__)

# How often a part whose outcome stays unknown is looked up and sent again before it is left to the
# next resume.
_ROUNDS = 3


@frozen
class Target:
    """A channel that can be posted to."""

    name: str  # in the ledger and in logs
    sender: Sender
    chat: str = ""
    promise: Promise = Promise.AT_MOST_ONCE
    account: str = ""  # its name in the configuration, if not the platform's
    person: str = ""  # who asked for the posts, as ``platform:id``, if rules for people apply
    silent: bool = False  # posts notify nobody

    @property
    def place(self) -> tuple[str, str]:
        """Account and chat: what a platform's refusals apply to, whatever is posted there."""
        return self.account or self.sender.name, self.chat


@frozen
class Patience:
    """How long one attempt goes on, in seconds. The rest waits for the next resume."""

    attempts: int = 5
    total: float = 180.0
    first: float = 1.0  # the first pause, doubled each time
    longest: float = 60.0  # the longest pause, also of those that the platform asks for
    answer: float = 30.0  # the wait for the answer to one call

    def pause(self, error: Exception) -> bool | float:
        """Whether to repeat a call after this error, and after how many seconds."""
        if not isinstance(error, SendError) or not error.retry:
            return False
        if error.retry_after is None:
            return True
        return error.retry_after if error.retry_after <= self.longest else False

    def repeated(self) -> AsyncIterator[stamina.Attempt]:
        """Attempts at one call, with the pauses between them."""
        context = stamina.retry_context(
            on=self.pause,
            attempts=self.attempts,
            timeout=self.total,
            wait_initial=self.first,
            wait_max=self.longest,
            wait_jitter=self.first,
        )
        return context.__aiter__()


@frozen
class PartToSend:
    """A part to send: ``number`` is its position in the delivery, ``thread`` the first part."""

    target: Target
    key: DeliveryKey
    number: int
    part: Part
    thread: Receipt | None = None


class PartSender:
    """Sends parts and records every step in the ledger."""

    def __init__(self, ledger: SqlLedger, patience: Patience) -> None:
        self._ledger = ledger
        self._patience = patience

    async def settle(self, task: PartToSend, state: PartState) -> PartRecord:
        """Bring a part as far towards ``SENT`` as possible; return its record in the ledger."""
        doubtful = state is PartState.SENDING
        for _ in range(_ROUNDS):
            if doubtful and (resolved := await self._resolve(task)):
                return resolved
            outcome = await self._send(task)
            if outcome is not None:
                return outcome
            doubtful = True
        return PartRecord(part=task.number, state=PartState.SENDING, error=SendReason.NO_ANSWER)

    async def _hand_over(self, target: Target, part: Part, reply_to: Receipt | None) -> Receipt:
        """One call of the platform, with a time limit. Raises ``SendError``."""
        try:
            async with asyncio.timeout(self._patience.answer):
                part = replace(part, silent=target.silent)
                return await target.sender.send(target.chat, part, reply_to)
        except TimeoutError as error:
            detail = f"nothing for {self._patience.answer:g} s"
            raise SendError(SendReason.NO_ANSWER, detail) from error

    async def _send(self, task: PartToSend) -> PartRecord | None:
        """Send with retries; ``None`` leaves the part in ``SENDING`` with its outcome unknown."""
        doubtful = False
        # Before the attempts begin: a queue of a thousand posts must not use up their time.
        turned = await _early_turn(task.target)
        try:
            async for attempt in self._patience.repeated():
                with attempt:
                    if not turned:
                        await _turn(task.target)
                    turned = False
                    await self._mark(task, PartState.SENDING)
                    try:
                        receipt = await self._hand_over(task.target, task.part, task.thread)
                    except SendError as error:
                        doubtful = doubtful or error.reason is SendReason.NO_ANSWER
                        self._log("delivery.refused", task, error=str(error))
                        if not doubtful:
                            # Before the pause: a crash in it must not look like a call in doubt.
                            await self._mark(task, PartState.WAITING, error=str(error))
                        raise
        except SendError as error:
            if doubtful:
                return None
            return await self._mark(task, PartState.FAILED, error=str(error))
        return await self._mark(task, PartState.SENT, receipt=receipt.dump())

    async def _resolve(self, task: PartToSend) -> PartRecord | None:
        """The outcome of a call in doubt; ``None`` if the part has to be sent."""
        target, why = task.target, "this platform has no way to check"
        if Ability.FIND in target.sender.abilities:
            try:
                receipt = await target.sender.find(target.chat, task.part, task.thread)
            except SendError as error:
                if error.reason is not SendReason.UNSUPPORTED:
                    self._log("delivery.unresolved", task, error=str(error))
                    return PartRecord(part=task.number, state=PartState.SENDING, error=str(error))
                why = error.detail or why
            else:
                if receipt is None:
                    return None
                self._log("delivery.found", task)
                return await self._mark(task, PartState.SENT, receipt=receipt.dump())
        if target.promise is Promise.AT_LEAST_ONCE:
            self._log("delivery.sent_again", task)
            return None
        self._log("delivery.assumed", task)
        return await self._mark(task, PartState.SENT, error=f"unproven: {why}")

    async def _mark(
        self, task: PartToSend, state: PartState, *, receipt: str = "", error: str = ""
    ) -> PartRecord:
        record = PartRecord(part=task.number, state=state, receipt=receipt, error=error)
        await self._ledger.mark(task.key, record)
        return record

    def _log(self, event: str, task: PartToSend, **fields: str) -> None:
        log.warning(event, **describe(task.key), part=task.number, **fields)


async def _turn(target: Target) -> None:
    """Wait if the platform limits the rate of messages. Raises ``SendError``."""
    if isinstance(target.sender, Paced):
        await target.sender.ready(target.chat)


async def _early_turn(target: Target) -> bool:
    """Wait for a turn; false if it would come too late, which the attempts handle."""
    try:
        await _turn(target)
    except SendError:
        return False
    return True


def describe(key: DeliveryKey) -> dict[str, str]:
    """A delivery's key as fields of a log line."""
    return {"platform": key.platform, "channel": key.channel, "digest": key.digest}
