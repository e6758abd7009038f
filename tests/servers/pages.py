"""The pages over a real archive made from a real repository, served on loopback in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from bot.app import open_workspace
from bot.config.file_model import Listen, WebSettings
from bot.config.reader import read
from bot.util.machine import FixedClock
from bot.web.pages.routes import routes
from bot.web.pages.site import Site
from bot.web.server import application, serving
from bot.web.site_factory import alone, configured_site
from bot.workspace.workspace import Workspace
from digest.llm.model_input import Material
from digest.window import Window
from handlers.digests.ingest import fill, tip_of
from tests.support import hostile
from tests.support.builders import RepositoryBuilder
from tests.support.channels import Fixed

TOKEN = "a-token-for-tests-only"

SECRET = "123456:telegram-token-for-tests"

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)

NOW = MONDAY + timedelta(days=2)

UTC_ZONE = ZoneInfo("UTC")

CONFIG = """
[defaults]
zone = "UTC"

[web]
token = "{token}"
public_url = "{public}"

[[repositories]]
place = "{place}"
name = "owner/open"
web = "https://github.com/owner/open"
forge = "github"
visibility = "public"

[[repositories]]
place = "{place}"
name = "owner/closed"
visibility = "private"

[platforms.telegram]
token = "{secret}"
"""


def build(folder: Path) -> RepositoryBuilder:
    """Three ordinary days and one day of malicious commits."""
    made = RepositoryBuilder(folder)
    made.commit(
        "[Feature] Add a pool with a limit (#1)\n\nA pool keeps engines warm, so that they are no longer started for each call.",
        {
            "engine/pool.py": "class Pool:\n    def get(self, wait=1):\n        return wait\n",
            "engine/cli.py": "parser.add_argument('--pool-size', default=4)\n",
            "tests/test_pool.py": "def test_pool():\n    assert True\n",
        },
        at=MONDAY,
    )
    made.commit("[Docs] Tell of pools (#2)", {"docs/pool.md": "Pools.\n"}, at=MONDAY)
    made.git("tag", "v0.1.0", "main")
    made.commit(
        "[Core] Remove the wait (#3)",
        {
            "engine/pool.py": "class Pool:\n    def get(self):\n        return 1\n",
            "engine/cli.py": "parser.add_argument('--pool-limit', default=8)\n",
        },
        at=MONDAY + timedelta(days=1),
    )
    made.git("tag", "v0.2.0rc1", "main")
    made.git("tag", "v0.2.0", "main")
    for n in range(30):
        made.commit(f"[CI] Run step {n} (#{n + 10})", {f"ci/{n}.yml": f"step: {n}\n"})
    for at, (name, material) in enumerate(hostile.COMMITS.items()):
        if name != "huge lines":  # a megabyte would prove nothing more
            _harm(made, name, material, MONDAY + timedelta(days=2, minutes=at))
    return made


def _harm(made: RepositoryBuilder, name: str, material: Material, at: datetime) -> None:
    change = material.change
    files = {
        file.path.strip("/")
        .replace("//", "/")
        .encode("utf-8", "surrogateescape")
        .replace(b"\x00", b""): "\n".join(
            line for hunk in file.hunks for line in (*hunk.removed, *hunk.added)
        ).encode("utf-8", "replace")
        + b"\n"
        + name.encode()
        for file in change.files
    }
    message = change.commit.message.encode("utf-8", "replace").replace(b"\x00", b"")
    made.commit(
        message,
        files,
        at=at,
        author=b"\"' onmouseover=alert(1) [x](javascript:alert(1)) &lt; <harm@example.org>",
    )


def write_config(folder: Path, place: Path, public: str = "") -> Path:
    """A configuration of two repositories: a public one, and the same as a private one."""
    file = folder / "digestbot.toml"
    file.write_text(
        CONFIG.format(token=TOKEN, place=place, public=public, secret=SECRET), encoding="utf-8"
    )
    file.chmod(0o600)
    return file


async def fill_archive(file: Path) -> None:
    """Read both repositories into the archive."""
    async with open_workspace(file, FixedClock(NOW)) as app:
        for settings in read(file).repositories:
            watched = await app.watch_configured(settings)
            ctx = app.context(watched, zone=UTC_ZONE)
            window = Window(since=MONDAY - timedelta(days=1), until=NOW, zone=UTC_ZONE)
            whole = replace(window, until=NOW + timedelta(days=1))
            await fill(ctx, whole, await tip_of(ctx))


@asynccontextmanager
async def shelved(file: Path, **changed) -> AsyncIterator[tuple[Workspace, Site]]:
    """The program with its pages; ``changed`` are fields of the shelf."""
    async with open_workspace(file, FixedClock(NOW)) as app:
        config = read(file)
        assert config.web is not None
        shelf = configured_site(app, config, config.web, Fixed([]))
        yield app, replace(shelf, **changed)


async def answering(app: Workspace, shelf: Site) -> Site:
    """The shelf with an answer to questions, as for the user of the machine."""
    assert app.config is not None
    watched = [await app.watch_configured(one) for one in app.config.repositories]
    return replace(shelf, histories=alone(app, watched, "UTC").histories, strangers_read=True)


class PagesServer:
    """Serves the pages of a configuration for as long as the block lasts, in a separate thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self.address = ""

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(120)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        settings = WebSettings(listen=Listen("127.0.0.1", 0), token=SecretStr(TOKEN))
        async with (
            shelved(self._file) as (app, shelf),
            serving(
                application({"/": routes(await answering(app, shelf))}), settings
            ) as self.address,
        ):
            self._ready.set()
            await self._stop.wait()
