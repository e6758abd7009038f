"""Requests as their forge describes them, and the responses of forges with their etags.

Labels of merged requests are added to the topic index of their changes. The index is built from
changes alone; labels may arrive before or after the change and are added in either case. A label
that is removed at the forge disappears when the index is rebuilt.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from bot.store import dialect
from bot.store.database import Database, Prepared, SqlStore, select_in
from bot.store.rows import (
    add_repository,
    facts_from_json,
    facts_to_json,
    key_of,
    reasons_from_json,
    reasons_to_json,
    storable_number,
)
from bot.store.tables.archive_tables import change_topics, changes, repositories
from bot.store.tables.chat_tables import forge_marks, forge_pages, requests
from digest.core.change import Commit
from digest.core.grade import Grade, Graded, Repository
from digest.core.request import PullRequest, RequestState, refreshed
from digest.frozen import frozen
from handlers.ports.forge_port import KeptRequest, Requests
from handlers.ports.storage import Clock


async def label_requests(
    connection: AsyncConnection, repository: int, labels: Mapping[int, Sequence[str]]
) -> None:
    """Add labels, by request number, to the archived changes."""
    wanted = select(changes.c.id, changes.c.number, changes.c.committed_at).where(
        changes.c.repository_id == repository
    )
    labelled = (number for number, names in labels.items() if names)
    rows = await select_in(connection, wanted, changes.c.number, labelled)
    await _add(connection, repository, [(r.id, r.committed_at, labels[r.number]) for r in rows])


async def label_changes(
    connection: AsyncConnection, repository: int, added: Iterable[tuple[int, int, int | None]]
) -> None:
    """Add known labels to changes, each given as key, commit time and request number."""
    by_number: dict[int, list[tuple[int, int]]] = {}
    for key, at, number in added:
        if number is not None:
            by_number.setdefault(number, []).append((key, at))
    merged = select(requests.c.number, requests.c.content).where(
        requests.c.repository_id == repository, requests.c.state == RequestState.MERGED.value
    )
    rows = await select_in(connection, merged, requests.c.number, by_number)
    labels = {row.number: json.loads(row.content)["labels"] for row in rows}
    labelled = [(*change, labels[n]) for n in labels for change in by_number[n]]
    await _add(connection, repository, labelled)


async def _add(
    connection: AsyncConnection, repository: int, given: Sequence[tuple[int, int, Sequence[str]]]
) -> None:
    from digest.topics.index_terms import label_topics  # reading an archive needs no terms

    rows = [
        {"repository_id": repository, "topic": topic, "committed_at": at, "change_id": key}
        for key, at, labels in given
        for topic in sorted(label_topics(labels))
    ]
    if rows:
        await connection.execute(dialect.insert_into(change_topics).on_conflict_do_nothing(), rows)


_of_repository = select(requests).where(
    requests.c.repository_id
    == select(repositories.c.id).where(repositories.c.name == bindparam("name")).scalar_subquery()
)

_ONE = Prepared(_of_repository.where(dialect.equals_parameters(requests, "number")))
_KEEP = dialect.upsert(requests)
_MARK = dialect.upsert(forge_marks)


class SqlRequests(SqlStore, Requests):
    """Requests in a database."""

    @override
    async def keep(
        self, repository: Repository, requests: Sequence[PullRequest], now: datetime
    ) -> None:
        storable = [request for request in requests if storable_number(request.number) is not None]
        if not storable:
            return
        known = await self.load(repository, [request.number for request in storable])
        rows: list[tuple[PullRequest, str]] = []
        for request in storable:
            stored = known.get(request.number)
            # The analysis of the diff is stored while the head of the request is the same.
            same = stored is not None and stored.request.head == request.head
            graded = _graded_text(stored.graded) if stored and same and stored.graded else ""
            rows.append((refreshed(stored.request if stored else None, request), graded))
        await self._write(repository, rows, now)

    @override
    async def keep_graded(
        self, repository: Repository, request: PullRequest, graded: Graded, now: datetime
    ) -> None:
        if storable_number(request.number) is not None:
            await self._write(repository, [(request, _graded_text(graded))], now)

    @override
    async def load(
        self, repository: Repository, numbers: Collection[int]
    ) -> Mapping[int, KeptRequest]:
        wanted = [number for number in numbers if storable_number(number) is not None]
        rows: Sequence[Any]
        if len(wanted) == 1:
            values = {"name": repository.name, "number": wanted[0]}
            rows = (await self._database.run(_ONE, values)).rows
        else:
            named = _of_repository.params(name=repository.name)
            async with self._database.reading() as connection:
                rows = await select_in(connection, named, requests.c.number, wanted)
        return {row.number: _kept(row) for row in rows}

    @override
    async def read_until(self, repository: Repository) -> datetime | None:
        wanted = select(forge_marks.c.read_until).where(
            forge_marks.c.repository_id == key_of(repository)
        )
        read = (await self._database.run(wanted)).value
        return None if read is None else dialect.moment(read)

    @override
    async def mark(self, repository: Repository, until: datetime) -> None:
        async with self._database.writing() as connection:
            key = await add_repository(connection, repository)
            await connection.execute(
                _MARK, {"repository_id": key, "read_until": dialect.seconds(until)}
            )

    async def _write(
        self, repository: Repository, requests: Sequence[tuple[PullRequest, str]], now: datetime
    ) -> None:
        async with self._database.writing() as connection:
            key = await add_repository(connection, repository)
            rows = [_row(key, request, graded, now) for request, graded in requests]
            await connection.execute(_KEEP, rows)
            merged = (request for request, _ in requests if request.state is RequestState.MERGED)
            await label_requests(connection, key, {r.number: r.labels for r in merged})


def _row(key: int, request: PullRequest, graded: str, now: datetime) -> dict[str, Any]:
    return {
        "repository_id": key,
        **dialect.columns(request, "number", "state", "merge_commit", "updated_at"),
        "seen_at": dialect.seconds(now),
        "content": json.dumps(request_to_json(request)),
        "graded": graded,
    }


def _kept(row: Any) -> KeptRequest:
    return KeptRequest(
        request=request_from_json(json.loads(row.content)),
        seen_at=dialect.moment(row.seen_at),
        graded=_graded(row.graded) if row.graded else None,
    )


def request_to_json(request: PullRequest) -> dict[str, Any]:
    """A value for ``json.dumps``; moments are seconds since 1970."""
    moments = ("created_at", "updated_at", "merged_at")
    dates = {name: getattr(request, name) for name in moments}
    return {
        **dialect.adapter(PullRequest).dump_python(request, mode="json"),
        **{name: None if date is None else dialect.seconds(date) for name, date in dates.items()},
        "reviewers": [[reviewer.name, reviewer.verdict.value] for reviewer in request.reviewers],
    }


def request_from_json(value: Mapping[str, Any]) -> PullRequest:
    """The request that :func:`request_to_json` wrote; raises ``ValueError`` for anything else."""
    reviewers = tuple({"name": name, "verdict": verdict} for name, verdict in value["reviewers"])
    return dialect.value_from(PullRequest, {**value, "reviewers": reviewers})


def _graded_text(graded: Graded) -> str:
    commit, grade = graded.commit, graded.grade
    return json.dumps(
        {
            "sha": commit.sha,
            "author": commit.author,
            "authored_at": dialect.seconds(commit.authored_at),
            "committed_at": dialect.seconds(commit.committed_at),
            "message": commit.message,
            "facts": facts_to_json(graded.facts),
            "score": grade.score,
            "level": grade.level.value,
            "by": grade.by,
            "reasons": reasons_to_json(grade),
        }
    )


def _graded(text: str) -> Graded:
    stored = json.loads(text)
    reasons = reasons_from_json(stored["reasons"])
    return Graded(
        commit=dialect.value_from(Commit, {"parents": (), "email": "", **stored}),
        facts=facts_from_json(stored["facts"]),
        grade=dialect.value_from(Grade, {**stored, "reasons": reasons}),
    )


@frozen
class ForgePage:
    """A response: ``value`` is its JSON or text, ``link`` the header that points to other pages."""

    value: Any
    etag: str = ""
    link: str = ""


MOST = 2_000  # the most responses that are kept; the oldest are removed first
_ROOM = 100  # how many more than :data:`MOST` may pile up before old ones are removed

_KEEP_PAGE = dialect.upsert(forge_pages)


class SqlPages(SqlStore):
    """The responses in a database."""

    def __init__(self, database: Database, clock: Clock, *, most: int = MOST) -> None:
        super().__init__(database)
        self._clock = clock
        self._most = most

    async def get(self, account: str, address: str) -> ForgePage | None:
        """The stored response to an account."""
        key = {"account": dialect.storable(account), "address": dialect.storable(address)}
        wanted = select(forge_pages).where(dialect.matches(forge_pages, key))
        row = (await self._database.run(wanted)).first
        if row is None:
            return None
        return ForgePage(value=json.loads(row.body), etag=row.etag, link=row.link)

    async def put(self, account: str, address: str, page: ForgePage) -> None:
        """Store a response in place of the previous one, and remove old ones if too many."""
        row = {
            "account": dialect.storable(account),
            "address": dialect.storable(address),
            "at": dialect.seconds(self._clock.now()),
            **dialect.columns(page, "etag", "link"),
            # Lone surrogates and NULs stay escaped.
            "body": json.dumps(page.value),
        }
        async with self._database.writing() as connection:
            await connection.execute(_KEEP_PAGE, row)
            number = await connection.scalar(select(func.count()).select_from(forge_pages)) or 0
            if number > self._most + _ROOM:
                newest = select(forge_pages.c.at).order_by(forge_pages.c.at.desc())
                oldest = newest.limit(1).offset(self._most).scalar_subquery()
                await connection.execute(delete(forge_pages).where(forge_pages.c.at <= oldest))
