"""``digestbot check``: looks at everything that the configuration names, and sends nothing."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from bot import platforms
from bot.check.finding import Finding, Weight
from bot.config.reading import Config, PlatformConfig
from bot.config.sections import ChannelConfig, RepositoryConfig
from bot.forges.config import ForgeConfig
from bot.models.config import ModelConfig
from bot.platforms.base import Called, Receiver, Sender, SendError
from bot.sources.process import OLDEST
from bot.times.schedule import Kind, next_slot
from digest.errors import DigestbotError, UserError
from handlers.ports import Clock, Tip

_PATIENCE = 60.0  # seconds for one probe


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """How to look at what other parts of the program keep.

    ``tip`` opens a repository as ``run`` would, without cloning, and reads its branch.
    ``revision`` reads the revision of the archive in a data folder, empty where there is none yet.
    ``model`` asks what stands at a model's address. ``parked`` tells of chats that nothing is
    posted to, a line each. ``forge`` asks a forge about the repositories that it has. ``redis``
    asks what processes share. All raise ``UserError``.
    """

    tip: Callable[[RepositoryConfig], Awaitable[Tip]]
    revision: Callable[[Path], Awaitable[str]]
    model: Callable[[ModelConfig], Awaitable[str]]
    clock: Clock
    parked: Callable[[Path], Awaitable[Sequence[str]]] | None = None
    forge: Callable[[str, ForgeConfig, Sequence[RepositoryConfig]], Awaitable[str]] | None = None
    redis: Callable[[str], Awaitable[str]] | None = None


async def check(config: Config, probes: Probes) -> list[Finding]:
    """Everything that was found, in the order of the file; repositories are read side by side."""
    warnings = [_finding(Weight.WARNING, "secrets", line) for line in config.warnings]
    repositories = [
        _guarded(f"repository {one.name}", _tip(one, probes)) for one in config.repositories
    ]
    accounts = [_platform(account, config) for account in config.platforms.values()]
    forges = [
        _guarded(f"forge {name}", probes.forge(name, one, config.repositories))
        for name, one in config.forges.items()
        if probes.forge is not None
    ]
    looks = [
        _guarded("git", _git()),
        _guarded("data folder", asyncio.to_thread(_writable, config.data)),
        _guarded("archive", _archive(config.data, probes)),
        *repositories,
        *forges,
    ]
    if config.model is not None:
        looks.append(_guarded(f"model {config.model.name}", probes.model(config.model)))
    if config.redis_url and probes.redis is not None:
        looks.append(_bearable(_guarded("redis", probes.redis(config.redis_url))))
    found = list(await asyncio.gather(*looks))
    for lines in await asyncio.gather(*accounts):
        found.extend(lines)
    for channel in config.channels:
        found.extend(_due(channel, probes.clock.now()))
    if probes.parked is not None:
        found.extend(await _parked(probes.parked(config.data)))
    if not config.repositories:
        found.append(_finding(Weight.WARNING, "repositories", "none: there is nothing to digest"))
    if not config.channels:
        text = "none: run posts only where chats subscribe"
        found.append(_finding(Weight.WARNING, "channels", text))
    return [*warnings, *found]


def failed(findings: list[Finding]) -> bool:
    """Whether ``run`` would not work as configured."""
    return any(finding.weight is Weight.ERROR for finding in findings)


def _finding(weight: Weight, subject: str, text: str) -> Finding:
    return Finding(weight=weight, subject=subject, text=text)


async def _guarded(subject: str, look: Awaitable[str]) -> Finding:
    """What a look tells, or the error that it ends in."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return _finding(Weight.OK, subject, await look)
    except TimeoutError:
        return _finding(Weight.ERROR, subject, f"no answer within {_PATIENCE:g} seconds")
    except DigestbotError as error:
        return _finding(Weight.ERROR, subject, str(error))


async def _parked(look: Awaitable[Sequence[str]]) -> list[Finding]:
    """The chats that nothing is posted to; that an archive is away, its own line says."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return [_finding(Weight.WARNING, "parked chat", line) for line in await look]
    except (TimeoutError, DigestbotError):
        return []


async def _bearable(look: Awaitable[Finding]) -> Finding:
    """What ``run`` does without where it has to: no error, but worth a look."""
    found = await look
    return replace(found, weight=Weight.WARNING) if found.weight is Weight.ERROR else found


async def _git() -> str:
    try:
        child = await asyncio.create_subprocess_exec(
            "git", "--version", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
        )
    except OSError as error:
        raise UserError(f"git cannot be run ({error.strerror}); install git") from error
    told = (await child.communicate())[0].decode(errors="replace").strip()
    found = re.search(r"(\d+)\.(\d+)", told)
    if not found or tuple(map(int, found.groups())) < OLDEST:
        least = ".".join(map(str, OLDEST))
        raise UserError(f"{told or 'git tells no version'}; at least {least} is needed")
    return told


def _writable(folder: Path) -> str:
    """The folder, or the nearest one above it that is there, takes a file."""
    there = next(above for above in (folder, *folder.absolute().parents) if above.exists())
    try:
        if not there.is_dir():
            raise NotADirectoryError(20, os.strerror(20))
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise UserError(
            f"{folder} cannot be written ({error.strerror}); make it writable, "
            "or name another with data or DIGESTBOT_DATA"
        ) from error
    return str(folder) if there == folder else f"{folder}, to be made"


async def _archive(folder: Path, probes: Probes) -> str:
    revision = await probes.revision(folder)
    return f"revision {revision}" if revision else "none yet"


async def _tip(repository: RepositoryConfig, probes: Probes) -> str:
    tip = await probes.tip(repository)
    return f"{tip.branch} at {tip.sha[:12]}" if tip.sha else f"{tip.branch}, without commits"


async def _platform(account: PlatformConfig, config: Config) -> list[Finding]:
    """One account, asked about each of its chats."""
    chats = {c.chat: c.name for c in config.channels if c.platform == account.name}
    subject = f"platform {account.name}"
    try:
        sender: Sender = platforms.load(account.kind).create(account.settings)
    except SendError as error:
        return [_finding(Weight.ERROR, subject, str(error))]
    try:
        if not chats:
            return [_unnamed(subject, sender, config), *_uncalled(subject, sender, config)]
        probed = [
            await _guarded(f"{subject}, channel {name}", sender.probe(chat))
            for chat, name in chats.items()
        ]
        return [*_uncalled(subject, sender, config), *probed]
    finally:
        await sender.aclose()


def _unnamed(subject: str, sender: Sender, config: Config) -> Finding:
    """An account that no channel uses: whether anybody else can."""
    if not isinstance(sender, Receiver):
        return _finding(Weight.WARNING, subject, "no channel uses it")
    access = config.access
    if access.anyone or access.chats or access.people or access.admins:
        text = "no channel uses it; chats that [access] lets in may ask and subscribe"
        return _finding(Weight.OK, subject, text)
    text = "no channel uses it, and [access] lets nobody in: nobody would be answered"
    return _finding(Weight.WARNING, subject, text)


def _uncalled(subject: str, sender: Sender, config: Config) -> list[Finding]:
    """What keeps the platform from calling, where it is to."""
    if config.web is None and isinstance(sender, Called) and sender.web is not None:
        text = "is to be called over HTTP, and there is no section [web]"
        return [_finding(Weight.ERROR, subject, text)]
    return []


def _due(channel: ChannelConfig, now: datetime) -> Iterator[Finding]:
    for spec, _ in channel.plans:
        local = next_slot(spec, now).at.astimezone(channel.zone)
        kind = "next digest" if spec.kind is Kind.DAILY else "next weekly digest"
        text = f"{kind} {local:%a %Y-%m-%d %H:%M %z} ({channel.zone.key})"
        yield _finding(Weight.OK, f"channel {channel.name}", text)
