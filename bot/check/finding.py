"""What was looked at, what is there, and how much it matters."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Weight(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the result: what was looked at and what is there."""

    weight: Weight
    subject: str
    text: str
