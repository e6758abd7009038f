"""The port to what chats set up for themselves, and what a command about a chat is given.

What somebody depends on, kept: the port of profiles.

An owner is a chat or a person, in one text. Imports ``digest`` only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from digest.chat.chat_settings import AS_USUAL, ChatSettings, DigestTiming, Subscribed
from digest.core.enums import Language
from digest.core.grade import Repository
from digest.core.profile import Profile, ProfileEntry
from handlers.ports.conversation_port import ConversationKey
from handlers.ports.storage import Watched


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ChatKey:
    """A chat, in its platform's own words, as an account sees it.

    ``account`` is the account's name in the configuration: two bots of one platform are in the same
    chat each for itself.
    """

    platform: str
    account: str = ""
    chat: str

    def __str__(self) -> str:
        """As the configuration and the gate write it, to whom a chat is the same for all."""
        return f"{self.platform}:{self.chat}"

    @property
    def known(self) -> str:
        """The name of the chat among those of all accounts."""
        return f"{self.account or self.platform}:{self.chat}"

    @classmethod
    def parse(cls, name: str, account: str = "") -> ChatKey:
        """The chat that is written so, of an account."""
        platform, _, chat = name.partition(":")
        return cls(platform=platform, account=account, chat=chat)


class Chats(Protocol):
    """Settings and subscriptions by chat. All methods may raise ``UserError``."""

    async def settings(self, chat: ChatKey) -> ChatSettings:
        """The settings of a chat; the plain ones where it set nothing."""

    async def change(
        self, chat: ChatKey, change: Callable[[ChatSettings], ChatSettings]
    ) -> ChatSettings:
        """Change the settings in one transaction; what they are now."""

    async def subscribed(self, chat: ChatKey) -> Sequence[Subscribed]:
        """What the chat asked for, by repository."""

    async def subscribe(self, chat: ChatKey, one: Subscribed) -> None:
        """Keep a subscription, in the place of one of the same repository and kind."""

    async def unsubscribe(self, chat: ChatKey, repository: str = "") -> int:
        """Drop what the chat asked for of a repository, or of any; how many that were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatDigest:
    """A digest that a chat gets: by the configuration, or because it asked for it itself.

    ``following`` is when it comes next, aware; ``None`` while the chat is paused. ``timing`` has
    its time, days, zone and level.
    """

    repositories: tuple[str, ...]
    timing: DigestTiming
    weekly: bool = False
    fixed: bool = False
    following: datetime | None = None


async def _nothing() -> Sequence[ChatDigest]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The chat that a command comes from, and who says it.

    ``repositories`` are those that it may be told of. ``admin`` may change its settings;
    ``appointed`` says that the configuration names this person as one. ``defaults`` hold where the
    chat sets nothing; ``zone`` and ``language`` are those that hold. ``runs`` tells what the chat
    gets, and ``tell`` is called when that has changed. ``check`` looks whether a repository has a
    branch, and raises ``UnknownBranch``. ``watch`` opens a repository of the chat on a branch,
    empty for its usual one; it may raise ``UserError``.
    """

    chat: ChatKey
    chats: Chats
    repositories: tuple[str, ...]
    person: str = ""
    admin: bool = True
    appointed: bool = False
    defaults: DigestTiming = AS_USUAL
    zone: ZoneInfo | None = None
    language: Language = Language.EN
    runs: Callable[[], Awaitable[Sequence[ChatDigest]]] = _nothing
    tell: Callable[[], None] = lambda: None
    check: Callable[[str, str], Awaitable[None]] | None = None
    watch: Callable[[str, str], Awaitable[Watched]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProfile:
    """A profile as it is kept.

    ``alerts`` says that its owner wants to know of what may break as soon as it is merged; ``tip``
    is the commit up to which was looked for that, or empty. ``person`` is who turned them on, as
    ``platform:id``; empty where that is not known.
    """

    owner: str
    profile: Profile = field(default_factory=Profile)
    alerts: bool = False
    tip: str = ""
    person: str = ""


Usage = Callable[[str, frozenset[str]], Awaitable[frozenset[ProfileEntry]]]
"""What the code at a place uses of packages. Raises ``UserError`` where it may not be read."""


class Profiles(Protocol):
    """Profiles by owner and repository. All methods may raise ``UserError``."""

    async def load(self, owner: str, repository: Repository) -> StoredProfile:
        """What is kept, or an empty profile."""

    async def change(
        self, owner: str, repository: Repository, change: Callable[[StoredProfile], StoredProfile]
    ) -> StoredProfile:
        """Change what is kept in one transaction; what it is now.

        A profile without entries is forgotten. What ``change`` raises leaves everything as it was.
        """

    async def reached(self, repository: Repository, kept: StoredProfile, tip: str) -> None:
        """Alerts were looked for up to ``tip``; where that or alerts were changed, nothing is kept.

        What else was changed of the profile since ``kept`` was loaded stays.
        """

    async def alerted(self, repository: Repository) -> Sequence[StoredProfile]:
        """Those whose owners want alerts."""


def chat_owner(key: ConversationKey) -> str:
    """The owner that a chat is: all who talk there share its profile."""
    return f"{key.platform}:{key.chat}"


def person_owner(key: ConversationKey) -> str:
    """The owner that a person is, wherever they ask."""
    return f"{key.platform}@{key.person}"
