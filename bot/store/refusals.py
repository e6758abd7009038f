"""Chats that refuse what is sent to them, kept so that a restart does not forget them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, select

from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.rows import moment, seconds, storable
from bot.store.tables import refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A chat with what it says. ``account`` is an account's name in the configuration.

    ``strikes`` counts attempts since ``since``, its first refusal. ``parked_at`` is ``None`` where
    it is not parked; else ``probes`` were in vain, and the next is due at ``next_probe``.
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

    async def all(self) -> Sequence[Refusal]:
        """Every chat that refused and has taken nothing since, by account and chat.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        wanted = select(refusals).order_by(refusals.c.account, refusals.c.chat)
        async with self._database.reading() as connection:
            return tuple(map(_refusal, await connection.execute(wanted)))

    async def keep(self, refusal: Refusal) -> None:
        """Put the refusal in the place of what is kept of the chat."""
        async with self._database.writing() as connection:
            await connection.execute(_KEEP, _columns(refusal))

    async def forget(self, account: str, chat: str) -> bool:
        """The chat takes what is sent, or is to be tried again; whether anything was kept."""
        gone = (
            delete(refusals)
            .where(refusals.c.account == account, refusals.c.chat == chat)
            .returning(refusals.c.chat)
        )
        async with self._database.writing() as connection:
            return (await connection.execute(gone)).first() is not None


def _columns(refusal: Refusal) -> dict[str, Any]:
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


def _refusal(row: Row[*tuple[Any, ...]]) -> Refusal:
    return Refusal(
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
