"""Delivers documents: render, freeze, send the parts, store the receipts.

A delivery belongs to one process at a time (:mod:`bot.util.locks`), and what it posts is what was
frozen at the first claim (:mod:`bot.delivery.payload`). Parts go in order; one that cannot be sent
holds back those after it. Private repositories are withheld from chats that people from outside
read.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import structlog

from bot.access.gate import AccessGate
from bot.delivery.part_sender import PartSender, PartToSend, Patience, Target, describe
from bot.delivery.payload import freeze, messages, thaw
from bot.messaging.sender import Ability, Discerning, Part, Receipt, SendReason
from bot.store.ledger import SqlLedger
from bot.util.locks import Leases
from bot.util.machine import SystemClock
from bot.util.tracing import span
from digest.document import Document
from digest.frozen import frozen
from handlers.ports.storage import Clock, DeliveryKey, DeliveryRecord, PartRecord, PartState

Wake = Callable[[str], Awaitable[None]]
"""Asks whichever process delivers to send the pending deliveries of a channel, by name, at once."""


class WakeQueue:
    """Names of channels in the order they were added. If any are lost, a sweep finds them."""

    def __init__(self) -> None:
        self._names: asyncio.Queue[str] = asyncio.Queue()

    async def tell(self, channel: str) -> None:
        """Add a channel with pending deliveries; see :data:`Wake`."""
        self._names.put_nowait(channel)

    async def told(self) -> str:
        """Wait for the next channel."""
        return await self._names.get()


log = structlog.get_logger(__name__)


class Visibility:
    """Checks who reads a chat right before anything is posted there unasked."""

    # If a platform cannot tell, only the chat's own people are assumed to read it, unless the
    # configuration says otherwise.

    def __init__(self, gate: AccessGate) -> None:
        self._gate = gate

    async def withholds(self, target: Target, repository: str) -> bool:
        """Whether a repository must not be posted to the target."""
        sender = target.sender
        external = isinstance(sender, Discerning) and await sender.external(target.chat)
        readable = await self._gate.tellable(
            target.account,
            f"{sender.name}:{target.chat}",
            [repository],
            external=external,
            person=target.person,
        )
        if not readable:
            log.warning("repository.withheld", channel=target.name, repository=repository)
        return not readable


_LASTING = frozenset(
    {SendReason.UNAUTHORIZED, SendReason.NO_CHANNEL, SendReason.REJECTED, SendReason.UNSUPPORTED}
)

Withholds = Callable[[Target, str], Awaitable[bool]]
"""Whether a repository must not be posted to a target now."""

WITHHELD = "withheld"
"""The error of a delivery that waits until its chat may see the repository again."""

Left = Sequence[DeliveryRecord]  # deliveries of one target that are not done


@frozen
class Posting:
    """A document for a target."""

    target: Target
    digest: str  # its stable name, as in ``DeliveryKey``
    document: Document
    reply_to: Receipt | None = None  # a message that it answers, frozen with it
    details: Document | None = None  # follow in its thread, as part of the delivery
    repository: str = ""  # the one it is about, empty if there is none

    @property
    def key(self) -> DeliveryKey:
        """The key under which it is delivered once."""
        return DeliveryKey(
            platform=self.target.sender.name, channel=self.target.name, digest=self.digest
        )


@frozen
class Delivered:
    """The state of a delivery after an attempt."""

    key: DeliveryKey
    parts: tuple[PartRecord, ...] = ()  # in order
    new: int = 0  # parts that got a receipt in this attempt
    busy: bool = False  # another process is working on it
    error: str = ""  # why it is not done, or empty
    frozen: bool = True  # the ledger has the content, so that the rest will be resumed

    @property
    def lasting(self) -> bool:
        """Whether retrying is useless until a person fixes something."""
        return self.error.partition(":")[0] in _LASTING

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return not self.error


class Delivery:
    """Delivers to targets. Platforms' failures are in the results, never raised."""

    def __init__(
        self,
        ledger: SqlLedger,
        leases: Leases,
        targets: Sequence[Target] = (),
        patience: Patience | None = None,
        clock: Clock | None = None,
        *,
        withholds: Withholds | None = None,
        elsewhere: Callable[[DeliveryKey], bool] | None = None,
    ) -> None:
        """``targets`` are those whose pending deliveries are resumed.

        ``withholds`` is asked before an earlier delivery continues, because the chat's readers may
        have changed. ``elsewhere`` recognises deliveries that are resumed by another component.
        """
        self._withholds = withholds
        self._elsewhere = elsewhere or (lambda _: False)
        self._clock = clock or SystemClock()
        self._ledger = ledger
        self._leases = leases
        self._patience = patience or Patience()
        self._part_sender = PartSender(ledger, self._patience)
        self._orphans: set[DeliveryKey] = set()
        self._targets = _by_key(targets)

    async def deliver(self, posting: Posting) -> Delivered:
        """Post what has not been posted yet."""
        sender = posting.target.sender
        parts = sender.render(posting.document)
        following: tuple[Part, ...] = ()
        if posting.details is not None and Ability.THREAD in sender.abilities:
            following = sender.render(posting.details)
        async with self._leases.hold(_name(posting.key)) as leased:
            content = freeze(
                posting.document,
                parts,
                self._clock.now(),
                posting.reply_to,
                repository=posting.repository,
                details=posting.details,
                following=following,
            )
            record = await self._ledger.claim(posting.key, content, len(parts) + len(following))
            return await self._go_on(posting.target, record, leased=leased)

    async def deliver_all(self, postings: Sequence[Posting]) -> tuple[Delivered, ...]:
        """Post to many targets at once, independently; results are in the given order."""
        return tuple(await asyncio.gather(*map(self._post_isolated, postings)))

    async def left(
        self, skip: Collection[DeliveryKey] = frozenset(), targets: Iterable[Target] = ()
    ) -> Mapping[str, Left]:
        """What a crash or an outage left, by channel, each oldest first; ``targets`` are added."""
        # Those in ``skip`` are left out while their state is unchanged since they failed.
        known = {**self._targets, **_by_key(targets)}
        pending: dict[str, list[DeliveryRecord]] = {}
        for record in await self._ledger.pending():
            if record.key in skip and any(part.state is PartState.FAILED for part in record.parts):
                continue
            target = known.get((record.key.platform, record.key.channel))
            if target is not None:
                pending.setdefault(target.name, []).append(record)
            elif record.key not in self._orphans and not self._elsewhere(record.key):
                # Logged once; its channel may be paused, and come back.
                self._orphans.add(record.key)
                log.warning("delivery.orphaned", **describe(record.key))
        return pending

    async def left_of(self, target: Target) -> Left:
        """The pending deliveries of one target, oldest first; other targets are not checked."""
        place = (target.sender.name, target.name)
        pending = await self._ledger.pending()
        return [record for record in pending if (record.key.platform, record.key.channel) == place]

    async def resume(self, target: Target, left: Left) -> tuple[Delivered, ...]:
        """Continue the deliveries of one target, one after the other."""
        postings = (
            Posting(target=target, digest=record.key.digest, document=thaw(record.content).document)
            for record in left
        )
        return tuple([await self._post_isolated(posting) for posting in postings])

    async def _post_isolated(self, posting: Posting) -> Delivered:
        try:
            return await self.deliver(posting)
        except Exception as error:
            log.exception("delivery.broken", **describe(posting.key))
            return Delivered(key=posting.key, error=type(error).__name__, frozen=False)

    async def _go_on(self, target: Target, record: DeliveryRecord, *, leased: bool) -> Delivered:
        entries = sorted(record.parts, key=lambda entry: entry.part)
        if record.done:
            log.info("delivery.repeated", **describe(record.key))
            return Delivered(key=record.key, parts=tuple(entries))
        if not leased:
            log.info("delivery.busy", **describe(record.key))
            return Delivered(key=record.key, parts=tuple(entries), busy=True, error="busy")
        if not record.fresh and await self._is_withheld(target, record):
            log.info("delivery.held", **describe(record.key), parts=len(entries), new=0)
            return Delivered(key=record.key, parts=tuple(entries), error=WITHHELD)
        with span("post", platform=record.key.platform, channel=record.key.channel):
            result = await self._post(target, record, entries)
        event = "delivery.sent" if result.done else "delivery.held"
        log.info(event, **describe(record.key), parts=len(entries), new=result.new)
        return result

    async def _is_withheld(self, target: Target, record: DeliveryRecord) -> bool:
        repository = messages(record.content).repository
        if self._withholds is None or not repository:
            return False
        return await self._withholds(target, repository)

    async def _post(
        self, target: Target, record: DeliveryRecord, entries: list[PartRecord]
    ) -> Delivered:
        content = messages(record.content)
        frozen, thread = content.parts, content.thread
        new = 0
        for place, entry in enumerate(entries):
            if entry.state is not PartState.SENT:
                task = PartToSend(
                    target=target,
                    key=record.key,
                    number=entry.part,
                    part=replace(frozen[place], identity=identity(record.key, entry.part)),
                    thread=thread,
                )
                entries[place] = settled = await self._part_sender.settle(task, entry.state)
                if settled.state is not PartState.SENT:
                    return Delivered(
                        key=record.key, parts=tuple(entries), new=new, error=settled.error
                    )
                new += bool(settled.receipt)
            thread = thread or Receipt.parse(entries[place].receipt)
        return Delivered(key=record.key, parts=tuple(entries), new=new)


def _by_key(targets: Iterable[Target]) -> Mapping[tuple[str, str], Target]:
    return {(target.sender.name, target.name): target for target in targets}


def identity(key: DeliveryKey, part: int) -> str:
    """32 hex digits that identify one part of one delivery, the same at every attempt."""
    # Short enough for every platform that accepts a key against duplicates.
    return hashlib.sha256(f"{_name(key)}\0{part}".encode()).hexdigest()[:32]


def _name(key: DeliveryKey) -> str:
    return f"{key.platform}\0{key.channel}\0{key.digest}"
