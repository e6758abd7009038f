"""A grade: how much a change matters, and why. The rules are in ``importance``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a change matters to somebody who uses the project."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """0 for high, 1 for medium, 2 for low."""
        return list(Level).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One ground of a grade.

    ``rule`` is the name of the rule in ``importance.json``; ``weight`` what it moved the score by
    (in log-odds, negative lowers); ``subject`` the thing that it saw (a flag's name, an area, a
    count), or empty. The words are made per language by :mod:`digest.words`.
    """

    rule: str
    weight: float
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """``score`` in [0, 1], higher matters more; reasons with the weightiest first.

    ``by`` names the weights and thresholds that it was made by, so that a stored grade can be told
    from one that would be made now.
    """

    score: float
    level: Level
    reasons: tuple[Reason, ...]
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """The least scores of the levels; below ``medium`` is low.

    The defaults leave about 5 of 40 changes of a busy day high and one in four medium.
    """

    high: float = 0.55
    medium: float = 0.25
