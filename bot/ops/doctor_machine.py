"""Doctor's findings on the machine, the network and the clones.

The network: whether the configured hosts can be reached, and their time. A check only connects, for
``https`` with the handshake, and sends a single request without any secret for the time.
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
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.config.reader import Config
from bot.config.repository_section import RepositoryConfig
from bot.git.address import read_address
from bot.git.git_process import OLDEST, Git, GitFailed, git_version, reading
from bot.ops.check import Finding, fault, well, worry
from bot.store.sqlite import FILE
from bot.util.section import Settings
from digest.errors import DigestbotError, SourceUnavailable

_PATIENCE = 300.0  # seconds for one check; an archive of gigabytes is read completely


async def run_check(subject: str, look: Awaitable[Sequence[Finding]]) -> Sequence[Finding]:
    """The findings of a check; its own failure is a finding too, so that the others are shown."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await look
    except TimeoutError:
        return [fault(subject, f"no result within {_PATIENCE:g} s", "check the machine's load")]
    except (DigestbotError, OSError) as error:
        return [fault(subject, str(error), "fix this error, and run doctor again")]


_PYTHON = (3, 11)
_SQLITE = (3, 40, 0)
"""The first version with fixes for all known faults of the full-text index that lost rows:
https://www.sqlite.org/changes.html"""

_MEGABYTE = 1_000_000
_LEAST, _LITTLE = 200 * _MEGABYTE, 2000 * _MEGABYTE
"""A clone of a large repository takes a few hundred megabytes, and SQLite needs the archive's size
again to compact it."""

_ASTRAY = timedelta(minutes=5)  # the largest clock error that platforms accept in a signed request
_APART = timedelta(minutes=1)
"""The clock difference to a server that is worth a warning; asking takes time as well."""


def python() -> Sequence[Finding]:
    """The interpreter, and its SQLite."""
    versions = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    if sys.version_info < _PYTHON:
        return [
            fault(
                "python", versions, "install Python 3.11 or newer and create the environment anew"
            )
        ]
    if sqlite3.sqlite_version_info < _SQLITE:
        return [worry("python", versions, "use a Python with SQLite 3.40 or newer")]
    return [well("python", versions)]


async def git() -> Sequence[Finding]:
    """The git that is used."""
    cure = f"install git {'.'.join(map(str, OLDEST))} or newer"
    try:
        return [well("git", await git_version())]
    except SourceUnavailable as error:
        return [fault("git", str(error), cure)]
    except OSError:
        return [fault("git", "git cannot be run", cure)]


def disk(data: Path) -> Sequence[Finding]:
    """The free space at the data folder's place."""
    there = next(above for above in (data.absolute(), *data.absolute().parents) if above.exists())
    free = shutil.disk_usage(there).free
    free_space = f"{free / _MEGABYTE:,.0f} MB free at {there}"
    cure = "free some space, or move the data folder with data or DIGESTBOT_DATA"
    if free < _LEAST:
        return [fault("disk", free_space, cure)]
    return [worry("disk", free_space, cure) if free < _LITTLE else well("disk", free_space)]


def clock(data: Path) -> Sequence[Finding]:
    """Whether the clock is plausible beside the archive's last write."""
    return compare_clocks(_newest(data / FILE))


def compare_clocks(written: datetime | None, there: datetime | None = None) -> Sequence[Finding]:
    """This clock compared with the archive's newest digest and with a server's clock."""
    now = datetime.now(UTC)
    told = now.isoformat(timespec="seconds")
    cure = "set the clock, if possible by NTP: digests and signatures depend on it"
    if written is not None and written > now + _ASTRAY:
        about = f"the archive was written at {written.isoformat(timespec='seconds')}"
        return [fault("clock", f"{told}, and {about}", cure)]
    if there is not None and abs(now - there) > _APART:
        about = f"the database says {there.isoformat(timespec='seconds')}"
        return [worry("clock", f"{told}, and {about}", cure)]
    return [well("clock", told)]


def _newest(archive: Path) -> datetime | None:
    if not archive.exists():
        return None
    uri = f"{archive.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            (found,) = connection.execute("SELECT max(created_at) FROM digests").fetchone()
    except sqlite3.Error:
        return None  # the check of the archive reports its problems
    return None if found is None else datetime.fromtimestamp(found, UTC)


_NETWORK_PATIENCE = 10.0
_NETWORK_ASTRAY = 60.0
"""Seconds by which clocks may differ; platforms refuse signatures that are off by 300."""

_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}
_OURS = "webhook"  # the key of an address at which an account is called: it is the program's own
_PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


class Host(NamedTuple):
    """A host that the program connects to."""

    name: str
    port: int
    secure: bool


async def network(config: Config) -> Sequence[Finding]:
    """Every host once."""
    hosts = sorted(set(_hosts(config)))
    if not hosts:
        return [well("network", "no configured service needs it")]
    proxy = next((name for name in _PROXIES if os.environ.get(name)), None)
    if proxy is not None:
        return [well("network", f"through the proxy {proxy}; digestbot check uses it")]
    return await asyncio.gather(*map(_check_host, hosts))


def _hosts(config: Config) -> Iterator[Host]:
    for repository in config.repositories:
        address = read_address(repository.place)
        if address is not None and address.host:
            port = address.port or _PORTS[address.transport]
            yield Host(address.host, port, address.transport == "https")
    sections: list[Settings] = [account.settings for account in config.platforms.values()]
    if config.model is not None:
        sections += [one for one in (config.model, config.model.fallback) if one is not None]
    for section in sections:
        for key, value in dict(section).items():
            if key == _OURS:
                continue
            # The address of a webhook is a secret, but its host is not.
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


async def _check_host(host: Host) -> Finding:
    subject = f"network {host.name}:{host.port}"
    try:
        async with asyncio.timeout(_NETWORK_PATIENCE):
            there = await _time_at(host)
    except TimeoutError:
        cure = "a firewall may block it: allow it, or set HTTPS_PROXY"
        return fault(subject, f"no answer within {_NETWORK_PATIENCE:g} s", cure)
    except socket.gaierror:
        return fault(subject, "the host name cannot be resolved", "check the name and DNS")
    except ssl.SSLCertVerificationError as error:
        cure = "check the clock; behind a proxy that inspects TLS, install its certificate"
        return fault(subject, f"its certificate is not trusted ({error.verify_message})", cure)
    except OSError as error:
        return fault(
            subject,
            f"no connection ({error.strerror or error})",
            "check the server, and any firewall",
        )
    if there is None:
        return well(subject, "is reachable")
    off = (datetime.now(UTC) - there).total_seconds()
    if abs(off) > _NETWORK_ASTRAY:
        told = f"is reachable; this clock is {abs(off):.0f} s {'ahead' if off > 0 else 'behind'}"
        return worry(subject, told, "set the clock, if possible by NTP")
    return well(subject, "is reachable, and its clock agrees")


async def _time_at(host: Host) -> datetime | None:
    """The time of a host; ``None`` if it does not speak HTTP."""
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
    addresses = [read_address(repository.place) for repository in repositories]
    wanted = {address.folder for address in addresses if address is not None}
    return [await _clone(one, wanted=one.name in wanted or not repositories) for one in there]


async def _clone(folder: Path, *, wanted: bool) -> Finding:
    subject = f"clone {folder.name}"
    if folder.name.endswith(_UNFINISHED):
        cure = f"nothing while digestbot is cloning; otherwise remove {folder}"
        return worry(subject, "was not finished", cure)
    size = await asyncio.to_thread(_size, folder)
    try:
        tip = await _tip(reading(folder))
    except GitFailed as failure:
        cure = f"remove {folder}; it is cloned again when it is next needed"
        return fault(subject, f"git cannot read it ({failure.complaint})", cure)
    if tip is None:
        cure = "nothing, if nobody has pushed to it yet; otherwise the next fetch repairs it"
        return worry(subject, "its HEAD names no commit", cure)
    told = f"at {tip[:12]}, {size / 1e6:.1f} MB"
    if not wanted:
        return worry(subject, f"{told}, belongs to no configured repository", f"remove {folder}")
    return well(subject, told)


async def _tip(git: Git) -> str | None:
    """The commit of ``HEAD``, after reading every commit below it; ``None`` without a branch."""
    # Raises ``GitFailed`` if something is damaged. A commit-graph file would hide that.
    head = (await git.run("symbolic-ref", "HEAD")).decode().strip()
    if not await git.run("for-each-ref", head):
        return None
    tip = (await git.run("rev-parse", "--verify", "HEAD^{commit}")).decode()
    await git.run("-c", "core.commitGraph=false", "rev-list", "--count", "HEAD")
    return tip


def _size(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
