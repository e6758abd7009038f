"""``digestbot serve``: the pages of a repository on this machine, and nothing else."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Router

from bot import runner
from bot.app import App, opened
from bot.commands import finish
from bot.commands.windows import day_of
from bot.showing.progress import Bar
from bot.watching import logs
from bot.web.config import Listen, WebSettings
from bot.web.pages.routes import routes
from bot.web.pages.warming import warm
from bot.web.server import application, serving
from bot.web.shelving import alone
from digest.window import Window
from handlers.ingest import fill
from handlers.looking import tip_of
from handlers.watched import Watched

_HERE = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The arguments, as they were typed."""

    place: str | None
    days: int
    port: int
    name: str | None = None
    branch: str | None = None
    zone: str | None = None
    config: Path | None = None


def run(options: Options) -> None:
    """Read what the archive lacks of the last days, then serve until a signal comes.

    Raises ``UserError``.
    """
    # The address is all that is told where somebody reads along; troubles go beside it.
    logs.configure(level="warning")
    finish(_run(options))


async def _run(options: Options) -> None:
    async with opened(options.config) as app:
        watched = await app.watch(options.place, name=options.name, branch=options.branch)
        await _read(app, watched, options)
        stop = asyncio.Event()
        runner.stop_on_signals(stop)
        settings = WebSettings(listen=Listen(_HERE, options.port))
        shelf = alone(app, [watched], options.zone)
        await warm(shelf)
        pages = Router(routes(shelf))
        # A page of somebody else may not reach this one under a name of its own (DNS rebinding).
        guarded = TrustedHostMiddleware(pages, [_HERE, "localhost"])
        async with serving(application({"/": guarded}), settings) as address:
            sys.stdout.write(f"{watched.repository.name} is at {address} (end with Ctrl-C)\n")
            sys.stdout.flush()
            await stop.wait()


async def _read(app: App, watched: Watched, options: Options) -> None:
    """Bring the archive up to date for the days up to the newest commit."""
    await watched.source.sync()
    ctx = app.context(watched, zone=app.zone(options.zone), progress=Bar(watched.repository.name))
    last = await day_of(ctx, "last")
    await fill(ctx, _last_days(last, options.days), await tip_of(ctx))


def _last_days(last: Window, days: int) -> Window:
    return Window(since=last.until - timedelta(days=days), until=last.until, zone=last.zone)
