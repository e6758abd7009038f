"""The state of conversations, and what people looked at last."""

from __future__ import annotations

import json
from datetime import datetime

from sqlalchemy import bindparam, delete, select
from typing_extensions import override

from bot.store.columns import adapter, columns, from_row, given, matches, seconds, storable, typed
from bot.store.database import Database, Prepared, SqlStore
from bot.store.dialect import upsert
from bot.store.tables.chat_tables import conversations, looks
from digest.core.grade import Repository
from handlers.ports.chat_port import LIFETIME, ConversationKey, Conversations, Look, Talk

_SELDOM = 60
"""Seconds between two deletions of expired conversations."""

_KEEP = Prepared(upsert(conversations))
_LOOKED = upsert(looks, where=lambda new: looks.c.at <= new.at)
_TALK = Prepared(
    select(conversations.c.state, conversations.c.at).where(
        given(conversations, "platform", "chat", "thread", "person"),
        conversations.c.at >= bindparam("since"),
    )
)


class SqlConversations(SqlStore, Conversations):
    """Conversations in a database."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._expired = 0

    @override
    async def talk(self, key: ConversationKey, now: datetime) -> Talk | None:
        values = {**columns(key), "since": seconds(now - LIFETIME)}
        row = (await self._database.run(_TALK, values)).first
        return None if row is None else typed(Talk, {**json.loads(row.state), "at": row.at})

    @override
    async def keep(self, key: ConversationKey, talk: Talk) -> None:
        state = adapter(Talk).dump_python(talk, mode="json", exclude={"at"})
        before = seconds(talk.at - LIFETIME)
        if before >= self._expired + _SELDOM:
            self._expired = before
            await self._database.run(delete(conversations).where(conversations.c.at < before))
        row = {**columns(key), "at": seconds(talk.at), "state": json.dumps(state)}
        await self._database.run(_KEEP, row)

    @override
    async def last_look(self, key: ConversationKey, repository: Repository) -> Look | None:
        wanted = select(looks.c.at, looks.c.tip).where(matches(looks, _looker(key, repository)))
        row = (await self._database.run(wanted)).first
        return None if row is None else from_row(Look, row)

    @override
    async def looked(self, key: ConversationKey, repository: Repository, look: Look) -> None:
        await self._database.run(_LOOKED, {**_looker(key, repository), **columns(look)})

    @override
    async def forget(self, key: ConversationKey) -> None:
        removed = delete(conversations).where(matches(conversations, columns(key)))
        await self._database.run(removed)


def _looker(key: ConversationKey, repository: Repository) -> dict[str, str]:
    names = columns(key, "platform", "chat", "person")
    return {**names, "repository": storable(repository.name)}
