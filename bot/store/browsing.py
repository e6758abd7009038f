"""Archive queries for web pages, each one narrow statement that reads no facts.

A page that shows changes in full loads only those, by
:meth:`bot.store.archive.SqlArchive.load`. Each statement looks up the repository itself, and
statements are built once.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, Table, bindparam, func, select

from bot.store.analyses import kept_of
from bot.store.database import Database, SqlStore
from bot.store.dialect import from_row, moment, one_of, seconds, words
from bot.store.digests import HEADINGS, DigestHeading, heading_of
from bot.store.tables.archive_tables import change_paths, changes, contents, repositories
from bot.store.tables.chat_tables import analyses, leads
from bot.store.tables.ledger_tables import digests
from digest.core.authors import clip_title
from digest.core.enums import Language
from digest.core.grade import Graded, Level, Repository
from digest.frozen import frozen
from digest.report.report_json import day_from_json
from digest.report.themes import DaySummary
from digest.window import Window
from handlers.ports.analysis_port import StoredAnalysis

_LEVELS = tuple(Level)
_DEEP = 2  # leading folders that paths are grouped by: engine/core/pool.py is in engine/core
_MOST_DAYS = 200  # the most stored day summaries that are searched for a page's own
Counts = tuple[int, int, int]  # numbers of changes of high, medium and low importance

_OWNER = (
    select(repositories.c.id)
    .where(repositories.c.name == bindparam("repository"))
    .scalar_subquery()
)


def _of_repository(table: Table) -> ColumnElement[bool]:
    """Rows of the repository; of its changes, those of its branch."""
    own = table.c.repository_id == _OWNER
    return own & ~one_of(changes.c.sha, "strays") if table is changes else own


def _within(table: Table) -> ColumnElement[bool]:
    """Rows of the repository within a window, both given as parameters."""
    at = table.c.committed_at
    return _of_repository(table) & (at >= bindparam("since")) & (at < bindparam("until"))


_LINES = select(
    changes.c.sha,
    changes.c.committed_at,
    changes.c.level,
    changes.c.score,
    changes.c.number,
    contents.c.author,
    contents.c.subject,
).join_from(changes, contents, contents.c.change_id == changes.c.id)

_NEWEST_FIRST = (changes.c.committed_at.desc(), changes.c.sha.desc())
_OF_WINDOW = _LINES.where(_within(changes)).order_by(*_NEWEST_FIRST)

# ``level + 0`` keeps the database from using the index of levels, by which it would read and sort
# every change of the repository. Read from the newest on, the query ends at the last line wanted.
_NEWEST = (
    _LINES.where(_of_repository(changes), changes.c.level + 0 <= bindparam("least"))
    .order_by(*_NEWEST_FIRST)
    .limit(bindparam("most"))
)

_BEFORE, _AFTER = (
    select(changes.c.committed_at)
    .where(_of_repository(changes), changes.c.level + 0 <= bindparam("least"), beyond)
    .order_by(order)
    .limit(1)
    for beyond, order in (
        (changes.c.committed_at < bindparam("since"), changes.c.committed_at.desc()),
        (changes.c.committed_at >= bindparam("until"), changes.c.committed_at),
    )
)

# Separate subqueries, so that the first and the last are one index lookup each.
_OLDER, _NEWER = (
    _LINES.where(_of_repository(changes), beyond).order_by(*order).limit(1)
    for beyond, order in (
        (
            (changes.c.committed_at < bindparam("at"))
            | ((changes.c.committed_at == bindparam("at")) & (changes.c.sha < bindparam("sha"))),
            _NEWEST_FIRST,
        ),
        (
            (changes.c.committed_at > bindparam("at"))
            | ((changes.c.committed_at == bindparam("at")) & (changes.c.sha > bindparam("sha"))),
            (changes.c.committed_at, changes.c.sha),
        ),
    )
)

_EXTENT = select(
    *(
        select(counted).where(_of_repository(changes)).scalar_subquery()
        for counted in (
            func.count(changes.c.id),
            func.min(changes.c.committed_at),
            func.max(changes.c.committed_at),
        )
    )
)

# ``+ 0`` keeps the database from reading the index of all the repository's changes.
_ARCHIVED = (
    select(changes.c.id, changes.c.sha)
    .where(changes.c.repository_id + 0 == _OWNER, changes.c.id > bindparam("after"))
    .order_by(changes.c.id)
)

_VERSION = select(repositories.c.revision, repositories.c.indexed_by).where(
    repositories.c.name == bindparam("repository")
)

_TOLD = (
    select(analyses)
    .where(
        _of_repository(analyses),
        one_of(analyses.c.sha, "shas"),
        analyses.c.language == bindparam("language"),
        analyses.c.failure == "",
    )
    .order_by(analyses.c.made_at, analyses.c.id)
)

_DIGESTS = (
    HEADINGS.where(digests.c.repository == bindparam("repository"))
    .order_by(digests.c.created_at.desc(), digests.c.name)
    .limit(bindparam("most"))
)

# Digests of channels with the same content share a report: one of them is enough.
_ALIKE = (
    select(func.min(digests.c.name))
    .where(
        digests.c.repository == bindparam("repository"),
        digests.c.since >= bindparam("from"),
        digests.c.since < bindparam("before"),
        # This column has an index.
        digests.c.created_at >= bindparam("from"),
    )
    .group_by(digests.c.report)
)

_POSTED = (
    HEADINGS.add_columns(digests.c.document)
    .where(digests.c.name.in_(_ALIKE))
    .order_by(digests.c.created_at.desc(), digests.c.name)
)

_NEWEST_POSTED = _DIGESTS.add_columns(digests.c.document)

_DAYS = (
    select(leads.c.content)
    .where(
        _of_repository(leads),
        leads.c.language == bindparam("language"),
        leads.c.failure == "",
        leads.c.made_at >= bindparam("from"),
        leads.c.made_at < bindparam("before"),
    )
    .order_by(leads.c.made_at.desc(), leads.c.shown)
    .limit(_MOST_DAYS)
)

_STEPPED = (
    select(
        (
            (changes.c.committed_at - bindparam("since", type_=BigInteger))
            // bindparam("step", type_=BigInteger)
        ).label("place"),
        changes.c.level,
    )
    .where(_within(changes))
    .subquery()
)

_PULSE = select(_STEPPED.c.place, _STEPPED.c.level, func.count()).group_by(
    _STEPPED.c.place, _STEPPED.c.level
)

# Starts from the changes, which have an index by time; the index of paths starts with the path.
_PATHS = (
    select(change_paths.c.change_id, change_paths.c.path)
    .join_from(changes, change_paths, change_paths.c.change_id == changes.c.id)
    .where(_within(changes))
)


@frozen
class ChangeLine:
    """A change in a list: ``at`` is its commit date, ``number`` its request."""

    sha: str
    at: datetime
    level: Level
    score: float
    title: str
    author: str
    number: int | None
    sign: str = "#"

    @property
    def request(self) -> str:
        """The request as ``#12`` or ``!12``; empty without one."""
        return "" if self.number is None else f"{self.sign}{self.number}"


@frozen
class Extent:
    """How many changes of a repository are archived, and the dates of the first and the last."""

    total: int
    first: datetime
    last: datetime


@frozen
class KeptPost:
    """A stored digest; ``document`` is read by :func:`bot.delivery.payload.thaw`."""

    heading: DigestHeading
    document: str


class SqlBrowsing(SqlStore):
    """Lists and counts for pages: of the changes of one branch of each repository."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._strays: dict[str, str] = {}
        self._archived: defaultdict[str, dict[str, int]] = defaultdict(dict)

    async def others(self, repository: Repository, shas: Iterable[str]) -> Sequence[str]:
        """The archived commits that are none of ``shas``."""
        # Only what was archived since the last call is read: no change is ever removed, and writers
        # of a repository have their turns, so that later ones have higher keys.
        archived = self._archived[repository.name]
        after = next(reversed(archived.values()), 0)
        rows = await self._rows(_ARCHIVED, repository, after=after)
        archived.update((row.sha, row.id) for row in rows)
        return sorted(archived.keys() - shas)

    def leave_out(self, repository: Repository, shas: Sequence[str]) -> None:
        """Leave out archived commits of other branches, in all lists and counts from now on."""
        self._strays[repository.name] = words(shas)

    async def extent(self, repository: Repository) -> Extent | None:
        """The extent of a repository's changes; ``None`` if there are none."""
        ((total, first, last),) = await self._rows(_EXTENT, repository)
        return Extent(total=total, first=moment(first), last=moment(last)) if total else None

    async def version(self, repository: Repository) -> str:
        """A version text that changes whenever anything stored about the repository changes."""
        rows = await self._rows(_VERSION, repository)
        return " ".join(f"{row.revision} {row.indexed_by}" for row in rows)

    async def told(
        self, repository: Repository, shas: Sequence[str], language: Language
    ) -> Mapping[str, StoredAnalysis]:
        """The latest model analysis of each change in a language, by full sha."""
        rows = await self._rows(_TOLD, repository, shas=words(shas), language=language.value)
        return {row.sha: kept_of(row) for row in rows}

    async def digests(self, repository: Repository, limit: int) -> Sequence[DigestHeading]:
        """The most recently made digests of a repository, newest first."""
        return [heading_of(row) for row in await self._rows(_DIGESTS, repository, most=limit)]

    async def posted(
        self, repository: Repository, since: datetime, until: datetime
    ) -> Sequence[KeptPost]:
        """The digests whose windows begin in the period, latest first; one for each content."""
        edges = {"from": seconds(since), "before": seconds(until)}
        rows = await self._rows(_POSTED, repository, **edges)
        return [KeptPost(heading=heading_of(row), document=row.document) for row in rows]

    async def newest_posted(self, repository: Repository, limit: int) -> Sequence[KeptPost]:
        """The most recently made digests with their content, newest first."""
        rows = await self._rows(_NEWEST_POSTED, repository, most=limit)
        return [KeptPost(heading=heading_of(row), document=row.document) for row in rows]

    async def days(
        self, repository: Repository, language: Language, since: datetime, until: datetime
    ) -> Sequence[DaySummary]:
        """Leads and themes made in the given period, newest first."""
        edges = {"from": seconds(since), "before": seconds(until)}
        rows = await self._rows(_DAYS, repository, language=language.value, **edges)
        days = (json.loads(row.content)["day"] for row in rows)
        return [day_from_json(day) for day in days if day]

    async def pulse(self, repository: Repository, edges: Sequence[datetime]) -> Sequence[Counts]:
        """The number of changes committed between each edge and the next; edges ascend."""
        moments = [seconds(edge) for edge in edges]
        counts: list[list[int]] = [[0] * len(_LEVELS) for _ in moments[1:]]
        for first, step, number in _equal_steps(moments):
            since = moments[first]
            values = {"since": since, "until": since + step * number, "step": step}
            for place, level, count in await self._rows(_PULSE, repository, **values):
                counts[first + place][level] = count
        return [(high, medium, low) for high, medium, low in counts]

    async def lines(self, repository: Repository, window: Window) -> Sequence[ChangeLine]:
        """The changes of a window, newest first."""
        return [_line(row) for row in await self._rows(_OF_WINDOW, repository, **_edges(window))]

    async def neighbours(
        self, repository: Repository, window: Window, least: Level = Level.LOW
    ) -> tuple[datetime | None, datetime | None]:
        """Commit dates of the last change before a window and of the first one after it."""
        values = {"least": least.rank, **_edges(window)}
        before, after = [
            await self._rows(query, repository, **values) for query in (_BEFORE, _AFTER)
        ]
        return (moment(before[0][0]) if before else None, moment(after[0][0]) if after else None)

    async def beside(
        self, repository: Repository, graded: Graded
    ) -> tuple[ChangeLine | None, ChangeLine | None]:
        """The changes that were committed before and after one."""
        values = {"at": seconds(graded.commit.committed_at), "sha": graded.sha}
        before, after = [
            await self._rows(query, repository, **values) for query in (_OLDER, _NEWER)
        ]
        return (_line(before[0]) if before else None, _line(after[0]) if after else None)

    async def newest(
        self, repository: Repository, limit: int, least: Level = Level.LOW
    ) -> Sequence[ChangeLine]:
        """The latest changes of at least a level, newest first."""
        rows = await self._rows(_NEWEST, repository, least=least.rank, most=limit)
        return [_line(row) for row in rows]

    async def places(
        self, repository: Repository, window: Window, limit: int
    ) -> Sequence[tuple[str, int]]:
        """The folders that most changes of a window touch, with their numbers, most first."""
        touched = {
            (change, "/".join(path.split("/")[:_DEEP][: path.count("/")]))
            for change, path in await self._rows(_PATHS, repository, **_edges(window))
        }
        counted = Counter(place for _, place in touched if place)
        return sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:limit]

    async def _rows(
        self, wanted: Select[*tuple[Any, ...]], repository: Repository, **values: Any
    ) -> Sequence[Any]:
        name = repository.name
        given = {"repository": name, "strays": self._strays.get(name, "[]"), **values}
        return (await self._database.run(wanted, given)).rows


def _equal_steps(edges: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Runs of equal steps, as of days between two changes of clocks: start, length, number."""
    begin = 0
    for at in range(1, len(edges)):
        step = edges[at] - edges[at - 1]
        if at + 1 == len(edges) or edges[at + 1] - edges[at] != step:
            yield begin, step, at - begin
            begin = at


def _edges(window: Window) -> dict[str, int]:
    return {"since": seconds(window.since), "until": seconds(window.until)}


def _line(row: Any) -> ChangeLine:
    subject: Mapping[str, Any] = json.loads(row.subject)
    level, title, sign = _LEVELS[row.level], clip_title(subject["title"]), subject.get("sign", "#")
    return from_row(ChangeLine, row, at=row.committed_at, level=level, title=title, sign=sign)
