"""One message of a platform, how long it may be, and the proof that it stands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Unit(StrEnum):
    """What a platform counts when it says "too long"."""

    CODE_POINTS = "code points"
    UTF16 = "UTF-16 code units"
    BYTES = "bytes of UTF-8"


class Counted(StrEnum):
    """Which side of a part the limit holds for."""

    TEXT = "text"
    BODY = "body"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message. Frozen in the ledger, so both sides are plain strings.

    ``text`` is what a person reads, without markup: for notifications, for a platform that refuses
    the markup, for tests. ``body`` is what is sent, in the platform's markup or as JSON text.
    ``identity`` (32 hex digits, set by the delivery) is the same at every attempt to send this
    part to this channel: an adapter puts it where the platform keeps it, and :meth:`Sender.find`
    looks for it. ``since`` is when the part was frozen, so that no attempt to send it is older;
    ``None`` for what no ledger keeps. It is aware, in UTC.
    """

    text: str
    body: str
    identity: str = ""
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The longest message: ``size`` of ``unit``, counted on one side of a part.

    ``size`` ``None`` is no limit. ``source`` is the address of the page that states it.
    """

    size: int | None
    unit: Unit
    source: str
    counts: Counted = Counted.BODY

    def measure(self, part: Part) -> int:
        """The length of a part, in ``unit``."""
        counted = part.text if self.counts is Counted.TEXT else part.body
        match self.unit:
            case Unit.CODE_POINTS:
                return len(counted)
            case Unit.UTF16:
                return len(counted.encode("utf-16-le", "surrogatepass")) // 2
            case Unit.BYTES:
                return len(counted.encode("utf-8", "surrogatepass"))

    def holds(self, part: Part) -> bool:
        """Whether the part is short enough."""
        return self.size is None or self.measure(part) <= self.size


CHAIN = "re:"
"""What a thread's name begins with where a platform has chains of replies and no threads.

The rest of it is the answered message: each answer is a thread to whoever replies to it. Of a chain
that nothing is known of, such as one that goes on from the second part of an answer, the
conversation is the chat's own.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A platform's proof that a message stands: its id, and the thread that answers belong to."""

    message: str
    thread: str = ""

    def dump(self) -> str:
        """The receipt as the ledger keeps it."""
        return json.dumps([self.message, self.thread], ensure_ascii=False)

    @classmethod
    def parse(cls, text: str) -> Receipt | None:
        """The receipt of a ledger entry; ``None`` where the entry has no proof."""
        if not text:
            return None
        message, thread = json.loads(text)
        return cls(message=message, thread=thread)
