"""Requests as their forge describes them, as ``handlers.ports.forge_port.Requests`` states.

Labels of merged requests are added to the topic index of their changes. The index is built from
changes alone; labels may arrive before or after the change and are added in either case. A label
that is removed at the forge disappears when the index is rebuilt.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.change_terms import INDEXED_BY
from bot.store.database import Database, Prepared
from bot.store.dialect import insert_into
from bot.store.rows import enrol, enrolled, moment, numbered, seconds
from bot.store.tables.archive_tables import change_topics, changes, repositories
from bot.store.tables.chat_tables import forge_marks, requests
from digest.core.change import Commit
from digest.core.grade import Grade, Graded, Level, Reason, Repository
from digest.core.request import PullRequest, RequestState, refreshed
from digest.core.stored_json import (
    facts_from_json,
    facts_to_json,
    request_from_json,
    request_to_json,
)
from digest.topics.index_terms import label_topics
from handlers.ports.forge_port import KeptRequest

_CHUNK = 500


async def label_requests(
    connection: AsyncConnection, repository: int, labels: Mapping[int, Sequence[str]]
) -> None:
    """Add labels, by request number, to the archived changes."""
    for numbers in _chunks([number for number, given in labels.items() if given]):
        wanted = select(changes.c.id, changes.c.number, changes.c.committed_at).where(
            changes.c.repository_id == repository, changes.c.number.in_(numbers)
        )
        rows = (await connection.execute(wanted)).all()
        await _add(connection, repository, [(r.id, r.committed_at, labels[r.number]) for r in rows])


async def label_changes(
    connection: AsyncConnection, repository: int, added: Iterable[tuple[int, int, int | None]]
) -> None:
    """Add known labels to changes, each given as key, commit time and request number."""
    numbered: dict[int, list[tuple[int, int]]] = {}
    for key, at, number in added:
        if number is not None:
            numbered.setdefault(number, []).append((key, at))
    for numbers in _chunks(list(numbered)):
        wanted = select(requests.c.number, requests.c.content).where(
            requests.c.repository_id == repository,
            requests.c.number.in_(numbers),
            requests.c.state == RequestState.MERGED.value,
        )
        rows = (await connection.execute(wanted)).all()
        labels = {row.number: json.loads(row.content)["labels"] for row in rows}
        given = [(*change, labels[n]) for n in labels for change in numbered[n]]
        await _add(connection, repository, given)


async def _add(
    connection: AsyncConnection, repository: int, given: Sequence[tuple[int, int, Sequence[str]]]
) -> None:
    rows = [
        {"repository_id": repository, "topic": topic, "committed_at": at, "change_id": key}
        for key, at, labels in given
        for topic in sorted(label_topics(labels))
    ]
    if rows:
        await connection.execute(insert_into(change_topics).on_conflict_do_nothing(), rows)


def _chunks(numbers: Sequence[int]) -> Iterable[Sequence[int]]:
    return (numbers[at : at + _CHUNK] for at in range(0, len(numbers), _CHUNK))


_of_it = select(requests).where(
    requests.c.repository_id
    == select(repositories.c.id).where(repositories.c.name == bindparam("name")).scalar_subquery(),
)
_WANTED = _of_it.where(requests.c.number.in_(bindparam("numbers", expanding=True)))
_ONE = Prepared(_of_it.where(requests.c.number == bindparam("number")))


class SqlRequests:
    """Requests in a database. All methods raise the errors of :class:`Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(
        self, repository: Repository, requests: Sequence[PullRequest], now: datetime
    ) -> None:
        """Store requests, and add the labels of merged ones to the topics."""
        given = [one for one in requests if numbered(one.number) is not None]
        if not given:
            return
        held = await self.load(repository, [one.number for one in given])
        whole = [refreshed(_request(held.get(one.number)), one) for one in given]
        rows = [(one, _graded_text(held.get(one.number), one)) for one in whole]
        await self._write(repository, rows, now)

    async def keep_graded(
        self, repository: Repository, request: PullRequest, graded: Graded, now: datetime
    ) -> None:
        """Store a request with its analysed diff."""
        if numbered(request.number) is not None:
            await self._write(repository, [(request, _text(graded))], now)

    async def load(
        self, repository: Repository, numbers: Collection[int]
    ) -> Mapping[int, KeptRequest]:
        """The stored requests among ``numbers``."""
        wanted = [number for number in numbers if numbered(number) is not None]
        if len(wanted) == 1:
            one = await self._database.ask(_ONE, {"name": repository.name, "number": wanted[0]})
            return {row.number: _kept(row) for row in one.rows}
        found: dict[int, KeptRequest] = {}
        async with self._database.reading() as connection:
            for at in range(0, len(wanted), _CHUNK):
                given = {"name": repository.name, "numbers": wanted[at : at + _CHUNK]}
                rows = await connection.execute(_WANTED, given)
                found.update((row.number, _kept(row)) for row in rows)
        return found

    async def read_until(self, repository: Repository) -> datetime | None:
        """The moment up to which the list of requests was read."""
        async with self._database.reading() as connection:
            home = await enrolled(connection, repository)
            if home is None:
                return None
            read = await connection.scalar(
                select(forge_marks.c.read_until).where(forge_marks.c.repository_id == home.id)
            )
        return None if read is None else moment(read)

    async def mark(self, repository: Repository, until: datetime) -> None:
        """Store the moment up to which the list was read."""
        async with self._database.writing() as connection:
            home = await enrol(connection, repository, INDEXED_BY)
            kept = insert_into(forge_marks).values(repository_id=home, read_until=seconds(until))
            await connection.execute(
                kept.on_conflict_do_update(
                    index_elements=["repository_id"],
                    set_={"read_until": kept.excluded.read_until},
                )
            )

    async def _write(
        self, repository: Repository, given: Sequence[tuple[PullRequest, str]], now: datetime
    ) -> None:
        async with self._database.writing() as connection:
            home = await enrol(connection, repository, INDEXED_BY)
            rows = [_row(home, request, graded, now) for request, graded in given]
            await _insert(connection, rows)
            merged = (one for one, _ in given if one.state is RequestState.MERGED)
            await label_requests(connection, home, {one.number: one.labels for one in merged})


async def _insert(connection: AsyncConnection, rows: Sequence[dict[str, Any]]) -> None:
    kept = insert_into(requests)
    changed = {
        name: kept.excluded[name]
        for name in ("state", "merge_commit", "updated_at", "seen_at", "content", "graded")
    }
    await connection.execute(
        kept.on_conflict_do_update(index_elements=["repository_id", "number"], set_=changed), rows
    )


def _row(home: int, request: PullRequest, graded: str, now: datetime) -> dict[str, Any]:
    return {
        "repository_id": home,
        "number": request.number,
        "state": request.state.value,
        "merge_commit": request.merge_commit,
        "updated_at": seconds(request.updated_at),
        "seen_at": seconds(now),
        "content": json.dumps(request_to_json(request)),
        "graded": graded,
    }


def _kept(row: Row[*tuple[Any, ...]]) -> KeptRequest:
    return KeptRequest(
        request=request_from_json(json.loads(row.content)),
        seen_at=moment(row.seen_at),
        graded=_graded(row.graded) if row.graded else None,
    )


def _request(kept: KeptRequest | None) -> PullRequest | None:
    return kept.request if kept else None


def _graded_text(kept: KeptRequest | None, request: PullRequest) -> str:
    """The stored analysis of the diff, kept while the head of the request is the same."""
    if kept is None or kept.graded is None or kept.request.head != request.head:
        return ""
    return _text(kept.graded)


def _text(graded: Graded) -> str:
    commit, grade = graded.commit, graded.grade
    return json.dumps(
        {
            "sha": commit.sha,
            "author": commit.author,
            "authored_at": seconds(commit.authored_at),
            "committed_at": seconds(commit.committed_at),
            "message": commit.message,
            "facts": facts_to_json(graded.facts),
            "score": grade.score,
            "level": grade.level.value,
            "by": grade.by,
            "reasons": [[one.rule, one.weight, one.subject] for one in grade.reasons],
        }
    )


def _graded(text: str) -> Graded:
    held = json.loads(text)
    return Graded(
        commit=Commit(
            sha=held["sha"],
            parents=(),
            author=held["author"],
            email="",
            authored_at=moment(held["authored_at"]),
            committed_at=moment(held["committed_at"]),
            message=held["message"],
        ),
        facts=facts_from_json(held["facts"]),
        grade=Grade(
            score=held["score"],
            level=Level(held["level"]),
            reasons=tuple(
                Reason(rule=rule, weight=weight, subject=subject)
                for rule, weight, subject in held["reasons"]
            ),
            by=held["by"],
        ),
    )
