"""Long polling: requests updates, one request at a time, and never gives up by itself.

Telegram keeps an update until a request confirms it, for at most 24 hours. Requests here confirm
only what was stored, so a process that dies in between gets the rest again, and repeats are
recognised by the messages' own identities. One bot token has one poller.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog
from telegram import Update
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError, TimedOut

from bot.messaging.inbox import Keep, Unkept
from bot.messaging.receiver import Ear
from bot.platforms.telegram.api_errors import seconds_of, send_error
from bot.platforms.telegram.client import Client

log = structlog.get_logger(__name__)

_CONFLICT = "telegram.conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class PollTiming:
    """The times of polling, in seconds.

    ``wait`` is how long Telegram keeps a request open without news; a connection whose answer is
    ``late`` by this much is dead. ``first`` and ``longest`` bound the pauses after a failure, which
    double; ``conflict`` is the pause after another poller took the updates.
    """

    wait: float = 50.0
    late: float = 10.0
    first: float = 1.0
    longest: float = 30.0
    conflict: float = 15.0


class Poller:
    """Stores the updates of one account as they arrive."""

    def __init__(
        self, client: Client, rhythm: PollTiming, keep: Keep, ear: Ear | None = None
    ) -> None:
        self._ear = ear or Ear()
        self._client = client
        self._rhythm = rhythm
        self._keep = keep
        self._offset: int | None = None
        self._trouble = ""
        self._disputed_until = 0.0
        self._pause = rhythm.first

    async def run(self) -> None:
        """Poll until cancelled. Raises ``SendError`` if the token is not valid (any more)."""
        while True:
            found = await self._ask()
            try:
                await asyncio.gather(*(self._keep(update.to_json()) for update in found))
            except Unkept:
                # The offset was not advanced, so all of them come again.
                await asyncio.sleep(self._rhythm.first)
                continue
            if found:
                self._offset = found[-1].update_id + 1

    async def _ask(self) -> tuple[Update, ...]:
        """The result of one request; empty, after a pause, if it fails."""
        try:
            async with asyncio.timeout(self._rhythm.wait + self._rhythm.late):
                found = await self._client.updates(self._offset, self._rhythm.wait)
        except (TimeoutError, TimedOut):
            # A connection can look open for hours after a router has forgotten it.
            self._tell("telegram.silent", "no answer in time; connecting anew")
            await self._client.rebuild()
            await self._sleep(self._pause)
        except InvalidToken as error:
            raise send_error(error) from None
        except Conflict:
            # There was no webhook when listening began, so another process polls with our token.
            self._tell(_CONFLICT, "another process receives with this token; stop one of them")
            self._disputed_until = _now() + self._rhythm.wait + 2 * self._rhythm.conflict
            await asyncio.sleep(self._rhythm.conflict)
        except RetryAfter as error:
            self._tell("telegram.told_to_wait", f"{seconds_of(error):g} s")
            await asyncio.sleep(seconds_of(error))
        except TelegramError as error:
            self._tell("telegram.unreachable", str(send_error(error)))
            await self._sleep(self._pause)
        else:
            self._note_recovery()
            return found
        return ()

    def _tell(self, event: str, detail: str) -> None:
        """Log a problem once, however long it lasts."""
        if self._trouble != event:
            log.warning(event, detail=detail)
        self._trouble = event
        self._ear.fails(detail)

    def _note_recovery(self) -> None:
        if self._trouble == _CONFLICT and _now() < self._disputed_until:
            return  # two pollers alternate in receiving updates
        if self._trouble:
            log.info("telegram.receiving_again", after=self._trouble)
        self._trouble, self._pause = "", self._rhythm.first
        self._ear.hears()

    async def _sleep(self, pause: float) -> None:
        self._pause = min(pause * 2, self._rhythm.longest)
        await asyncio.sleep(pause)


def _now() -> float:
    return asyncio.get_running_loop().time()
