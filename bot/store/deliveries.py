"""What followed the posts: parts in doubt, chats that refuse, and digests that must be amended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, case, delete, func, select, update

from bot.store.database import SqlStore
from bot.store.dialect import columns, from_row, insert_into, matches, upsert
from bot.store.tables.ledger_tables import amendments, deliveries, delivery_parts, refusals
from digest.frozen import frozen
from handlers.ports.storage import DeliveryKey, PartState


@frozen
class UncertainDelivery:
    """A part of a delivery that was not sent, or for which that is only assumed."""

    delivery: int  # what :meth:`SqlUncertainDeliveries.again` takes
    platform: str
    channel: str
    digest: str
    part: int  # from 0
    state: PartState
    error: str


class SqlUncertainDeliveries(SqlStore):
    """The parts in doubt."""

    async def newest(self, limit: int) -> Sequence[UncertainDelivery]:
        """The newest parts in doubt, at most ``limit``, newest first."""
        parts = delivery_parts.c
        wanted = (
            select(deliveries, parts.part, parts.state, parts.error)
            .join_from(deliveries, delivery_parts)
            .where((parts.state != PartState.SENT.value) | (parts.error != ""))
            .order_by(deliveries.c.id.desc(), parts.part)
            .limit(limit)
        )
        rows = (await self._database.run(wanted)).rows
        return tuple(from_row(UncertainDelivery, row, delivery=row.id) for row in rows)

    async def channel_of(self, delivery: int) -> str:
        """The name of a delivery's channel; empty if there is no such delivery."""
        wanted = select(deliveries.c.channel).where(deliveries.c.id == delivery)
        return (await self._database.run(wanted)).value or ""

    async def again(self, delivery: int) -> int:
        """Have a delivery's parts in doubt sent again; return how many there are."""
        # A part that is being sent right now is not included: its process finishes it.
        parts = delivery_parts.c
        in_doubt = (
            (parts.delivery_id == delivery)
            & (parts.receipt == "")
            & (parts.error != "")
            & parts.state.in_([PartState.FAILED.value, PartState.SENT.value])
        )
        waiting = {"state": PartState.WAITING.value, "error": ""}
        async with self._database.writing() as connection:
            count: int = (
                await connection.execute(update(delivery_parts).where(in_doubt).values(waiting))
            ).rowcount
            if count:
                await connection.execute(
                    update(deliveries).where(deliveries.c.id == delivery).values(done=False)
                )
            return count


@frozen
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


class SqlDeliveries(SqlStore):
    """The deliveries, in short."""

    async def newest(self, limit: int) -> Sequence[DeliverySummary]:
        """The newest deliveries, at most ``limit``, newest first."""
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
        return [from_row(DeliverySummary, row) for row in (await self._database.run(wanted)).rows]


@frozen
class ChatRefusal:
    """A chat that refuses messages."""

    account: str  # its name in the configuration
    chat: str
    reason: str
    detail: str
    strikes: int  # failed attempts since ``since``, the first refusal
    since: datetime
    parked_at: datetime | None = None  # ``None`` if it is not parked
    probes: int = 0  # that have failed since it was parked
    next_probe: datetime | None = None

    @property
    def place(self) -> tuple[str, str]:
        """Account and chat."""
        return self.account, self.chat


class SqlRefusals(SqlStore):
    """The chats that refuse, stored so that a restart does not forget them."""

    async def all(self) -> Sequence[ChatRefusal]:
        """Every chat that has refused and accepted nothing since, by account and chat."""
        wanted = select(refusals).order_by(refusals.c.account, refusals.c.chat)
        return tuple(from_row(ChatRefusal, row) for row in (await self._database.run(wanted)).rows)

    async def keep(self, refusal: ChatRefusal) -> None:
        """Store the refusal; it replaces the chat's earlier one."""
        await self._database.run(upsert(refusals), columns(refusal))

    async def forget(self, account: str, chat: str) -> bool:
        """Delete the refusal, so that the chat is tried again; return whether one existed."""
        chosen = matches(refusals, {"account": account, "chat": chat})
        return (await self._database.run(delete(refusals).where(chosen))).count > 0


class AmendmentProgress(StrEnum):
    """The state of an amendment."""

    PLANNED = "planned"
    DONE = "done"


@frozen
class Amendment:
    """A posted change ``sha`` was reverted by ``by_sha``, shown to people as ``by_name``."""

    key: DeliveryKey
    sha: str
    by_sha: str
    by_name: str
    at: datetime
    state: AmendmentProgress = AmendmentProgress.PLANNED


_OLDEST_FIRST = select(amendments).order_by(amendments.c.at, amendments.c.by_sha, amendments.c.sha)


class SqlAmendments(SqlStore):
    """The amendments."""

    async def plan(self, wanted: Sequence[Amendment]) -> None:
        """Store the amendments that are not there yet; existing ones stay unchanged."""
        rows = [
            {**columns(a.key), **columns(a, "sha", "by_sha", "by_name", "at", "state")}
            for a in wanted
        ]
        if rows:
            async with self._database.writing() as connection:
                await connection.execute(insert_into(amendments).on_conflict_do_nothing(), rows)

    async def planned(self) -> Sequence[Amendment]:
        """The amendments still to be carried out, oldest first."""
        return await self._read(amendments.c.state == AmendmentProgress.PLANNED.value)

    async def of(self, key: DeliveryKey) -> Sequence[Amendment]:
        """All amendments of a delivery, oldest first."""
        return await self._read(matches(amendments, columns(key)))

    async def _read(self, chosen: ColumnElement[bool]) -> Sequence[Amendment]:
        rows = (await self._database.run(_OLDEST_FIRST.where(chosen))).rows
        return tuple(from_row(Amendment, row, key=from_row(DeliveryKey, row)) for row in rows)

    async def done(self, amendment: Amendment) -> None:
        """Mark an amendment as carried out."""
        key = {**columns(amendment.key), **columns(amendment, "sha", "by_sha")}
        done = update(amendments).where(matches(amendments, key))
        await self._database.run(done.values(state=AmendmentProgress.DONE.value))
