"""The digests that were made, kept under their names so that they can be shown again.

One that was made after its window had ended is frozen: making it again changes nothing. One that
was made earlier, of a day that was still going on, gives way to the next of its name. A full report
is kept once for all digests that have the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Row, Select, bindparam, delete, literal, select

from bot.store.database import Database
from bot.store.dialect import contains, insert_into
from bot.store.prepared import Prepared
from bot.store.repositories import written
from bot.store.rows import moment, seconds, storable
from bot.store.tables import digests, reports
from bot.store.writing import chunks
from digest.window import Window
from handlers.ports import Outcome, State

_AHEAD = timedelta(days=1)
"""How far the date of a commit may be ahead of the clock that digests are made by."""

_CONTENT = frozenset({"document", "report", "tip", "outcomes"})

HEADINGS: Select[*tuple[Any, ...]] = select(*(c for c in digests.c if c.name not in _CONTENT))
"""What :func:`heading` reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What a digest is of. ``counts`` are those of its changes by level, with their total."""

    name: str
    repository: str
    branch: str
    window: Window
    created_at: datetime
    counts: Mapping[str, int]

    @property
    def frozen(self) -> bool:
        """Whether its window had ended when it was made."""
        return self.created_at >= self.window.until


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDigest:
    """A digest: ``document`` is the condensed one as JSON text, ``markdown`` the full report.

    ``tip`` is the commit that the branch stood at, empty for a branch without any, and
    ``outcomes`` how each commit of the digest ends once it is delivered: both belong to the frozen
    content, since a later look at the branch would find more.
    """

    heading: Heading
    document: str
    markdown: str
    tip: str = ""
    outcomes: tuple[Outcome, ...] = ()


class SqlDigests:
    """The digests in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, digest: KeptDigest) -> KeptDigest:
        """Keep a digest, unless a frozen one stands under its name; return what stands then.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        name, row = digest.heading.name, _columns(digest)
        # Digests with the same report are of one repository.
        async with self._database.writing(f"digests {digest.heading.repository}") as connection:
            report = {"key": row["report"], "markdown": storable(digest.markdown)}
            await _KEEP_REPORT.on(connection, report)
            if (await _KEEP_NEW.on(connection, row)).rows:
                await written(connection, digest.heading.repository)
                return _as_kept(digest, row)
            before = select(digests.c.report).where(digests.c.name == name)
            given_up = {row["report"], await connection.scalar(before)} - {None}
            await connection.execute(_KEEP, row)
            await written(connection, digest.heading.repository)
            still = select(digests.c.report).where(digests.c.report == reports.c.key).exists()
            await connection.execute(delete(reports).where(reports.c.key.in_(given_up), ~still))
            return _kept((await connection.execute(_WHOLE.where(digests.c.name == name))).one())

    async def get(self, name: str) -> KeptDigest | None:
        """The digest of a name."""
        row = (await self._database.ask(_GET, {"name": name})).first
        return _kept(row) if row else None

    async def posted(self, names: Sequence[str], sha: str) -> Sequence[str]:
        """Those of the names whose digests show a commit, in the order of the names."""
        found: set[str] = set()
        async with self._database.reading() as connection:
            for some in chunks(dict.fromkeys(names)):
                wanted = select(digests.c.name, digests.c.outcomes).where(digests.c.name.in_(some))
                for name, outcomes in await connection.execute(wanted):
                    if [sha, State.POSTED.value] in (one[:2] for one in json.loads(outcomes)):
                        found.add(name)
        return tuple(name for name in dict.fromkeys(names) if name in found)

    async def announced(self, repository: str, sha: str, committed_at: datetime) -> Heading | None:
        """The first digest of a repository that showed a commit, where one did."""
        shown = json.dumps([sha, State.POSTED.value])[:-1]
        wanted = (
            HEADINGS.where(
                digests.c.repository == repository,
                digests.c.created_at >= seconds(committed_at - _AHEAD),
                contains(digests.c.outcomes, literal(shown)),
            )
            .order_by(digests.c.created_at, digests.c.name)
            .limit(1)
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).first()
        return heading_of(row) if row else None

    async def list(self, limit: int) -> Sequence[Heading]:
        """The digests that were made last, the newest first; ``limit`` of them at most."""
        wanted = HEADINGS.order_by(digests.c.created_at.desc(), digests.c.name).limit(limit)
        async with self._database.reading() as connection:
            return tuple(map(heading_of, await connection.execute(wanted)))


def _columns(digest: KeptDigest) -> dict[str, Any]:
    heading = digest.heading
    return {
        "name": heading.name,
        "repository": heading.repository,
        "branch": heading.branch,
        "since": seconds(heading.window.since),
        "until": seconds(heading.window.until),
        "zone": heading.window.zone.key,
        "created_at": seconds(heading.created_at),
        "document": storable(digest.document),
        "report": hashlib.sha256(storable(digest.markdown).encode()).hexdigest(),
        "counts": json.dumps(dict(heading.counts)),
        "tip": digest.tip,
        "outcomes": storable(json.dumps([[o.sha, o.state, o.why] for o in digest.outcomes])),
    }


def _as_kept(digest: KeptDigest, row: Mapping[str, Any]) -> KeptDigest:
    """What would be read back of a digest that was just kept as this row."""
    window = digest.heading.window
    times = {"since": moment(row["since"]), "until": moment(row["until"])}
    return replace(
        digest,
        heading=replace(
            digest.heading,
            window=replace(window, **times, zone=ZoneInfo(window.zone.key)),
            created_at=moment(row["created_at"]),
        ),
        document=row["document"],
        markdown=storable(digest.markdown),
    )


def heading_of(row: Row[*tuple[Any, ...]]) -> Heading:
    """The heading of a row of :data:`HEADINGS`."""
    return Heading(
        name=row.name,
        repository=row.repository,
        branch=row.branch,
        window=Window(since=moment(row.since), until=moment(row.until), zone=ZoneInfo(row.zone)),
        created_at=moment(row.created_at),
        counts=json.loads(row.counts),
    )


def _kept(row: Row[*tuple[Any, ...]]) -> KeptDigest:
    outcomes = tuple(
        Outcome(sha=sha, state=State(state), why=why)
        for sha, state, why in json.loads(row.outcomes)
    )
    return KeptDigest(
        heading=heading_of(row),
        document=row.document,
        markdown=row.markdown,
        tip=row.tip,
        outcomes=outcomes,
    )


_WHOLE = select(*digests.c, reports.c.markdown).join(reports, reports.c.key == digests.c.report)
_GET = Prepared(_WHOLE.where(digests.c.name == bindparam("name")))
_KEEP_REPORT = Prepared(insert_into(reports).on_conflict_do_nothing())
_insertion = insert_into(digests)
_KEEP_NEW = Prepared(insert_into(digests).on_conflict_do_nothing().returning(digests.c.name))
_KEEP = _insertion.on_conflict_do_update(
    index_elements=[digests.c.name],
    set_={c.name: _insertion.excluded[c.name] for c in digests.c if c.name != "name"},
    where=digests.c.created_at < digests.c.until,
)
