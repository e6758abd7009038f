"""``digestbot doctor``: the problems of this installation, each with a remedy.

``check`` tests whether the configuration would run; this also tests what it runs on: the machine,
the archive, the clones, the network, and whether a process is using the data folder. Nothing is
sent, changed or updated.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Iterator, Sequence
from pathlib import Path

from bot import platforms
from bot.config.reader import Config
from bot.config.repository_section import RepositoryConfig
from bot.messaging.receiver import Called
from bot.messaging.sender import SendError
from bot.ops.check import Finding, fault, well, worry
from bot.ops.doctor_machine import (
    clock,
    clones,
    compare_clocks,
    disk,
    git,
    network,
    python,
    run_check,
)
from bot.ops.doctor_storage import archive
from bot.util.files import Environment


def setup(config: Config | None) -> Sequence[Finding]:
    """Errors and contradictions in the configuration file."""
    if config is None:
        cure = "not needed for digests and questions on the terminal; to post, run digestbot init"
        return [well("configuration", f"no file; {cure}")]
    counts = (
        f"{config.file}: {len(config.repositories)} repositories, {len(config.channels)} channels"
    )
    found = [well("configuration", counts)]
    found += [worry("secrets", one, "remove the access of other users") for one in config.warnings]
    return [*found, *_webhook_findings(config)]


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
        ("python", asyncio.to_thread(python)),
        ("git", git()),
        ("disk", asyncio.to_thread(disk, data)),
        ("configuration", asyncio.to_thread(setup, config)),
        ("archive", _archive(data, config)),
        ("work", asyncio.to_thread(work, data)),
        ("clones", clones(data, repositories)),
    ]
    if address := config.redis_url if config else Environment.read().redis:
        looks.append(("redis", _redis(address)))
    if config is not None:
        looks.append(("network", network(config)))
    found = await asyncio.gather(*(run_check(subject, look) for subject, look in looks))
    return [finding for some in found for finding in some]


async def _archive(data: Path, config: Config | None) -> Sequence[Finding]:
    """The archive, in a database or a file, and the clock compared with it."""
    url = config.database_url if config else Environment.read().database
    if not url:
        return [*await asyncio.to_thread(clock, data), *await asyncio.to_thread(archive, data)]
    from bot.ops.doctor_storage import server

    found = await server(url)
    return (
        found if any(one.subject == "clock" for one in found) else [*compare_clocks(None), *found]
    )


async def _redis(address: str) -> Sequence[Finding]:
    from bot.ops.doctor_storage import redis

    return await redis(address)
