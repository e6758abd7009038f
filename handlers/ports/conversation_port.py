"""The state of conversations, and what somebody looked at last.

A conversation belongs to one person in one thread of one chat, so that two people who ask in the
same channel do not mix.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from digest.core.enums import Language
from digest.core.grade import Repository

LIFETIME = timedelta(days=14)
"""A conversation that is idle for this long is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The state of a conversation.

    ``question`` is the last answered intent, as ``format_intent`` writes it, and ``page`` the page
    that was shown, from 1. ``subject`` is the full name of the change under discussion, or empty.
    ``repository`` is the name of the repository asked about; ``at`` is when it was answered.
    ``listed`` are the full names of the changes of the last list, in its order, and
    ``list_question`` is the question it answered.
    """

    question: str
    repository: str
    at: datetime
    page: int = 1
    subject: str = ""
    language: Language | None = None
    length: Length = Length.NORMAL
    listed: tuple[str, ...] = ()
    list_question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
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
