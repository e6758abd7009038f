"""One answer, from the placeholder to what stands in its place.

What is answered within ``Rhythm.moment`` needs no placeholder: that saves a message in chats where
platforms count them, and nobody sees the difference. Whatever takes longer is acknowledged by a
placeholder, which tells at a bounded rate how far the work is, and is edited into the answer.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Protocol

import structlog

from bot.conversation.message import Message
from bot.conversation.pictures import show_charts
from bot.conversation.record import Key, Records, Stage
from bot.conversation.watch import Watch, line
from bot.platforms.base import Ability, Incoming, Sender
from digest.complaint import complaint
from digest.document import Document
from digest.errors import UserError
from digest.language import Language
from digest.words.talk import INTERNAL, WITHDRAWN

log = structlog.get_logger(__name__)

AT_ONCE = 16
"""Answers that are worked on at a time; placeholders do not wait for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
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

    async def answer(self, account: str, asked: Incoming, watch: Watch) -> Document | None:
        """The answer, or nothing to say. A ``UserError`` is shown to the asker.

        ``watch`` is told when the message may be acknowledged, and how far the work is.
        """

    async def owed(self, account: str, asked: Incoming) -> bool:
        """Whether the asker may be told that no answer comes, though nothing stands of one yet."""

    async def forget(self, account: str, asked: Incoming) -> None:
        """The question was deleted: nothing of it may be gone on with."""


class Telling:
    """Has answers made, and puts them where they belong."""

    def __init__(self, answers: Answering, records: Records, rhythm: Rhythm) -> None:
        self._answers = answers
        self._records = records
        self._rhythm = rhythm
        self._places = asyncio.Semaphore(AT_ONCE)

    async def tell(self, sender: Sender, key: Key, asked: Incoming, message: Message) -> None:
        """Answer a message in the place of its placeholder. Raises ``SendError``."""
        began = time.perf_counter()
        watch = Watch(self._answers.language(key.account, asked))
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
        self, work: asyncio.Task[Document | None], message: Message, watch: Watch
    ) -> None:
        """Show the placeholder, and how far the work is, until it is done."""
        pause, news = self._rhythm.moment, self._rhythm.first
        while not await _done(work, pause):
            if watch.shown:
                await message.show(watch.words())
                pause, news = news, min(news * self._rhythm.slower, self._rhythm.longest)

    async def _worked(
        self, sender: Sender, key: Key, asked: Incoming, watch: Watch
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
