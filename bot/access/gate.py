"""The access check of every message: a pure decision, and the gate that applies it.

Chats, people and workspaces are named ``platform:id``. The first rule that refuses wins:

1. *Workspace.* If workspaces of a platform are listed, only those are answered.
2. *Person.* If people are listed, nobody else is answered, except admins.
3. *Chat.* A channel of the configuration, a listed chat, this machine's terminal, any chat if
   ``anyone`` is set, and the direct chat of a listed person or an admin.
4. *Load.* So many questions of one person in a minute and in an hour; admins included.
5. *Repositories.* A chat sees those of its channel, or else all. Private ones are left out if
   people of other organisations read the chat, unless an admin trusts it. If none is left the
   message is refused.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum

import structlog

from bot.config.channel_section import ChannelConfig
from bot.config.reader import Config
from bot.messaging.receiver import Incoming
from bot.util.machine import Newest
from digest.chat.chat_commands import read_managing
from digest.chat.chat_intents import Set
from digest.core.enums import ChatSetting, Language
from digest.errors import UserError
from digest.frozen import frozen
from digest.i18n.phrase import table_of
from digest.question.lexicon import tidy


@frozen
class QuestionNumbers:
    """Numbers of one person's questions in a minute and in an hour; as limits, 0 is none."""

    minute: int = 0
    hour: int = 0


@frozen
class Policy:
    """The access rules."""

    # If no admins are set there are no roles: everybody who is answered may change a chat's
    # settings.

    # Chats that are posted to, with their repositories; answered.
    channels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    chats: frozenset[str] = frozenset()  # further chats that are answered, about every repository
    anyone: bool = False  # every chat is answered
    people: frozenset[str] = frozenset()  # if any, only they and admins are answered
    # If some of a platform, none of its others is answered.
    workspaces: frozenset[str] = frozenset()
    admins: frozenset[str] = frozenset()  # of every chat
    channel_admins: Mapping[str, frozenset[str]] = field(default_factory=dict)  # of one chat
    # Each configured one, and whether it is private.
    repositories: Mapping[str, bool] = field(default_factory=dict)
    # Chats that may see private repositories although outsiders read them.
    trusted: frozenset[str] = frozenset()
    # Read by outsiders or not, whatever the platform says.
    shared: Mapping[str, bool] = field(default_factory=dict)
    limits: QuestionNumbers = QuestionNumbers()

    @property
    def roles(self) -> bool:
        """Whether anybody is named an admin anywhere."""
        return bool(self.admins) or any(self.channel_admins.values())

    def is_admin(self, person: str, chat: str) -> bool:
        """Whether a person may change a chat's settings, as the user of this terminal may here."""
        return not self.roles or chat.startswith(LOCAL) or self.appointed(person, chat)

    def appointed(self, person: str, chat: str) -> bool:
        """Whether the configuration names a person as an admin of all chats or of this one."""
        return person in self.admins or person in self.channel_admins.get(chat, ())


LOCAL = "console:"  # the prefix of names of chats on this machine's own terminal


def policy_of(config: Config, kinds: Mapping[str, str]) -> Policy:
    """The policy of a configuration; ``kinds`` maps its accounts to the platform of their chats."""

    def key(channel: ChannelConfig) -> str:
        return f"{kinds.get(channel.platform, channel.platform)}:{channel.chat}"

    access, channels = config.access, config.channels
    return Policy(
        channels=_repositories_by_chat(
            config, key_of={channel.name: key(channel) for channel in channels}
        ),
        chats=frozenset(access.chats),
        anyone=access.anyone,
        people=frozenset(access.people),
        workspaces=frozenset(access.workspaces),
        admins=frozenset(access.admins),
        channel_admins={key(one): frozenset(one.admins) for one in channels if one.admins},
        repositories={repository.name: repository.private for repository in config.repositories},
        trusted=frozenset(key(one) for one in channels if one.allow_private),
        shared={key(one): one.external for one in channels if one.external is not None},
        limits=QuestionNumbers(minute=access.per_minute, hour=access.per_hour),
    )


def _repositories_by_chat(config: Config, key_of: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    wanted: dict[str, set[str]] = {}
    for channel in config.channels:
        names = {one.name for one in config.watched(channel)}
        wanted.setdefault(key_of[channel.name], set()).update(names)
    return {
        chat: tuple(
            repository.name for repository in config.repositories if repository.name in names
        )
        for chat, names in wanted.items()
    }


MINUTE, HOUR = 60.0, 3600.0


class DenialReason(StrEnum):
    """Why a message is not answered. A closed set: metrics and tests rely on it."""

    WORKSPACE = "workspace"
    PERSON = "person"
    CHAT = "chat"
    MINUTE = "minute"
    HOUR = "hour"
    PRIVATE = "private"


_NONE = QuestionNumbers()


@frozen
class AccessDecision:
    """The decision on a message."""

    chat: str  # the policy's name, as ``person``
    person: str
    admin: bool  # whether the person may change the chat's settings
    reason: DenialReason | None = None  # ``None`` if it is answered
    repositories: tuple[str, ...] = ()  # what it is answered about, in the policy's order
    silent: bool = False  # no refusal either: nobody addressed the bot, or one was just sent

    @property
    def allowed(self) -> bool:
        """Whether the message is answered."""
        return self.reason is None


def decide(incoming: Incoming, policy: Policy, load: QuestionNumbers = _NONE) -> AccessDecision:
    """The decision on a message, by the rules at the top of this module."""
    chat = f"{incoming.platform}:{incoming.chat}"
    person = f"{incoming.platform}:{incoming.person}"
    seen = _visible_repositories(policy, chat)
    visible = may_tell(policy, chat, seen, external=incoming.external)
    reason = _refusal(incoming, policy, chat, person) or _overload(policy, load)
    if reason is None and seen and not visible:
        reason = DenialReason.PRIVATE
    return AccessDecision(
        chat=chat,
        person=person,
        admin=policy.is_admin(person, chat),
        reason=reason,
        repositories=visible if reason is None else (),
        silent=not incoming.addressed,
    )


def may_tell(policy: Policy, chat: str, names: Iterable[str], *, external: bool) -> tuple[str, ...]:
    """The repositories that a chat may see; ``external`` is as the platform says."""
    # A chat that is not configured is private.
    open_ = chat in policy.trusted or not policy.shared.get(chat, external)
    return tuple(name for name in names if open_ or not policy.repositories.get(name, True))


def trust_matters(policy: Policy, chat: str, *, external: bool) -> bool:
    """Whether a chat would see more if an admin allowed private repositories in it."""
    seen = _visible_repositories(policy, chat)
    return len(may_tell(policy, chat, seen, external=external)) < len(seen)


def may_see(policy: Policy, chat: str, person: str) -> tuple[str, ...]:
    """The repositories for which a chat may get the digests that a person subscribed it to."""
    # None, if the chat, or the person in it, would no longer be answered.
    if policy.people and person not in policy.people and not policy.appointed(person, chat):
        return ()
    known = policy.anyone or chat.startswith(LOCAL) or chat in policy.channels
    if known or chat in policy.chats or person in policy.people or person in policy.admins:
        return _visible_repositories(policy, chat)
    return ()


def may_hear(policy: Policy, chat: str) -> tuple[str, ...]:
    """The repositories that may be posted to a chat unprompted, whoever subscribed it."""
    # None if nobody in it would be answered any more. The owner of a direct chat is unknown from
    # its name: if people or admins are listed, it may be one of theirs.
    known = policy.anyone or chat.startswith(LOCAL) or chat in policy.channels
    if known or chat in policy.chats or policy.people or policy.admins:
        return _visible_repositories(policy, chat)
    return ()


def _visible_repositories(policy: Policy, chat: str) -> tuple[str, ...]:
    return policy.channels.get(chat, tuple(policy.repositories))


def _refusal(incoming: Incoming, policy: Policy, chat: str, person: str) -> DenialReason | None:
    prefix = f"{incoming.platform}:"
    listed = {workspace for workspace in policy.workspaces if workspace.startswith(prefix)}
    if listed and f"{prefix}{incoming.workspace}" not in listed:
        return DenialReason.WORKSPACE
    admin = policy.appointed(person, chat)
    local = chat.startswith(LOCAL)
    if policy.people and person not in policy.people and not admin and not local:
        return DenialReason.PERSON
    known = policy.anyone or local or chat in policy.channels or chat in policy.chats
    if known or (incoming.direct and (admin or person in policy.people)):
        return None
    return DenialReason.CHAT


def _overload(policy: Policy, load: QuestionNumbers) -> DenialReason | None:
    limits = policy.limits
    if limits.minute and load.minute >= limits.minute:
        return DenialReason.MINUTE
    return DenialReason.HOUR if limits.hour and load.hour >= limits.hour else None


_WORDS = table_of(DenialReason, "chat_text", "denials")


def refusal(verdict: AccessDecision, language: Language) -> str:
    """The line for a refusal, in a language; it names nothing that must stay private."""
    assert verdict.reason is not None
    return _WORDS[verdict.reason].text(
        language, chat=f"{verdict.chat!r}", person=f"{verdict.person!r}"
    )


_MOST = 10_000  # people whose questions are counted; the one silent for longest is dropped first


class QuestionCounts:
    """Counts questions by person, named ``platform:id``, in this process only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: Newest[str, deque[float]] = Newest(_MOST)
        self._told: Newest[str, float] = Newest(_MOST)

    async def count(self, person: str) -> QuestionNumbers:
        """Count a question; return the person's earlier ones."""
        now, asked = self._clock(), self._asked.get(person) or deque()
        while asked and asked[0] <= now - HOUR:
            asked.popleft()
        before = QuestionNumbers(minute=sum(at > now - MINUTE for at in asked), hour=len(asked))
        asked.append(now)
        self._asked[person] = asked
        return before

    async def uncount(self, person: str) -> None:
        """Take back the person's newest question, which was refused."""
        if asked := self._asked.get(person):
            asked.pop()

    async def told_lately(self, person: str) -> bool:
        """Whether the person was refused in the last minute; records a refusal now."""
        now = self._clock()
        lately = self._told.get(person, -MINUTE) > now - MINUTE
        if not lately:
            self._told[person] = now
        return lately


log = structlog.get_logger(__name__)

Trust = Callable[[str, str], Awaitable[bool]]
"""Whether an admin allowed private repositories to an account in a chat: the account's name in the
configuration, and the chat's, which is ``platform:id``."""


async def nobody(_account: str, _chat: str) -> bool:
    """Trust no chat."""
    return False


def _grants(incoming: Incoming, policy: Policy) -> bool:
    """Whether an admin of the configuration is allowing private repositories in the chat."""
    chat, person = f"{incoming.platform}:{incoming.chat}", f"{incoming.platform}:{incoming.person}"
    if incoming.action or not policy.appointed(person, chat):
        return False
    try:
        return read_managing(tidy(incoming.text)) == Set(setting=ChatSetting.PRIVATE, value=True)
    except UserError:
        return False


class AccessGate:
    """Decides on messages and posts by one policy."""

    def __init__(
        self, policy: Policy, trust: Trust = nobody, asked: QuestionCounts | None = None
    ) -> None:
        """Without ``asked`` questions are counted in this process only."""
        self.policy = policy
        self._trust = trust
        self._asked = asked or QuestionCounts()

    async def admit(self, account: str, incoming: Incoming) -> AccessDecision:
        """The decision on a message to an account."""
        # An answered message counts for its person's limits; a refusal is sent at most once a
        # minute.
        chat = f"{incoming.platform}:{incoming.chat}"
        person = f"{incoming.platform}:{incoming.person}"
        policy = await self._with_trust(account, chat, external=incoming.external)
        load = await self._asked.count(person)
        verdict = decide(incoming, policy, load)
        if verdict.reason is DenialReason.PRIVATE and _grants(incoming, policy):
            # The only command that works in a chat which may see nothing.
            trusting = replace(policy, trusted=policy.trusted | {chat})
            verdict = decide(incoming, trusting, load)
        if verdict.allowed:
            return verdict
        await self._asked.uncount(person)
        log.warning("message.refused", chat=chat, person=person, reason=str(verdict.reason))
        return replace(verdict, silent=verdict.silent or await self._asked.told_lately(person))

    async def tellable(
        self, account: str, chat: str, names: Iterable[str], *, external: bool, person: str = ""
    ) -> tuple[str, ...]:
        """The repositories that an account may post in a chat.

        The chat is named ``platform:id``, and so is the person who subscribed it, if the posts are
        limited to what that person may see.
        """
        policy = self.policy
        heard = may_see(policy, chat, person) if person else may_hear(policy, chat)
        wanted = [name for name in names if name in heard]
        policy = await self._with_trust(account, chat, external=external)
        return may_tell(policy, chat, wanted, external=external)

    async def _with_trust(self, account: str, chat: str, *, external: bool) -> Policy:
        # Few chats are read by outsiders: for all others the admins' permissions need no lookup.
        matters = trust_matters(self.policy, chat, external=external)
        if not matters or not await self._trust(account, chat):
            return self.policy
        return replace(self.policy, trusted=self.policy.trusted | {chat})
