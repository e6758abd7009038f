"""What somebody depends on, kept: the port of profiles.

An owner is a chat or a person, in one text. Imports ``digest`` only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from digest.graded import Repository
from digest.profile import Entry, Profile
from handlers.conversing import ConversationKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
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


Usage = Callable[[str, frozenset[str]], Awaitable[frozenset[Entry]]]
"""What the code at a place uses of packages. Raises ``UserError`` where it may not be read."""


class Profiles(Protocol):
    """Profiles by owner and repository. All methods may raise ``UserError``."""

    async def load(self, owner: str, repository: Repository) -> Kept:
        """What is kept, or an empty profile."""

    async def change(
        self, owner: str, repository: Repository, change: Callable[[Kept], Kept]
    ) -> Kept:
        """Change what is kept in one transaction; what it is now.

        A profile without entries is forgotten. What ``change`` raises leaves everything as it was.
        """

    async def reached(self, repository: Repository, kept: Kept, tip: str) -> None:
        """Alerts were looked for up to ``tip``; where that or alerts were changed, nothing is kept.

        What else was changed of the profile since ``kept`` was loaded stays.
        """

    async def alerted(self, repository: Repository) -> Sequence[Kept]:
        """Those whose owners want alerts."""


def chat_owner(key: ConversationKey) -> str:
    """The owner that a chat is: all who talk there share its profile."""
    return f"{key.platform}:{key.chat}"


def person_owner(key: ConversationKey) -> str:
    """The owner that a person is, wherever they ask."""
    return f"{key.platform}@{key.person}"
