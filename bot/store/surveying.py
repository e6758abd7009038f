"""What a planned query finds, counted by the database: no change is made from its row for that."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.search import Plan
from bot.store.shapes import survey
from digest.facts.model import Area
from digest.grade import Level
from digest.survey import PAGE

_LEVELS = tuple(Level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Counts of all that was found, and the keys of a page that begins behind ``first`` of it."""

    levels: Counter[Level]
    areas: Counter[Area]
    first: int
    keys: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many changes were found."""
        return self.levels.total()


async def surveyed(connection: AsyncConnection, how: Plan, first: int) -> Counted:
    """Count what meets the query of a plan, and name the page behind ``first`` changes."""
    values = {**how.values, "first": first, "size": PAGE}
    levels: Counter[Level] = Counter()
    areas: Counter[Area] = Counter()
    keys: list[int] = []
    for key, level, area, number in await connection.execute(survey(how.shape), values):
        if key:
            keys.append(key)
        else:
            levels[_LEVELS[level]] += number
            areas[Area(area)] += number
    return Counted(levels=levels, areas=areas, first=first, keys=tuple(keys))
