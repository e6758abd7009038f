"""Notices for an admin's chat: dead chats, missed digests, spent budgets, errors.

:class:`AdminAlerts` is a structlog processor, like metrics. It gathers lines, each once a day, and
posts them together, so that a night of errors is a few messages and not a thousand.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import structlog
from structlog.typing import EventDict, WrappedLogger

from bot.delivery.delivery import Delivery, Posting
from bot.store.ledger import NOTICE, SqlLedger
from bot.telemetry.logs import Redaction
from digest.core.enums import Language
from digest.document import Document, Item, Listing, Paragraph, Text
from digest.frozen import frozen
from digest.i18n import statement_text as words
from digest.i18n.phrase import Phrase
from handlers.ports.storage import Clock

if TYPE_CHECKING:
    from bot.delivery.part_sender import Target

log = structlog.get_logger(__name__)

GATHER = 15.0  # seconds that lines wait for others of the same cause
PAUSE = 60.0  # seconds between two messages: at most 1440 a day
LAST_WORD = 5.0  # seconds that a stop waits for the last message
_LINES = 20
_WAITING = 200
_WIDTH = 300
_NOT_TOLD = frozenset({"event", "level", "timestamp", "trace", "exc_info", "stack_info"})
_ERRORS = frozenset({"error", "exception", "critical"})
Words = Callable[[Language, EventDict], str]


def _missed_slots(language: Language, event: EventDict) -> str:
    texts = _texts(event, "channel", "slot")
    return words.MISSED.text(language, n=int(event.get("count", 1)), **texts)


def _failed_digest(language: Language, event: EventDict) -> str:
    error = event.get("error") or type(event.get("exc_info")).__name__
    return words.FAILED.text(language, channel=str(event.get("channel")), error=str(error))


def _trouble(language: Language, event: EventDict) -> str:
    fields = (f"{name}={value}" for name, value in event.items() if name not in _NOT_TOLD)
    return words.TROUBLE.text(language, event=str(event.get("event")), detail=" ".join(fields))


def _texts(event: EventDict, *names: str) -> dict[str, str]:
    return {name: str(event.get(name, "")) for name in names}


def _telling(phrase: Phrase, *names: str) -> Words:
    """Fills a phrase with the fields of an event that have these names."""
    return lambda language, event: phrase.text(language, **_texts(event, *names))


_TOLD: Mapping[str, Words] = {
    "chat.parked": _telling(words.PARKED, "chat", "account", "error"),
    "chat.back": _telling(words.BACK, "chat", "account"),
    "slot.missed": _missed_slots,
    "slot.failed": _failed_digest,
    "model.capped": _telling(words.SPENT, "detail"),
}


@frozen
class AdminChannel:
    """The destination of notices, and what is needed to deliver them."""

    target: Target
    delivery: Delivery
    ledger: SqlLedger
    clock: Clock


class AdminAlerts:
    """Gathers lines from logs; :meth:`run` posts them."""

    def __init__(self, language: Language = Language.EN, secrets: Iterable[str] = ()) -> None:
        self._language = language
        self._redaction = Redaction(secrets)
        self._waiting: dict[str, str] = {}
        self._more = 0
        self._own = ""

    def __call__(self, logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        """Add a line for an event that concerns the admin; return the event unchanged."""
        told = _TOLD.get(str(event.get("event"))) or (_trouble if method in _ERRORS else None)
        if told is not None and not self._of_ourselves(event):
            hidden = self._redaction(logger, method, dict(event))
            self._take(" ".join(told(self._language, hidden).split())[:_WIDTH])
        return event

    async def run(self, desk: AdminChannel) -> None:
        """Post the gathered lines repeatedly until cancelled."""
        self._own = desk.target.name
        while True:
            await asyncio.sleep(GATHER)
            try:
                sent = await self.post(desk)
            except Exception:
                log.exception("notices.broken", channel=self._own)
                sent = True
            if sent:
                await asyncio.sleep(PAUSE)

    async def post(self, desk: AdminChannel) -> bool:
        """Post the lines that were not posted today, with those left from before."""
        self._own = desk.target.name
        if not self._waiting:
            return False
        await desk.delivery.resume(desk.target, await desk.delivery.left_of(desk.target))
        now = desk.clock.now()
        lines: list[str] = []
        while self._waiting and len(lines) < _LINES:
            line = next(iter(self._waiting))
            key = self._waiting.pop(line)
            if await desk.ledger.claim_slot(f"{NOTICE}{key}", now.date().isoformat()):
                lines.append(line)
        more, self._more = self._more + len(self._waiting), 0
        self._waiting.clear()
        if not lines:
            return False
        digest = f"{NOTICE}{now.isoformat()}:{_key(*lines)}"
        document = self._document(lines, more)
        posting = Posting(target=desk.target, digest=digest, document=document)
        await desk.delivery.deliver_all([posting])
        return True

    def _take(self, line: str) -> None:
        if line in self._waiting:
            return
        if len(self._waiting) >= _WAITING:
            self._more += 1
            return
        self._waiting[line] = _key(line)

    def _of_ourselves(self, event: EventDict) -> bool:
        """Whether the event is about the admin's own chat: a notice would only cause more."""
        return bool(self._own) and event.get("channel") == self._own

    def _document(self, lines: list[str], more: int) -> Document:
        title = words.TITLE.template(self._language)
        items = [Item((Text(line),)) for line in lines]
        if more:
            items.append(Item((Text(words.MORE.text(self._language, n=more)),)))
        heading = Paragraph((Text(title),))
        return Document(
            title=title, blocks=(heading, Listing(tuple(items))), language=str(self._language)
        )


@asynccontextmanager
async def telling(notices: AdminAlerts | None, desk: AdminChannel | None) -> AsyncIterator[None]:
    """Post notices during the block, and the remaining ones at its end."""
    if notices is None or desk is None:
        yield
        return
    task = asyncio.create_task(notices.run(desk))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        with suppress(Exception):
            async with asyncio.timeout(LAST_WORD):
                await notices.post(desk)


def _key(*lines: str) -> str:
    return hashlib.sha256("\0".join(lines).encode(errors="replace")).hexdigest()[:16]
