"""The context of a use case: its ports and the asker's settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from digest.core.enums import Language
from digest.frozen import frozen
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


@frozen
class Context:
    """The ports and the asker's settings for one request."""

    watched: storage.Watched
    archive: storage.Archive
    coverage: storage.CoveragePort
    clock: storage.Clock
    zone: ZoneInfo
    language: Language = Language.EN
    progress: storage.Progress = field(default_factory=Silent)
    workers: storage.Workers = field(default_factory=InThreads)
    every: bool = True  # all matches of a question, as in JSON, instead of one page
    judging: Judging | None = None  # without it no model is used
    conversations: Conversations | None = None
    conversation: ConversationKey | None = None  # the one that is remembered in ``conversations``
    standing: StatusSource | None = None
    page: int = 1  # of the results, from 1
    length: Length = Length.NORMAL
    room: Room | None = None
    profiles: Profiles | None = None  # what askers depend on
    usage: Usage | None = None  # finds that in the code of another repository
    requests: Requests | None = None
    weights: storage.LearnedWeights | None = None
    announcements: Announcements | None = None  # find the digest that announced a change
    overheard: bool = False  # the words may be meant for somebody else: no model reads them
    coarse: bool = False  # accept facts read by an older version: somebody is waiting
    # Processor time of a thread: bounds the parsing of hostile text.
    cpu_clock: Callable[[], float] | None = None
