"""An archive in PostgreSQL: whether it answers, what it is of, and what waits in it.

Looking changes nothing: tables of an older program are left as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from bot.doctor.archive import STUCK, deliveries
from bot.doctor.finding import Finding, fault, well, worry
from bot.doctor.machine import compared
from bot.jobs.depth import Depth, depth_on
from bot.jobs.tasks import PERIODIC
from bot.store.migrations import HEAD, REVISIONS
from bot.store.postgresql import database_url, place_of, told
from digest.errors import BrokenArchive, UnreachableDatabase, UnwritableFolder

_CLOCKS = "SELECT (SELECT max(created_at) FROM digests), clock_timestamp()"
_PATIENCE = 10
_LONG = 15 * 60.0
"""Seconds that a job waits where there are too few workers, or none."""


async def server(written: str) -> Sequence[Finding]:
    """The database at an address. Raises ``InvalidConfig``."""
    url = database_url(written)
    place = place_of(url)
    engine = create_async_engine(
        url, poolclass=NullPool, connect_args={"connect_timeout": _PATIENCE}
    )
    try:
        with told(place):
            async with engine.connect() as connection:
                version = str(await connection.scalar(text("SHOW server_version")))
                if await connection.scalar(text("SELECT to_regclass('alembic_version')")) is None:
                    return [well("archive", f"none yet in {place} (PostgreSQL {version})")]
                query = text("SELECT version_num FROM alembic_version")
                revision = str(await connection.scalar(query))
                if revision not in REVISIONS:
                    cure = "run the digestbot that wrote it, or a newer one"
                    told_so = f"revision {revision} is not known to this program"
                    return [fault("archive", told_so, cure)]
                newest, there = (await connection.execute(text(_CLOCKS))).one()
                stuck = (await connection.execute(text(STUCK))).all()
                waiting = await depth_on(connection)
    except (UnreachableDatabase, BrokenArchive, UnwritableFolder) as error:
        cure = "start the server, or look at the address and at what the server lets in"
        return [fault("archive", str(error), cure)]
    finally:
        await engine.dispose()
    later = "" if revision == HEAD else f", brought to {HEAD} when it is next opened"
    about = f"{place}: PostgreSQL {version}, revision {revision}{later}"
    left = deliveries([tuple(row) for row in stuck])
    made = None if newest is None else datetime.fromtimestamp(newest, UTC)
    return [well("archive", about), *compared(made, there), *left, *jobs(waiting)]


def jobs(found: Mapping[str, Depth]) -> Sequence[Finding]:
    """What waits for workers; nothing where no process ever had a role."""
    if not found:
        return []
    wait = {kind: one for kind, one in found.items() if one.waiting and kind not in PERIODIC}
    if not wait:
        return [well("jobs", "none waits")]
    oldest = max(one.oldest for one in wait.values())
    told = ", ".join(f"{one.waiting} {kind}" for kind, one in sorted(wait.items()))
    about = f"{told} wait, the oldest for {oldest:.0f} s"
    if oldest < _LONG:
        return [well("jobs", about)]
    return [worry("jobs", about, "start workers: digestbot run --role worker; docs/scaling.md")]
