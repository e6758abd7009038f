"""What was said before: the state of a conversation, and what somebody looked at last.

A conversation belongs to one person in one thread of one chat, so that two people who ask in the
same channel do not mix. Imports ``digest`` only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from digest.core.enums import Language
from digest.core.grade import Repository

LIFETIME = timedelta(days=14)
"""A conversation that nobody went on with for so long is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationKey:
    """Whose conversation it is, in the platform's own names; ``thread`` may be empty."""

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
    """How far a conversation is.

    ``question`` is the last intent that was answered, as ``format_intent`` writes it, and
    ``page`` the page of it that was shown, from 1. ``subject`` is the full name of the change that
    is spoken of, or empty. ``repository`` is the name of the repository that was asked about;
    ``at`` is when it was answered. ``listed`` are the full names of the changes of the last list,
    in its order, and ``list_question`` is what it answered.
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
    """When the changes up to ``tip`` were looked at; ``tip`` is a full commit name."""

    at: datetime
    tip: str


class Conversations(Protocol):
    """What is remembered of conversations. All methods may raise ``UserError``."""

    async def talk(self, key: ConversationKey, now: datetime) -> Talk | None:
        """How far a conversation is, where it is not over by ``now``."""

    async def keep(self, key: ConversationKey, talk: Talk) -> None:
        """Remember how far a conversation is; what is over by then may be forgotten."""

    async def last_look(self, key: ConversationKey, repository: Repository) -> Look | None:
        """What the person last looked at in the chat, in whichever thread."""

    async def looked(self, key: ConversationKey, repository: Repository, look: Look) -> None:
        """Remember what the person looked at; an earlier look than the last changes nothing."""

    async def forget(self, key: ConversationKey) -> None:
        """Forget the conversation, as when its question was deleted."""
