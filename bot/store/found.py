"""What a statement came to, of whichever driver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a statement came to: its rows, which have their columns as attributes as well.

    ``count`` is how many rows a change touched.
    """

    rows: Sequence[Any] = ()
    count: int = 0

    @property
    def first(self) -> Any | None:
        """The first row, where there is one."""
        return self.rows[0] if self.rows else None

    @property
    def value(self) -> Any | None:
        """The first value of the first row, where there is one."""
        return self.rows[0][0] if self.rows else None
