"""What is learned about importance: readers' verdicts, and weights taught by a repository's past.

Of each person the latest verdict on each change or digest is stored, with the grade at the time, so
that the rules can be compared with it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import select
from typing_extensions import override

from bot.store.database import Database, SqlStore
from bot.store.dialect import columns, from_row, insert_into, matches, moment, seconds, upsert
from bot.store.rows import add_repository, key_of
from bot.store.tables.archive_tables import local_weights
from bot.store.tables.chat_tables import feedback
from bot.store.tables.ledger_tables import digests
from digest.core.grade import Grade, Repository
from digest.frozen import frozen
from digest.grading.importance import weights
from digest.grading.local_weights import LocalWeights
from handlers.ports.storage import LearnedWeights

_KEY = ("repository", "subject", "platform", "chat", "person")


class ReaderVerdict(StrEnum):
    """A reader's verdict."""

    USEFUL = "useful"
    USELESS = "useless"


@frozen
class Opinion:
    """One person's verdict, with the change's grade at that time; a digest has none."""

    repository: str
    subject: str  # a commit's full sha or the name of a digest
    platform: str
    chat: str
    person: str
    verdict: ReaderVerdict
    at: datetime
    level: str = ""
    score: float | None = None
    reasons: tuple[str, ...] = ()  # names of rules, weightiest first


def opinion_of(opinion: dict[str, Any], grade: Grade | None) -> Opinion:
    """An opinion from its fields and the grade of its subject."""
    if grade is None:
        return Opinion(**opinion)
    reasons = tuple(reason.rule for reason in grade.reasons)
    return Opinion(**opinion, level=str(grade.level), score=grade.score, reasons=reasons)


_KEEP = upsert(feedback)


class SqlFeedback(SqlStore):
    """Opinions in a database."""

    async def keep(self, opinion: Opinion) -> bool:
        """Store the latest verdict; return whether it differs from the previous one."""
        row = {**columns(opinion), "reasons": json.dumps(opinion.reasons)}
        same = matches(feedback, {name: row[name] for name in _KEY})
        async with self._database.writing() as connection:
            before = await connection.scalar(select(feedback.c.verdict).where(same))
            await connection.execute(_KEEP, row)
        return bool(before != opinion.verdict)

    async def all(self, since: datetime) -> tuple[Opinion, ...]:
        """Every opinion since ``since``, oldest first."""
        wanted = (
            select(feedback)
            .where(feedback.c.at >= seconds(since))
            .order_by(feedback.c.at, feedback.c.subject, feedback.c.person)
        )
        rows = (await self._database.run(wanted)).rows
        return tuple(from_row(Opinion, row, reasons=json.loads(row.reasons)) for row in rows)

    async def digest(self, mark: str) -> tuple[str, str] | None:
        """The repository and the name of the digest with a mark."""
        wanted = select(digests.c.repository, digests.c.name).where(digests.c.mark == mark)
        row = (await self._database.run(wanted)).first
        return (row.repository, row.name) if row else None


_MOST = 5  # releases whose weights are still in force: what is older was graded by them long ago

_FRESH = 60.0
"""Seconds for which weights are cached: they change with releases, and every question uses them."""


class SqlWeights(SqlStore, LearnedWeights):
    """Learned weights in a database."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._known: dict[str, tuple[float, Sequence[LocalWeights]]] = {}

    async def recent(self, repository: Repository) -> Sequence[LocalWeights]:
        """As :meth:`load`, without what other processes taught in the last minute."""
        at, known = self._known.get(repository.name, (-_FRESH, ()))
        return known if time.monotonic() - at < _FRESH else await self.load(repository)

    @override
    async def load(self, repository: Repository) -> Sequence[LocalWeights]:
        shipped = weights()
        wanted = {"repository_id": key_of(repository), "shipped": shipped.version}
        newest = (
            select(local_weights)
            .where(matches(local_weights, wanted))
            .order_by(local_weights.c.since.desc())
            .limit(_MOST)
        )
        known = [
            LocalWeights(
                release=row.release,
                since=moment(row.since),
                weights=replace(shipped, **json.loads(row.content)),
            )
            for row in (await self._database.run(newest)).rows
        ]
        self._known[repository.name] = time.monotonic(), known
        return known

    @override
    async def keep(self, repository: Repository, learned: LocalWeights) -> None:
        self._known.pop(repository.name, None)
        model = learned.weights
        content = {"version": model.version, "bias": model.bias, "weights": dict(model.weights)}
        row = {
            "shipped": weights().version,
            **columns(learned, "release", "since"),
            "content": json.dumps(content),
        }
        async with self._database.writing() as connection:
            row["repository_id"] = await add_repository(connection, repository)
            await connection.execute(insert_into(local_weights).on_conflict_do_nothing(), row)
