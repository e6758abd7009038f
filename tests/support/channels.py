from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import delete, select

from bot.config.channel_section import Quiet
from bot.config.reader import Config
from bot.delivery.part_sender import Target
from bot.messaging.sender import Sender
from bot.scheduler.schedule import Spec
from bot.store.database import Database, delete_in
from bot.store.rows import find_repository, raise_revision
from bot.store.tables.archive_tables import change_topics, changes, contents
from bot.store.writer import clear_indexes
from bot.subscriptions.channel_registry import Subscription
from digest.core.grade import Level, Repository
from digest.window import Window
from handlers.context import Context
from handlers.digests.daily import Daily, digest_since


async def due(ctx: Context, channel: str, window: Window, least: Level = Level.HIGH) -> Daily:
    """The report of the commits that arrived on the branch since the channel's last digest.

    A channel's first digest covers the window only.
    """
    tip = await ctx.watched.source.tip(ctx.watched.branch)
    seen = await ctx.coverage.seen(ctx.watched.repository, tip.branch, channel)
    return await digest_since(ctx, tip, seen, window, least)


def at_target(target: Target, of: Subscription | Spec, **fields: Any) -> Subscription:
    """A subscription, or one with just a schedule, that posts to the target."""
    if isinstance(of, Spec):
        of = Subscription(
            name=target.name,
            channel=target.name,
            platform="",
            chat="",
            spec=of,
            repositories=(),
            quiet=Quiet.SILENT,
        )
    place = {"platform": target.account or of.platform, "chat": target.chat or of.chat}
    fields |= {"name": target.name, "sender": target.sender, "promise": target.promise}
    return replace(of, **place, **fields)


class Fixed:
    """Channels that never change."""

    def __init__(self, posts: Sequence[Subscription]) -> None:
        self._posts = tuple(posts)

    async def current(self) -> Sequence[Subscription]:
        """All channels."""
        return self._posts

    async def changed(self) -> None:
        """Never return."""
        await asyncio.Event().wait()


class Configured:
    """The subscriptions of the configuration."""

    def __init__(self, subscriptions: Sequence[Subscription]) -> None:
        self._subscriptions = tuple(subscriptions)

    async def subscriptions(self) -> Sequence[Subscription]:
        """All subscriptions, in the order of the file."""
        return self._subscriptions


async def forget(database: Database, repository: Repository) -> int:
    """Remove the changes of a repository so that they are read again; return their number.

    The record of posts and seen commits stays, so nothing is delivered twice.
    """
    async with database.writing() as connection:
        home = await find_repository(connection, repository.name)
        if home is None:
            return 0
        of_repository = changes.c.repository_id == home.id
        keys = (await connection.scalars(select(changes.c.id).where(of_repository))).all()
        await connection.execute(
            delete(change_topics).where(change_topics.c.repository_id == home.id)
        )
        await clear_indexes(connection, home.id, keys)
        await delete_in(connection, contents.c.change_id, keys)
        await connection.execute(delete(changes).where(of_repository))
        await raise_revision(connection, repository.name)
        return len(keys)


def targets(config: Config, senders: Mapping[str, Sender]) -> dict[str, Target]:
    """The channels that can be posted to, by name, in the order of the file."""
    return {
        channel.name: Target(
            name=channel.name,
            sender=senders[channel.platform],
            chat=channel.chat,
            promise=channel.promise,
            account=channel.platform,
            silent=channel.silent,
        )
        for channel in config.channels
    }
