"""An archive in PostgreSQL: whether it answers, what it is of, and what waits in it.

Looking changes nothing: tables of an older program are left as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from bot.doctor.archive import STUCK, deliveries
from bot.doctor.finding import Finding, fault, well
from bot.store.migrations import HEAD, REVISIONS
from bot.store.postgresql import database_url, told
from digest.errors import BrokenArchive, UnreachableDatabase, UnwritableFolder

_PATIENCE = 10


async def server(written: str) -> Sequence[Finding]:
    """The database at an address. Raises ``InvalidConfig``."""
    url = database_url(written)
    place = url.render_as_string(hide_password=True)
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
                stuck = (await connection.execute(text(STUCK))).all()
    except (UnreachableDatabase, BrokenArchive, UnwritableFolder) as error:
        cure = "start the server, or look at the address and at what the server lets in"
        return [fault("archive", str(error), cure)]
    finally:
        await engine.dispose()
    later = "" if revision == HEAD else f", brought to {HEAD} when it is next opened"
    about = f"{place}: PostgreSQL {version}, revision {revision}{later}"
    return [well("archive", about), *deliveries([tuple(row) for row in stuck])]
