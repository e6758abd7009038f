"""Responses of forges with their etags: the store behind ``bot.forges.forge_client.Pages``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import delete, func, select

from bot.store.columns import columns, matches, seconds, storable
from bot.store.database import Database, SqlStore
from bot.store.dialect import upsert
from bot.store.tables.chat_tables import forge_pages
from handlers.ports.storage import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgePage:
    """A response: ``value`` is its JSON or text, ``link`` the header that points to other pages."""

    value: Any
    etag: str = ""
    link: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    unchanged: bool = False


MOST = 2_000
"""The most responses that are kept; the oldest are removed first."""

_ROOM = 100
"""How many more than :data:`MOST` may pile up before old ones are removed."""


_KEEP = upsert(forge_pages)


class SqlPages(SqlStore):
    """The responses in a database."""

    def __init__(self, database: Database, clock: Clock, *, most: int = MOST) -> None:
        super().__init__(database)
        self._clock = clock
        self._most = most

    async def get(self, account: str, address: str) -> ForgePage | None:
        """The stored response to an account."""
        key = {"account": storable(account), "address": storable(address)}
        wanted = select(forge_pages).where(matches(forge_pages, key))
        row = (await self._database.run(wanted)).first
        if row is None:
            return None
        return ForgePage(value=json.loads(row.body), etag=row.etag, link=row.link)

    async def put(self, account: str, address: str, page: ForgePage) -> None:
        """Store a response in place of the previous one, and remove old ones if too many."""
        row = {
            "account": storable(account),
            "address": storable(address),
            "at": seconds(self._clock.now()),
            **columns(page, "etag", "link"),
            # Lone surrogates and NULs stay escaped.
            "body": json.dumps(page.value),
        }
        async with self._database.writing() as connection:
            await connection.execute(_KEEP, row)
            number = await connection.scalar(select(func.count()).select_from(forge_pages)) or 0
            if number > self._most + _ROOM:
                newest = select(forge_pages.c.at).order_by(forge_pages.c.at.desc())
                oldest = newest.limit(1).offset(self._most).scalar_subquery()
                await connection.execute(delete(forge_pages).where(forge_pages.c.at <= oldest))
