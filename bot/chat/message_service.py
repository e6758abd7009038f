"""Handles each message to the bot once: acknowledges it, and answers in the same place.

If a message is edited while it is processed, or within ``STILL_EDITED`` after it, its answer is
replaced; a message that is deleted before its answer gets none.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from bot.chat.reply import ReplyMessage
from bot.chat.responder import Answering, AnswerProgress, PlaceholderTiming, Responder, line
from bot.delivery.part_sender import Patience
from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import Ability, Sender, SendError
from bot.store.replies import MessageKey, MessageRecord, Records, Stage
from bot.util.locks import Leases
from bot.util.tracing import span, trace
from digest.core.enums import Language
from digest.i18n.chat_text import INTERRUPTED, WITHDRAWN
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)

STILL_EDITED = timedelta(hours=1)
STILL_ANSWERED = timedelta(minutes=10)
"""A message left by a crash or a failed worker is answered up to this age. The asker of an older
one is told that no answer comes."""


class Conversation:
    """Answers the messages that senders receive. Raises nothing but cancellation."""

    def __init__(
        self,
        answers: Answering,
        records: Records,
        leases: Leases,
        clock: Clock,
        accounts: Mapping[str, Sender],
        *,
        patience: Patience | None = None,
        rhythm: PlaceholderTiming | None = None,
    ) -> None:
        """``accounts`` are the senders by their names in the configuration."""
        self._answers = answers
        self._records = records
        self._leases = leases
        self._clock = clock
        self._accounts = {id(sender): name for name, sender in accounts.items()}
        self._patience = patience or Patience()
        self._telling = Responder(answers, records, rhythm or PlaceholderTiming())
        self._under_way: dict[MessageKey, tuple[asyncio.Task[None], ReplyMessage]] = {}
        self._ends: dict[MessageKey, asyncio.Event] = {}

    async def hear(self, sender: Sender, incoming: Incoming) -> None:
        """Answer a message, unless it was handled before."""
        key = self._key(sender, incoming)
        with structlog.contextvars.bound_contextvars(trace=incoming.trace):
            try:
                match incoming.fate:
                    case MessageEvent.SAID:
                        await self._answer_message(sender, key, incoming)
                    case MessageEvent.EDITED:
                        await self._answer_edit(sender, key, incoming)
                        incoming.taken()
                    case MessageEvent.DELETED:
                        await self._withdraw(sender, key, incoming)
                        incoming.taken()
            except SendError as error:
                log.warning("message.unanswered", platform=sender.name, error=str(error))
            except Exception:
                log.exception("message.unanswered", platform=sender.name)

    async def recover(self, sender: Sender) -> None:
        """Finish what a dead process left half answered."""
        account = self._accounts.get(id(sender), sender.name)
        left = await self._records.left(account)
        await asyncio.gather(*(self.take_up(sender, record.key) for record in left))

    async def take_up(self, sender: Sender, key: MessageKey) -> bool:
        """Answer a message that was left unanswered; return whether nothing is left to do."""
        # Reading the record binds the log id under which the message was received; it ends here.
        with structlog.contextvars.bound_contextvars(trace=trace()):
            try:
                async with self._alone(key) as mine:
                    return mine and await self._take_up(sender, key)
            except SendError as error:
                log.warning("message.unanswered", platform=sender.name, error=str(error))
            except Exception:
                log.exception("message.unanswered", platform=sender.name)
        return False

    def _key(self, sender: Sender, incoming: Incoming) -> MessageKey:
        account = self._accounts.get(id(sender), sender.name)
        return MessageKey(account=account, chat=incoming.chat, message=incoming.id)

    def _message(self, sender: Sender, key: MessageKey, asked: Incoming) -> ReplyMessage:
        reply_to = asked.receipt
        # A slash command is no message, so it has no thread.
        opens = Ability.THREAD in sender.abilities and not asked.direct
        opens = opens and reply_to is not None and not reply_to.thread
        return ReplyMessage(
            sender, key, self._records, self._patience, reply_to, opens_thread=opens
        )

    async def _answer_message(self, sender: Sender, key: MessageKey, incoming: Incoming) -> None:
        async with self._alone(key) as mine:
            first = mine and await self._records.claim(key, incoming, self._clock.now())
            # If the process that handles it has not recorded it yet, the deletion is kept for a
            # while.
            if mine or await self._records.get(key) is not None:
                incoming.taken()
            if not first:
                log.info("message.repeated", platform=sender.name, id=key.message)
                if mine:
                    await self._take_up(sender, key)
                return
            await self._tell(sender, key, incoming, self._message(sender, key, incoming))

    async def _answer_edit(self, sender: Sender, key: MessageKey, incoming: Incoming) -> None:
        record = await self._records.get(key)
        if record is None or record.asked.text == incoming.text:
            return
        asked = replace(
            record.asked, text=incoming.text, fate=MessageEvent.SAID, trace=incoming.trace
        )
        await self._stop(key)
        async with self._alone(key) as mine:
            record = await self._records.get(key)
            if not mine or record is None or self._is_old(record, STILL_EDITED):
                return
            await self._records.ask_again(key, asked)
            message = self._message(sender, key, asked)
            if record.receipt is not None:
                message.stands(record.receipt, told=record.stage is Stage.TOLD)
            await self._tell(sender, key, asked, message)

    async def _withdraw(self, sender: Sender, key: MessageKey, incoming: Incoming) -> None:
        await self._stop(key)
        record = await self._records.get(key)
        if record is None:
            # Platforms do not guarantee an order: if the message still arrives, it is not answered.
            await self._records.claim(key, incoming, self._clock.now())
        elif record.stage is not Stage.TOLD:
            await self._answers.forget(key.account, record.asked)
            await self._conclude(sender, record, WITHDRAWN.template(self._language(record)))
        await self._records.mark(key, Stage.TOLD)

    @asynccontextmanager
    async def _alone(self, key: MessageKey) -> AsyncIterator[bool]:
        """Whether no other task or process is handling the message."""
        end = asyncio.Event()
        try:
            async with self._leases.hold(key.lease) as mine:
                if mine:
                    self._ends[key] = end
                yield mine
        finally:
            end.set()
            if self._ends.get(key) is end:
                del self._ends[key]

    async def _stop(self, key: MessageKey) -> None:
        """Stop handling a message in this process; a post under way is completed."""
        task, message = self._under_way.get(key, (None, None))
        if task is not None and message is not None and not message.answered:
            task.cancel()
        if (end := self._ends.get(key)) is not None:
            await end.wait()

    async def _take_up(self, sender: Sender, key: MessageKey) -> bool:
        """Continue an unattended message, unless others just did; return whether it is done."""
        record = await self._records.get(key)
        if record is None or record.stage is Stage.TOLD:
            return True
        structlog.contextvars.bind_contextvars(trace=record.asked.trace)
        if record.asked.fate is MessageEvent.DELETED:
            await self._records.mark(key, Stage.TOLD)
            return True
        message = self._message(sender, record.key, record.asked)
        if record.receipt is not None:
            message.stands(record.receipt)
        elif record.stage is Stage.SENDING and not await message.find():
            # It cannot be found out whether anything was posted: at most once.
            log.warning("message.doubtful", platform=sender.name, id=record.key.message)
            await self._records.mark(record.key, Stage.TOLD)
            return True
        log.info("message.taken_up", platform=sender.name, id=record.key.message)
        if self._is_old(record, STILL_ANSWERED):
            await self._apologise(record, message)
            return True
        if record.stage is Stage.SENDING and Ability.EDIT in sender.abilities:
            # A platform that drops repeats returns the posted message, which may be the
            # placeholder.
            await message.show(AnswerProgress(self._language(record)).words())
        return await self._tell(sender, record.key, record.asked, message)

    async def _apologise(self, record: MessageRecord, message: ReplyMessage) -> None:
        """Say that no answer comes, and what to do, in the placeholder or a new message."""
        # An asker who would get no answer gets no apology. If ``SendError`` is raised it is tried
        # again.
        placeholder, language = record.receipt is not None, self._language(record)
        # A message found without a receipt may be the whole answer, and stays.
        nothing = not message.standing
        if placeholder or (nothing and await self._answers.owed(record.key.account, record.asked)):
            await message.become(line(INTERRUPTED.template(language), language))
        else:
            await self._records.mark(record.key, Stage.TOLD)

    async def _conclude(self, sender: Sender, record: MessageRecord, words: str) -> None:
        """Replace a placeholder by a final message; without a placeholder nothing is posted."""
        message = self._message(sender, record.key, record.asked)
        if record.receipt is not None:
            message.stands(record.receipt)
            await message.become(line(words, self._language(record)))

    def _language(self, record: MessageRecord) -> Language:
        return self._answers.language(record.key.account, record.asked)

    def _is_old(self, record: MessageRecord, age: timedelta) -> bool:
        now: datetime = self._clock.now()
        return now - record.at > age

    async def _tell(
        self, sender: Sender, key: MessageKey, asked: Incoming, message: ReplyMessage
    ) -> bool:
        """Answer in a task that an edit or a deletion can cancel; return whether none did."""
        with span("answer", platform=sender.name):
            telling = self._telling.tell(sender, key, asked, message)
            return await self._until_told(key, message, telling)

    async def _until_told(
        self, key: MessageKey, message: ReplyMessage, telling: Coroutine[None, None, None]
    ) -> bool:
        task = asyncio.create_task(telling)
        self._under_way[key] = task, message
        try:
            # Not awaited directly: its cancellation by another message must not end this task.
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task})
            raise
        finally:
            if self._under_way.get(key) == (task, message):
                del self._under_way[key]
        if task.cancelled():
            return False
        await task
        return True
