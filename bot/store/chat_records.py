"""Settings, subscriptions, conversations and profiles of chats and people.

Settings and schedules are JSON, because the database only looks them up by chat. A missing key
counts as not set, so that settings can be added.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Table, Update, and_, bindparam, delete, exists, select, update
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from bot.store.database import Database, Prepared, SqlStore, StatementResult
from bot.store.dialect import (
    adapter,
    columns,
    equals_parameters,
    from_row,
    matches,
    seconds,
    storable,
    upsert,
    value_from,
)
from bot.store.tables.chat_tables import chat_subscriptions, chats, conversations, looks, profiles
from digest.chat.chat_settings import ChatSettings, DigestTiming, Filters, Rule, Subscribed
from digest.core.enums import Alerts, Frequency
from digest.core.grade import Repository
from digest.core.profile import Profile, parse_entry
from handlers.ports.chat_port import (
    LIFETIME,
    ChatKey,
    Chats,
    ConversationKey,
    Conversations,
    Look,
    Profiles,
    StoredProfile,
    Talk,
)

_KEY = ("platform", "account", "chat")
_SETTINGS = Prepared(select(chats.c.settings).where(equals_parameters(chats, *_KEY)))
_CHANGE = upsert(chats)
_SUBSCRIBE = upsert(chat_subscriptions, "schedule")


class SqlChats(SqlStore, Chats):
    """Settings and subscriptions in a database."""

    async def adopt(self, platform: str, account: str) -> None:
        """Assign chats stored before accounts were distinguished to an account of their platform.

        If the account already has the chat, its own record stays. Repeating the call changes
        nothing.
        """
        async with self._database.writing() as connection:
            for table in (chats, chat_subscriptions):
                await connection.execute(_adopting(table, platform, account))

    @override
    async def settings(self, chat: ChatKey) -> ChatSettings:
        return _settings(await self._database.run(_SETTINGS, columns(chat)))

    @override
    async def change(
        self, chat: ChatKey, change: Callable[[ChatSettings], ChatSettings]
    ) -> ChatSettings:
        key = columns(chat)
        async with self._database.writing() as connection:
            changed = change(_settings(await _SETTINGS.on(connection, key)))
            await connection.execute(_CHANGE, {**key, "settings": _dump_settings(changed)})
        return changed

    @override
    async def subscribed(self, chat: ChatKey) -> Sequence[Subscribed]:
        wanted = (
            select(chat_subscriptions)
            .where(matches(chat_subscriptions, columns(chat)))
            .order_by(chat_subscriptions.c.repository, chat_subscriptions.c.kind)
        )
        return [_subscribed(row) for row in (await self._database.run(wanted)).rows]

    @override
    async def subscribe(self, chat: ChatKey, one: Subscribed) -> None:
        row = {
            **columns(chat),
            **columns(one, "repository"),
            "kind": str(one.kind),
            "schedule": json.dumps({**_dump_timing(one.timing), **columns(one, "person")}),
            "known": storable(chat.known),
        }
        await self._database.run(_SUBSCRIBE, row)

    @override
    async def unsubscribe(
        self, chat: ChatKey, repository: str = "", kind: Frequency | None = None
    ) -> int:
        chosen = columns(chat) | ({"repository": storable(repository)} if repository else {})
        chosen |= {"kind": str(kind)} if kind else {}
        removed = delete(chat_subscriptions).where(matches(chat_subscriptions, chosen))
        return (await self._database.run(removed)).count

    async def every(self) -> tuple[dict[ChatKey, ChatSettings], list[tuple[ChatKey, Subscribed]]]:
        """All settings, and all subscriptions by chat."""
        ordered = select(chat_subscriptions).order_by(*chat_subscriptions.primary_key)
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(chats))).all()
            subscriptions = (await connection.execute(ordered)).all()
        settings = {from_row(ChatKey, row): _load_settings(row.settings) for row in rows}
        return settings, [(from_row(ChatKey, row), _subscribed(row)) for row in subscriptions]


def _adopting(table: Table, platform: str, account: str) -> Update:
    own = table.alias()
    rest = [column.name for column in table.primary_key if column.name != "account"]
    same = and_(own.c.account == account, *(own.c[name] == table.c[name] for name in rest))
    return (
        update(table)
        .where(table.c.platform == platform, table.c.account == "", ~exists().where(same))
        .values(account=account)
    )


def _settings(result: StatementResult) -> ChatSettings:
    return ChatSettings() if result.value is None else _load_settings(result.value)


def _subscribed(row: Any) -> Subscribed:
    schedule = json.loads(row.schedule)
    return Subscribed(
        repository=row.repository,
        kind=Frequency(row.kind),
        timing=value_from(DigestTiming, schedule),
        person=schedule.get("person", ""),
        known=row.known,
    )


def _dump_timing(timing: DigestTiming) -> dict[str, Any]:
    return {
        **adapter(DigestTiming).dump_python(timing, mode="json"),
        "at": timing.at and f"{timing.at:%H:%M:%S}",
        "weekdays": None if timing.weekdays is None else sorted(timing.weekdays),
        "branch": storable(timing.branch),
    }


def _dump_settings(settings: ChatSettings) -> str:
    filters = settings.filters
    return json.dumps(
        {
            "timing": _dump_timing(settings.timing),
            **columns(settings, "language", "paused", "private"),
            **columns(settings, "paused_since", "paused_until"),
            "include": _dump_rules(filters.include),
            "exclude": _dump_rules(filters.exclude),
            "bots": filters.bots,
            "muted": [storable(topic) for topic in settings.muted],
            "muted_until": {storable(t): at.isoformat() for t, at in settings.muted_until.items()},
        }
    )


def _load_settings(text: str) -> ChatSettings:
    stored = json.loads(text)
    filters = Filters(
        include=_load_rules(stored.get("include", ())),
        exclude=_load_rules(stored.get("exclude", ())),
        bots=stored.get("bots", False),
    )
    timing = value_from(DigestTiming, stored.get("timing", {}))
    pause = {name: stored.get(name) or None for name in ("paused_since", "paused_until")}
    return value_from(ChatSettings, {**stored, **pause, "timing": timing, "filters": filters})


def _dump_rules(rules: Sequence[Rule]) -> list[tuple[str, str]]:
    return [(rule.field, storable(rule.pattern)) for rule in rules]


def _load_rules(pairs: Sequence[Sequence[str]]) -> tuple[Rule, ...]:
    return tuple(value_from(Rule, {"field": name, "pattern": pattern}) for name, pattern in pairs)


class SqlProfiles(SqlStore, Profiles):
    """Profiles in a database."""

    @override
    async def load(self, owner: str, repository: Repository) -> StoredProfile:
        async with self._database.reading() as connection:
            return await _load(connection, owner, repository)

    @override
    async def change(
        self, owner: str, repository: Repository, change: Callable[[StoredProfile], StoredProfile]
    ) -> StoredProfile:
        key = _of(owner, repository)
        async with self._database.writing() as connection:
            changed = change(await _load(connection, owner, repository))
            entries = [entry.stored for entry in changed.profile.entries]
            if entries:
                values = {"entries": json.dumps(entries), "alerts": int(changed.alerts)}
                rest = columns(changed, "tip", "person")
                await connection.execute(upsert(profiles), {**key, **values, **rest})
            else:
                await connection.execute(delete(profiles).where(matches(profiles, key)))
        return changed

    @override
    async def reached(self, repository: Repository, profile: StoredProfile, tip: str) -> None:
        unchanged = {
            **_of(profile.owner, repository),
            "alerts": int(profile.alerts),
            "tip": profile.tip,
        }
        await self._database.run(
            update(profiles).where(matches(profiles, unchanged)).values(tip=tip)
        )

    @override
    async def alerted(self, repository: Repository) -> Sequence[StoredProfile]:
        wanted = select(profiles).where(
            matches(profiles, {"repository": repository.name}), profiles.c.alerts != Alerts.OFF
        )
        rows = (await self._database.run(wanted.order_by(profiles.c.owner))).rows
        return [_profile(row) for row in rows]


def _of(owner: str, repository: Repository) -> dict[str, str]:
    return {"owner": storable(owner), "repository": repository.name}


async def _load(connection: AsyncConnection, owner: str, repository: Repository) -> StoredProfile:
    wanted = select(profiles).where(matches(profiles, _of(owner, repository)))
    row = (await connection.execute(wanted)).one_or_none()
    return StoredProfile(owner=owner) if row is None else _profile(row)


def _profile(row: Any) -> StoredProfile:
    entries = tuple(parse_entry(text) for text in json.loads(row.entries))
    return from_row(StoredProfile, row, profile=Profile(entries=entries))


_SELDOM = 60  # seconds between two deletions of expired conversations
_KEEP = Prepared(upsert(conversations))
_LOOKED = upsert(looks, where=lambda new: looks.c.at <= new.at)

_TALK = Prepared(
    select(conversations.c.state, conversations.c.at).where(
        equals_parameters(conversations, "platform", "chat", "thread", "person"),
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
        return None if row is None else value_from(Talk, {**json.loads(row.state), "at": row.at})

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
