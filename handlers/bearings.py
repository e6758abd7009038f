"""The port to how the process does: its runs, what waits, what models took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A scheduled digest: its name, the date it was last due on or empty, when it comes next."""

    channel: str
    last: str
    next: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What models took since midnight in UTC; ``most`` is the cap on that, if there is one."""

    spent: Decimal
    currency: str
    most: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How the process does: its runs, how many digests wait, its budget, if it has a model."""

    runs: Sequence[Run] = ()
    waiting: int = 0
    budget: Budget | None = None


class Bearings(Protocol):
    """Who knows how the process does."""

    async def standing(self) -> Standing:
        """How it does now. Raises ``UserError`` where that cannot be told."""
