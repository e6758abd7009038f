"""How the process does, for whoever asks for its status, as ``handlers.standing.Bearings``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.app import App
from bot.store.calls import SqlCalls
from bot.subscriptions.subscription import Subscribed, Subscription
from bot.times.schedule import next_run
from handlers.bearings import Budget, Run, Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearings:
    """What one chat may be told: its own runs, and what models took in all.

    ``mine`` says of a subscription whether it is the chat's.
    """

    app: App
    served: Subscribed
    mine: Callable[[Subscription], bool]

    async def standing(self) -> Standing:
        """The runs of the chat, how many of its digests wait, and the budget."""
        now = self.app.clock.now()
        posts = [one for one in await self.served.subscriptions() if self.mine(one)]
        names = {one.name for one in posts}
        waiting = [r for r in await self.app.ledger.pending() if r.key.channel in names]
        return Standing(
            runs=[await self._run(one, now) for one in posts],
            waiting=len(waiting),
            budget=await self._budget(now),
        )

    async def _run(self, one: Subscription, now: datetime) -> Run:
        last = await self.app.ledger.last_slot(one.name)
        return Run(channel=one.name, last=last or "", next=next_run(one.spec, now))

    async def _budget(self, now: datetime) -> Budget | None:
        if self.app.mind is None:
            return None
        config = self.app.mind.config
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        currency = config.price.currency
        took = await SqlCalls(self.app.database, currency).spent(midnight)
        return Budget(spent=took.cost, currency=currency, most=config.caps.day.money)
