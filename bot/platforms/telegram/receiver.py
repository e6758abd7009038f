"""Long polling: asks for updates, one request open at a time, and never gives up on its own.

Telegram keeps an update until a request asks for what comes after it, for at most 24 hours. What is
asked for here comes after everything that was written down, so a process that dies in between gets
it again, and the messages' own identities tell that it is the same. One bot token has one poller.
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

    ``wait`` is how long Telegram keeps a request open without news; an answer that is ``late`` by
    so much says that nobody is there. ``first`` and ``longest`` are the pauses after a failure,
    which double; ``conflict`` is that after another poller took the updates.
    """

    wait: float = 50.0
    late: float = 10.0
    first: float = 1.0
    longest: float = 30.0
    conflict: float = 15.0


class Poller:
    """Has the updates of one account written down as they come."""

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
        """Poll until cancelled. Raises ``SendError`` where the token is not valid (any more)."""
        while True:
            found = await self._ask()
            try:
                await asyncio.gather(*(self._keep(update.to_json()) for update in found))
            except Unkept:
                # Without another offset all of them come again.
                await asyncio.sleep(self._rhythm.first)
                continue
            if found:
                self._offset = found[-1].update_id + 1

    async def _ask(self) -> tuple[Update, ...]:
        """One request; nothing where it fails, after a pause."""
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
            # There was no webhook when listening began, so somebody else polls with our token.
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
            self._recovered()
            return found
        return ()

    def _tell(self, event: str, detail: str) -> None:
        """One line for a trouble, however long it lasts."""
        if self._trouble != event:
            log.warning(event, detail=detail)
        self._trouble = event
        self._ear.fails(detail)

    def _recovered(self) -> None:
        if self._trouble == _CONFLICT and _now() < self._disputed_until:
            return  # two pollers take turns in being heard
        if self._trouble:
            log.info("telegram.receiving_again", after=self._trouble)
        self._trouble, self._pause = "", self._rhythm.first
        self._ear.hears()

    async def _sleep(self, pause: float) -> None:
        self._pause = min(pause * 2, self._rhythm.longest)
        await asyncio.sleep(pause)


def _now() -> float:
    return asyncio.get_running_loop().time()
