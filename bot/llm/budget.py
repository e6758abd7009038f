"""Daily spending caps, checked against the ledger of calls.

Spending is read from the ledger, so a restart forgets nothing and there is no second count. The
most that running calls may still cost is added to it: concurrent calls never exceed a cap, though
close to it a call may be refused that would just have fitted. Other processes' calls count once
they end.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

import structlog

from bot.config.model_section import CapSettings, CapsSettings
from handlers.ports.model_port import BillingAccount, BudgetSpent, CallLedger, Hold, Usage
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """One cap and the scope it applies to."""

    cap: CapSettings
    name: str
    channel: str | None = None
    person: str | None = None

    def covers(self, account: BillingAccount) -> bool:
        return self.channel in {None, account.channel} and self.person in {None, account.person}


class CappedBudget:
    """Implements ``BudgetPort``. Days are in UTC."""

    def __init__(self, caps: CapsSettings, ledger: CallLedger, clock: Clock) -> None:
        self._caps = caps
        self._ledger = ledger
        self._clock = clock
        self._holds: dict[str, Hold] = {}
        self._ids = itertools.count()
        self._told: dict[str, date] = {}
        self._turn = asyncio.Lock()

    async def reserve(self, account: BillingAccount, most: Usage) -> Hold:
        """Reserve the most that a call can cost. Raises ``BudgetSpent``."""
        async with self._turn:
            for scope in self._scopes(account):
                await self._check(scope, most)
            hold = Hold(id=str(next(self._ids)), account=account, most=most)
            self._holds[hold.id] = hold
            return hold

    async def settle(self, hold: Hold, usage: Usage) -> None:  # noqa: ARG002 - the ledger has it
        """Release the reservation."""
        self._holds.pop(hold.id, None)

    async def _check(self, scope: _Scope, most: Usage) -> None:
        spent = await self._ledger.spent(
            _midnight(self._clock.now()), channel=scope.channel, person=scope.person
        )
        held = (hold.most for hold in self._holds.values() if scope.covers(hold.account))
        total = sum(held, spent + most)
        cap = scope.cap
        if cap.tokens is not None and total.tokens > cap.tokens:
            raise self._spent(f"{cap.tokens} tokens a day{scope.name}")
        if cap.money is not None and total.cost > cap.money:
            raise self._spent(f"{cap.money} a day{scope.name}")

    def _spent(self, detail: str) -> BudgetSpent:
        """The error for a spent cap, which is logged once a day for each cap."""
        today = self._clock.now().date()
        if self._told.get(detail) != today:
            self._told[detail] = today
            log.warning("model.capped", detail=detail)
        return BudgetSpent(detail)

    def _scopes(self, account: BillingAccount) -> Iterator[_Scope]:
        """The caps that apply to an account."""
        caps = self._caps
        candidates = [_Scope(cap=caps.day, name="")]
        if account.channel:
            name = f" of channel {account.channel!r}"
            candidates.append(_Scope(cap=caps.channel, name=name, channel=account.channel))
        if account.person:
            name = f" of person {account.person!r}"
            candidates.append(_Scope(cap=caps.person, name=name, person=account.person))
        for scope in candidates:
            if scope.cap.tokens is not None or scope.cap.money is not None:
                yield scope


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
