"""Subscriptions that chats make themselves, who may change them, and a log of who did.

A chat of the configuration keeps its schedules; its own filters and muted topics apply to them as
well, and a pause stops them too. A chat's own subscription is served as long as the policy lets the
chat be answered, for the repositories that it may see.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog
from typing_extensions import override

from bot.access.gate import Policy, may_see
from bot.config.channel_section import subscription_name
from bot.scheduler.schedule import Spec, next_run
from bot.store.chat_records import SqlChats
from bot.subscriptions.channel_registry import Subscription
from bot.subscriptions.channel_registry import subscriptions as configured
from digest.chat.chat_intents import Subscribe, Value, format_managing, format_value
from digest.chat.chat_settings import ChatSettings, DigestTiming, Filters, Subscribed, still_muted
from digest.core.enums import Frequency, Language
from handlers.ports.chat_port import ChatDigest, ChatKey, Chats, Room

if TYPE_CHECKING:
    from bot.access.gate import AccessDecision
    from bot.config.channel_section import ChannelConfig, Preferences
    from bot.config.reader import Config
    from bot.config.repository_section import RepositoryConfig
    from bot.messaging.receiver import Incoming
    from bot.workspace.workspace import Workspace
    from handlers.ports.storage import Watched

log = structlog.get_logger(__name__)

_PLAIN = ChatSettings()  # the settings of a chat that set nothing


class RecordedChats(Chats):
    """Settings and subscriptions of chats; each change by a person is logged."""

    # The event ``setting.changed`` has the person, the chat, the setting, and its value before and
    # after.

    def __init__(self, chats: Chats, person: str) -> None:
        self._chats = chats
        self._person = person

    @override
    async def settings(self, chat: ChatKey) -> ChatSettings:
        return await self._chats.settings(chat)

    @override
    async def change(
        self, chat: ChatKey, change: Callable[[ChatSettings], ChatSettings]
    ) -> ChatSettings:
        before = _PLAIN

        def recorded(kept: ChatSettings) -> ChatSettings:
            nonlocal before
            before = kept
            return change(kept)

        after = await self._chats.change(chat, recorded)
        values = _values(after)
        for setting, value in _values(before).items():
            self._record(chat, setting, value, values[setting])
        return after

    @override
    async def subscribed(self, chat: ChatKey) -> Sequence[Subscribed]:
        return await self._chats.subscribed(chat)

    @override
    async def subscribe(self, chat: ChatKey, one: Subscribed) -> None:
        key = (one.repository, one.kind)
        same = [old for old in await self.subscribed(chat) if (old.repository, old.kind) == key]
        await self._chats.subscribe(chat, one)
        before = _written(same[0]) if same else ""
        self._record(chat, "subscription", before, _written(one))

    @override
    async def unsubscribe(
        self, chat: ChatKey, repository: str = "", kind: Frequency | None = None
    ) -> int:
        asked = await self.subscribed(chat)
        count = await self._chats.unsubscribe(chat, repository, kind)
        for one in asked:
            if repository in {"", one.repository} and kind in {None, one.kind}:
                self._record(chat, "subscription", _written(one), "")
        return count

    def _record(self, chat: ChatKey, setting: str, before: str, after: str) -> None:
        if before != after:
            log.info(
                "setting.changed",
                person=self._person,
                account=chat.account,
                chat=str(chat),
                setting=setting,
                before=before,
                after=after,
            )


def _values(kept: ChatSettings) -> dict[str, str]:
    """Every setting of a chat as it is written in commands; empty where it is not set."""
    timing, filters, until = kept.timing, kept.filters, kept.paused_until
    values: dict[str, Value | None] = {
        "language": kept.language,
        "zone": timing.zone,
        "time": timing.at,
        "weekdays": timing.weekdays,
        "level": timing.least,
        "branch": timing.branch,
        "bots": filters.bots,
        "private": kept.private,
        "include": ", ".join(map(str, filters.include)),
        "exclude": ", ".join(map(str, filters.exclude)),
        "muted": ", ".join(kept.muted),
        "muted_until": ", ".join(f"{t} {at.isoformat()}" for t, at in kept.muted_until.items()),
        "paused": kept.paused,
        "paused_until": None if until is None else until.isoformat(),
    }
    return {name: "" if value is None else format_value(value) for name, value in values.items()}


def _written(one: Subscribed) -> str:
    """A subscription as the command that makes it."""
    wanted = Subscribe(repository=one.repository, kind=one.kind, timing=one.timing)
    return format_managing(wanted)


class Subscribing:
    """Subscriptions of every chat, and the rooms in which they are changed."""

    def __init__(
        self, app: Workspace, config: Config, policy: Policy, kinds: Mapping[str, str]
    ) -> None:
        """``kinds`` maps accounts to platforms. ``nudge``, called at changes, may be set later."""
        self.nudge: Callable[[], None] = lambda: None
        self.chats = SqlChats(app.database)
        self._app = app
        self._config = config
        self._policy = policy
        self._kinds = kinds
        # The configuration does not change, and may have thousands of channels.
        self._configured = tuple(configured(config))
        self._repositories = {repository.name: repository for repository in config.repositories}
        self._channels: dict[ChatKey, ChannelConfig] = {}
        for channel in config.channels:
            self._channels.setdefault(self._named(channel.platform, channel.chat), channel)

    async def adopt(self) -> None:
        """Assign subscriptions without an account to the first of its kind, which served them."""
        first: dict[str, str] = {}
        for account, kind in self._kinds.items():
            first.setdefault(kind, account)
        for kind, account in first.items():
            await self.chats.adopt(kind, account)

    async def trusts(self, account: str, chat: str) -> bool:
        """Whether an admin allowed private repositories in a chat that outsiders read."""
        return (await self.chats.settings(ChatKey.parse(chat, account))).private

    async def subscriptions(self) -> Sequence[Subscription]:
        """All subscriptions to serve now: the configuration's first, then the chats' own."""
        settings, asked = await self.chats.every()
        found: list[Subscription] = []
        for one in self._configured:
            own = settings.get(self._key(one), _PLAIN) if settings else _PLAIN
            if not own.paused:
                found.append(_adapted(one, own))
        for chat, wanted in asked:
            own = settings.get(chat, _PLAIN)
            if not own.paused and (served := self._served(chat, wanted, own)) is not None:
                found.append(served)
        return found

    async def language(self, account: str, chat: str) -> Language:
        """The language of a chat of an account."""
        key = self._named(account, chat)
        kept = await self.chats.settings(key)
        return kept.language or self._preferences(key).language

    async def rests(self, account: str, chat: str) -> bool:
        """Whether a chat is paused now, or in its quiet hours or holidays."""
        key, now = self._named(account, chat), self._app.clock.now()
        kept, preferences = await self.chats.settings(key), self._preferences(key)
        local = now.astimezone(kept.timing.zone or preferences.zone)
        paused = kept.paused or kept.paused_by(now) is not None
        return paused or preferences.rest.holds(local)

    async def room(self, account: str, asked: Incoming, admission: AccessDecision) -> Room:
        """The chat that a message comes from, with what the person may do there."""
        del asked  # everything is stored under the gate's name of the chat
        chat = ChatKey.parse(admission.chat, account)
        preferences = self._preferences(chat)
        kept = await self.chats.settings(chat)
        return Room(
            chat=chat,
            chats=RecordedChats(self.chats, admission.person),
            repositories=admission.repositories,
            person=admission.person,
            admin=admission.admin,
            appointed=self._policy.appointed(admission.person, admission.chat),
            defaults=timing_of(preferences),
            zone=kept.timing.zone or preferences.zone,
            language=kept.language or preferences.language,
            runs=lambda: self._runs(chat, admission.repositories),
            tell=self.nudge,
            check=self._check,
            watch=self._watch,
        )

    def _preferences(self, chat: ChatKey) -> Preferences:
        return self._channels.get(chat, self._config.defaults)

    async def _check(self, repository: str, branch: str) -> None:
        await (await self._watch(repository, branch)).source.tip(branch)

    async def _watch(self, repository: str, branch: str) -> Watched:
        settings = self._repositories[repository]
        return await self._app.watch_configured(settings, branch=branch or None)

    async def _runs(self, chat: ChatKey, visible: Collection[str]) -> Sequence[ChatDigest]:
        """The chat's digests of the repositories it may see, including paused ones."""
        kept, now = await self.chats.settings(chat), self._app.clock.now()
        runs: list[ChatDigest] = []
        until = kept.paused_by(now)
        for one, fixed in self._of(chat, kept, await self.chats.subscribed(chat)):
            names = tuple(s.name for s in one.repositories if s.name in visible)
            if not names:
                continue
            branches = {settings.branch for settings in one.repositories if settings.branch}
            timing = DigestTiming(
                at=one.spec.at,
                weekdays=one.spec.weekdays,
                zone=one.spec.zone,
                least=one.least,
                branch=branches.pop() if len(branches) == 1 else "",
            )
            runs.append(
                ChatDigest(
                    repositories=names,
                    timing=timing,
                    kind=one.spec.kind,
                    fixed=fixed,
                    following=None if kept.paused else next_run(one.spec, now),
                    paused_until=until,
                    filters=one.filters,
                    muted=still_muted(one.muted, one.muted_until, now),
                )
            )
        return runs

    def _of(
        self, chat: ChatKey, kept: ChatSettings, asked: Sequence[Subscribed]
    ) -> Iterator[tuple[Subscription, bool]]:
        """The subscriptions of one chat, and whether each is the configuration's."""
        mine = (
            subscription for subscription in self._configured if self._key(subscription) == chat
        )
        yield from ((_adapted(subscription, kept), True) for subscription in mine)
        for wanted in asked:
            if (served := self._served(chat, wanted, kept)) is not None:
                yield served, False

    def _key(self, subscription: Subscription) -> ChatKey:
        return self._named(subscription.platform, subscription.chat)

    def _named(self, account: str, chat: str) -> ChatKey:
        return ChatKey(platform=self._kinds.get(account, account), account=account, chat=chat)

    def _served(self, chat: ChatKey, wanted: Subscribed, kept: ChatSettings) -> Subscription | None:
        """A chat's subscription as the loop serves it; ``None`` if it is not allowed any more."""
        seen = may_see(self._policy, str(chat), wanted.person)
        settings = self._repositories.get(wanted.repository)
        gone = self._kinds.get(chat.account) != chat.platform
        if gone or settings is None or settings.name not in seen:
            return None
        # A configured chat keeps its language, filters and times in what it asks for itself.
        defaults, known = self._preferences(chat), wanted.known or chat.known
        channel = self._channels.get(chat)
        timing = wanted.timing.over(kept.timing).over(timing_of(defaults))
        subscription = Subscription(
            name=subscription_name(f"{known} {settings.name}", wanted.kind),
            channel=str(chat),
            platform=chat.account,
            chat=chat.chat,
            spec=spec_of(timing, defaults, wanted.kind),
            repositories=(_on_branch(settings, timing.branch),),
            quiet=defaults.quiet,
            language=kept.language or defaults.language,
            least=timing.least or defaults.least,
            promise=defaults.promise,
            catch_up=timedelta(hours=defaults.catch_up),
            filters=defaults.filters,
            silent=channel is not None and channel.silent,
        )
        return _adapted(subscription, kept)


def _adapted(subscription: Subscription, kept: ChatSettings) -> Subscription:
    """A subscription with its chat's own rules, bots, muted topics and pause added."""
    if kept is _PLAIN:
        return subscription
    filters = Filters(
        include=(*subscription.filters.include, *kept.filters.include),
        exclude=(*subscription.filters.exclude, *kept.filters.exclude),
        bots=subscription.filters.bots or kept.filters.bots,
    )
    return replace(
        subscription,
        filters=filters,
        muted=kept.muted,
        muted_until=kept.muted_until,
        spec=resting(subscription.spec, kept),
    )


def resting(spec: Spec, kept: ChatSettings) -> Spec:
    """The schedule with the chat's pause as one more rest."""
    pause = kept.pause_span
    return spec if pause is None else replace(spec, rest=replace(spec.rest, pause=pause))


def timing_of(preferences: Preferences) -> DigestTiming:
    """The timing that applies where a chat sets none."""
    return DigestTiming(
        at=preferences.time,
        weekdays=preferences.weekdays,
        zone=preferences.zone,
        least=preferences.least,
    )


def spec_of(timing: DigestTiming, defaults: Preferences, kind: Frequency) -> Spec:
    """When a digest is posted."""
    days = timing.weekdays or defaults.weekdays
    spec = Spec(
        at=timing.at or defaults.time,
        zone=timing.zone or defaults.zone,
        weekdays=frozenset({min(days)}) if kind.one_day else days,
        kind=kind,
    )
    # Default quiet hours that would hold every digest do not apply: the chat chose that time
    # itself.
    held = defaults.rest.always(spec.at, spec.weekdays)
    return spec if held else replace(spec, rest=defaults.rest)


def _on_branch(settings: RepositoryConfig, branch: str) -> RepositoryConfig:
    return settings.model_copy(update={"branch": branch, "branches": ()}) if branch else settings
