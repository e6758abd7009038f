"""A subscription: one schedule of one channel, wherever it was set up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bot.config.channel_section import Promise, subscription_name
from bot.scheduler.schedule import Spec
from digest.chat.chat_settings import PLAIN, Filters
from digest.core.enums import Language
from digest.core.grade import Level

if TYPE_CHECKING:
    from bot.config.channel_section import ChannelConfig, Quiet
    from bot.config.repository_section import RepositoryConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A schedule with its destination and content.

    The ledger and the tips know it by ``name``: one under a new name starts with its next slot.
    ``channel`` is the account that model usage is charged to. ``filters`` and ``muted`` topics
    exclude changes. ``platform`` is an account's name in the configuration, ``chat`` a chat in the
    platform's notation. ``output`` is a folder for full reports.
    """

    name: str
    channel: str
    platform: str
    chat: str
    spec: Spec
    repositories: tuple[RepositoryConfig, ...]
    quiet: Quiet
    language: Language = Language.EN
    least: Level = Level.HIGH
    promise: Promise = Promise.AT_MOST_ONCE
    catch_up: timedelta = timedelta(hours=24)
    output: Path | None = None
    filters: Filters = PLAIN
    muted: tuple[str, ...] = ()


class SubscriptionSource(Protocol):
    """A source of subscriptions. It may be read often, and may change at any time."""

    async def subscriptions(self) -> Sequence[Subscription]:
        """The subscriptions to serve now, without paused and removed ones."""


def subscriptions_of(
    channel: ChannelConfig, repositories: Iterable[RepositoryConfig]
) -> tuple[Subscription, ...]:
    """The schedules of a channel, in their order. Raises ``ValueError`` as ``plans`` does."""
    watched = tuple(repositories)
    return tuple(
        Subscription(
            name=subscription_name(channel.name, spec.kind),
            channel=channel.name,
            platform=channel.platform,
            chat=channel.chat,
            spec=spec,
            repositories=watched,
            quiet=channel.quiet,
            language=channel.language,
            least=least,
            promise=channel.promise,
            catch_up=channel.patience,
            output=channel.output,
            filters=channel.filters,
        )
        for spec, least in channel.plans
    )
