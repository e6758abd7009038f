"""The ports to chats: conversations, settings and profiles, and the context of a command.

A conversation belongs to one person in one thread of one chat, so that two people who ask in the
same channel do not mix. A profile's owner is a chat or a person, written as one text.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol
from zoneinfo import ZoneInfo

from digest.chat.chat_settings import (
    AS_USUAL,
    PLAIN,
    ChatSettings,
    DigestTiming,
    Filters,
    Subscribed,
)
from digest.core.enums import Alerts, Frequency, Language
from digest.core.grade import Repository
from digest.core.profile import Profile, ProfileEntry
from digest.frozen import frozen
from handlers.ports.storage import Source, Tip, Watched

LIFETIME = timedelta(days=14)  # a conversation that is idle for this long is over


@frozen
class ConversationKey:
    """Identifies a conversation by the platform's own names; ``thread`` may be empty."""

    platform: str
    chat: str
    thread: str = ""
    person: str = ""


class Length(StrEnum):
    """How much of an answer is wanted."""

    SHORT = "short"
    NORMAL = "normal"
    LONG = "long"


@frozen
class Talk:
    """The state of a conversation."""

    question: str  # the last answered intent, as ``format_intent`` writes it
    repository: str  # the one asked about
    at: datetime  # when it was answered
    page: int = 1  # the one that was shown, from 1
    language: Language | None = None
    length: Length = Length.NORMAL
    # What the last list shows, in its order: the full name of a change, with a name of its code if
    # the list is of names, or a question.
    listed: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()  # questions, from the widest to the narrowest


@frozen
class Look:
    """When the changes up to ``tip`` (a full commit name) were looked at."""

    at: datetime
    tip: str


class Conversations(Protocol):
    """Remembered conversations. All methods may raise ``UserError``."""

    async def talk(self, key: ConversationKey, now: datetime) -> Talk | None:
        """The state of a conversation, unless it is over by ``now``."""

    async def keep(self, key: ConversationKey, talk: Talk) -> None:
        """Save the state of a conversation; conversations that are over may be deleted."""

    async def last_look(self, key: ConversationKey, repository: Repository) -> Look | None:
        """What the person last looked at in the chat, in any thread."""

    async def looked(self, key: ConversationKey, repository: Repository, look: Look) -> None:
        """Record what the person looked at; a look older than the stored one is ignored."""

    async def forget(self, key: ConversationKey) -> None:
        """Forget the conversation, for example because its question was deleted."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ChatKey:
    """A chat of a platform, as one account sees it."""

    platform: str
    account: str = ""  # in the configuration: two bots in the same chat have separate keys
    chat: str

    def __str__(self) -> str:
        """The name in the configuration and in access checks, without the account."""
        return f"{self.platform}:{self.chat}"

    @property
    def known(self) -> str:
        """The chat's unique name among the chats of all accounts."""
        return f"{self.account or self.platform}:{self.chat}"

    @classmethod
    def parse(cls, name: str, account: str = "") -> ChatKey:
        """The chat with this name, for an account."""
        platform, _, chat = name.partition(":")
        return cls(platform=platform, account=account, chat=chat)


class Chats(Protocol):
    """Settings and subscriptions by chat. All methods may raise ``UserError``."""

    async def settings(self, chat: ChatKey) -> ChatSettings:
        """The settings of a chat; the defaults if it has set nothing."""

    async def change(
        self, chat: ChatKey, change: Callable[[ChatSettings], ChatSettings]
    ) -> ChatSettings:
        """Change the settings in one transaction and return them."""

    async def subscribed(self, chat: ChatKey) -> Sequence[Subscribed]:
        """The chat's own subscriptions, by repository."""

    async def subscribe(self, chat: ChatKey, one: Subscribed) -> None:
        """Save a subscription, replacing one of the same repository and kind."""

    async def unsubscribe(
        self, chat: ChatKey, repository: str = "", kind: Frequency | None = None
    ) -> int:
        """Remove subscriptions, of one repository and kind or of all; return their number."""


@frozen
class ChatDigest:
    """A digest that a chat gets, from the configuration or by its own subscription."""

    repositories: tuple[str, ...]
    timing: DigestTiming  # its time, days, zone and level
    kind: Frequency = Frequency.DAILY
    fixed: bool = False
    following: datetime | None = None  # when it is next due, aware; ``None`` in an endless pause
    paused_until: datetime | None = None  # the end of a pause that has one
    filters: Filters = PLAIN  # exclude changes, as do muted topics
    muted: tuple[str, ...] = ()


async def _nothing() -> Sequence[ChatDigest]:
    return ()


@frozen
class Room:
    """The chat that a command comes from, and the person who sent it."""

    # ``watch`` opens a repository of the chat on a branch (empty for the default); it may raise
    # ``UserError``.

    chat: ChatKey
    chats: Chats
    repositories: tuple[str, ...]  # those that the chat may see
    person: str = ""
    admin: bool = True  # may change its settings
    appointed: bool = False  # the configuration names this person as an admin
    defaults: DigestTiming = AS_USUAL  # where the chat sets nothing
    zone: ZoneInfo | None = None  # the one in effect, as ``language``
    language: Language = Language.EN
    here: bool = False  # nothing is posted to it: it is only open while somebody types
    runs: Callable[[], Awaitable[Sequence[ChatDigest]]] = _nothing  # the chat's digests
    tell: Callable[[], None] = lambda: None  # called when they have changed
    # That a repository has a branch, else ``UnknownBranch``.
    check: Callable[[str, str], Awaitable[None]] | None = None
    watch: Callable[[str, str], Awaitable[Watched]] | None = None


@frozen
class StoredProfile:
    """A profile as it is stored."""

    owner: str
    profile: Profile = field(default_factory=Profile)
    alerts: Alerts = Alerts.OFF  # what the owner is told of as soon as it is merged
    tip: str = ""  # up to which alerts were checked, or empty
    person: str = ""  # who turned them on, as ``platform:id``


Usage = Callable[[str, frozenset[str], Source, Tip], Awaitable[frozenset[ProfileEntry]]]
"""What the code at a place uses of packages, or changes as a fork of a source at its tip.

Raises ``UserError`` if it may not be read.
"""


class Profiles(Protocol):
    """Profiles by owner and repository. All methods may raise ``UserError``."""

    async def load(self, owner: str, repository: Repository) -> StoredProfile:
        """The stored profile, or an empty one."""

    async def change(
        self, owner: str, repository: Repository, change: Callable[[StoredProfile], StoredProfile]
    ) -> StoredProfile:
        """Change the profile in one transaction and return it; without entries it is deleted."""

    async def reached(self, repository: Repository, profile: StoredProfile, tip: str) -> None:
        """Save ``tip`` as the point up to which alerts were checked.

        Nothing is saved if the tip or alerts changed since ``profile`` was loaded; other changes to
        the profile stay.
        """

    async def alerted(self, repository: Repository) -> Sequence[StoredProfile]:
        """The profiles whose owners want alerts."""


def chat_owner(key: ConversationKey) -> str:
    """The owner for a chat: everybody in it shares its profile."""
    return f"{key.platform}:{key.chat}"


def person_owner(key: ConversationKey) -> str:
    """The owner for a person, in whatever chat they ask."""
    return f"{key.platform}@{key.person}"
