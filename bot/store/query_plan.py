"""Chooses how to answer a query, and loads a page of the results with their stored lines.

The changes that meet one condition are taken from its index, and the others are tested on each of
them. The condition that fewest changes meet is chosen, by counts that stop at :data:`COMMON`. If
none is rare and there is a limit, the changes are walked from the newest on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from math import ceil
from typing import Any

from sqlalchemy import Row, Text, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.dialect import storable
from bot.store.rows import GRADED, fold, graded_from_row
from bot.store.statements import Driver, QueryStatement, Statement, answer, count, survey, tally
from bot.store.tables.archive_tables import change_lines, changes
from bot.store.text_index import TextIndex, index_of
from digest.answer.listing import PAGE, Listed, ListedChange, first_of
from digest.core.change import printable
from digest.core.enums import Language
from digest.core.facts import Area
from digest.core.grade import Level
from digest.core.reference import Query
from digest.core.statement import spans_from_json
from digest.frozen import frozen

COMMON = 1000  # a condition met by this many changes is common: it drives no limited query
_PART = 0.4
"""Above this share of all changes, testing every change is faster than fetching the matches."""

_UNCUT = 2**31 - 1
_LAST = "\U0010ffff"


@frozen
class Plan:
    """How a query is answered: the shape of the statement and its parameters."""

    shape: QueryStatement
    values: dict[str, Any]
    index: TextIndex

    @property
    def statement(self) -> Statement:
        """The statement that selects the changes, in no order."""
        return answer(self.shape, self.index)


async def plan(connection: AsyncConnection, repository: int, query: Query) -> Plan:
    """Choose how to answer a query."""
    terms = tuple(dict.fromkeys(filter(None, map(fold, query.terms))))
    index = index_of(connection.dialect.name)
    text = index.expression(repository, terms)
    shape, values = _shape(repository, query)
    shape = replace(shape, match=bool(text.match), short=bool(text.short), terms=len(terms))
    values |= {"match": text.match, "short": text.short}
    values |= {f"term{n}": term for n, term in enumerate(terms)}
    plan = Plan(shape=shape, values=values, index=index)
    driver = await _driver(connection, query, plan)
    return replace(plan, shape=replace(shape, driver=driver, ranked=query.ranked))


def _shape(repository: int, query: Query) -> tuple[QueryStatement, dict[str, Any]]:
    """The shape and the parameters of all conditions but the terms."""
    author = fold(query.author)
    about = () if _said_by_topics(query) else query.about
    prefixes = tuple(dict.fromkeys(map(printable, query.paths)))
    shape = QueryStatement(
        window=query.window is not None,
        level=query.level is not None,
        author=bool(author),
        whole_author=query.whole_author,
        area=query.area is not None,
        topics=min(len(set(query.topics)), 2),
        about=tuple(len(sets) for sets in about),
        paths=len(prefixes),
        limit=bool(query.limit),
        among=query.among is not None,
        besides=bool(query.besides),
    )
    values: dict[str, Any] = {"repository": repository, "author": author, "limit": query.limit}
    values["area"] = str(query.area or "")
    values["topics"] = tuple(map(storable, query.topics))
    for way, sets in enumerate(about):
        values |= {f"about{way}_{n}": tuple(map(storable, some)) for n, some in enumerate(sets)}
    if query.window:
        values |= {"since": _upward(query.window.since), "until": _upward(query.window.until)}
    if query.among is not None:
        values["among"] = json.dumps(query.among)
    if query.besides:
        values["besides"] = json.dumps(query.besides)
    if query.level:
        values["level"] = query.level.rank
    for n, prefix in enumerate(prefixes):
        values |= {f"path{n}": prefix, f"last{n}": prefix + _LAST}
    return shape, values


def _said_by_topics(query: Query) -> bool:
    """Whether having one of the topics already implies what the query is about."""
    single = all(len(sets) == 1 for sets in query.about)
    return single and {t for way in query.about for t in way[0]} == set(query.topics)


async def _driver(connection: AsyncConnection, query: Query, plan: Plan) -> Driver:
    shape = plan.shape
    by_text = shape.match or shape.short
    few = len(query.among or ()) < COMMON
    if shape.among and not by_text and (few or not (shape.topics or shape.paths)):
        return Driver.AMONG  # each is found by its sha
    every = not query.limit
    others: list[Driver] = [
        *([Driver.TOPICS] if shape.topics else ()),
        *([Driver.PATHS] if shape.paths else ()),
        # The index of topics also includes the time, so a window does not narrow it further.
        *([Driver.WINDOW] if shape.window and (by_text or shape.paths) else ()),
    ]
    if every and by_text and not others:
        # Looking up a longer term costs more than it saves, and few terms are in so many changes.
        if not shape.match and await _is_everywhere(connection, plan):
            return Driver.WEIGHT
        return Driver.TERMS
    if every and len(others) + by_text == 1:
        return others[0]
    if others:
        rarest, number = await _rarest(connection, others, plan)
        if number < COMMON or (every and not by_text):
            return rarest
    # Counted last: each count reads the text index from its beginning.
    if by_text and (every or (await _rarest(connection, [Driver.TERMS], plan))[1] < COMMON):
        return Driver.TERMS
    return Driver.WALK


async def _is_everywhere(connection: AsyncConnection, plan: Plan) -> bool:
    """Whether the terms are common and found in a large share of all changes."""
    held, all_ = await _counts(connection, [Driver.TERMS, Driver.WALK], plan, _UNCUT)
    return held >= max(COMMON, all_ * _PART)


async def _rarest(
    connection: AsyncConnection, rivals: Sequence[Driver], plan: Plan
) -> tuple[Driver, int]:
    """The condition that fewest changes meet, and their number, counted up to :data:`COMMON`."""
    row = await _counts(connection, rivals, plan, COMMON)
    return min(zip(rivals, row, strict=True), key=lambda counted: counted[1])


async def _counts(
    connection: AsyncConnection, conditions: Sequence[Driver], plan: Plan, most: int
) -> Sequence[int]:
    """How many changes meet each condition, counted up to ``most``."""
    counts = count(plan.shape, tuple(conditions), most, plan.index)
    return (await connection.execute(counts, plan.values)).one()


def _upward(moment: datetime) -> int:
    """The first whole second that is not before the moment."""
    return ceil(moment.timestamp())


_LEVELS = tuple(Level)

_line = (
    select(change_lines.c.spans)
    .where(
        change_lines.c.change_id == changes.c.id,
        change_lines.c.language == bindparam("language", type_=Text),
    )
    .scalar_subquery()
)

_SHOWN = GRADED.add_columns(changes.c.id.label("key"), changes.c.area, _line.label("line")).where(
    changes.c.id.in_(bindparam("keys", expanding=True))
)


@frozen
class _Counted:
    """Counts of all matches, and the keys of up to a page of them after the first ``first``."""

    levels: Counter[Level]
    areas: Counter[Area]
    first: int
    keys: Sequence[int]


async def run_survey(
    connection: AsyncConnection, how: Plan, page: int, language: Language
) -> Listed:
    """The counts and the page for a plan's query, as ``Archive.survey`` states."""
    counted = await _count(connection, how, PAGE * max(page - 1, 0), page)
    total = counted.levels.total()
    if counted.first != (first := first_of(page, total)):
        counted = await _count(connection, how, first, page)
    return Listed(
        total=total,
        levels=counted.levels,
        areas=counted.areas,
        first=first,
        page=await _shown(connection, counted.keys, language),
    )


async def _count(connection: AsyncConnection, how: Plan, first: int, page: int) -> _Counted:
    values = {**how.values, "first": first, "size": PAGE}
    statement = (survey if page else tally)(how.shape, how.index)
    levels: Counter[Level] = Counter()
    areas: Counter[Area] = Counter()
    keys: dict[int, int] = {}
    for key, level, area, number in await connection.execute(statement, values):
        if key:
            keys[number] = key
        else:
            levels[_LEVELS[level]] += number
            areas[Area(area)] += number
    return _Counted(levels=levels, areas=areas, first=first, keys=[keys[n] for n in sorted(keys)])


async def _shown(
    connection: AsyncConnection, keys: Sequence[int], language: Language
) -> tuple[ListedChange, ...]:
    """The changes with these keys on a page, in the same order."""
    if not keys:
        return ()
    values = {"keys": keys, "language": language.value}
    rows = {row.key: row for row in await connection.execute(_SHOWN, values)}
    return tuple(_of(rows[key]) for key in keys if key in rows)


def _of(row: Row[*tuple[Any, ...]]) -> ListedChange:
    line = spans_from_json(json.loads(row.line)) if row.line else ()
    return ListedChange(graded=graded_from_row(row), area=Area(row.area), line=line)
