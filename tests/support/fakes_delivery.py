"""Delivery without a platform or a database; records what was sent and written.

Both fakes call ``step`` before and after everything they do, so that a test can end the process at
any point: see :class:`Crash`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from bot.messaging.sender import Ability, Limit, Part, Receipt, SendError, SendReason, Unit
from bot.util.terminal import lay_out, plain_text
from digest.document import Document, Paragraph, Text
from handlers.ports.storage import DeliveryKey, DeliveryRecord, PartRecord, PartState


class Killed(BaseException):
    """Ends the process: like SIGKILL, it is not caught by ``except Exception``."""


@dataclass
class Crash:
    """Ends the process at a step, counted from 0; never if there is none."""

    at: int | None = None
    steps: list[str] = field(default_factory=list)

    def __call__(self, name: str) -> None:
        self.steps.append(name)
        if self.at is not None and len(self.steps) - 1 == self.at:
            raise Killed(name)


def no_step(_name: str) -> None:
    """Do nothing."""


@dataclass
class FakeLedger:
    """The ledger in memory. It outlives a :class:`Killed` process, as the database does."""

    step: Callable[[str], None] = no_step
    records: dict[DeliveryKey, DeliveryRecord] = field(default_factory=dict)
    slots: dict[str, list[str]] = field(default_factory=dict)
    marks: list[tuple[DeliveryKey, PartRecord]] = field(default_factory=list)

    async def claim(self, key: DeliveryKey, content: str, parts: int) -> DeliveryRecord:
        self.step("before claim")
        await asyncio.sleep(0)
        if fresh := key not in self.records:
            waiting = tuple(PartRecord(part=n, state=PartState.WAITING) for n in range(parts))
            self.records[key] = DeliveryRecord(
                key=key, content=content, parts=waiting, done=False, fresh=True
            )
        record = replace(self.records[key], fresh=fresh)
        self.step("after claim")
        return record

    async def mark(self, key: DeliveryKey, part: PartRecord) -> None:
        self.step(f"before mark {part.state}")
        await asyncio.sleep(0)
        record = self.records[key]
        parts = tuple(part if one.part == part.part else one for one in record.parts)
        done = all(one.state is PartState.SENT for one in parts)
        self.records[key] = replace(record, parts=parts, done=done)
        self.marks.append((key, part))
        self.step(f"after mark {part.state}")

    async def pending(self) -> Sequence[DeliveryRecord]:
        self.step("pending")
        return [replace(record, fresh=False) for record in self.records.values() if not record.done]

    async def claim_slot(self, subscription: str, slot: str) -> bool:
        self.step("before claim_slot")
        await asyncio.sleep(0)
        claimed = self.slots.setdefault(subscription, [])
        if fresh := slot not in claimed:
            claimed.append(slot)
        self.step("after claim_slot")
        return fresh

    async def last_slot(self, subscription: str) -> str | None:
        return max(self.slots.get(subscription, []), default=None)

    def states(self) -> list[PartState]:
        return [part.state for record in self.records.values() for part in record.parts]


NO_LIMIT = Limit(size=None, unit=Unit.CODE_POINTS, source="none")


@dataclass
class FakeSender:
    """A platform on which each paragraph is a message.

    ``errors`` are raised first, in order. ``stands`` is what people see; it outlives a killed
    process. An error with the reason ``NO_ANSWER`` is raised after the message was accepted if
    ``taken`` says so.
    """

    name: str = "fake"
    can_find: bool = False
    can_edit: bool = False
    errors: list[SendError] = field(default_factory=list)
    taken: bool = False
    step: Callable[[str], None] = no_step
    edit_errors: list[SendError] = field(default_factory=list)
    stands: list[tuple[str, Part, Receipt | None]] = field(default_factory=list)
    calls: int = 0
    delay: float = 0.0
    limit: Limit = NO_LIMIT

    @property
    def abilities(self) -> frozenset[Ability]:
        found = {Ability.FIND, Ability.THREAD} if self.can_find else set()
        return frozenset(found | ({Ability.EDIT} if self.can_edit else set()))

    def render(self, document: Document) -> tuple[Part, ...]:
        texts = (
            plain_text(lay_out(replace(document, blocks=(block,)), 80, urls=True))
            for block in document.blocks
        )
        return tuple(Part(text=text.strip(), body=text.strip()) for text in texts)

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        self.step("before send")
        self.calls += 1
        await asyncio.sleep(self.delay)
        if self.errors:
            error = self.errors.pop(0)
            if self.taken and error.reason is SendReason.NO_ANSWER:
                self.stands.append((chat, part, reply_to))
            raise error
        self.stands.append((chat, part, reply_to))
        self.step("after send")
        return Receipt(message=f"{chat}/{len(self.stands)}")

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:
        if not self.can_edit:
            raise SendError(SendReason.UNSUPPORTED)
        self.step("before edit")
        if self.edit_errors:
            raise self.edit_errors.pop(0)
        where, number = receipt.message.split("/")
        assert where == chat
        _, old, reply_to = self.stands[int(number) - 1]
        self.stands[int(number) - 1] = (chat, replace(part, identity=old.identity), reply_to)
        self.step("after edit")
        return receipt

    async def find(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt | None:
        if not self.can_find:
            raise SendError(SendReason.UNSUPPORTED)
        self.step("find")
        for number, (where, sent, _) in enumerate(self.stands, 1):
            if where == chat and sent.identity == part.identity:
                return Receipt(message=f"{chat}/{number}")
        return None

    async def probe(self, chat: str) -> str:
        return "there"

    async def aclose(self) -> None:
        return

    def texts(self) -> list[str]:
        return [part.text for _, part, _ in self.stands]


@dataclass
class FakeLeases:
    """Leases among tasks. ``taken`` are names held by another process."""

    taken: set[str] = field(default_factory=set)

    @asynccontextmanager
    async def hold(self, name: str):
        if name in self.taken:
            yield False
            return
        self.taken.add(name)
        try:
            yield True
        finally:
            self.taken.discard(name)


@dataclass
class FakeClock:
    """A clock that a test sets."""

    time: datetime = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time


def paragraphs(*texts: str) -> Document:
    """A document with the given number of paragraphs."""
    return Document(title="t", blocks=tuple(Paragraph((Text(text),)) for text in texts))


async def resume_pending(delivery):
    """Continue all pending deliveries of the targets given at the beginning."""
    left = await delivery.left()
    targets = delivery._targets.values()
    return tuple(
        [
            done
            for target in targets
            for done in await delivery.resume(target, left.get(target.name, ()))
        ]
    )
