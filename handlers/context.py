"""What a use case is given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from digest.core.enums import Language
from handlers.ports.chat_port import Profiles, Room, Usage
from handlers.ports.conversation_port import ConversationKey, Conversations, Length
from handlers.ports.forge_port import Requests
from handlers.ports.status_port import Announcements, StatusSource
from handlers.ports.storage import A, Archive, B, Clock, CoveragePort, Progress, Watched, Workers

if TYPE_CHECKING:
    from handlers.ports.analysis_port import Judging


class Silent:
    """Progress that nobody watches."""

    def start(self, total: int) -> None:
        """Say nothing."""

    def advance(self, count: int) -> None:
        """Say nothing."""

    def finish(self) -> None:
        """Say nothing."""


class InThreads:
    """Workers without processes: the event loop goes on, one processor does the work."""

    at_once = 1

    async def few(self, work: Callable[[A], B], given: A) -> B:
        """Do it in a thread."""
        return await asyncio.to_thread(work, given)

    async def many(self, work: Callable[[A], B], given: A) -> B:
        """Do it in a thread."""
        return await asyncio.to_thread(work, given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The ports and the asker's settings for one request.

    ``every`` says that the asker reads every match of a question (as JSON does), not only the page
    that is shown: a chat does without them, since there may be thousands. Without ``judging`` no
    model is asked. ``conversation`` says whose question it is, where ``conversations`` remembers
    what was said before. ``page`` of what was found is shown, from 1, at ``length``. ``profiles``
    keep what askers depend on, and ``usage`` finds that in the code of another repository.
    ``announcements`` know which digest told of a change.
    ``coarse`` says that what an older version of the program read is good enough: somebody waits.
    ``overheard`` says that the words may be for somebody else: no model is asked what they mean.
    """

    watched: Watched
    archive: Archive
    coverage: CoveragePort
    clock: Clock
    zone: ZoneInfo
    language: Language = Language.EN
    progress: Progress = field(default_factory=Silent)
    workers: Workers = field(default_factory=InThreads)
    every: bool = True
    judging: Judging | None = None
    conversations: Conversations | None = None
    conversation: ConversationKey | None = None
    standing: StatusSource | None = None
    page: int = 1
    length: Length = Length.NORMAL
    room: Room | None = None
    profiles: Profiles | None = None
    usage: Usage | None = None
    requests: Requests | None = None
    announcements: Announcements | None = None
    overheard: bool = False
    coarse: bool = False
