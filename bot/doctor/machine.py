"""The machine: Python, git, the disk, the clock."""

from __future__ import annotations

import platform
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.doctor.finding import Finding, fault, well, worry
from bot.sources.process import OLDEST, GitFailed, finding, require_git
from bot.store.engine import FILE
from digest.errors import SourceUnavailable

_PYTHON = (3, 11)
_SQLITE = (3, 40, 0)
"""With every fault of the full-text index that is known to have lost rows mended:
https://www.sqlite.org/changes.html"""

_MEGABYTE = 1_000_000
_LEAST, _LITTLE = 200 * _MEGABYTE, 2000 * _MEGABYTE
"""A clone of a large repository takes a few hundred megabytes, and SQLite needs the archive's size
again to compact it."""

_ASTRAY = timedelta(minutes=5)
"""How far platforms let a signed request's time be off."""

_APART = timedelta(minutes=1)
"""How far a server's clock may be off before somebody should know; asking takes time as well."""


def python() -> Sequence[Finding]:
    """The interpreter, and the SQLite that it has."""
    told = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    if sys.version_info < _PYTHON:
        return [fault("python", told, "install Python 3.11 or newer and make the environment anew")]
    if sqlite3.sqlite_version_info < _SQLITE:
        return [worry("python", told, "use a Python with SQLite 3.40 or newer")]
    return [well("python", told)]


async def git() -> Sequence[Finding]:
    """The git that is run."""
    cure = f"install git {'.'.join(map(str, OLDEST))} or newer"
    try:
        await require_git()
        told = (await finding(Path("/")).run("version")).decode(errors="replace").strip()
    except SourceUnavailable as error:
        return [fault("git", str(error), cure)]
    except (GitFailed, OSError):
        return [fault("git", "git cannot be run", cure)]
    return [well("git", told)]


def disk(data: Path) -> Sequence[Finding]:
    """The room where the data folder is, or will be."""
    there = next(above for above in (data.absolute(), *data.absolute().parents) if above.exists())
    free = shutil.disk_usage(there).free
    told = f"{free / _MEGABYTE:,.0f} MB free at {there}"
    cure = "make room, or move the data folder with data or DIGESTBOT_DATA"
    if free < _LEAST:
        return [fault("disk", told, cure)]
    return [worry("disk", told, cure) if free < _LITTLE else well("disk", told)]


def clock(data: Path) -> Sequence[Finding]:
    """Whether the clock stands where it stood when the archive was last written to."""
    return compared(_newest(data / FILE))


def compared(written: datetime | None, there: datetime | None = None) -> Sequence[Finding]:
    """This clock beside the moment of the archive's newest digest, and beside a server's clock."""
    now = datetime.now(UTC)
    told = now.isoformat(timespec="seconds")
    cure = "set the clock, by NTP if you can: digests go by it, and so do signatures"
    if written is not None and written > now + _ASTRAY:
        about = f"the archive was written at {written.isoformat(timespec='seconds')}"
        return [fault("clock", f"{told}, and {about}", cure)]
    if there is not None and abs(now - there) > _APART:
        about = f"at the database it is {there.isoformat(timespec='seconds')}"
        return [worry("clock", f"{told}, and {about}", cure)]
    return [well("clock", told)]


def _newest(archive: Path) -> datetime | None:
    """When the newest digest in the archive was made."""
    if not archive.exists():
        return None
    uri = f"{archive.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            (found,) = connection.execute("SELECT max(created_at) FROM digests").fetchone()
    except sqlite3.Error:
        return None  # the look at the archive tells what is wrong with it
    return None if found is None else datetime.fromtimestamp(found, UTC)
