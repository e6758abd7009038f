"""``digestbot check``: what the configuration names, looked at without posting anything."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bot import check as checking
from bot.aftercare.parking import parked
from bot.check.forge import look_at_forge
from bot.check.model import look_at_model
from bot.commands import finish
from bot.config.reading import Config, read
from bot.config.sections import RepositoryConfig
from bot.folders import config_file
from bot.models.config import ModelConfig
from bot.secrecy import cleared
from bot.sources.opening import open_source
from bot.store.engine import FILE, open_archive
from bot.store.migrations import HEAD
from bot.store.refusals import SqlRefusals
from bot.times.clock import SystemClock
from digest.errors import UserError
from handlers.ports import Tip


def check(file: Path | None, *, spend: bool = False) -> None:
    """Print what was found; raises ``UserError`` where ``run`` would not work.

    With ``spend`` the model is asked a question, which takes a few hundred tokens.
    """
    config = read(file or config_file())
    found = finish(checking.check(config, _probes(config, spend=spend)))
    marks = {
        checking.Weight.OK: "ok     ",
        checking.Weight.WARNING: "warning",
        checking.Weight.ERROR: "ERROR  ",
    }
    for finding in found:
        line = f"{marks[finding.weight]} {finding.subject}: {finding.text}"
        sys.stdout.write(f"{cleared(line)}\n")
    if checking.failed(found):
        raise UserError(f"{config.file}: not ready to run; the lines marked ERROR say why")


def _probes(config: Config, *, spend: bool) -> checking.Probes:
    async def tip(repository: RepositoryConfig) -> Tip:
        _, source = await open_source(repository.place, config.data)
        return await source.tip(repository.branch)

    async def revision(data: Path) -> str:
        if not (config.database_url or (data / FILE).exists()):
            return ""
        async with await open_archive(data, config.database_url):
            return HEAD

    async def dead(data: Path) -> Sequence[str]:
        if not (config.database_url or (data / FILE).exists()):
            return ()
        async with await open_archive(data, config.database_url) as database:
            found = parked(await SqlRefusals(database).all())
        return [f"{one.account}:{one.chat}: {one.reason} {one.detail}".rstrip() for one, _ in found]

    async def model(settings: ModelConfig) -> str:
        return await look_at_model(settings, SystemClock(), config.data, spend=spend)

    async def redis(url: str) -> str:
        from bot.doctor.redis import redis as look_at_redis

        (found,) = await look_at_redis(url)
        if found.cure:
            raise UserError(f"{found.text}; {found.cure}")
        return found.text

    return checking.Probes(
        redis=redis,
        tip=tip,
        revision=revision,
        model=model,
        clock=SystemClock(),
        parked=dead,
        forge=look_at_forge,
    )
