"""The archive: whether it is whole and can be opened, and what waits in it."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bot.doctor.finding import Finding, fault, well, worry
from bot.store.engine import FILE
from bot.store.migrations import HEAD, REVISIONS

_LOG = 256_000_000
"""Bytes of SQLite's log beside the archive: so much of it says that somebody holds it open."""

_RESTORE = "stop digestbot, move the file away, and put a copy back: digestbot archive restore FILE"
_SHOWN = 20

STUCK = (
    "SELECT d.platform, d.channel, d.digest, max(p.state), max(p.error) FROM deliveries d "
    "JOIN delivery_parts p ON p.delivery_id = d.id AND p.state <> 'sent' "
    "WHERE NOT d.done GROUP BY d.id, d.platform, d.channel, d.digest ORDER BY d.id"
)
"""What was claimed and is not done, with the furthest state and an error of its parts."""


def archive(data: Path) -> Sequence[Finding]:
    """The file from one end to the other, and the deliveries that are left."""
    file = data / FILE
    if not file.exists():
        return [well("archive", f"none yet in {data}")]
    found = [*_rights(file), *_log(file)]
    try:
        with closing(
            sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            return [*found, *_inside(connection, file)]
    except sqlite3.Error as error:
        return [*found, fault("archive", f"{file} cannot be read ({error})", _RESTORE)]


def _inside(connection: sqlite3.Connection, file: Path) -> Sequence[Finding]:
    (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if revision not in REVISIONS:
        cure = "run the digestbot that wrote it, or a newer one"
        return [fault("archive", f"revision {revision} is not known to this program", cure)]
    faults = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
    if faults != ["ok"]:
        return [fault("archive", f"{file} is damaged: {faults[0]}", _RESTORE)]
    size = file.stat().st_size / 1e6
    told = f"{file}: whole, {size:.1f} MB, revision {revision}"
    if revision != HEAD:
        told += f", brought to {HEAD} when it is next opened"
    return [well("archive", told), *_deliveries(connection)]


def _deliveries(connection: sqlite3.Connection) -> Sequence[Finding]:
    """What was claimed and is not done, with what the platform said of it."""
    return deliveries(connection.execute(STUCK).fetchall())


def deliveries(rows: Sequence[Sequence[str]]) -> Sequence[Finding]:
    """What :data:`STUCK` finds, each with what helps."""
    if not rows:
        return [well("deliveries", "none is left")]
    found = [
        worry(
            f"delivery {platform}:{channel}",
            f"{digest} is {state}{f' ({error})' if error else ''}",
            _cure(state, error),
        )
        for platform, channel, digest, state, error in rows[:_SHOWN]
    ]
    if len(rows) > _SHOWN:
        rest = f"{len(rows) - _SHOWN} more are not done"
        found.append(worry("deliveries", rest, "mend those above first"))
    return found


def _cure(state: str, error: str) -> str:
    """What helps, by the closed set of reasons that senders classify failures to."""
    match error.partition(":")[0]:
        case "unauthorized":
            return "give the account a token that is valid and has the rights; then restart"
        case "no_channel":
            return "invite the bot into the chat, or correct chat in the file; then restart"
        case "rejected" | "broken" | "unsupported":
            return "the platform does not take it: look into the log, and tell who maintains this"
        case "rate_limited" | "unavailable" | "no_answer":
            return "nothing: it is tried again with every sweep, as long as digestbot runs"
    if state == "sending":
        return "start digestbot: it finds out whether the message stands"
    return "start digestbot: what is left is sent with the first sweep"


def _rights(file: Path) -> Sequence[Finding]:
    if os.name != "posix" or not file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return []
    told = f"{file} can be opened by others than its owner"
    return [worry("archive", told, f"chmod 600 {file}")]


def _log(file: Path) -> Sequence[Finding]:
    log = Path(f"{file}-wal")
    if not log.exists() or log.stat().st_size < _LOG:
        return []
    told = f"{log} has {log.stat().st_size / 1e6:.0f} MB"
    return [worry("archive", told, "restart digestbot, then: digestbot archive vacuum")]
