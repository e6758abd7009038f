"""What a planned query finds, counted by the database, and a page of it with its kept lines.

No facts are read for that: they stay text until somebody asks for them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Text, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.rows import GRADED, graded
from bot.store.search import Plan
from bot.store.shapes import survey
from bot.store.tables import change_lines, changes
from digest.facts.model import Area
from digest.grade import Level
from digest.graded import Graded
from digest.language import Language
from digest.statement_form import spans_from_json
from digest.survey import PAGE, Shown, Survey, first_of, weightiest_first

_LEVELS = tuple(Level)

_line = (
    select(change_lines.c.spans)
    .where(
        change_lines.c.change_id == changes.c.id,
        change_lines.c.language == bindparam("language", type_=Text),
    )
    .scalar_subquery()
)
_SHOWN = GRADED.add_columns(changes.c.area, _line.label("line")).where(
    changes.c.id.in_(bindparam("keys", expanding=True))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """Counts of all that was found, and the keys of up to a page behind ``first`` of it."""

    levels: Counter[Level]
    areas: Counter[Area]
    first: int
    keys: Sequence[int]


async def surveyed(connection: AsyncConnection, how: Plan, page: int, language: Language) -> Survey:
    """The survey of what meets the query of a plan, as ``Archive.survey`` promises it."""
    size = PAGE if page else 0
    counted = await _count(connection, how, PAGE * max(page - 1, 0), size)
    total = counted.levels.total()
    if counted.first != (first := first_of(page, total)):
        counted = await _count(connection, how, first, size)
    return Survey(
        total=total,
        levels=counted.levels,
        areas=counted.areas,
        first=first,
        page=await _shown(connection, counted.keys, language),
    )


async def _count(connection: AsyncConnection, how: Plan, first: int, size: int) -> _Counted:
    values = {**how.values, "first": first, "size": size}
    levels: Counter[Level] = Counter()
    areas: Counter[Area] = Counter()
    keys: list[int] = []
    for key, level, area, number in await connection.execute(survey(how.shape, how.index), values):
        if key:
            keys.append(key)
        else:
            levels[_LEVELS[level]] += number
            areas[Area(area)] += number
    return _Counted(levels=levels, areas=areas, first=first, keys=keys)


async def _shown(
    connection: AsyncConnection, keys: Sequence[int], language: Language
) -> tuple[Shown, ...]:
    """The changes of the keys in their order on a page."""
    if not keys:
        return ()
    values = {"keys": keys, "language": language.value}
    rows = {row.sha: row for row in await connection.execute(_SHOWN, values)}
    ordered = weightiest_first([graded(row) for row in rows.values()])
    return tuple(_of(change, rows[change.sha]) for change in ordered)


def _of(change: Graded, row: Row[*tuple[Any, ...]]) -> Shown:
    line = spans_from_json(json.loads(row.line)) if row.line else ()
    return Shown(graded=change, area=Area(row.area), line=line)
