"""Remembers an answer's effects on the conversation only after the answer is posted.

A process may die between making an answer and posting it. The question is then answered again, and
must find everything as it was: otherwise "more" would skip a page, and "catch up" several days.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from bot.messaging.sender import CHAIN
from digest.core.grade import Repository
from handlers.ports.chat_port import ConversationKey, Conversations, Look, Talk

After = Callable[[Callable[[], Awaitable[None]]], None]
"""Defers an effect until the answer is posted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredWrites:
    """The ``Conversations`` of one message: reads at once, writes after the answer.

    The state of the conversation is read once, however many repositories are asked. ``thread``
    returns the thread that the answer started, if it did: a slash command has none, and the asker
    continues below the answer.
    """

    kept: Conversations
    after: After
    thread: Callable[[], str] = str
    _said: dict[ConversationKey, Talk | None] = field(default_factory=dict, init=False, repr=False)

    async def talk(self, key: ConversationKey, now: datetime) -> Talk | None:
        """The state of the conversation before this message."""
        if key not in self._said:
            self._said[key] = await _talk_of(self.kept, key, now)
        return self._said[key]

    async def keep(self, key: ConversationKey, talk: Talk) -> None:
        """Save the state of the conversation once the answer is posted."""
        self.after(partial(self._keep, key, talk))

    async def _keep(self, key: ConversationKey, talk: Talk) -> None:
        begun = self.thread()
        # A reply to an earlier answer continues from that answer, whatever followed it.
        asked = "" if key.thread.startswith(CHAIN) else key.thread
        for thread in dict.fromkeys((asked, begun or asked)):
            await self.kept.keep(replace(key, thread=thread), talk)

    async def last_look(self, key: ConversationKey, repository: Repository) -> Look | None:
        """What the person last looked at."""
        return await self.kept.last_look(key, repository)

    async def looked(self, key: ConversationKey, repository: Repository, look: Look) -> None:
        """Save what the person looked at once the answer is posted."""
        self.after(partial(self.kept.looked, key, repository, look))

    async def forget(self, key: ConversationKey) -> None:
        """Forget the conversation."""
        await self.kept.forget(key)


async def _talk_of(kept: Conversations, key: ConversationKey, now: datetime) -> Talk | None:
    """The state of a conversation; for an unknown chain of replies, that of the chat."""
    found = await kept.talk(key, now)
    if found is None and key.thread.startswith(CHAIN):
        return await kept.talk(replace(key, thread=""), now)
    return found
