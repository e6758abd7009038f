"""The digests that were made, stored by name so that they can be shown again.

A digest made after its window ended is frozen; one made earlier is replaced by the next of its
name. Digests with the same full report share one copy of it.

Old content of finished deliveries, and old digests, can be removed. What guarantees rely on stays:
delivery rows, the outcomes of commits and the tips of channels; so does what deliveries in doubt
and planned amendments may still need. Removal works in small transactions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store import dialect
from bot.store.database import Database, Prepared, SqlStore, delete_in, select_in
from bot.store.deliveries import AmendmentProgress
from bot.store.rows import RAISE, raise_revision
from bot.store.tables.ledger_tables import amendments, deliveries, delivery_parts, digests, reports
from digest.core.enums import Frequency
from digest.frozen import frozen
from digest.window import Window
from handlers.ports.storage import Outcome, PartState, State

_AHEAD = timedelta(days=1)
"""How far a commit date may be ahead of the clock by which digests are made."""

_CONTENT = frozenset({"document", "report", "tip", "outcomes", "mark"})
HEADINGS: sa.Select[*tuple[Any, ...]] = sa.select(*(c for c in digests.c if c.name not in _CONTENT))
"""The columns that :func:`heading_of` reads."""


def mark_of(name: str) -> str:
    """The mark of a digest in buttons and addresses, in place of its name: 16 hex digits."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@frozen
class DigestHeading:
    """What a digest is about. ``counts`` holds its changes by level, and their total."""

    name: str
    repository: str
    branch: str
    window: Window
    created_at: datetime
    counts: Mapping[str, int]

    @property
    def mark(self) -> str:
        """Its mark in buttons and addresses."""
        return mark_of(self.name)

    @property
    def kind(self) -> Frequency:
        """How often digests of its schedule come."""
        kinds = (kind for kind in Frequency if self.name.startswith(f"{kind}:"))
        return next(kinds, Frequency.DAILY)

    @property
    def frozen(self) -> bool:
        """Whether its window had ended when it was made."""
        return self.created_at >= self.window.until


@frozen
class KeptDigest:
    """A digest. Its tip and outcomes belong to the frozen content."""

    # Looking at the branch later would find more.

    heading: DigestHeading
    document: str  # the digest as JSON text
    markdown: str  # the full report
    tip: str = ""  # of the branch, empty for one without commits
    outcomes: tuple[Outcome, ...] = ()  # how each commit ends once it is delivered

    def named(self, name: str) -> KeptDigest:
        """The same digest under a name."""
        return replace(self, heading=replace(self.heading, name=name))


_WHOLE = sa.select(*digests.c, reports.c.markdown).join(reports, reports.c.key == digests.c.report)
_GET = Prepared(_WHOLE.where(dialect.equals_parameters(digests, "name")))
_MARKED = Prepared(_WHOLE.where(dialect.equals_parameters(digests, "mark")))
_KEEP_REPORT = Prepared(dialect.insert_into(reports).on_conflict_do_nothing())
_KEEP_NEW = Prepared(
    dialect.insert_into(digests).on_conflict_do_nothing().returning(digests.c.name)
)
_KEEP = dialect.upsert(digests, where=lambda _: digests.c.created_at < digests.c.until)


class SqlDigests(SqlStore):
    """The digests in a database."""

    async def keep(self, digest: KeptDigest) -> KeptDigest:
        """Store a digest unless a frozen one has its name; return what is stored afterwards."""
        name, row = digest.heading.name, _columns(digest)
        # Digests that share a report belong to one repository.
        subject = f"digests {digest.heading.repository}"
        report = {"key": row["report"], "markdown": dialect.storable(digest.markdown)}
        revision = {"named": digest.heading.repository}
        _, new, _ = await self._database.run_all(
            (_KEEP_REPORT, report), (_KEEP_NEW, row), (RAISE, revision), subject=subject
        )
        if new.rows:
            return _as_kept(digest, row)
        async with self._database.writing(subject) as connection:
            # Another process may have deleted it meanwhile.
            await _KEEP_REPORT.on(connection, report)
            before = sa.select(digests.c.report).where(digests.c.name == name)
            replaced = {row["report"], await connection.scalar(before)} - {None}
            await connection.execute(_KEEP, row)
            await raise_revision(connection, digest.heading.repository)
            await _delete_unused(connection, replaced)
            return _kept((await connection.execute(_WHOLE.where(digests.c.name == name))).one())

    async def get(self, name: str) -> KeptDigest | None:
        """The digest with a name."""
        row = (await self._database.run(_GET, {"name": name})).first
        return _kept(row) if row else None

    async def marked(self, mark: str) -> KeptDigest | None:
        """The digest with a mark."""
        row = (await self._database.run(_MARKED, {"mark": mark})).first
        return _kept(row) if row else None

    async def posted(self, names: Sequence[str], sha: str) -> Sequence[str]:
        """The names whose digests show a commit, in the given order."""
        async with self._database.reading() as connection:
            outcomes = sa.select(digests.c.name, digests.c.outcomes)
            rows = await select_in(connection, outcomes, digests.c.name, names)
        posted = [sha, State.POSTED.value]
        showing = {row.name for row in rows if posted in (o[:2] for o in json.loads(row.outcomes))}
        return tuple(name for name in dict.fromkeys(names) if name in showing)

    async def announced(
        self, repository: str, sha: str, committed_at: datetime
    ) -> DigestHeading | None:
        """The first digest of a repository that showed a commit, if any."""
        shown = json.dumps([sha, State.POSTED.value])[:-1]
        wanted = _first_with(HEADINGS, shown, repository, committed_at)
        row = (await self._database.run(wanted)).first
        return heading_of(row) if row else None

    async def covered_with(
        self, repository: str, sha: str, committed_at: datetime
    ) -> Sequence[str]:
        """The commits of the first digest of a repository that covered a commit, as it has them."""
        outcomes = sa.select(digests.c.outcomes)
        covered = _first_with(outcomes, json.dumps([sha])[:-1], repository, committed_at)
        row = (await self._database.run(covered)).first
        return tuple(outcome[0] for outcome in json.loads(row.outcomes)) if row else ()

    async def list(self, limit: int) -> Sequence[DigestHeading]:
        """The digests made last, at most ``limit``, newest first."""
        wanted = HEADINGS.order_by(digests.c.created_at.desc(), digests.c.name).limit(limit)
        return tuple(map(heading_of, (await self._database.run(wanted)).rows))


def _first_with(
    wanted: sa.Select[Any], outcome: str, repository: str, committed_at: datetime
) -> sa.Select[Any]:
    """The first digest of a repository with an outcome, given as the beginning of its JSON."""
    return (
        wanted.where(
            digests.c.repository == repository,
            digests.c.created_at >= dialect.seconds(committed_at - _AHEAD),
            dialect.contains(digests.c.outcomes, sa.literal(outcome)),
        )
        .order_by(digests.c.created_at, digests.c.name)
        .limit(1)
    )


def _columns(digest: KeptDigest) -> dict[str, Any]:
    heading = digest.heading
    return {
        "name": heading.name,
        "repository": heading.repository,
        "branch": heading.branch,
        "since": dialect.seconds(heading.window.since),
        "until": dialect.seconds(heading.window.until),
        "zone": heading.window.zone.key,
        "created_at": dialect.seconds(heading.created_at),
        "document": dialect.storable(digest.document),
        "report": hashlib.sha256(dialect.storable(digest.markdown).encode()).hexdigest(),
        "counts": json.dumps(dict(heading.counts)),
        "tip": digest.tip,
        "mark": heading.mark,
        "outcomes": dialect.storable(
            json.dumps([[o.sha, o.state, o.why] for o in digest.outcomes])
        ),
    }


def _as_kept(digest: KeptDigest, row: Mapping[str, Any]) -> KeptDigest:
    """The digest as it would be read back from this row, which was just written."""
    window = digest.heading.window
    times = {"since": dialect.moment(row["since"]), "until": dialect.moment(row["until"])}
    return replace(
        digest,
        heading=replace(
            digest.heading,
            window=replace(window, **times, zone=ZoneInfo(window.zone.key)),
            created_at=dialect.moment(row["created_at"]),
        ),
        document=row["document"],
        markdown=dialect.storable(digest.markdown),
    )


def heading_of(row: sa.Row[*tuple[Any, ...]]) -> DigestHeading:
    """The heading in a row of :data:`HEADINGS`."""
    window = Window(
        since=dialect.moment(row.since), until=dialect.moment(row.until), zone=ZoneInfo(row.zone)
    )
    return dialect.from_row(DigestHeading, row, window=window, counts=json.loads(row.counts))


def _kept(row: sa.Row[*tuple[Any, ...]]) -> KeptDigest:
    outcomes = tuple(
        Outcome(sha=sha, state=State(state), why=why)
        for sha, state, why in json.loads(row.outcomes)
    )
    return dialect.from_row(KeptDigest, row, heading=heading_of(row), outcomes=outcomes)


_AT_ONCE = 200  # rows of one transaction: a few megabytes


async def empty_deliveries(database: Database, before: datetime, *, at_once: int = _AT_ONCE) -> int:
    """Empty deliveries that were claimed before a moment; return how many."""
    # Row numbers grow with time: an undated row is older than a dated one with a higher number.
    newest = sa.select(sa.func.max(deliveries.c.id)).where(
        deliveries.c.at > 0, deliveries.c.at < dialect.seconds(before)
    )
    some = (
        sa.select(deliveries.c.id)
        .where(
            deliveries.c.id <= newest.scalar_subquery(),
            deliveries.c.done,
            deliveries.c.content != "",
            ~_in_doubt(),
            ~_amended(deliveries.c.digest),
        )
        .order_by(deliveries.c.id)
        .limit(at_once)
    )
    emptied = sa.update(deliveries).where(deliveries.c.id.in_(some)).values(content="")
    total = 0
    while True:
        count = (await database.run(emptied)).count
        total += count
        if count < at_once:
            return total


async def drop_digests(database: Database, before: datetime, *, at_once: int = _AT_ONCE) -> int:
    """Remove digests made before a moment, and reports no other digest uses; return how many."""
    # A digest that is still being delivered or about to be amended stays.
    old = digests.c.created_at < dialect.seconds(before)
    owners = (await database.run(sa.select(digests.c.repository).where(old).distinct())).rows
    total = 0
    for (name,) in sorted(owners):
        expired = old & (digests.c.repository == name)
        while count := await _drop_some(database, name, expired, at_once):
            total += count
    return total


async def _drop_some(
    database: Database, repository: str, expired: sa.ColumnElement[bool], at_once: int
) -> int:
    undone = sa.exists().where(deliveries.c.digest == digests.c.name, ~deliveries.c.done)
    some = (
        sa.select(digests.c.name, digests.c.report)
        .where(expired, ~undone, ~_amended(digests.c.name))
        .order_by(digests.c.created_at, digests.c.name)
        .limit(at_once)
    )
    # The subject under which digests are stored, so that an unused report stays unused.
    async with database.writing(f"digests {repository}") as connection:
        rows = (await connection.execute(some)).all()
        if rows:
            await delete_in(connection, digests.c.name, [row.name for row in rows])
            await _delete_unused(connection, {row.report for row in rows})
            await raise_revision(connection, repository)
    return len(rows)


async def _delete_unused(connection: AsyncConnection, keys: Collection[str]) -> None:
    """Delete those of some reports that no digest uses any more."""
    used = sa.exists().where(digests.c.report == reports.c.key)
    await connection.execute(sa.delete(reports).where(reports.c.key.in_(keys), ~used))


def _in_doubt() -> sa.ColumnElement[bool]:
    """Whether a part of the delivery may be unsent: an admin may have it sent again."""
    of = delivery_parts.c
    doubtful = sa.or_(of.state != PartState.SENT.value, of.error != "")
    return sa.exists().where(of.delivery_id == deliveries.c.id, doubtful)


def _amended(digest: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether a digest of this name is to be amended in a chat."""
    return sa.exists().where(
        amendments.c.digest == digest, amendments.c.state == AmendmentProgress.PLANNED.value
    )
