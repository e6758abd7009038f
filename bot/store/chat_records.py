"""Settings and subscriptions of chats, as ``handlers.ports.chat_port.Chats`` states.

Settings and schedules are JSON, because the database only looks them up by chat. A missing key
counts as not set, so that settings can be added.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import time
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import (
    ColumnElement,
    Row,
    Table,
    Update,
    and_,
    bindparam,
    delete,
    exists,
    select,
    update,
)

from bot.store.database import Database, Prepared, StatementResult
from bot.store.dialect import insert_into
from bot.store.rows import storable
from bot.store.tables.chat_tables import chat_subscriptions, chats
from digest.chat.chat_settings import (
    ChatSettings,
    DigestTiming,
    Filters,
    Rule,
    RuleField,
    Subscribed,
)
from digest.core.enums import Language
from digest.core.grade import Level
from handlers.ports.chat_port import ChatKey

_DAILY, _WEEKLY = "daily", "weekly"

_SETTINGS = Prepared(
    select(chats.c.settings).where(
        and_(*(chats.c[name] == bindparam(name) for name in ("platform", "account", "chat")))
    )
)


class SqlChats:
    """A ``Chats`` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def adopt(self, platform: str, account: str) -> None:
        """Assign chats stored before accounts were distinguished to an account of their platform.

        If the account already has the chat, its own record stays. Repeating the call changes
        nothing.
        """
        async with self._database.writing() as connection:
            for table in (chats, chat_subscriptions):
                await connection.execute(_adopting(table, platform, account))

    async def settings(self, chat: ChatKey) -> ChatSettings:
        """The settings of a chat; defaults if it set none.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        return _settings(await self._database.ask(_SETTINGS, _names(chat)))

    async def change(
        self, chat: ChatKey, change: Callable[[ChatSettings], ChatSettings]
    ) -> ChatSettings:
        """Change the settings in one transaction and return the new ones."""
        async with self._database.writing() as connection:
            fresh = change(_settings(await _SETTINGS.on(connection, _names(chat))))
            kept = insert_into(chats).values(**_names(chat), settings=_dump_settings(fresh))
            await connection.execute(
                kept.on_conflict_do_update(
                    index_elements=["platform", "account", "chat"],
                    set_={"settings": kept.excluded.settings},
                )
            )
        return fresh

    async def subscribed(self, chat: ChatKey) -> Sequence[Subscribed]:
        """The subscriptions of the chat, by repository."""
        wanted = (
            select(chat_subscriptions)
            .where(_of(chat_subscriptions, chat))
            .order_by(chat_subscriptions.c.repository, chat_subscriptions.c.kind)
        )
        async with self._database.reading() as connection:
            return [_subscribed(row) for row in await connection.execute(wanted)]

    async def subscribe(self, chat: ChatKey, one: Subscribed) -> None:
        """Store a subscription; it replaces one of the same repository and kind."""
        kept = insert_into(chat_subscriptions).values(
            **_names(chat),
            repository=storable(one.repository),
            kind=_WEEKLY if one.weekly else _DAILY,
            schedule=json.dumps({**_dump_timing(one.timing), "person": storable(one.person)}),
            known=storable(chat.known),
        )
        async with self._database.writing() as connection:
            await connection.execute(
                kept.on_conflict_do_update(
                    index_elements=["platform", "account", "chat", "repository", "kind"],
                    set_={"schedule": kept.excluded.schedule},
                )
            )

    async def unsubscribe(self, chat: ChatKey, repository: str = "") -> int:
        """Remove the chat's subscriptions to a repository, or all; return how many."""
        gone = delete(chat_subscriptions).where(_of(chat_subscriptions, chat))
        if repository:
            gone = gone.where(chat_subscriptions.c.repository == storable(repository))
        async with self._database.writing() as connection:
            return (await connection.execute(gone)).rowcount

    async def every(self) -> tuple[dict[ChatKey, ChatSettings], list[tuple[ChatKey, Subscribed]]]:
        """All settings, and all subscriptions by chat."""
        ordered = select(chat_subscriptions).order_by(*chat_subscriptions.primary_key)
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(chats))).all()
            asked = (await connection.execute(ordered)).all()
        settings = {_key(row): _load_settings(row.settings) for row in rows}
        return settings, [(_key(row), _subscribed(row)) for row in asked]


def _adopting(table: Table, platform: str, account: str) -> Update:
    own = table.alias()
    rest = [one.name for one in table.primary_key if one.name != "account"]
    same = and_(own.c.account == account, *(own.c[name] == table.c[name] for name in rest))
    return (
        update(table)
        .where(table.c.platform == platform, table.c.account == "", ~exists().where(same))
        .values(account=account)
    )


def _settings(found: StatementResult) -> ChatSettings:
    return ChatSettings() if found.value is None else _load_settings(found.value)


def _names(chat: ChatKey) -> dict[str, str]:
    named = {"platform": chat.platform, "account": chat.account, "chat": chat.chat}
    return {name: storable(value) for name, value in named.items()}


def _of(table: Table, chat: ChatKey) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in _names(chat).items()))


def _key(row: Row[Any]) -> ChatKey:
    return ChatKey(platform=row.platform, account=row.account, chat=row.chat)


def _subscribed(row: Row[Any]) -> Subscribed:
    held = json.loads(row.schedule)
    return Subscribed(
        repository=row.repository,
        weekly=row.kind == _WEEKLY,
        timing=_load_timing(held),
        person=held.get("person", ""),
        known=row.known,
    )


def _dump_timing(timing: DigestTiming) -> dict[str, Any]:
    return {
        "at": timing.at and f"{timing.at:%H:%M:%S}",
        "weekdays": None if timing.weekdays is None else sorted(timing.weekdays),
        "zone": timing.zone and timing.zone.key,
        "least": timing.least,
        "branch": storable(timing.branch),
    }


def _load_timing(held: Mapping[str, Any]) -> DigestTiming:
    return DigestTiming(
        at=time.fromisoformat(held["at"]) if held.get("at") else None,
        weekdays=None if held.get("weekdays") is None else frozenset(held["weekdays"]),
        zone=ZoneInfo(held["zone"]) if held.get("zone") else None,
        least=Level(held["least"]) if held.get("least") else None,
        branch=held.get("branch", ""),
    )


def _dump_settings(settings: ChatSettings) -> str:
    filters = settings.filters
    return json.dumps(
        {
            "timing": _dump_timing(settings.timing),
            "language": settings.language,
            "include": _dump_rules(filters.include),
            "exclude": _dump_rules(filters.exclude),
            "bots": filters.bots,
            "muted": [storable(topic) for topic in settings.muted],
            "paused": settings.paused,
            "private": settings.private,
        }
    )


def _load_settings(text: str) -> ChatSettings:
    held = json.loads(text)
    return ChatSettings(
        timing=_load_timing(held.get("timing", {})),
        language=Language(held["language"]) if held.get("language") else None,
        filters=Filters(
            include=_load_rules(held.get("include", ())),
            exclude=_load_rules(held.get("exclude", ())),
            bots=held.get("bots", False),
        ),
        muted=tuple(held.get("muted", ())),
        paused=held.get("paused", False),
        private=held.get("private", False),
    )


def _dump_rules(rules: Sequence[Rule]) -> list[tuple[str, str]]:
    return [(rule.field, storable(rule.pattern)) for rule in rules]


def _load_rules(held: Sequence[Sequence[str]]) -> tuple[Rule, ...]:
    return tuple(Rule(field=RuleField(field), pattern=pattern) for field, pattern in held)
