"""What an answer changes of what is remembered, done once the answer stands.

A process may die between making an answer and bringing it. The question is then answered anew, and
must find everything as it was: else "more" would skip a page, and "catch up" a holiday.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from bot.messaging.sender import CHAIN
from digest.core.grade import Repository
from handlers.ports.conversation_port import ConversationKey, Conversations, Look, Talk

After = Callable[[Callable[[], Awaitable[None]]], None]
"""Keeps for later what is to be done once the answer stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredWrites:
    """A ``Conversations`` of one message that reads at once, and writes afterwards.

    However many repositories are asked, how far the conversation is is read once. ``thread`` tells
    the thread that the answer began, if it did: a slash command has none, and whoever asked goes on
    below the answer.
    """

    kept: Conversations
    after: After
    thread: Callable[[], str] = str
    _said: dict[ConversationKey, Talk | None] = field(default_factory=dict, init=False, repr=False)

    async def talk(self, key: ConversationKey, now: datetime) -> Talk | None:
        """How far the conversation is, before this message."""
        if key not in self._said:
            self._said[key] = await _talk_of(self.kept, key, now)
        return self._said[key]

    async def keep(self, key: ConversationKey, talk: Talk) -> None:
        """Remember, once the answer stands, how far the conversation is."""
        self.after(partial(self._keep, key, talk))

    async def _keep(self, key: ConversationKey, talk: Talk) -> None:
        begun = self.thread()
        # Who replies to an earlier answer goes on from that one, whatever came of it since.
        asked = "" if key.thread.startswith(CHAIN) else key.thread
        for thread in dict.fromkeys((asked, begun or asked)):
            await self.kept.keep(replace(key, thread=thread), talk)

    async def last_look(self, key: ConversationKey, repository: Repository) -> Look | None:
        """What the person last looked at."""
        return await self.kept.last_look(key, repository)

    async def looked(self, key: ConversationKey, repository: Repository, look: Look) -> None:
        """Remember, once the answer stands, what the person looked at."""
        self.after(partial(self.kept.looked, key, repository, look))

    async def forget(self, key: ConversationKey) -> None:
        """Forget the conversation."""
        await self.kept.forget(key)


async def _talk_of(kept: Conversations, key: ConversationKey, now: datetime) -> Talk | None:
    """How far a conversation is; where a chain of replies is not known, that of the chat."""
    found = await kept.talk(key, now)
    if found is None and key.thread.startswith(CHAIN):
        return await kept.talk(replace(key, thread=""), now)
    return found
