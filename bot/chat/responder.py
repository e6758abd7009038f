"""Makes one answer: shows a placeholder with progress, then replaces it by the answer.

An answer within ``PlaceholderTiming.moment`` needs no placeholder: that saves a message on
platforms that count them, and looks the same. The placeholder of a slower one shows progress at a
bounded rate.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog

from bot.chat.reply import ReplyMessage, show_charts
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Ability, Sender
from bot.store.replies import MessageKey, Records, Stage
from digest.core.enums import Language
from digest.core.statement import Statement
from digest.document import Document, Paragraph, Text
from digest.errors import UserError
from digest.frozen import frozen
from digest.i18n.chat_text import INTERNAL, LOOKING, READING, WITHDRAWN, WRITING, complaint

log = structlog.get_logger(__name__)

AT_ONCE = 16  # answers made at a time; placeholders do not wait for them


@frozen
class PlaceholderTiming:
    """When the placeholder is shown and updated, in seconds: platforms count edits, too."""

    moment: float = 0.3
    first: float = 1.7  # after the placeholder
    slower: float = 1.5  # how many times longer the next pause is
    longest: float = 15.0


class Answering(Protocol):
    """Makes answers. ``account`` is a name in the configuration."""

    def language(self, account: str, asked: Incoming) -> Language:
        """The language in which to address the asker."""

    async def answer(self, account: str, asked: Incoming, watch: AnswerProgress) -> Document | None:
        """The answer, or ``None``; ``watch`` learns of the progress. May raise ``UserError``."""

    async def owed(self, account: str, asked: Incoming) -> bool:
        """Whether to tell the asker that no answer comes, though none of it was shown yet."""

    async def forget(self, account: str, asked: Incoming) -> None:
        """The question was deleted: later questions must not continue from it."""


class Responder:
    """Has answers made, and posts them."""

    def __init__(self, answers: Answering, records: Records, rhythm: PlaceholderTiming) -> None:
        self._answers = answers
        self._records = records
        self._rhythm = rhythm
        self._places = asyncio.Semaphore(AT_ONCE)

    async def tell(
        self, sender: Sender, key: MessageKey, asked: Incoming, message: ReplyMessage
    ) -> None:
        """Answer a message in place of its placeholder. Raises ``SendError``."""
        began = time.perf_counter()
        watch = AnswerProgress(self._answers.language(key.account, asked))
        work = asyncio.create_task(self._work_out(sender, key, asked, watch))
        try:
            if Ability.EDIT in sender.abilities:
                await self._follow(work, message, watch)
            document = await work
        finally:
            work.cancel()
        if document is None and message.standing:
            document = line(WITHDRAWN.template(watch.language), watch.language)
        if document is None:
            await self._records.mark(key, Stage.TOLD)
            return

        async def settle() -> None:
            await watch.settle(message.receipt.thread if message.receipt else "")

        receipt = await message.become(document, settle)
        seconds = round(time.perf_counter() - began, 3)
        log.info("message.answered", platform=sender.name, id=key.message, seconds=seconds)
        if not message.told_before:  # a repeated answer has its pictures already
            await show_charts(sender, key.chat, document, receipt)

    async def _follow(
        self, work: asyncio.Task[Document | None], message: ReplyMessage, watch: AnswerProgress
    ) -> None:
        """Show the placeholder and its progress until the work is done."""
        pause, news = self._rhythm.moment, self._rhythm.first
        while not await _ends_within(work, pause):
            if watch.shown:
                await message.show(watch.words())
                pause, news = news, min(news * self._rhythm.slower, self._rhythm.longest)

    async def _work_out(
        self, sender: Sender, key: MessageKey, asked: Incoming, watch: AnswerProgress
    ) -> Document | None:
        """The answer, or an error message if it cannot be made."""
        async with self._places:
            try:
                return await self._answers.answer(key.account, asked, watch)
            except UserError as error:
                return line(complaint(error, watch.language), watch.language)
            except Exception:
                number = uuid.uuid4().hex[:8]
                log.exception("message.broken", platform=sender.name, id=number)
                return line(INTERNAL.text(watch.language, number=number), watch.language)


async def _ends_within(work: Awaitable[object], seconds: float) -> bool:
    done, _ = await asyncio.wait({asyncio.ensure_future(work)}, timeout=seconds)
    return bool(done)


class AnswerProgress:
    """The progress of an answer; implements ``Progress`` and ``Listener``."""

    # ``shown`` says whether anything of the work may be visible. Nothing may before the access
    # check has passed; words not addressed to the bot are acknowledged only once they turn out to
    # be a question, which is when work on them starts.

    def __init__(self, language: Language) -> None:
        self.language = language
        self.shown = False
        self._total = self._done = self._said = 0
        self._admitted = False
        self.thread = ""
        self._after: list[Callable[[], Awaitable[None]]] = []

    def after(self, effect: Callable[[], Awaitable[None]]) -> None:
        """Add an effect that happens once the answer is posted."""
        self._after.append(effect)

    async def settle(self, thread: str = "") -> None:
        """The answer is posted, in the thread of this name: apply the effects."""
        self.thread = thread
        while self._after:
            await self._after.pop(0)()

    def admit(self, *, addressed: bool) -> None:
        """The message passed the access check."""
        self._admitted = True
        self.shown = addressed

    def start(self, total: int) -> None:
        """``total`` changes will be read."""
        self._total, self._done = total, 0
        self.shown = self._admitted

    def advance(self, count: int) -> None:
        """``count`` more are done."""
        self._done += count

    def finish(self) -> None:
        """The reading is over."""
        self._total = 0

    def hear(self, section: str, statement: Statement) -> None:  # noqa: ARG002  # they are counted
        """Receive one more statement of the model that the change supports."""
        self._said += 1
        self.shown = self._admitted

    def restart(self) -> None:
        """Discard what the model said so far."""
        self._said = 0

    def words(self) -> Document:
        """The content of the placeholder for now."""
        if self._total:
            done = min(self._done, self._total)
            said = READING.text(self.language, done=done, total=self._total)
        elif self._said:
            said = WRITING.text(self.language, n=self._said)
        else:
            said = LOOKING.text(self.language)
        return line(said, self.language)


def line(text: str, language: Language) -> Document:
    """A document of one line."""
    return Document(title=text, blocks=(Paragraph((Text(text),)),), language=str(language))
