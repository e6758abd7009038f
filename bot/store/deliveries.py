"""Admin views of the ledger: parts in doubt, the newest deliveries, and chats that refuse.

Refusals are stored so that a restart does not forget them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, case, delete, func, select, update

from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.rows import moment, seconds, storable
from bot.store.tables.ledger_tables import deliveries, delivery_parts, refusals
from handlers.ports.storage import PartState


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertainDelivery:
    """A part of a delivery that was not sent, or for which that is only assumed.

    ``delivery`` is the number that :meth:`SqlUncertainDeliveries.again` takes; parts count from 0.
    """

    delivery: int
    platform: str
    channel: str
    digest: str
    part: int
    state: PartState
    error: str


class SqlUncertainDeliveries:
    """The parts in doubt in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, limit: int) -> Sequence[UncertainDelivery]:
        """The newest parts in doubt, at most ``limit``, newest first.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        parts = delivery_parts.c
        wanted = (
            select(deliveries, parts.part, parts.state, parts.error)
            .join_from(deliveries, delivery_parts)
            .where((parts.state != PartState.SENT.value) | (parts.error != ""))
            .order_by(deliveries.c.id.desc(), parts.part)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return tuple(
                UncertainDelivery(
                    delivery=row.id,
                    platform=row.platform,
                    channel=row.channel,
                    digest=row.digest,
                    part=row.part,
                    state=PartState(row.state),
                    error=row.error,
                )
                for row in await connection.execute(wanted)
            )

    async def channel_of(self, delivery: int) -> str:
        """The name of a delivery's channel; empty if there is no such delivery."""
        wanted = select(deliveries.c.channel).where(deliveries.c.id == delivery)
        async with self._database.reading() as connection:
            return await connection.scalar(wanted) or ""

    async def again(self, delivery: int) -> int:
        """Have a delivery's parts in doubt sent again; return how many there are.

        A part that is being sent right now is not included: its process finishes it.
        """
        parts = delivery_parts.c
        in_doubt = (
            (parts.delivery_id == delivery)
            & (parts.receipt == "")
            & (parts.error != "")
            & parts.state.in_([PartState.FAILED.value, PartState.SENT.value])
        )
        async with self._database.writing() as connection:
            changed = await connection.execute(
                update(delivery_parts)
                .where(in_doubt)
                .values(state=PartState.WAITING.value, error="")
                .returning(parts.part)
            )
            count = len(changed.all())
            if count:
                await connection.execute(
                    update(deliveries).where(deliveries.c.id == delivery).values(done=False)
                )
            return count


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverySummary:
    """A delivery with the number of its parts and of those sent."""

    id: int
    platform: str
    channel: str
    digest: str
    done: bool
    parts: int
    sent: int
    error: str


class SqlDeliveries:
    """The deliveries in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, limit: int) -> Sequence[DeliverySummary]:
        """The newest deliveries, at most ``limit``, newest first.

        Raises ``UnwritableFolder`` and ``BrokenArchive``.
        """
        of, parts = deliveries.c, delivery_parts.c
        last = select(of.id).order_by(of.id.desc()).limit(limit)
        about = (of.id, of.platform, of.channel, of.digest, of.done)
        sent = func.coalesce(func.sum(case((parts.state == PartState.SENT.value, 1), else_=0)), 0)
        wanted = (
            select(
                *about,
                func.count(parts.part).label("parts"),
                sent.label("sent"),
                func.coalesce(func.max(parts.error), "").label("error"),
            )
            .join_from(deliveries, delivery_parts, isouter=True)
            .where(of.id.in_(last))
            .group_by(*about)
            .order_by(of.id.desc())
        )
        async with self._database.reading() as connection:
            return [DeliverySummary(**row._mapping) for row in await connection.execute(wanted)]  # noqa: SLF001 - public in SQLAlchemy


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRefusal:
    """A chat that refuses messages. ``account`` is an account's name in the configuration.

    ``strikes`` counts failed attempts since ``since``, the first refusal. ``parked_at`` is ``None``
    if the chat is not parked; otherwise ``probes`` have failed and the next is due at
    ``next_probe``.
    """

    account: str
    chat: str
    reason: str
    detail: str
    strikes: int
    since: datetime
    parked_at: datetime | None = None
    probes: int = 0
    next_probe: datetime | None = None

    @property
    def place(self) -> tuple[str, str]:
        """Account and chat."""
        return self.account, self.chat


class SqlRefusals:
    """The refusals in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> Sequence[ChatRefusal]:
        """Every chat that has refused and accepted nothing since, by account and chat.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        wanted = select(refusals).order_by(refusals.c.account, refusals.c.chat)
        async with self._database.reading() as connection:
            return tuple(map(_refusal, await connection.execute(wanted)))

    async def keep(self, refusal: ChatRefusal) -> None:
        """Store the refusal; it replaces the chat's earlier one."""
        async with self._database.writing() as connection:
            await connection.execute(_KEEP, _columns(refusal))

    async def forget(self, account: str, chat: str) -> bool:
        """Delete the refusal, so that the chat is tried again; return whether one existed."""
        gone = (
            delete(refusals)
            .where(refusals.c.account == account, refusals.c.chat == chat)
            .returning(refusals.c.chat)
        )
        async with self._database.writing() as connection:
            return (await connection.execute(gone)).first() is not None


def _columns(refusal: ChatRefusal) -> dict[str, Any]:
    return {
        "account": refusal.account,
        "chat": refusal.chat,
        "reason": refusal.reason,
        "detail": storable(refusal.detail),
        "strikes": refusal.strikes,
        "since": seconds(refusal.since),
        "parked_at": seconds(refusal.parked_at) if refusal.parked_at else 0,
        "probes": refusal.probes,
        "next_probe": seconds(refusal.next_probe) if refusal.next_probe else 0,
    }


def _refusal(row: Row[*tuple[Any, ...]]) -> ChatRefusal:
    return ChatRefusal(
        account=row.account,
        chat=row.chat,
        reason=row.reason,
        detail=row.detail,
        strikes=row.strikes,
        since=moment(row.since),
        parked_at=moment(row.parked_at) if row.parked_at else None,
        probes=row.probes,
        next_probe=moment(row.next_probe) if row.next_probe else None,
    )


_insertion = insert_into(refusals)
_KEEP = _insertion.on_conflict_do_update(
    index_elements=list(refusals.primary_key),
    set_={
        c.name: _insertion.excluded[c.name] for c in refusals.c if c.name not in {"account", "chat"}
    },
)
