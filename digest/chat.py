"""What a chat sets for itself. Imports ``filtering`` and values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import time
from zoneinfo import ZoneInfo

from digest.filtering import PLAIN, Filters
from digest.grade import Level
from digest.language import Language

MOST_TOPICS = 50
"""Topics that one chat can mute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """When a digest comes and what it shows; ``None`` and empty stand for what holds above it.

    ``weekdays`` are numbers from 0 (Monday). ``branch`` is empty for the repository's own.
    """

    at: time | None = None
    weekdays: frozenset[int] | None = None
    zone: ZoneInfo | None = None
    least: Level | None = None
    branch: str = ""

    def over(self, below: Timing) -> Timing:
        """What is set here, and of the rest what is set below."""
        return Timing(
            at=self.at if self.at is not None else below.at,
            weekdays=self.weekdays if self.weekdays is not None else below.weekdays,
            zone=self.zone if self.zone is not None else below.zone,
            least=self.least if self.least is not None else below.least,
            branch=self.branch or below.branch,
        )


AS_USUAL = Timing()
"""All as it is set elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """The settings of a chat.

    ``muted`` are topics, in the words of whoever muted them. A paused chat gets no digest by
    itself. ``private`` is an admin's word that it may hear of private repositories although people
    of other organisations read it.
    """

    timing: Timing = AS_USUAL
    language: Language | None = None
    filters: Filters = PLAIN
    muted: tuple[str, ...] = ()
    paused: bool = False
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribed:
    """A digest that a chat asked for: of one repository, daily or weekly, with its own timing.

    ``person`` is who asked, as ``platform:id``. ``known`` is the name of the chat by which its
    digests are known since it was first asked for; empty where that is still to be given.
    """

    repository: str
    weekly: bool = False
    person: str = ""
    timing: Timing = AS_USUAL
    known: str = field(default="", compare=False)
