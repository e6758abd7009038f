"""The ledger of calls to models: the purpose, usage and result of each.

Money is stored in whole billionths of the currency, so that sums are exact. The cost of a call is
rounded up, never down, because caps apply to these sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from typing import Any

from sqlalchemy import ColumnElement, case, func, insert, select
from typing_extensions import override

from bot.store.columns import columns, from_row, seconds
from bot.store.database import Database, SqlStore
from bot.store.dialect import total
from bot.store.tables.chat_tables import model_calls
from handlers.ports.model_port import OK, CallKind, CallLedger, ModelCall, Usage

_UNIT = Decimal("1e-9")
_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The calls of one day (in UTC), repository and kind in one currency.

    ``failed`` counts calls without an answer. ``day`` is the first instant of the day.
    """

    day: datetime
    repository: str
    kind: CallKind
    currency: str
    usage: Usage
    failed: int


class SqlCalls(SqlStore, CallLedger):
    """The calls in a database. Costs are in ``currency``."""

    def __init__(self, database: Database, currency: str = "USD") -> None:
        super().__init__(database)
        self._currency = currency

    @override
    async def add(self, call: ModelCall) -> None:
        account = columns(call.account, "kind", "repository", "channel", "person", "subject")
        rest = columns(call, "at", "model", "rung", "outcome", "seconds")
        usage = {**columns(call.usage), "cost": nanos(call.usage.cost), "currency": self._currency}
        await self._database.run(insert(model_calls), {**account, **rest, **usage})

    @override
    async def spent(
        self, since: datetime, *, channel: str | None = None, person: str | None = None
    ) -> Usage:
        # Costs in another currency do not count.
        cost = case((model_calls.c.currency == self._currency, model_calls.c.cost), else_=0)
        wanted = select(*_sums(cost)).where(model_calls.c.at >= seconds(since))
        if channel is not None:
            wanted = wanted.where(model_calls.c.channel == channel)
        if person is not None:
            wanted = wanted.where(model_calls.c.person == person)
        return _usage((await self._database.run(wanted)).first)

    async def costs(self, since: datetime, until: datetime) -> Sequence[Cost]:
        """Calls from ``since`` to ``until`` (exclusive) by day, repository, kind and currency."""
        calls = model_calls.c
        # Seconds since 1970 divide into UTC days of 86,400, because they count no leap seconds.
        day = (calls.at // _DAY * _DAY).label("day")
        by = (day, calls.repository, calls.kind, calls.currency)
        failed = func.sum(case((calls.outcome == OK, 0), else_=1)).label("failed")
        wanted = (
            select(*by, failed, *_sums(calls.cost))
            .where(calls.at >= seconds(since), calls.at < seconds(until))
            .group_by(*by)
            .order_by(*by)
        )
        rows = (await self._database.run(wanted)).rows
        return tuple(from_row(Cost, row, usage=_usage(row)) for row in rows)


def nanos(cost: Decimal) -> int:
    """Money in billionths, rounded up."""
    return int((cost / _UNIT).to_integral_value(ROUND_CEILING))


def money(stored: int) -> Decimal:
    """The money that :func:`nanos` stored."""
    return stored * _UNIT


def _sums(cost: ColumnElement[int]) -> tuple[ColumnElement[Any], ...]:
    calls = model_calls.c
    columns = (calls.calls, calls.input_tokens, calls.cached_tokens, calls.output_tokens)
    return (
        *(total(column).label(column.name) for column in columns),
        total(cost).label("cost"),
        func.coalesce(func.max(case((calls.estimated, 1), else_=0)), 0).label("estimated"),
    )


def _usage(row: Any) -> Usage:
    return from_row(Usage, row, cost=money(row.cost))
