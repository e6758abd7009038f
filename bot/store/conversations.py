"""Conversations and looks, as ``handlers.ports.conversation_port.Conversations`` states."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, Table, and_, bindparam, delete, select

from bot.store.database import Database, Prepared
from bot.store.dialect import insert_into
from bot.store.rows import moment, seconds, storable
from bot.store.tables.chat_tables import conversations, looks
from digest.core.enums import Language
from digest.core.grade import Repository
from handlers.ports.conversation_port import LIFETIME, ConversationKey, Length, Look, Talk

_SELDOM = 60
"""Seconds between two deletions of expired conversations."""

_keeping = insert_into(conversations)
_KEEP = Prepared(
    _keeping.on_conflict_do_update(
        index_elements=["platform", "chat", "thread", "person"],
        set_={"at": _keeping.excluded.at, "state": _keeping.excluded.state},
    )
)
_looking = insert_into(looks)
_LOOKED = _looking.on_conflict_do_update(
    index_elements=["platform", "chat", "person", "repository"],
    set_={"at": _looking.excluded.at, "tip": _looking.excluded.tip},
    where=looks.c.at <= _looking.excluded.at,
)


_MINE = and_(
    *(conversations.c[name] == bindparam(name) for name in ("platform", "chat", "thread", "person"))
)
_TALK = Prepared(
    select(conversations.c.state, conversations.c.at).where(
        _MINE, conversations.c.at >= bindparam("since")
    )
)


class SqlConversations:
    """A ``Conversations`` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._forgotten = 0

    async def talk(self, key: ConversationKey, now: datetime) -> Talk | None:
        """The state of a conversation, unless it has expired by ``now``.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        given = {**_names(key), "since": seconds(now - LIFETIME)}
        row = (await self._database.ask(_TALK, given)).first
        return None if row is None else _talk(row.state, moment(row.at))

    async def keep(self, key: ConversationKey, talk: Talk) -> None:
        """Store the state of a conversation and delete expired ones."""
        values = {**_names(key), "at": seconds(talk.at), "state": _state(talk)}
        over = seconds(talk.at - LIFETIME)
        if over >= self._forgotten + _SELDOM:
            self._forgotten = over
            await self._database.write(delete(conversations).where(conversations.c.at < over))
        await self._database.ask(_KEEP, values)

    async def last_look(self, key: ConversationKey, repository: Repository) -> Look | None:
        """What the person last looked at in the chat, in any thread."""
        wanted = select(looks.c.at, looks.c.tip).where(_of(looks, **_looker(key, repository)))
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        return None if row is None else Look(at=moment(row.at), tip=row.tip)

    async def looked(self, key: ConversationKey, repository: Repository, look: Look) -> None:
        """Record what the person looked at; a look older than the stored one changes nothing."""
        values = {**_looker(key, repository), "at": seconds(look.at), "tip": look.tip}
        await self._database.write(_LOOKED, values)

    async def forget(self, key: ConversationKey) -> None:
        """Delete the conversation; looks are kept."""
        await self._database.write(delete(conversations).where(_of(conversations, **_names(key))))


def _names(key: ConversationKey) -> dict[str, str]:
    names = {
        "platform": key.platform,
        "chat": key.chat,
        "thread": key.thread,
        "person": key.person,
    }
    return {name: storable(value) for name, value in names.items()}


def _looker(key: ConversationKey, repository: Repository) -> dict[str, str]:
    names = _names(replace(key, thread=""))
    del names["thread"]
    return {**names, "repository": storable(repository.name)}


def _of(table: Table, **names: str) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in names.items()))


def _state(talk: Talk) -> str:
    return json.dumps(
        {
            "question": talk.question,
            "repository": talk.repository,
            "page": talk.page,
            "subject": talk.subject,
            "language": talk.language and talk.language.value,
            "length": talk.length.value,
            "listed": talk.listed,
            "list_question": talk.list_question,
        }
    )


def _talk(state: str, at: datetime) -> Talk:
    held = json.loads(state)
    return Talk(
        question=held["question"],
        repository=held["repository"],
        at=at,
        page=held["page"],
        subject=held["subject"],
        language=Language(held["language"]) if held["language"] else None,
        length=Length(held["length"]),
        listed=tuple(held.get("listed", ())),
        list_question=held.get("list_question", ""),
    )
