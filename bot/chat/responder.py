"""One answer, from the placeholder to what stands in its place.

What is answered within ``Rhythm.moment`` needs no placeholder: that saves a message in chats where
platforms count them, and nobody sees the difference. Whatever takes longer is acknowledged by a
placeholder, which tells at a bounded rate how far the work is, and is edited into the answer.

How far an answer is, in words: what the placeholder shows while it is being made.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
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
from digest.i18n.chat_text import INTERNAL, LOOKING, READING, WITHDRAWN, WRITING
from digest.i18n.error_text import complaint

log = structlog.get_logger(__name__)

AT_ONCE = 16
"""Answers that are worked on at a time; placeholders do not wait for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceholderTiming:
    """When the placeholder is shown and told anew, in seconds.

    The first news comes ``first`` after the placeholder, each further one ``slower`` times later,
    at most ``longest`` apart: platforms count edits, too.
    """

    moment: float = 0.3
    first: float = 1.7
    slower: float = 1.5
    longest: float = 15.0


class Answering(Protocol):
    """Makes answers. What it is given as ``account`` is a name of the configuration."""

    def language(self, account: str, asked: Incoming) -> Language:
        """The language in which the asker is spoken to."""

    async def answer(self, account: str, asked: Incoming, watch: AnswerProgress) -> Document | None:
        """The answer, or nothing to say. A ``UserError`` is shown to the asker.

        ``watch`` is told when the message may be acknowledged, and how far the work is.
        """

    async def owed(self, account: str, asked: Incoming) -> bool:
        """Whether the asker may be told that no answer comes, though nothing stands of one yet."""

    async def forget(self, account: str, asked: Incoming) -> None:
        """The question was deleted: nothing of it may be gone on with."""


class Responder:
    """Has answers made, and puts them where they belong."""

    def __init__(self, answers: Answering, records: Records, rhythm: PlaceholderTiming) -> None:
        self._answers = answers
        self._records = records
        self._rhythm = rhythm
        self._places = asyncio.Semaphore(AT_ONCE)

    async def tell(
        self, sender: Sender, key: MessageKey, asked: Incoming, message: ReplyMessage
    ) -> None:
        """Answer a message in the place of its placeholder. Raises ``SendError``."""
        began = time.perf_counter()
        watch = AnswerProgress(self._answers.language(key.account, asked))
        work = asyncio.create_task(self._worked(sender, key, asked, watch))
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
        if not message.told_before:  # what is told anew has its pictures already
            await show_charts(sender, key.chat, document, receipt)

    async def _follow(
        self, work: asyncio.Task[Document | None], message: ReplyMessage, watch: AnswerProgress
    ) -> None:
        """Show the placeholder, and how far the work is, until it is done."""
        pause, news = self._rhythm.moment, self._rhythm.first
        while not await _done(work, pause):
            if watch.shown:
                await message.show(watch.words())
                pause, news = news, min(news * self._rhythm.slower, self._rhythm.longest)

    async def _worked(
        self, sender: Sender, key: MessageKey, asked: Incoming, watch: AnswerProgress
    ) -> Document | None:
        """The answer, or what is said in its place where it cannot be made."""
        async with self._places:
            try:
                return await self._answers.answer(key.account, asked, watch)
            except UserError as error:
                return line(complaint(error, watch.language), watch.language)
            except Exception:
                number = uuid.uuid4().hex[:8]
                log.exception("message.broken", platform=sender.name, id=number)
                return line(INTERNAL.text(watch.language, number=number), watch.language)


async def _done(work: Awaitable[object], seconds: float) -> bool:
    """Whether the work is over after so many seconds, or before."""
    done, _ = await asyncio.wait({asyncio.ensure_future(work)}, timeout=seconds)
    return bool(done)


class AnswerProgress:
    """Told by the use cases (``Progress``) and by the model (``Listener``), asked by the flow.

    ``shown`` says whether anything may be seen of the work. Before the gate has let the message
    pass nothing may; words that nobody addressed to the bot are acknowledged only once they turned
    out to be a question, which is when work on them begins.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self.shown = False
        self._total = self._done = self._said = 0
        self._admitted = False
        self.thread = ""
        self._after: list[Callable[[], Awaitable[None]]] = []

    def after(self, effect: Callable[[], Awaitable[None]]) -> None:
        """Something is to be done once the answer stands."""
        self._after.append(effect)

    async def settle(self, thread: str = "") -> None:
        """The answer stands, and its thread has this name: do what waited for that."""
        self.thread = thread
        while self._after:
            await self._after.pop(0)()

    def admit(self, *, addressed: bool) -> None:
        """The gate let the message pass."""
        self._admitted = True
        self.shown = addressed

    def start(self, total: int) -> None:
        """``total`` changes are to be read."""
        self._total, self._done = total, 0
        self.shown = self._admitted

    def advance(self, count: int) -> None:
        """``count`` more are done."""
        self._done += count

    def finish(self) -> None:
        """The reading is over."""
        self._total = 0

    def hear(self, section: str, statement: Statement) -> None:  # noqa: ARG002  # they are counted
        """One more statement of the model that the change bears out."""
        self._said += 1
        self.shown = self._admitted

    def restart(self) -> None:
        """What the model said so far is void."""
        self._said = 0

    def words(self) -> Document:
        """What stands in the place of the answer for now."""
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
