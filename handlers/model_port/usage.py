"""What a call is for, whom it is charged to, and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Kind(StrEnum):
    """What a call is for: the rows of a cost report."""

    ANALYSIS = "analysis"
    LINES = "lines"
    LEAD = "lead"
    EXPLAIN = "explain"
    QUESTION = "question"
    PROBE = "probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What a call is for and whom it is charged to; an empty name is nobody in particular.

    ``subject`` names the thing asked about, such as a commit; it is for the ledger alone.
    """

    kind: Kind
    repository: str = ""
    channel: str = ""
    person: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What calls took. Values add up.

    ``input_tokens`` includes the ``cached_tokens``, ``output_tokens`` includes what the model
    thought to itself. ``cost`` is in the currency of the configuration. ``calls`` are requests that
    were sent. ``estimated`` says that a server did not report a part, which is then our estimate;
    an estimate is never too low on purpose, so that a cap holds.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=self.cost + other.cost,
            estimated=self.estimated or other.estimated,
        )
