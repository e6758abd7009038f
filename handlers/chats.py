"""The port to what chats set up for themselves, and what a command about a chat is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from digest.chat import AS_USUAL, ChatSettings, Subscribed, Timing
from digest.language import Language
from handlers.watched import Watched


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
class Run:
    """A digest that a chat gets: by the configuration, or because it asked for it itself.

    ``following`` is when it comes next, aware; ``None`` while the chat is paused. ``timing`` has
    its time, days, zone and level.
    """

    repositories: tuple[str, ...]
    timing: Timing
    weekly: bool = False
    fixed: bool = False
    following: datetime | None = None


async def _nothing() -> Sequence[Run]:
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
    defaults: Timing = AS_USUAL
    zone: ZoneInfo | None = None
    language: Language = Language.EN
    runs: Callable[[], Awaitable[Sequence[Run]]] = _nothing
    tell: Callable[[], None] = lambda: None
    check: Callable[[str, str], Awaitable[None]] | None = None
    watch: Callable[[str, str], Awaitable[Watched]] | None = None
