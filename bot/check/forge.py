"""What ``digestbot check`` says of a forge: whether it lets us in, and how much may be asked."""

from __future__ import annotations

from collections.abc import Sequence

from bot.config.sections import RepositoryConfig
from bot.forges import gitea, github, gitlab
from bot.forges.config import ForgeConfig
from bot.forges.keeping import home_of
from bot.forges.limits import Quota
from bot.forges.opening import Forges, make
from bot.times.clock import SystemClock

_STANDING = {"github": github.standing, "gitlab": gitlab.standing, "gitea": gitea.standing}


async def look_at_forge(
    name: str, settings: ForgeConfig, repositories: Sequence[RepositoryConfig]
) -> str:
    """What stands at the address, in a line. Raises ``UserError`` where it cannot be used.

    Every repository of the forge is asked for, so that a token that may not see it is found out.
    """
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
        return f"{settings.api} answers {who}; it has {seen}{_left(wire.limits.quota)}"
    finally:
        await forges.aclose()


def _account(settings: ForgeConfig) -> str:
    if settings.app_id:
        return f"app {settings.app_id}"
    return "a token" if settings.token else "nobody in particular (public repositories only)"


def _left(quota: Quota) -> str:
    """How much of the limit is left, where the forge says."""
    if quota.remaining is None:
        return ""
    most = f" of {quota.limit:,}" if quota.limit is not None else ""
    until = f" until {quota.resets_at:%H:%M} UTC" if quota.resets_at else ""
    return f"; {quota.remaining:,}{most} requests left{until}"
