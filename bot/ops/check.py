"""``digestbot check``: checks everything that the configuration names, and sends nothing.

For a forge it checks access and the remaining rate limit, for the model whether it answers and how
it is made to answer in JSON.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path

from bot import platforms
from bot.config.channel_section import ChannelConfig
from bot.config.forge_section import ForgeConfig
from bot.config.model_section import ModelConfig
from bot.config.reader import Config, PlatformConfig
from bot.config.repository_section import RepositoryConfig
from bot.delivery.quarantine import parked_chats
from bot.forges import gitea, github, gitlab
from bot.forges.forge_registry import Forges, make
from bot.forges.forge_transport import Quota
from bot.git.git_process import git_version
from bot.git.open_source import tip_of
from bot.llm.response_format import DialectFile, Rung
from bot.llm.runtime import PROBE_TOKENS, Probe, look
from bot.messaging.receiver import Called, Receiver
from bot.messaging.sender import Sender, SendError, SendReason
from bot.publishing.forge_sync import home_of
from bot.scheduler.schedule import slots_after
from bot.store.analyses import SqlCalls
from bot.store.deliveries import SqlRefusals
from bot.store.migrations import HEAD
from bot.store.sqlite import FILE, open_archive, open_database
from bot.util.machine import SystemClock
from digest.core.enums import Frequency
from digest.errors import DigestbotError, UserError
from digest.frozen import frozen
from handlers.ports.storage import Clock


class Weight(StrEnum):
    """How severe a finding is."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@frozen
class Finding:
    """One line of the result; ``cure`` is the remedy, empty if none is needed or known."""

    weight: Weight
    subject: str
    text: str
    cure: str = ""


def well(subject: str, text: str) -> Finding:
    """A finding that something is in order."""
    return Finding(weight=Weight.OK, subject=subject, text=text)


def worry(subject: str, text: str, cure: str = "") -> Finding:
    """A finding on something that works but should be changed."""
    return Finding(weight=Weight.WARNING, subject=subject, text=text, cure=cure)


def fault(subject: str, text: str, cure: str = "") -> Finding:
    """A finding on something that does not work."""
    return Finding(weight=Weight.ERROR, subject=subject, text=text, cure=cure)


_STANDING = {"github": github.standing, "gitlab": gitlab.standing, "gitea": gitea.standing}


async def look_at_forge(
    name: str, settings: ForgeConfig, repositories: Sequence[RepositoryConfig]
) -> str:
    """The state of a forge in a line. Raises ``UserError`` if it cannot be used."""
    # Every repository of the forge is requested, to detect a token that may not see it.
    homes = [path for host, path in map(home_of, repositories) if host == settings.host]
    forges = Forges({name: settings}, SystemClock())
    try:
        wire = forges.wire(name, homes[0] if homes else "")
        if homes or not settings.app_id or settings.installation:
            await _STANDING[settings.kind](wire)
        for home in homes:
            own = forges.wire(name, home)
            await make(settings.kind, own, home).releases(1)
        who = _account(settings)
        seen = f"{len(homes)} of the repositories here" if homes else "none of the repositories"
        return f"{settings.api} answers {who}; it has {seen}{_remaining_quota(wire.limits.quota)}"
    finally:
        await forges.aclose()


def _account(settings: ForgeConfig) -> str:
    if settings.app_id:
        return f"app {settings.app_id}"
    return "a token" if settings.token else "anonymous requests (public repositories only)"


def _remaining_quota(quota: Quota) -> str:
    """The remaining rate limit, if the forge tells it."""
    if quota.remaining is None:
        return ""
    most = f" of {quota.limit:,}" if quota.limit is not None else ""
    until = f" until {quota.resets_at:%H:%M} UTC" if quota.resets_at else ""
    return f"; {quota.remaining:,}{most} requests left{until}"


_RUNGS = {
    Rung.STRICT: "enforces a JSON schema (rung 1 of 3)",
    Rung.OBJECT: "answers in JSON; the schema is described in the prompt (rung 2 of 3)",
    Rung.TEXT: "answers in text; JSON is extracted from it (rung 3 of 3)",
}


async def look_at_model(config: ModelConfig, clock: Clock, data: Path, *, spend: bool) -> str:
    """The state of the model in a line. Raises ``UserError`` if it cannot be used."""
    # Only ``spend`` uses tokens, a few hundred, and then they are recorded.
    if spend:
        async with await open_database(data) as database:
            ledger = SqlCalls(database, config.price.currency)
            probe = await look(config, ledger, clock, data)
    else:
        probe = await look(config, None, clock, data)
    return f"{config.base_url}: {_manner(probe, config, clock, data)}"


def _manner(probe: Probe, config: ModelConfig, clock: Clock, data: Path) -> str:
    """How the server is made to answer in JSON, as found now or remembered."""
    if probe.rung is not None:
        tokens = f"{'about ' if probe.usage.estimated else ''}{probe.usage.tokens} tokens"
        return f"{_RUNGS[probe.rung]}; {tokens} spent"
    there = "has the model" if probe.model else "answers, but lists no models"
    known = DialectFile(data, clock).recall(config.base_url, config.name)
    if known is not None:
        return f"{there}; {_RUNGS[known.rung]}"
    return (
        f"{there}; its schema support is determined at the first call, or by "
        f"digestbot check --spend (at most about {PROBE_TOKENS} tokens)"
    )


_PATIENCE = 60.0  # seconds for one probe


async def check(config: Config, clock: Clock, *, spend: bool = False) -> list[Finding]:
    """All findings, in the order of the file; repositories are read in parallel.

    Only ``spend`` asks the model.
    """
    data = config.data
    models = (config.model, config.model.fallback) if config.model else ()
    named = [
        ("git", git_version()),
        ("data folder", asyncio.to_thread(_writable, data)),
        ("archive", _archive(config)),
        *((f"repository {one.name}", _tip(one, data)) for one in config.repositories),
        *(
            (f"forge {name}", look_at_forge(name, forge, config.repositories))
            for name, forge in config.forges.items()
        ),
        *(
            (f"model {one.name}", look_at_model(one, clock, data, spend=spend))
            for one in models
            if one
        ),
    ]
    looks = [_safe_finding(subject, look) for subject, look in named]
    if config.redis_url:
        looks.append(_bearable(_safe_finding("redis", _redis(config.redis_url))))
    accounts = [_platform(account, config) for account in config.platforms.values()]
    findings = list(await asyncio.gather(*looks))
    for lines in await asyncio.gather(*accounts):
        findings.extend(lines)
    for channel in config.channels:
        findings.extend(_due(channel, clock.now()))
    findings.extend(await _parked_findings(config))
    if not config.repositories:
        findings.append(worry("repositories", "none: there is nothing to digest"))
    if not config.channels:
        text = "none: run posts only where chats subscribe"
        findings.append(worry("channels", text))
    return [*(worry("secrets", line) for line in config.warnings), *findings]


def has_failures(findings: Sequence[Finding]) -> bool:
    """Whether something does not work."""
    return any(finding.weight is Weight.ERROR for finding in findings)


async def _safe_finding(subject: str, look: Awaitable[str]) -> Finding:
    try:
        async with asyncio.timeout(_PATIENCE):
            return well(subject, await look)
    except TimeoutError:
        return fault(subject, f"no answer within {_PATIENCE:g} seconds")
    except DigestbotError as error:
        return fault(subject, str(error))


async def _parked_findings(config: Config) -> list[Finding]:
    """The chats that nothing is posted to; an unavailable archive has its own line."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return [worry("parked chat", line) for line in await _parked(config)]
    except (TimeoutError, DigestbotError):
        return []


async def _parked(config: Config) -> Sequence[str]:
    if not _has_archive(config):
        return ()
    async with await open_archive(config.data, config.database_url) as database:
        found = parked_chats(await SqlRefusals(database).all())
    return [f"{one.account}:{one.chat}: {one.reason} {one.detail}".rstrip() for one, _ in found]


async def _bearable(look: Awaitable[Finding]) -> Finding:
    """A check of something that ``run`` can do without: a warning instead of an error."""
    finding = await look
    return replace(finding, weight=Weight.WARNING) if finding.weight is Weight.ERROR else finding


def _writable(folder: Path) -> str:
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
    return str(folder) if there == folder else f"{folder}, will be created"


def _has_archive(config: Config) -> bool:
    return bool(config.database_url) or (config.data / FILE).exists()


async def _archive(config: Config) -> str:
    if not _has_archive(config):
        return "none yet"
    async with await open_archive(config.data, config.database_url):
        return f"revision {HEAD}"


async def _tip(repository: RepositoryConfig, data: Path) -> str:
    """The tip of a repository, which is not cloned for it."""
    tip = await tip_of(repository.place, data, repository.branch)
    return f"{tip.branch} at {tip.sha[:12]}" if tip.sha else f"{tip.branch}, without commits"


async def _redis(url: str) -> str:
    from bot.ops.doctor import redis

    (found,) = await redis(url)
    if found.cure:
        raise UserError(f"{found.text}; {found.cure}")
    return found.text


async def _platform(account: PlatformConfig, config: Config) -> list[Finding]:
    """The findings on one account and each of its chats."""
    chats: dict[str, list[str]] = {}
    for one in config.channels:
        if one.platform == account.name:
            chats.setdefault(one.chat, []).append(one.name)
    subject = f"platform {account.name}"
    try:
        sender: Sender = platforms.load(account.kind).create(account.settings)
    except SendError as error:
        return [fault(subject, str(error))]
    try:
        if not chats:
            return [
                _channelless_account(subject, sender, config),
                *_call_obstacles(subject, sender, config),
            ]
        probed = [
            await _safe_finding(
                f"{subject}, channel {', '.join(names)}", _probed(sender, chat, account)
            )
            for chat, names in chats.items()
        ]
        return [*_call_obstacles(subject, sender, config), *probed]
    finally:
        await sender.aclose()


async def _probed(sender: Sender, chat: str, account: PlatformConfig) -> str:
    """What a platform says of a chat. Raises ``UserError`` that names the chat or the server."""
    try:
        return await sender.probe(chat)
    except SendError as error:
        said = str(error)
        if error.reason is SendReason.NO_CHANNEL and chat and chat not in said:
            said = f"{said} (chat {chat})"
        if error.reason is SendReason.UNAVAILABLE:
            # Settings that are no secrets; the address of a webhook is one.
            places = (getattr(account.settings, key, "") for key in ("api", "domain", "host"))
            server = next(filter(None, places), "the server")
            said = f"{said}; cannot reach {server}: check the address, the network and any proxy"
        raise UserError(said) from None


def _channelless_account(subject: str, sender: Sender, config: Config) -> Finding:
    """The finding on an account without channels: whether others may use it."""
    if not isinstance(sender, Receiver):
        return worry(subject, "no channel uses it")
    access = config.access
    if access.anyone or access.chats or access.people or access.admins:
        text = "no channel uses it; chats that [access] allows may ask and subscribe"
        return well(subject, text)
    text = "no channel uses it, and [access] allows nobody: no question would be answered"
    return worry(subject, text)


def _call_obstacles(subject: str, sender: Sender, config: Config) -> list[Finding]:
    """The reasons why the platform cannot call, if it is to."""
    if config.web is None and isinstance(sender, Called) and sender.web is not None:
        text = (
            "receives calls over HTTP, but there is no section [web]; add one, which listens at "
            "127.0.0.1:8080 by default"
        )
        return [fault(subject, text)]
    return []


_UPCOMING = 5  # times that are shown of each schedule


def _due(channel: ChannelConfig, now: datetime) -> Iterator[Finding]:
    for spec, _ in channel.plans:
        slots = islice(slots_after(spec, now), _UPCOMING)
        first, *more = (slot.at.astimezone(channel.zone) for slot in slots)
        kind = "next digests" if spec.kind is Frequency.DAILY else f"next {spec.kind} digests"
        times = [f"{first:%a %Y-%m-%d %H:%M %z}", *(f"{moment:%a %m-%d %H:%M}" for moment in more)]
        text = f"{kind} {', '.join(times)} ({channel.zone.key})"
        yield well(f"channel {channel.name}", text)
