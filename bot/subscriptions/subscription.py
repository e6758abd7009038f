"""What a chat gets, and when: one schedule of one channel, wherever it was set up."""

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
    """A schedule with what is posted by it, and where.

    The ledger and the tips know it by ``name``: one under a new name begins with its next slot.
    ``channel`` is on whose account a model is asked. ``filters`` and ``muted`` topics are what its
    reader does not want. ``platform`` is an account's name in the
    configuration, ``chat`` a chat in the platform's words. ``output`` is a folder for full reports.
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
    """A place where subscriptions are kept. It may be asked often, and may change at any time."""

    async def subscriptions(self) -> Sequence[Subscription]:
        """Those that are to be served now: paused and dropped ones are not among them."""


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
