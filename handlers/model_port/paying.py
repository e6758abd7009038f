"""Whether a call may be paid for, and what was called."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from handlers.model_port.usage import Account, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Budget that is set aside for one call while it runs."""

    id: str
    account: Account
    most: Usage


class Purse(Protocol):
    """The caps on what calls may take: per day, channel and person."""

    async def reserve(self, account: Account, most: Usage) -> Hold:
        """Set aside the most that a call can take. Raises ``BudgetSpent``."""

    async def settle(self, hold: Hold, usage: Usage) -> None:
        """Give back what was set aside; ``usage`` is what the call took, and the ledger has it."""


OK = "ok"
"""The outcome of a call that was answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to a server. ``at`` is when it was sent; ``seconds`` until it was over.

    ``outcome`` is :data:`OK` for an answer (whether or not it could be used), ``cancelled``, or the
    value of a :class:`ModelReason`. ``rung`` is how the server was asked to keep to a schema.
    """

    at: datetime
    account: Account
    model: str
    rung: str
    usage: Usage
    seconds: float
    outcome: str


class CallLedger(Protocol):
    """Every call to a model, kept."""

    async def add(self, call: Call) -> None:
        """Keep one call."""

    async def spent(
        self, since: datetime, *, channel: str | None = None, person: str | None = None
    ) -> Usage:
        """The sum of the calls from ``since`` on; of one channel or person where given."""


@dataclass(slots=True)
class Unlimited:
    """A purse without caps."""

    _count: int = field(default=0, init=False)

    async def reserve(self, account: Account, most: Usage) -> Hold:
        """Allow it."""
        self._count += 1
        return Hold(id=str(self._count), account=account, most=most)

    async def settle(self, hold: Hold, usage: Usage) -> None:
        """Nothing was set aside."""
