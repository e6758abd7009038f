"""Responses of forges with their etags: the store behind ``bot.forges.forge_client.Pages``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import delete, func, select

from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.rows import seconds, storable
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


class SqlPages:
    """A ``Pages`` in a database."""

    def __init__(self, database: Database, clock: Clock, *, most: int = MOST) -> None:
        self._database = database
        self._clock = clock
        self._most = most

    async def get(self, account: str, address: str) -> ForgePage | None:
        """The stored response to an account."""
        wanted = select(forge_pages.c.etag, forge_pages.c.link, forge_pages.c.body).where(
            forge_pages.c.account == storable(account), forge_pages.c.address == storable(address)
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        if row is None:
            return None
        return ForgePage(value=json.loads(row.body), etag=row.etag, link=row.link)

    async def put(self, account: str, address: str, page: ForgePage) -> None:
        """Store a response in place of the previous one, and remove old ones if too many."""
        values = {
            "account": storable(account),
            "address": storable(address),
            "at": seconds(self._clock.now()),
            "etag": storable(page.etag),
            "link": storable(page.link),
            # Lone surrogates and NULs stay escaped.
            "body": json.dumps(page.value),
        }
        kept = insert_into(forge_pages).values(values)
        changed = {name: kept.excluded[name] for name in ("at", "etag", "link", "body")}
        async with self._database.writing() as connection:
            await connection.execute(
                kept.on_conflict_do_update(index_elements=["account", "address"], set_=changed)
            )
            number = await connection.scalar(select(func.count()).select_from(forge_pages)) or 0
            if number > self._most + _ROOM:
                newest = select(forge_pages.c.at).order_by(forge_pages.c.at.desc())
                oldest = newest.limit(1).offset(self._most).scalar_subquery()
                await connection.execute(delete(forge_pages).where(forge_pages.c.at <= oldest))
