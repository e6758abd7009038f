"""The statements that answer queries, one for each combination of conditions.

Values are parameters, so one statement for each shape is built and kept: building it anew would
take longer than running it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from bot.store.dialect import contains, one_of
from bot.store.rows import GRADED
from bot.store.tables.archive_tables import change_paths, change_texts, change_topics, changes
from bot.store.text_index import TextIndex, holding, term
from digest.frozen import frozen

Statement = sa.Select[*tuple[Any, ...]]


class Driver(Enum):
    """The condition whose index is read; ``WALK`` goes through the changes, newest first.

    ``WEIGHT`` is for terms that thousands of changes contain: the matches are looked up once and
    the changes tested against them in order of weight, because fetching, counting and sorting every
    match takes far longer.
    """

    WALK = auto()
    WEIGHT = auto()
    WINDOW = auto()
    TOPICS = auto()
    PATHS = auto()
    TERMS = auto()
    AMONG = auto()


@frozen
class QueryStatement:
    """The conditions of a query and how many of each kind; the driver is read from its index."""

    # Parameters: ``repository``, always; ``about0_0`` and so on, a list for each set of each
    # alternative; ``path0`` with ``last0`` and so on, the ends of ranges; ``term0`` and so on,
    # tested on the texts.

    driver: Driver = Driver.WALK
    window: bool  # ``since`` and ``until`` in whole seconds
    level: bool  # the least, as a rank
    author: bool  # without case
    whole_author: bool
    area: bool
    topics: int  # one or several of a list
    about: tuple[int, ...]
    paths: int
    terms: int = 0
    match: bool = False  # an expression of the full-text indexes, as ``short``
    short: bool = False
    ranked: bool = False
    limit: bool
    among: bool  # shas as a JSON array, as ``besides``
    besides: bool


@lru_cache(maxsize=256)
def answer(shape: QueryStatement, index: TextIndex) -> Statement:
    """The changes that meet all conditions, as rows of ``GRADED``, up to the limit, in no order."""
    keys = _met(shape, index)
    if shape.limit:
        keys = keys.order_by(*_NEWEST).limit(sa.bindparam("limit", type_=sa.Integer))
    selected = keys.subquery("found")
    return GRADED.join(selected, selected.c.id == changes.c.id)


@lru_cache(maxsize=256)
def tally(shape: QueryStatement, index: TextIndex) -> Statement:
    """The counts of :func:`survey` alone, for which no change is sorted."""
    return _tallied(_met(shape, index).add_columns(changes.c.level, changes.c.area).subquery("met"))


def _tallied(met: sa.CTE | sa.Subquery) -> Statement:
    number = sa.func.count().label("number")
    counts = sa.select(sa.literal(0).label("id"), met.c.level, met.c.area, number)
    return counts.group_by(met.c.level, met.c.area)


@lru_cache(maxsize=256)
def survey(shape: QueryStatement, index: TextIndex) -> sa.CompoundSelect[*tuple[Any, ...]]:
    """Counts of all changes that meet the conditions, and the keys of a page of them.

    Rows of ``id``, ``level``, ``area`` and ``number``. If ``id`` is 0, ``number`` is the count of
    changes with this level and area; otherwise the row is a change on the page, and ``number`` its
    place there. The page follows the ``first`` changes in the order of
    :func:`digest.answer.listing.weightiest_first` and has up to ``size`` changes. A ranked shape
    puts those with more of the terms in their subject first.
    """
    keys = _met(shape, index).add_columns(*_WEIGHED)
    if shape.ranked:
        keys = keys.join(_titles, _titles.c.change_id == changes.c.id)
    keys = keys.add_columns(_untitled(shape).label("untitled"))
    met: sa.CTE | sa.Subquery = keys.subquery("met")
    counted = tally(shape, index)  # for which no title is read
    if shape.driver is not Driver.WEIGHT:
        met = keys.cte("met").prefix_with("MATERIALIZED")
        counted = _tallied(met)
    page = (
        sa.select(met)
        .order_by(*_weightiest(met))
        .limit(sa.bindparam("size", type_=sa.Integer))
        .offset(sa.bindparam("first", type_=sa.Integer))
        .subquery()
    )
    place = sa.func.row_number().over(order_by=_weightiest(page))
    return sa.union_all(
        counted,
        sa.select(page.c.id, sa.literal(0), sa.literal(""), place),
    )


def _weightiest(keys: sa.CTE | sa.Subquery) -> tuple[sa.ColumnElement[Any], ...]:
    weight = (keys.c.level, keys.c.score.desc(), keys.c.committed_at.desc(), keys.c.sha.desc())
    return (keys.c.untitled, *weight)


def _untitled(shape: QueryStatement) -> sa.ColumnElement[int]:
    """How many of the terms the subject does not hold; 0 for all if the shape is not ranked."""
    missing: sa.ColumnElement[int] = sa.literal(0)
    for n in range(shape.terms if shape.ranked else 0):
        held = contains(_titles.c.subject, term(n))
        missing = missing + sa.case((held, sa.literal(0)), else_=sa.literal(1))
    return missing


@lru_cache(maxsize=256)
def count(
    shape: QueryStatement, drivers: tuple[Driver, ...], most: int, index: TextIndex
) -> Statement:
    """How many changes meet each condition alone, up to ``most``; for terms slightly too high."""
    # A number, because PostgreSQL takes any parameter for a small one, and reads the whole table.
    limit: sa.ColumnElement[int] = sa.literal_column(str(most))
    return sa.select(
        *(
            sa.select(sa.func.count())
            .select_from(_counted(shape, driver, index).limit(limit).subquery())
            .scalar_subquery()
            for driver in drivers
        )
    )


_NEWEST = (changes.c.committed_at.desc(), changes.c.sha.desc())
_WEIGHED = tuple(changes.c[name] for name in ("level", "area", "score", "committed_at", "sha"))

# The plus sign keeps the database from testing change by change what was looked up.
_KEY: sa.ColumnElement[int] = sa.literal_column("+changes.id")
_titles = change_texts.alias("titles")
_mine = changes.c.repository_id == sa.bindparam("repository", type_=sa.Integer)


def _met(shape: QueryStatement, index: TextIndex) -> Statement:
    """The keys of the changes that meet all conditions."""
    keys: Statement = sa.select(changes.c.id).where(_mine, *_tests(shape, index))
    if shape.driver in {Driver.WALK, Driver.WINDOW, Driver.WEIGHT}:
        return keys
    # If merged into the rest, the index might be queried once for every change.
    hits = _driving(shape, shape.driver, index).cte("hits").prefix_with("MATERIALIZED")
    return keys.join_from(hits, changes, changes.c.id == hits.c.id)


def _driving(shape: QueryStatement, driver: Driver, index: TextIndex) -> Statement:
    """The keys, as ``id``, of the changes that meet one condition, from its index."""
    match driver:
        case Driver.TOPICS:
            bearing = _from(change_topics, shape).where(_topical())
            # With a single topic each change occurs once; DISTINCT would take a third of the time.
            return bearing if shape.topics == 1 else bearing.distinct()
        case Driver.PATHS:
            return _from(change_paths, shape).where(_below_any(shape)).distinct()
        case Driver.TERMS:
            return index.matching(match=shape.match, short=shape.short, terms=shape.terms)
        case Driver.AMONG:
            return sa.select(changes.c.id).where(_mine, one_of(changes.c.sha, "among"))
        case _:
            inside = sa.select(changes.c.id).where(_mine)
            return inside.where(_within(changes.c.committed_at)) if shape.window else inside


def _counted(shape: QueryStatement, driver: Driver, index: TextIndex) -> Statement:
    if driver is Driver.TERMS:
        return index.candidates(match=shape.match, short=shape.short, terms=shape.terms)
    return _driving(shape, driver, index)


def _from(index: sa.Table, shape: QueryStatement) -> Statement:
    of_repository = index.c.repository_id == sa.bindparam("repository", type_=sa.Integer)
    keys: Statement = sa.select(index.c.change_id.label("id")).where(of_repository)
    return keys.where(_within(index.c.committed_at)) if shape.window else keys


def _tests(shape: QueryStatement, index: TextIndex) -> Iterator[sa.ColumnElement[bool]]:
    """The conditions that the driver does not cover."""
    if shape.window:
        yield _within(changes.c.committed_at)
    if shape.level:
        yield changes.c.level <= sa.bindparam("level", type_=sa.Integer)
    if shape.author:
        author = _text("author")
        key = changes.c.author_key
        yield key == author if shape.whole_author else contains(key, author)
    if shape.area:
        yield changes.c.area == _text("area")
    if shape.topics and shape.driver is not Driver.TOPICS:
        yield _bearing("topics")
    if shape.about:
        yield sa.or_(
            *(
                sa.and_(sa.true(), *(_bearing(f"about{way}_{n}") for n in range(sets)))
                for way, sets in enumerate(shape.about)
            )
        )
    if shape.paths and shape.driver is not Driver.PATHS:
        yield sa.exists().where(change_paths.c.change_id == changes.c.id, _below_any(shape))
    if shape.among and shape.driver is not Driver.AMONG:
        yield one_of(changes.c.sha, "among")
    if shape.besides:
        yield ~one_of(changes.c.sha, "besides")
    if shape.driver is Driver.WEIGHT:
        yield _KEY.in_(index.matching(match=shape.match, short=shape.short, terms=shape.terms))
    elif shape.terms and shape.driver is not Driver.TERMS:
        held = (holding(term(n)) for n in range(shape.terms))
        yield sa.exists().where(change_texts.c.change_id == changes.c.id, *held)


def _bearing(topics: str) -> sa.ColumnElement[bool]:
    """Whether a change has one of the topics of a parameter."""
    return sa.exists().where(
        change_topics.c.repository_id == changes.c.repository_id,
        _topical(topics),
        change_topics.c.committed_at == changes.c.committed_at,
        change_topics.c.change_id == changes.c.id,
    )


def _topical(topics: str = "topics") -> sa.ColumnElement[bool]:
    return change_topics.c.topic.in_(sa.bindparam(topics, expanding=True))


def _within(moment: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    return (moment >= sa.bindparam("since", type_=sa.BigInteger)) & (
        moment < sa.bindparam("until", type_=sa.BigInteger)
    )


def _below_any(shape: QueryStatement) -> sa.ColumnElement[bool]:
    path = change_paths.c.path
    return sa.or_(*(path.between(_text(f"path{n}"), _text(f"last{n}")) for n in range(shape.paths)))


def _text(name: str) -> sa.BindParameter[str]:
    return sa.bindparam(name, type_=sa.Text)
