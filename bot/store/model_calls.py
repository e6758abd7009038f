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

from sqlalchemy import ColumnElement, Row, case, func, insert, select

from bot.store.database import Database
from bot.store.dialect import total
from bot.store.rows import moment, seconds, storable
from bot.store.tables.chat_tables import model_calls
from handlers.ports.model_port import OK, CallKind, ModelCall, Usage

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


class SqlCalls:
    """A ``CallLedger`` in a database. Costs are in ``currency``."""

    def __init__(self, database: Database, currency: str = "USD") -> None:
        self._database = database
        self._currency = currency

    async def add(self, call: ModelCall) -> None:
        """Store one call. Raises ``UnwritableFolder`` and ``BrokenArchive``, as all methods do."""
        async with self._database.writing() as connection:
            await connection.execute(insert(model_calls), _columns(call, self._currency))

    async def spent(
        self, since: datetime, *, channel: str | None = None, person: str | None = None
    ) -> Usage:
        """The sum of the calls since ``since``; costs in another currency do not count."""
        mine = case((model_calls.c.currency == self._currency, model_calls.c.cost), else_=0)
        wanted = select(*_sums(mine)).where(model_calls.c.at >= seconds(since))
        if channel is not None:
            wanted = wanted.where(model_calls.c.channel == channel)
        if person is not None:
            wanted = wanted.where(model_calls.c.person == person)
        async with self._database.reading() as connection:
            return _usage((await connection.execute(wanted)).one())

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
        async with self._database.reading() as connection:
            return tuple(
                Cost(
                    day=moment(row.day),
                    repository=row.repository,
                    kind=CallKind(row.kind),
                    currency=row.currency,
                    usage=_usage(row),
                    failed=row.failed,
                )
                for row in await connection.execute(wanted)
            )


def _columns(call: ModelCall, currency: str) -> dict[str, Any]:
    account, usage = call.account, call.usage
    return {
        "at": seconds(call.at),
        "kind": account.kind.value,
        "repository": account.repository,
        "channel": storable(account.channel),
        "person": storable(account.person),
        "subject": account.subject,
        "model": storable(call.model),
        "rung": call.rung,
        "outcome": call.outcome,
        "seconds": call.seconds,
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
        "cost": nanos(usage.cost),
        "currency": currency,
        "estimated": usage.estimated,
    }


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


def _usage(row: Row[*tuple[Any, ...]]) -> Usage:
    return Usage(
        calls=row.calls,
        input_tokens=row.input_tokens,
        cached_tokens=row.cached_tokens,
        output_tokens=row.output_tokens,
        cost=money(row.cost),
        estimated=bool(row.estimated),
    )
