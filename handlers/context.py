"""The context of a use case: its ports and the asker's settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from digest.core.enums import Language
from handlers.ports import storage
from handlers.ports.chat_port import ConversationKey, Conversations, Length, Profiles, Room, Usage
from handlers.ports.forge_port import Requests

if TYPE_CHECKING:
    from handlers.ports.analysis_port import Judging
    from handlers.ports.status_port import Announcements, StatusSource


class Silent:
    """Progress that is not shown to anyone."""

    def start(self, total: int) -> None:
        """Do nothing."""

    def advance(self, count: int) -> None:
        """Do nothing."""

    def finish(self) -> None:
        """Do nothing."""


class InThreads:
    """Workers without processes: threads on one processor, so that the event loop keeps running."""

    at_once = 1

    async def few(self, work: Callable[[storage.A], storage.B], given: storage.A) -> storage.B:
        """Do it in a thread."""
        return await asyncio.to_thread(work, given)

    async def many(self, work: Callable[[storage.A], storage.B], given: storage.A) -> storage.B:
        """Do it in a thread."""
        return await asyncio.to_thread(work, given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The ports and the asker's settings for one request.

    ``every`` asks for all matches of a question (as JSON output does) instead of one page; chats
    leave it off, since there may be thousands. Without ``judging`` no model is used.
    ``conversation`` identifies the conversation that is remembered in ``conversations``. ``page``
    (from 1) of the results is shown, at ``length``. ``profiles`` hold what askers depend on, and
    ``usage`` finds that in the code of another repository. ``announcements`` find the digest that
    announced a change. ``coarse`` accepts facts read by an older version of the program, because
    somebody is waiting. ``overheard`` says that the words may be meant for somebody else: no model
    interprets them. ``cpu_clock`` returns the processor time of a thread, which bounds the parsing
    of hostile text.
    """

    watched: storage.Watched
    archive: storage.Archive
    coverage: storage.CoveragePort
    clock: storage.Clock
    zone: ZoneInfo
    language: Language = Language.EN
    progress: storage.Progress = field(default_factory=Silent)
    workers: storage.Workers = field(default_factory=InThreads)
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
    weights: storage.LearnedWeights | None = None
    announcements: Announcements | None = None
    overheard: bool = False
    coarse: bool = False
    cpu_clock: Callable[[], float] | None = None
