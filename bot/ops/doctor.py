"""``digestbot doctor``: the problems of this installation, each with a remedy.

``check`` tests whether the configuration would run; this also tests what it runs on: the machine,
the archive, the clones, the network, the shared Redis, and whether a process is using the data
folder. Nothing is sent, changed or updated: tables of an older program stay as they are.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
import stat
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from bot import platforms
from bot.config.reader import Config
from bot.config.repository_section import RepositoryConfig
from bot.messaging.receiver import Called
from bot.messaging.sender import SendError
from bot.ops import doctor_machine as machine
from bot.ops.check import Finding, fault, well, worry
from bot.shared_state.redis_state import RedisConnection
from bot.store.job_queue import PERIODIC, Depth, depth_on
from bot.store.migrations import HEAD, REVISIONS
from bot.store.postgresql import database_url, place_of, user_errors
from bot.store.sqlite import FILE
from bot.util.files import Environment
from digest.errors import BrokenArchive, UnreachableDatabase, UnwritableFolder


def setup(config: Config | None) -> Sequence[Finding]:
    """Errors and contradictions in the configuration file."""
    if config is None:
        cure = "not needed for digests and questions on the terminal; to post, run digestbot init"
        return [well("configuration", f"no file; {cure}")]
    counts = (
        f"{config.file}: {len(config.repositories)} repositories, {len(config.channels)} channels"
    )
    findings = [well("configuration", counts)]
    findings += [
        worry("secrets", warning, "remove the access of other users") for warning in config.warnings
    ]
    return [*findings, *_webhook_findings(config)]


def _webhook_findings(config: Config) -> Iterator[Finding]:
    """Accounts that receive calls, and whether the calls would arrive."""
    for name, account in config.platforms.items():
        try:
            sender = platforms.load(account.kind).create(account.settings)
        except (SendError, ModuleNotFoundError) as error:
            yield fault(f"platform {name}", str(error), "see docs/ on this platform")
            continue
        if not isinstance(sender, Called) or sender.web is None:
            continue
        where = f"platform {name}"
        if config.web is None:
            cure = "add a section [web] with listen and public_url"
            yield fault(where, "receives calls over HTTP, but there is no web server", cure)
            continue
        path = f"/events/{name}"
        said = str(getattr(account.settings, "webhook", "") or "")
        if said and not said.endswith(path):
            cure = f"let it end in {path}, which the program's web server answers"
            yield fault(where, f"its address is {said}", cure)
        elif not config.web.public_url.startswith("https://"):
            cure = "set [web] public_url to the https:// address of the proxy in front"
            yield worry(where, f"is called at <public_url>{path}", cure)
        else:
            yield well(where, f"is called at {config.web.public_url}{path}")


def work(data: Path) -> Sequence[Finding]:
    """Whether a process holds a lease: the lock is taken, and released at once."""
    file = data / "leases"
    if not file.exists():
        return [well("leases", "no process uses this data folder")]
    descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return [well("leases", "a process is working on a slot or a delivery")]
    finally:
        os.close(descriptor)
    return [well("leases", "none is held")]


async def examine(data: Path, config: Config | None) -> Sequence[Finding]:
    """All findings, in reading order; the checks run in parallel."""
    repositories: Sequence[RepositoryConfig] = config.repositories if config else ()
    looks: list[tuple[str, Awaitable[Sequence[Finding]]]] = [
        ("python", asyncio.to_thread(machine.python)),
        ("git", machine.git()),
        ("disk", asyncio.to_thread(machine.disk, data)),
        ("configuration", asyncio.to_thread(setup, config)),
        ("archive", _archive(data, config)),
        ("work", asyncio.to_thread(work, data)),
        ("clones", machine.clones(data, repositories)),
    ]
    if address := config.redis_url if config else Environment.read().redis:
        looks.append(("redis", redis(address)))
    if config is not None:
        looks.append(("network", machine.network(config)))
    findings = await asyncio.gather(*(machine.run_check(subject, look) for subject, look in looks))
    return [finding for some in findings for finding in some]


async def _archive(data: Path, config: Config | None) -> Sequence[Finding]:
    url = config.database_url if config else Environment.read().database
    if not url:
        return [
            *await asyncio.to_thread(machine.clock, data),
            *await asyncio.to_thread(archive, data),
        ]

    findings = await server(url)
    return (
        findings
        if any(finding.subject == "clock" for finding in findings)
        else [*machine.compare_clocks(None), *findings]
    )


_LOG = 256_000_000
"""Size in bytes of SQLite's log beside the archive that suggests a process holds it open."""

_RESTORE = "stop digestbot, move the file away, and put a copy back: digestbot archive restore FILE"
_SHOWN = 20

STUCK = (
    "SELECT d.platform, d.channel, d.digest, max(p.state), max(p.error) FROM deliveries d "
    "JOIN delivery_parts p ON p.delivery_id = d.id AND p.state <> 'sent' "
    "WHERE NOT d.done GROUP BY d.id, d.platform, d.channel, d.digest ORDER BY d.id"
)
"""Deliveries that were claimed and are not done, with the furthest state and an error of a part."""


def archive(data: Path) -> Sequence[Finding]:
    """The whole file, and the pending deliveries."""
    file = data / FILE
    if not file.exists():
        return [well("archive", f"none yet in {data}")]
    findings = [*_rights(file), *_log(file)]
    try:
        with closing(
            sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            return [*findings, *_inside(connection, file)]
    except sqlite3.Error as error:
        return [*findings, fault("archive", f"{file} cannot be read ({error})", _RESTORE)]


def _inside(connection: sqlite3.Connection, file: Path) -> Sequence[Finding]:
    (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if revision not in REVISIONS:
        cure = "run the digestbot that wrote it, or a newer one"
        return [fault("archive", f"revision {revision} is not known to this program", cure)]
    faults = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
    if faults != ["ok"]:
        return [fault("archive", f"{file} is damaged: {faults[0]}", _RESTORE)]
    size = file.stat().st_size / 1e6
    state = f"{file}: intact, {size:.1f} MB, revision {revision}"
    if revision != HEAD:
        state += f", will be migrated to {HEAD} when it is next opened"
    return [well("archive", state), *deliveries(connection.execute(STUCK).fetchall())]


def deliveries(rows: Sequence[Sequence[str]]) -> Sequence[Finding]:
    """The rows of :data:`STUCK`, each with a remedy."""
    if not rows:
        return [well("deliveries", "none is pending")]
    findings = [
        worry(
            f"delivery {platform}:{channel}",
            f"{digest} is {state}{f' ({error})' if error else ''}",
            _cure(state, error),
        )
        for platform, channel, digest, state, error in rows[:_SHOWN]
    ]
    if len(rows) > _SHOWN:
        rest = f"{len(rows) - _SHOWN} more are pending"
        findings.append(worry("deliveries", rest, "fix those above first"))
    return findings


def _cure(state: str, error: str) -> str:
    """The remedy, by the closed set of reasons that senders classify failures to."""
    match error.partition(":")[0]:
        case "unauthorized":
            return "give the account a valid token with the required rights, then restart"
        case "no_channel":
            return "invite the bot into the chat, or correct chat in the file, then restart"
        case "rejected" | "broken" | "unsupported":
            return "the platform rejects it: look into the log, and report it to the maintainers"
        case "rate_limited" | "unavailable" | "no_answer":
            return "nothing: every sweep tries again while digestbot runs"
    if state == "sending":
        return "start digestbot: it finds out whether the message was posted"
    return "start digestbot: the first sweep sends the rest"


def _rights(file: Path) -> Sequence[Finding]:
    if os.name != "posix" or not file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return []
    problem = f"users other than the owner can open {file}"
    return [worry("archive", problem, f"chmod 600 {file}")]


def _log(file: Path) -> Sequence[Finding]:
    log = Path(f"{file}-wal")
    if not log.exists() or log.stat().st_size < _LOG:
        return []
    size = f"{log} has {log.stat().st_size / 1e6:.0f} MB"
    return [worry("archive", size, "restart digestbot, then: digestbot archive vacuum")]


_CLOCKS = "SELECT (SELECT max(created_at) FROM digests), clock_timestamp()"
_PATIENCE = 10
_LONG = 15 * 60.0  # seconds that a job waits if there are too few workers, or none


async def server(written: str) -> Sequence[Finding]:
    """The database at an address. Raises ``InvalidConfig``."""
    url = database_url(written)
    place = place_of(url)
    engine = create_async_engine(
        url, poolclass=NullPool, connect_args={"connect_timeout": _PATIENCE}
    )
    try:
        with user_errors(place):
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
        cure = "start the server, or check the address and the server's access rules"
        return [fault("archive", str(error), cure)]
    finally:
        await engine.dispose()
    later = "" if revision == HEAD else f", will be migrated to {HEAD} when it is next opened"
    about = f"{place}: PostgreSQL {version}, revision {revision}{later}"
    left = deliveries([tuple(row) for row in stuck])
    made = None if newest is None else datetime.fromtimestamp(newest, UTC)
    return [well("archive", about), *machine.compare_clocks(made, there), *left, *jobs(waiting)]


def jobs(depths: Mapping[str, Depth]) -> Sequence[Finding]:
    """Jobs that wait for workers; empty if no process ever had a role."""
    if not depths:
        return []
    wait = {kind: depth for kind, depth in depths.items() if depth.waiting and kind not in PERIODIC}
    if not wait:
        return [well("jobs", "none waits")]
    oldest = max(depth.oldest for depth in wait.values())
    waiting = ", ".join(f"{depth.waiting} {kind}" for kind, depth in sorted(wait.items()))
    about = f"{waiting} waiting, the oldest for {oldest:.0f} s"
    if oldest < _LONG:
        return [well("jobs", about)]
    return [worry("jobs", about, "start workers: digestbot run --role worker; docs/scaling.md")]


async def redis(written: str) -> Sequence[Finding]:
    """The Redis server at an address."""
    try:
        connection = RedisConnection(written)
    except ValueError as error:
        return [fault("redis", f"its address cannot be read: {error}", "write redis://host:6379/0")]
    try:
        trouble = await connection.look()
        if trouble:
            problem = f"{connection.place} does not answer ({trouble}); each process counts alone"
            return [worry("redis", problem, "start it, or check the address and the password")]
        about = await connection.ask(lambda client: client.info("server"))
        version = (about or {}).get("redis_version", "of an unknown version")
        return [well("redis", f"{connection.place}: Redis {version}")]
    finally:
        await connection.aclose()
