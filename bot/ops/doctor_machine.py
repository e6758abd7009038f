"""What a look finds: a line on what is there, and the way out where it should not be so.

The machine: Python, git, the disk, the clock.

The network: whether the configured hosts can be reached, and what time it is there.

Only a connection is made, and for ``https`` the greeting; a single request without any secret asks
for the time. Whether tokens are right is for ``check`` to find out.

The clones: whether git can read them, what is left of a clone that broke off, what they take.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import socket
import sqlite3
import ssl
import sys
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.config.reader import Config
from bot.config.repository_section import RepositoryConfig
from bot.git.address import read_address
from bot.git.git_process import OLDEST, Git, GitFailed, finding, reading, require_git
from bot.ops.check import Weight
from bot.store.sqlite import FILE
from bot.util.section import Settings
from digest.errors import DigestbotError, SourceUnavailable

_PATIENCE = 300.0
"""Seconds for one look; an archive of gigabytes is read from one end to the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``cure`` is what to do, empty where nothing needs doing."""

    weight: Weight
    subject: str
    text: str
    cure: str = ""


def well(subject: str, text: str) -> Finding:
    """Something that is as it should be."""
    return Finding(weight=Weight.OK, subject=subject, text=text)


def worry(subject: str, text: str, cure: str) -> Finding:
    """Something that works, and should not stay."""
    return Finding(weight=Weight.WARNING, subject=subject, text=text, cure=cure)


def fault(subject: str, text: str, cure: str) -> Finding:
    """Something that does not work."""
    return Finding(weight=Weight.ERROR, subject=subject, text=text, cure=cure)


async def guarded(subject: str, look: Awaitable[Sequence[Finding]]) -> Sequence[Finding]:
    """What a look finds; its own failure is a finding too, so that the others are told."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await look
    except TimeoutError:
        return [fault(subject, f"not told within {_PATIENCE:g} s", "look at the machine's load")]
    except (DigestbotError, OSError) as error:
        return [fault(subject, str(error), "mend what the line says, and run doctor again")]


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


_NETWORK_PATIENCE = 10.0

_NETWORK_ASTRAY = 60.0
"""Seconds by which clocks may differ; platforms refuse signatures that are off by 300."""

_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}

_OURS = "webhook"
"""The key of an address at which an account is called: it is the program's own."""

_PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


class Host(NamedTuple):
    """Somebody whom the program connects to."""

    name: str
    port: int
    secure: bool


async def network(config: Config) -> Sequence[Finding]:
    """Every host once."""
    hosts = sorted(set(_hosts(config)))
    if not hosts:
        return [well("network", "nothing is named that needs it")]
    proxy = next((name for name in _PROXIES if os.environ.get(name)), None)
    if proxy is not None:
        return [well("network", f"through the proxy of {proxy}; digestbot check asks through it")]
    return await asyncio.gather(*map(_reached, hosts))


def _hosts(config: Config) -> Iterator[Host]:
    for repository in config.repositories:
        address = read_address(repository.place)
        if address is not None and address.host:
            port = address.port or _PORTS.get(address.transport, 443)
            yield Host(address.host, port, address.transport == "https")
    sections: list[Settings] = [account.settings for account in config.platforms.values()]
    if config.model is not None:
        sections.append(config.model)
    for section in sections:
        for key, value in dict(section).items():
            if key == _OURS:
                continue
            # The address of a webhook is a secret; its host is none.
            text = value.get_secret_value() if isinstance(value, SecretStr) else value
            if isinstance(text, str) and text.startswith(("https://", "http://")):
                yield from _host(text)


def _host(url: str) -> Iterator[Host]:
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except ValueError:
        return
    if parts.hostname:
        yield Host(parts.hostname, port, parts.scheme == "https")


async def _reached(host: Host) -> Finding:
    subject = f"network {host.name}:{host.port}"
    try:
        async with asyncio.timeout(_NETWORK_PATIENCE):
            there = await _time_at(host)
    except TimeoutError:
        cure = "a firewall may drop it: allow it, or set HTTPS_PROXY"
        return fault(subject, f"no answer within {_NETWORK_PATIENCE:g} s", cure)
    except socket.gaierror:
        return fault(subject, "the name is not known", "look at the name, and at DNS")
    except ssl.SSLCertVerificationError as error:
        cure = "look at the clock; behind a proxy that opens TLS, install its certificate"
        return fault(subject, f"its certificate is not believed ({error.verify_message})", cure)
    except OSError as error:
        return fault(
            subject, f"no connection ({error.strerror or error})", "is it up, and allowed?"
        )
    if there is None:
        return well(subject, "can be reached")
    off = (datetime.now(UTC) - there).total_seconds()
    if abs(off) > _NETWORK_ASTRAY:
        told = f"can be reached; this clock is {abs(off):.0f} s {'ahead' if off > 0 else 'behind'}"
        return worry(subject, told, "set the clock, by NTP if you can")
    return well(subject, "can be reached, and has the same time")


async def _time_at(host: Host) -> datetime | None:
    """The time that a host tells; ``None`` for one that does not speak HTTP."""
    context = ssl.create_default_context() if host.secure else None
    reader, writer = await asyncio.open_connection(host.name, host.port, ssl=context)
    try:
        if not host.secure:
            return None
        name = host.name.encode("idna")
        writer.write(b"HEAD / HTTP/1.1\r\nHost: " + name + b"\r\nConnection: close\r\n\r\n")
        await writer.drain()
        head = await reader.read(16_384)
    finally:
        writer.close()
    return _date(head)


def _date(head: bytes) -> datetime | None:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"date":
            try:
                return parsedate_to_datetime(value.decode("latin-1").strip())
            except ValueError:
                return None
    return None


_UNFINISHED = ".unfinished"


async def clones(data: Path, repositories: Sequence[RepositoryConfig]) -> Sequence[Finding]:
    """Every clone in the data folder."""
    folder = data / "clones"
    there = sorted(one for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []
    if not there:
        return [well("clones", "none yet")]
    addresses = [read_address(one.place) for one in repositories]
    wanted = {address.folder for address in addresses if address is not None}
    return [await _clone(one, wanted=one.name in wanted or not repositories) for one in there]


async def _clone(folder: Path, *, wanted: bool) -> Finding:
    subject = f"clone {folder.name}"
    if folder.name.endswith(_UNFINISHED):
        cure = f"nothing while digestbot clones; else remove it: {folder}"
        return worry(subject, "was not finished", cure)
    size = await asyncio.to_thread(_size, folder)
    try:
        tip = await _tip(reading(folder))
    except GitFailed as failure:
        cure = f"remove {folder}; it is cloned anew when it is next needed"
        return fault(subject, f"git cannot read it ({failure.complaint})", cure)
    if tip is None:
        cure = "nothing, if nobody has pushed to it yet; else it is mended with the next fetch"
        return worry(subject, "has no commit where its HEAD is", cure)
    told = f"at {tip[:12]}, {size / 1e6:.1f} MB"
    if not wanted:
        return worry(subject, f"{told}, of no configured repository", f"remove it: {folder}")
    return well(subject, told)


async def _tip(git: Git) -> str | None:
    """The commit of ``HEAD``, every commit below it read; ``None`` where no branch is there.

    Raises ``GitFailed`` where something is damaged. A graph of commits would hide that.
    """
    head = (await git.run("symbolic-ref", "HEAD")).decode().strip()
    if not await git.run("for-each-ref", head):
        return None
    tip = (await git.run("rev-parse", "--verify", "HEAD^{commit}")).decode()
    await git.run("-c", "core.commitGraph=false", "rev-list", "--count", "HEAD")
    return tip


def _size(folder: Path) -> int:
    """The bytes of its files."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
