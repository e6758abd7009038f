"""Rate limits: senders wait for turns so that the platform refuses nothing.

:class:`Pace` counts a chat's and an account's messages as platforms do. Windows are exact: no
``seconds``, wherever they begin, contain more than ``count``; the first minute of a leaky bucket
contains up to twice the limit. A process counts alone until :meth:`Pace.share` gives it windows
shared by all processes, and for times when those do not answer.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.util.machine import loop_time
from digest.frozen import frozen

# The most chats that are remembered; those without a waiting time are forgotten first.
_MOST_CHATS = 4096
_MOST_PARTS = 1024  # the most parts of an account that are remembered, as for chats


@frozen
class Rate:
    """At most ``count`` messages in any ``seconds``."""

    count: int
    seconds: float


class TooBusy(Exception):
    """The turn would come too late. ``wait`` is the time until then, in seconds."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"no turn for {wait:.0f} s")
        self.wait = wait


@frozen
class Booked:
    """A turn in ``wait`` seconds if it is ``booked``; otherwise ask again then."""

    booked: bool
    wait: float


class SharedWindows(Protocol):
    """The windows of one account, counted for every process that uses it."""

    async def book(
        self, chat: str, rates: Sequence[Rate], overall: Rate, spare: Rate, *, answer: bool
    ) -> Booked | None:
        """Book a turn as :class:`Pace` does; ``None`` if that is not possible now."""

    def hold(self, chat: str, seconds: float) -> None:
        """Block the chat for a while."""


class RateWindow:
    """The messages of one rate. Times are the loop's and never go back."""

    def __init__(self, rate: Rate) -> None:
        self._seconds = rate.seconds
        self._taken: deque[float] = deque(maxlen=rate.count)

    def free_at(self) -> float:
        """The earliest time of the next message."""
        full = len(self._taken) == self._taken.maxlen
        return self._taken[0] + self._seconds if full else 0.0

    @property
    def last(self) -> float:
        """The time of the newest message."""
        return self._taken[-1] if self._taken else -math.inf

    def take(self, at: float) -> None:
        """Count a message."""
        self._taken.append(at)


@dataclass(slots=True)
class _Chat:
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    windows: dict[Rate, RateWindow] = field(default_factory=dict)
    held_until: float = 0.0

    def window(self, rate: Rate) -> RateWindow:
        return self.windows.setdefault(rate, RateWindow(rate))

    def free_at(self, rates: Sequence[Rate]) -> float:
        return max(self.held_until, *(self.window(rate).free_at() for rate in rates), 0.0)


class Pace:
    """The turns of one account. Chats wait only for the account's own rate, not for each other."""

    # ``overall`` limits the account. ``spare`` are additional turns for answers alone, so that a
    # question does not wait while a thousand chats get their digest; both must fit the platform's
    # own limit.

    def __init__(self, overall: Rate, spare: Rate) -> None:
        self._rates = overall, spare
        self._overall = RateWindow(overall)
        self._spare = RateWindow(spare)
        self._chats: dict[str, _Chat] = {}
        self._common: SharedWindows | None = None

    def share(self, common: SharedWindows) -> None:
        """Count together with all processes from now on."""
        self._common = common

    async def turn(
        self, chat: str, rates: Sequence[Rate], *, answer: bool = False, longest: float = 60.0
    ) -> None:
        """Wait until a message may go to the chat, and count it.

        Callers for one chat go in the order in which they came. Raises :class:`TooBusy` if the chat
        alone would delay it for more than ``longest`` seconds.
        """
        state = self._chat(chat)
        if (wait := state.held_until - loop_time()) > longest:
            raise TooBusy(wait)
        async with state.turn:
            if not await self._with_all(chat, rates, answer=answer, longest=longest):
                while (wait := state.free_at(rates) - loop_time()) > 0:
                    if wait > longest:
                        raise TooBusy(wait)
                    await asyncio.sleep(wait)
                await self._account(answer=answer)
            for rate in rates:
                state.window(rate).take(loop_time())

    @property
    def idle(self) -> bool:
        """Whether nobody waits, and a new caller would not have to wait."""
        now = loop_time()
        if max(self._overall.last, self._spare.last) > now - self._rates[0].seconds:
            return False
        return all(_free(state, now) for state in self._chats.values())

    def hold(self, chat: str, seconds: float) -> None:
        """Send nothing to the chat for a while, because the platform asked for it."""
        state = self._chat(chat)
        state.held_until = max(state.held_until, loop_time() + seconds)
        if self._common is not None:
            self._common.hold(chat, seconds)

    async def _with_all(
        self, chat: str, rates: Sequence[Rate], *, answer: bool, longest: float
    ) -> bool:
        """Wait for a turn among all processes and count it; return whether there was one."""
        if self._common is None:
            return False
        overall, spare = self._rates
        while True:
            booked = await self._common.book(chat, rates, overall, spare, answer=answer)
            if booked is None:
                return False
            if booked.booked:
                self._overall.take(loop_time() + booked.wait)
                await asyncio.sleep(booked.wait)
                return True
            if booked.wait > longest:
                raise TooBusy(booked.wait)
            await asyncio.sleep(booked.wait)

    async def _account(self, *, answer: bool) -> None:
        """Book the account's next turn and wait for it. A cancelled caller wastes its turn."""
        window = self._overall
        if answer and self._spare.free_at() < self._overall.free_at():
            window = self._spare
        at = max(loop_time(), window.free_at())
        window.take(at)
        await asyncio.sleep(at - loop_time())

    def _chat(self, chat: str) -> _Chat:
        if chat not in self._chats and len(self._chats) >= _MOST_CHATS:
            self._forget()
        return self._chats.setdefault(chat, _Chat())

    def _forget(self) -> None:
        now = loop_time()
        self._chats = {name: state for name, state in self._chats.items() if not _free(state, now)}


class Paces(Mapping[str, Pace]):
    """Paces by part, for an account with limits for each of its parts, such as workspaces."""

    # A pace is created when its part is first used. Sharing applies to later ones as well.

    def __init__(self, overall: Rate, spare: Rate) -> None:
        self._rates = overall, spare
        self._made: OrderedDict[str, Pace] = OrderedDict()
        self._common: Callable[[str], SharedWindows] | None = None

    def __getitem__(self, part: str) -> Pace:
        if (pace := self._made.get(part)) is None:
            pace = self._made[part] = Pace(*self._rates)
            if self._common is not None:
                pace.share(self._common(part))
            self._forget()
        self._made.move_to_end(part)
        return pace

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._made))

    def __len__(self) -> int:
        return len(self._made)

    def share(self, common: Callable[[str], SharedWindows]) -> None:
        """Count together with all processes from now on; ``common`` gives a part's windows."""
        self._common = common
        for part, pace in self._made.items():
            pace.share(common(part))

    def _forget(self) -> None:
        """Drop the paces unused for longest if there are too many, but none that is busy."""
        over = len(self._made) - _MOST_PARTS
        if over > 0:
            idle = [part for part in tuple(self._made)[:-1] if self._made[part].idle]
            for part in idle[:over]:
                del self._made[part]


def _free(state: _Chat, now: float) -> bool:
    return not state.turn.locked() and state.free_at(tuple(state.windows)) <= now
