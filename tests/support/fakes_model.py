"""In-memory fakes of what a model needs besides its server."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from bot.llm.calls import Hold
from bot.llm.response_format import Dialect
from handlers.ports.model_port import BillingAccount, BudgetSpent, ModelCall, Usage


@dataclass
class FakeCallLedger:
    """Calls, in the order in which they were added."""

    calls: list[ModelCall] = field(default_factory=list)

    async def add(self, call: ModelCall) -> None:
        self.calls.append(call)

    async def spent(
        self, since: datetime, *, channel: str | None = None, person: str | None = None
    ) -> Usage:
        mine = (
            call.usage
            for call in self.calls
            if call.at >= since
            and channel in {None, call.account.channel}
            and person in {None, call.account.person}
        )
        return sum(mine, Usage())

    @property
    def outcomes(self) -> list[str]:
        return [call.outcome for call in self.calls]

    @property
    def total(self) -> Usage:
        return sum((call.usage for call in self.calls), Usage())


@dataclass
class FakePurse:
    """Lets ``left`` calls through; ``held`` are those not yet settled."""

    left: int = 1_000_000
    held: list[Hold] = field(default_factory=list)

    async def reserve(self, account: BillingAccount, most: Usage) -> Hold:
        if self.left <= 0:
            raise BudgetSpent("calls")
        self.left -= 1
        self.held.append(hold := (account, most))
        return hold

    def settle(self, hold: Hold) -> None:
        self.held.remove(hold)


@dataclass
class FakeMemory:
    """Dialects by server and model."""

    kept: dict[tuple[str, str], Dialect] = field(default_factory=dict)

    def recall(self, server: str, model: str) -> Dialect | None:
        return self.kept.get((server, model))

    def keep(self, server: str, model: str, dialect: Dialect) -> None:
        self.kept[server, model] = dialect
