"""What web pages read of the archive, each in one narrow statement: no facts are read for it.

Where a page tells of changes it loads those alone, by :meth:`SqlArchive.load`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.analyses import kept_of
from bot.store.database import Database
from bot.store.dialect import one_of
from bot.store.digests import HEADINGS, Heading, heading_of
from bot.store.repositories import enrolled
from bot.store.rows import moment, seconds
from bot.store.tables import analyses, change_paths, change_topics, changes, contents, digests
from digest.grade import Level
from digest.graded import Repository
from digest.language import Language
from digest.window import Window
from handlers.judgement import Kept

_LEVELS = tuple(Level)
_DEEP = 2
"""Folders of a path that name a place: ``engine/core/pool.py`` is in ``engine/core``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A change in a list; ``number`` is its request, ``at`` when it was committed."""

    sha: str
    at: datetime
    level: Level
    score: float
    title: str
    author: str
    number: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """What is archived of a repository: how many changes, from when to when."""

    total: int
    first: datetime
    last: datetime


class SqlBrowsing:
    """Lists and counts of a database for pages. Methods raise as those of ``SqlArchive`` do."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def extent(self, repository: Repository) -> Extent | None:
        """What there is of a repository; ``None`` where nothing is."""
        at = changes.c.committed_at
        counted = select(func.count(), func.min(at), func.max(at))
        rows = await self._rows(repository, counted, changes.c.repository_id)
        if not rows or not rows[0][0]:
            return None
        total, first, last = rows[0]
        return Extent(total=total, first=moment(first), last=moment(last))

    async def version(self, repository: Repository) -> str:
        """A text that is another one whenever pages of the repository may be."""
        of = changes.c
        counted = select(func.count(), func.max(of.id), func.sum(of.score), func.sum(of.level))
        told = select(func.count(), func.max(analyses.c.made_at))
        made = select(func.count(), func.max(digests.c.created_at)).where(
            digests.c.repository == repository.name
        )
        rows = [
            *await self._rows(repository, counted, of.repository_id),
            *await self._rows(repository, told, analyses.c.repository_id),
        ]
        async with self._database.reading() as connection:
            rows += (await connection.execute(made)).all()
        return repr([tuple(row) for row in rows])

    async def told(
        self, repository: Repository, shas: Sequence[str], language: Language
    ) -> Mapping[str, Kept]:
        """The last that a model said of the changes in a language, by full name."""
        async with self._database.reading() as connection:
            key = await _key(connection, repository)
            if key is None:
                return {}
            wanted = (
                select(analyses)
                .where(
                    analyses.c.repository_id == key,
                    one_of(analyses.c.sha, "shas"),
                    analyses.c.language == language.value,
                    analyses.c.failure == "",
                )
                .order_by(analyses.c.made_at, analyses.c.id)
            )
            rows = await connection.execute(wanted, {"shas": json.dumps(list(shas))})
            return {row.sha: kept_of(row) for row in rows}

    async def digests(self, repository: Repository, limit: int) -> Sequence[Heading]:
        """The digests of a repository that were made last, the newest first."""
        wanted = HEADINGS.where(digests.c.repository == repository.name)
        newest = wanted.order_by(digests.c.created_at.desc(), digests.c.name).limit(limit)
        async with self._database.reading() as connection:
            return [heading_of(row) for row in await connection.execute(newest)]

    async def pulse(
        self, repository: Repository, window: Window
    ) -> Sequence[tuple[datetime, Level]]:
        """When the changes of a window were committed, and their levels, in no order."""
        wanted = select(changes.c.committed_at, changes.c.level).where(_within(changes, window))
        rows = await self._rows(repository, wanted, changes.c.repository_id)
        return [(moment(at), _LEVELS[level]) for at, level in rows]

    async def lines(self, repository: Repository, window: Window) -> Sequence[Line]:
        """The changes of a window, newest first."""
        wanted = _LINES.where(_within(changes, window)).order_by(
            changes.c.committed_at.desc(), changes.c.sha.desc()
        )
        return [_line(row) for row in await self._rows(repository, wanted, changes.c.repository_id)]

    async def newest(
        self, repository: Repository, limit: int, least: Level = Level.LOW, topic: str = ""
    ) -> Sequence[Line]:
        """The last changes of a level or above, of a topic where one is given, newest first."""
        wanted = (
            _LINES.where(changes.c.level <= least.rank)
            .order_by(changes.c.committed_at.desc(), changes.c.sha.desc())
            .limit(limit)
        )
        if topic:
            borne = select(change_topics.c.change_id).where(
                change_topics.c.repository_id == changes.c.repository_id,
                change_topics.c.topic == topic,
            )
            wanted = wanted.where(changes.c.id.in_(borne))
        return [_line(row) for row in await self._rows(repository, wanted, changes.c.repository_id)]

    async def places(
        self, repository: Repository, window: Window, limit: int
    ) -> Sequence[tuple[str, int]]:
        """The folders that most changes of a window touch, with how many do, most first."""
        paths = change_paths.c
        wanted = select(paths.change_id, paths.path).where(_within(change_paths, window))
        touched = {
            (change, "/".join(path.split("/")[:_DEEP][: path.count("/")]))
            for change, path in await self._rows(repository, wanted, paths.repository_id)
        }
        counted = Counter(place for _, place in touched if place)
        return sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:limit]

    async def _rows(
        self, repository: Repository, wanted: Select[*tuple[Any, ...]], owner: Any
    ) -> Sequence[Any]:
        async with self._database.reading() as connection:
            key = await _key(connection, repository)
            if key is None:
                return ()
            return (await connection.execute(wanted.where(owner == key))).all()


_LINES = select(
    changes.c.sha,
    changes.c.committed_at,
    changes.c.level,
    changes.c.score,
    changes.c.number,
    contents.c.author,
    contents.c.subject,
).join_from(changes, contents, contents.c.change_id == changes.c.id)


async def _key(connection: AsyncConnection, repository: Repository) -> int | None:
    row = await enrolled(connection, repository)
    return row.id if row else None


def _within(table: Any, window: Window) -> Any:
    at = table.c.committed_at
    return (at >= seconds(window.since)) & (at < seconds(window.until))


def _line(row: Any) -> Line:
    subject: Mapping[str, Any] = json.loads(row.subject)
    return Line(
        sha=row.sha,
        at=moment(row.committed_at),
        level=_LEVELS[row.level],
        score=row.score,
        title=subject["title"],
        author=row.author,
        number=row.number,
    )
