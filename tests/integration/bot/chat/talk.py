"""A platform that edits, and answers that a test holds back, around a real database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.chat.message_service import Conversation
from bot.chat.responder import AnswerProgress, PlaceholderTiming
from bot.delivery.part_sender import Patience
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Ability, Part, Receipt, SendError, SendReason
from bot.store.database import Database
from bot.store.replies import SqlReplies
from digest.core.enums import Language
from digest.document import Document
from digest.errors import UnknownChange
from digest.question.lexicon import language_of
from tests.support.fakes_delivery import FakeClock, FakeLeases, FakeSender, no_step, paragraphs


@dataclass
class Board(FakeSender):
    """A platform where messages can be edited. ``edits`` is what each edit put where.

    ``edit_errors`` are raised first, in order. ``stands`` outlives a killed process.
    """

    can_edit: bool = True
    edits: list[str] = field(default_factory=list)
    edit_errors: list[SendError] = field(default_factory=list)

    @property
    def abilities(self) -> frozenset[Ability]:
        able = super().abilities
        return able | {Ability.EDIT} if self.can_edit else able

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:
        self.step("before edit")
        if self.edit_errors:
            raise self.edit_errors.pop(0)
        number = int(receipt.message.rpartition("/")[2]) - 1
        where, sent, reply = self.stands[number]
        if where != chat:
            raise SendError(SendReason.NO_CHANNEL)
        # The identity stays with the message, as Slack's metadata do.
        self.stands[number] = (
            chat,
            Part(text=part.text, body=part.body, identity=sent.identity),
            reply,
        )
        self.edits.append(part.text)
        self.step("after edit")
        return receipt


@dataclass
class Slowly:
    """Answers at once, or when ``go`` is set; what they are told is in ``asked``."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    meanwhile: Callable[[AnswerProgress], None] = lambda _: None

    def language(self, account: str, asked: Incoming) -> Language:
        return language_of(asked.text) or Language.EN

    async def answer(self, account: str, asked: Incoming, watch: AnswerProgress) -> Document | None:
        self.asked.append(asked.text)
        if asked.text == "refused":
            return None
        watch.admit(addressed=asked.addressed)
        self.meanwhile(watch)
        if "slow" in asked.text or "慢" in asked.text:
            await self.go.wait()
        match asked.text:
            case "unknown":
                raise UnknownChange("#1", "acme/engine")
            case "bug":
                raise ZeroDivisionError
            case "slow nothing":
                return None
        return paragraphs(*(f"{word} to {asked.text}" for word in self.words))

    words: tuple[str, ...] = ("answer",)

    async def owed(self, account: str, asked: Incoming) -> bool:
        return asked.text != "refused"

    async def forget(self, account: str, asked: Incoming) -> None:
        self.forgotten.append(asked.text)


# Placeholders at once, news as fast as can be.
BRISK = PlaceholderTiming(moment=0.01, first=0.01, slower=1.0, longest=0.01)


@dataclass
class Talk:
    """A chat with the bot. ``restart`` is a new process on the same database and platform."""

    database: Database
    sender: Board = field(default_factory=Board)
    answers: Slowly = field(default_factory=Slowly)
    clock: FakeClock = field(default_factory=FakeClock)
    rhythm: PlaceholderTiming = BRISK

    def start(self) -> Conversation:
        """A process."""
        return Conversation(
            self.answers,
            SqlReplies(self.database),
            FakeLeases(),
            self.clock,
            {"board": self.sender},
            patience=Patience(first=0, attempts=2, answer=5),
            rhythm=self.rhythm,
        )

    def restart(self) -> Conversation:
        """A new process after the old one died."""
        self.sender.step = no_step
        return self.start()

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(120):
            while not holds():
                await asyncio.sleep(0.002)


def said(text: str, number: str = "m1", **more: object) -> Incoming:
    fields = {
        "platform": "fake", "chat": "C9", "person": "U1", "text": text, "id": number,
        "at": datetime(2026, 1, 23, 12, tzinfo=UTC), "receipt": Receipt(message="q1", thread="t1"),
    }  # fmt: skip
    return Incoming(**(fields | more))  # type: ignore[arg-type]  # fields of a test
