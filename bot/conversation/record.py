"""What is remembered of each message to the bot: that it was heard, and how far its answer is.

Platforms deliver a message again for hours, and a process may die at any point of an answer::

    HEARD -> SENDING -> HOLDING -> TOLD
      |         |          |
      |         |          the placeholder stands, its receipt is kept: it becomes the answer
      |         something is on its way: it stands, or it does not
      nothing was sent

A record that is not ``TOLD`` while nobody is at it was left by a crash; see
:meth:`bot.conversation.Conversation.recover`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from bot.platforms.base import Fate, Incoming, Receipt

KEPT = timedelta(hours=48)
"""So long a record is kept. Feishu delivers again for 7 hours, Telegram for 24."""


class Stage(StrEnum):
    """How far an answer is."""

    HEARD = "heard"
    SENDING = "sending"
    HOLDING = "holding"
    TOLD = "told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A message: ``account`` is a name of the configuration, the rest the platform's own words."""

    account: str
    chat: str
    message: str

    @property
    def identity(self) -> str:
        """The identity of the answer's first part; see :class:`bot.platforms.base.Part`."""
        named = json.dumps([self.account, self.chat, self.message])
        return hashlib.sha256(named.encode()).hexdigest()[:32]

    @property
    def lease(self) -> str:
        """The name under which one process at a time is at the answer."""
        return f"answer\0{self.account}\0{self.chat}\0{self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A message with how far its answer is. ``receipt`` is that of the placeholder or answer.

    ``at`` is when it was heard, aware, in UTC.
    """

    key: Key
    at: datetime
    stage: Stage
    asked: Incoming
    receipt: Receipt | None = None


class Records(Protocol):
    """Where records are kept."""

    async def claim(self, key: Key, asked: Incoming, now: datetime) -> bool:
        """Make a record in ``HEARD``; whether this call is the first to do so.

        Records older than ``KEPT`` may be forgotten at that.
        """

    async def get(self, key: Key) -> Record | None:
        """What is remembered of a message."""

    async def mark(self, key: Key, stage: Stage, receipt: Receipt | None = None) -> None:
        """Write how far the answer is, at once; without a ``receipt`` the known one stays."""

    async def ask_again(self, key: Key, asked: Incoming) -> None:
        """The message has other words now; the stage stays."""

    async def left(self, account: str) -> Sequence[Record]:
        """The records of an account that are not ``TOLD``, oldest first."""


# ``asdict`` copies deeply, which would be the dearest thing that is done about a message.
_FIELDS = tuple(one.name for one in fields(Incoming) if one.name != "taken")


def dump(asked: Incoming) -> str:
    """A message as text."""
    kept = {name: getattr(asked, name) for name in _FIELDS}
    receipt = asked.receipt
    kept["receipt"] = receipt and {"message": receipt.message, "thread": receipt.thread}
    kept["at"] = asked.at.isoformat()
    return json.dumps(kept)


def load(text: str) -> Incoming:
    """What :func:`dump` was given."""
    kept = json.loads(text)
    receipt = kept.pop("receipt")
    kept["at"] = datetime.fromisoformat(kept["at"])
    kept["also"] = tuple(kept.get("also", ()))
    kept["fate"] = Fate(kept.get("fate", Fate.SAID))
    return Incoming(receipt=Receipt(**receipt) if receipt else None, **kept)
