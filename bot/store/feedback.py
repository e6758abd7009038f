"""Readers' verdicts on changes and digests: the latest one of each person on each subject.

The grade at the time is stored with a verdict, so that the rules can be compared with it.

Weights that the past of repositories taught, kept as ``handlers.ports.storage`` promises.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, select

from bot.store.change_terms import INDEXED_BY
from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.rows import enrol, enrolled, moment, seconds, storable
from bot.store.tables.archive_tables import local_weights
from bot.store.tables.chat_tables import feedback
from bot.store.tables.ledger_tables import digests
from digest.core.grade import Grade, Repository
from digest.grading.importance import weights
from digest.grading.local_weights import LocalWeights

_KEY = ("repository", "subject", "platform", "chat", "person")


class ReaderVerdict(StrEnum):
    """A reader's verdict."""

    USEFUL = "useful"
    USELESS = "useless"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """One person's verdict. ``subject`` is a commit's full sha or the name of a digest.

    ``level``, ``score`` and ``reasons`` (names of rules, weightiest first) are those of the change
    at that time; a digest has none.
    """

    repository: str
    subject: str
    platform: str
    chat: str
    person: str
    verdict: ReaderVerdict
    at: datetime
    level: str = ""
    score: float | None = None
    reasons: tuple[str, ...] = ()


def graded(opinion: dict[str, Any], grade: Grade | None) -> Opinion:
    """An opinion from its fields and the grade of its subject."""
    if grade is None:
        return Opinion(**opinion)
    reasons = tuple(reason.rule for reason in grade.reasons)
    return Opinion(**opinion, level=str(grade.level), score=grade.score, reasons=reasons)


class SqlFeedback:
    """Opinions in a database. Every method raises ``UnwritableFolder`` and ``BrokenArchive``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, opinion: Opinion) -> bool:
        """Store the latest verdict; return whether it differs from the previous one."""
        kept = insert_into(feedback).values(_columns(opinion))
        rest = [column.name for column in feedback.c if column.name not in _KEY]
        async with self._database.writing() as connection:
            before = await connection.scalar(select(feedback.c.verdict).where(_is(opinion)))
            await connection.execute(
                kept.on_conflict_do_update(
                    index_elements=[*_KEY], set_={name: kept.excluded[name] for name in rest}
                )
            )
        return bool(before != opinion.verdict)

    async def all(self, since: datetime) -> tuple[Opinion, ...]:
        """Every opinion since ``since``, oldest first."""
        wanted = (
            select(feedback)
            .where(feedback.c.at >= seconds(since))
            .order_by(feedback.c.at, feedback.c.subject, feedback.c.person)
        )
        async with self._database.reading() as connection:
            return tuple(map(_opinion, await connection.execute(wanted)))

    async def digest(self, mark: str) -> tuple[str, str] | None:
        """The repository and the name of the digest with a mark."""
        wanted = select(digests.c.repository, digests.c.name).where(digests.c.mark == mark)
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).first()
        return (row.repository, row.name) if row else None


def _columns(opinion: Opinion) -> dict[str, Any]:
    return {
        **{name: storable(getattr(opinion, name)) for name in _KEY},
        "verdict": opinion.verdict.value,
        "level": opinion.level,
        "score": opinion.score,
        "reasons": json.dumps(opinion.reasons),
        "at": seconds(opinion.at),
    }


def _is(opinion: Opinion) -> ColumnElement[bool]:
    values = _columns(opinion)
    return and_(*(feedback.c[name] == values[name] for name in _KEY))


def _opinion(row: Row[*tuple[Any, ...]]) -> Opinion:
    return Opinion(
        **{name: getattr(row, name) for name in _KEY},
        verdict=ReaderVerdict(row.verdict),
        at=moment(row.at),
        level=row.level,
        score=row.score,
        reasons=tuple(json.loads(row.reasons)),
    )


_MOST = 5
"""Releases whose weights are still in force: what is older was graded by them long ago."""


class SqlWeights:
    """A ``LearnedWeights`` in a database. All methods raise what :class:`Database` raises."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, repository: Repository) -> Sequence[LocalWeights]:
        """The weights of the newest releases that rest on the shipped ones, the newest first."""
        async with self._database.reading() as connection:
            home = await enrolled(connection, repository)
            if home is None:
                return ()
            rows = await connection.execute(
                select(local_weights)
                .where(
                    local_weights.c.repository_id == home.id,
                    local_weights.c.shipped == weights().version,
                )
                .order_by(local_weights.c.since.desc())
                .limit(_MOST)
            )
            return [_weights(row) for row in rows]

    async def keep(self, repository: Repository, learned: LocalWeights) -> None:
        """Keep the weights of a release; those that are kept already stay."""
        model = learned.weights
        content = {"version": model.version, "bias": model.bias, "weights": dict(model.weights)}
        async with self._database.writing() as connection:
            home = await enrol(connection, repository, INDEXED_BY)
            await connection.execute(
                insert_into(local_weights)
                .values(
                    repository_id=home,
                    shipped=weights().version,
                    release=learned.release,
                    since=seconds(learned.since),
                    content=json.dumps(content),
                )
                .on_conflict_do_nothing()
            )


def _weights(row: Row[Any]) -> LocalWeights:
    return LocalWeights(
        release=row.release,
        since=moment(row.since),
        weights=replace(weights(), **json.loads(row.content)),
    )
