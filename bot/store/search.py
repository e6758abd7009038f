"""From a query to a statement that finds its changes.

One condition drives: the changes that meet it are taken from its index, and the others are tested
on each of them. The one that fewest changes meet is chosen, by counts that stop at
:data:`COMMON`. Where none is rare the changes are walked from the newest on, which soon finds as
many as a limit asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from math import ceil
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    Table,
    exists,
    false,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.fulltext import RANK, Expression, contains, expression, holding, matching
from bot.store.index import folded
from bot.store.tables import change_paths, change_texts, change_topics, changes
from digest.change import printable
from digest.query import Query
from digest.window import Window

COMMON = 1000
"""How many changes meet a condition that is common: it drives no search, and ranks nothing."""

_LAST = "\U0010ffff"
NEWEST = (changes.c.committed_at.desc(), changes.c.sha.desc())

"""The order of an answer, and of its cut."""

Keys = Select[*tuple[Any, ...]]


class Driver(Enum):
    """The condition whose index is read."""

    WINDOW = auto()
    TOPICS = auto()
    PATHS = auto()
    TERMS = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a query is answered.

    ``driving`` are the keys that the driver's index gives, where that is not the walk along all
    changes; ``terms`` are those of the query as they are compared.
    """

    driver: Driver
    driving: Keys | None
    terms: tuple[str, ...]
    text: Expression
    ranked: bool


async def plan(connection: AsyncConnection, repository: int, query: Query) -> Plan:
    """Choose how to answer a query."""
    terms = tuple(dict.fromkeys(filter(None, map(folded, query.terms))))
    text = await expression(connection, terms, COMMON)
    rivals = {} if text.hopeless else _rivals(repository, query, text)
    driver = await _rarest(connection, repository, query, rivals)
    return Plan(
        driver=driver,
        driving=rivals.get(driver),
        terms=terms,
        text=text,
        ranked=query.ranked and driver is Driver.TERMS,
    )


def found(repository: int, query: Query, how: Plan) -> Select[int, float]:
    """The keys of the changes that meet the query, each with its rank, cut to the limit.

    Smaller ranks are better; all are 0 where the plan is not ranked.
    """
    order: list[ColumnElement[Any]] = [*NEWEST]
    if how.driving is None:
        statement = select(changes.c.id, literal(0.0).label("rank"))
    else:
        rank = RANK if how.ranked else literal(0.0)
        # Were it merged into the rest, the index might be asked once for every change.
        hits = how.driving.add_columns(rank.label("rank")).cte("hits").prefix_with("MATERIALIZED")
        statement = select(changes.c.id, hits.c.rank).join_from(
            hits, changes, changes.c.id == hits.c.id
        )
        order.insert(0, hits.c.rank)
    statement = statement.where(changes.c.repository_id == repository, *_tests(query, how))
    return statement.order_by(*order).limit(query.limit) if query.limit else statement


def _rivals(repository: int, query: Query, text: Expression) -> dict[Driver, Keys]:
    """The conditions that have an index, with the statements that read keys from it."""
    rivals: dict[Driver, Keys] = {}
    if query.topics:
        topics = _from(change_topics, repository, query).where(
            change_topics.c.topic.in_(query.topics)
        )
        rivals[Driver.TOPICS] = topics.distinct() if len(query.topics) > 1 else topics
    if query.paths:
        paths = _from(change_paths, repository, query).where(_below_any(query))
        rivals[Driver.PATHS] = paths.distinct()
    if text.match:
        rivals[Driver.TERMS] = matching(text.match)
    return rivals


def _from(index: Table, repository: int, query: Query) -> Keys:
    keys = select(index.c.change_id.label("id")).where(index.c.repository_id == repository)
    return keys.where(_within(index.c.committed_at, query.window)) if query.window else keys


async def _rarest(
    connection: AsyncConnection, repository: int, query: Query, rivals: Mapping[Driver, Keys]
) -> Driver:
    if not rivals:
        return Driver.WINDOW
    if list(rivals) == [Driver.TOPICS] and not query.limit:
        return Driver.TOPICS  # their index goes by moment as well
    if query.window:
        inside = select(changes.c.id).where(changes.c.repository_id == repository)
        inside = inside.where(_within(changes.c.committed_at, query.window))
        rivals = {Driver.WINDOW: inside, **rivals}
    counts = await _counts(connection, rivals)
    if query.ranked and counts.get(Driver.TERMS, COMMON) < COMMON:
        return Driver.TERMS
    rarest = min(counts, key=lambda driver: counts[driver])
    return rarest if counts[rarest] < COMMON else Driver.WINDOW


async def _counts(connection: AsyncConnection, rivals: Mapping[Driver, Keys]) -> dict[Driver, int]:
    """How many changes meet each condition, counted up to :data:`COMMON`, in one statement."""
    counts = [
        select(func.count()).select_from(keys.limit(COMMON).subquery()).scalar_subquery()
        for keys in rivals.values()
    ]
    row = (await connection.execute(select(*counts))).one()
    return dict(zip(rivals, row, strict=True))


def _tests(query: Query, how: Plan) -> Iterator[ColumnElement[bool]]:
    """The conditions that the driver does not see to."""
    if how.text.hopeless:
        yield false()
    if query.window:
        yield _within(changes.c.committed_at, query.window)
    if query.level is not None:
        yield changes.c.level <= query.level.rank
    if author := folded(query.author):
        yield contains(changes.c.author_key, author)
    if query.topics and how.driver is not Driver.TOPICS:
        yield exists().where(
            change_topics.c.repository_id == changes.c.repository_id,
            change_topics.c.topic.in_(query.topics),
            change_topics.c.committed_at == changes.c.committed_at,
            change_topics.c.change_id == changes.c.id,
        )
    if query.paths and how.driver is not Driver.PATHS:
        yield exists().where(change_paths.c.change_id == changes.c.id, _below_any(query))
    terms = how.text.rest if how.driver is Driver.TERMS else how.terms
    if terms:
        yield exists().where(change_texts.c.change_id == changes.c.id, *map(holding, terms))


def _within(moment: ColumnElement[int], window: Window) -> ColumnElement[bool]:
    return (moment >= _upward(window.since)) & (moment < _upward(window.until))


def _upward(moment: datetime) -> int:
    """The first whole second that is not before the moment."""
    return ceil(moment.timestamp())


def _below_any(query: Query) -> ColumnElement[bool]:
    """Whether a row of ``change_paths`` begins with one of the query's paths."""
    prefixes = map(printable, query.paths)
    return or_(*(change_paths.c.path.between(prefix, prefix + _LAST) for prefix in prefixes))
