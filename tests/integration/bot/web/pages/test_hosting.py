"""What the web server of a process mounts."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from starlette.routing import Route

from bot.app import open_workspace
from bot.config.reader import read
from bot.util.machine import FixedClock
from bot.web.server import Hosting, application
from tests.servers.pages import NOW, Fixed


@pytest.mark.parametrize("channels", [Fixed([]), None], ids=["serves chats", "works only"])
async def test_pages_are_served_by_processes_that_know_the_channels(configuration: Path, channels):
    hosting = Hosting(read(configuration).web)
    async with open_workspace(configuration, FixedClock(NOW)) as app:
        mounts = hosting.mounts(app, {}, channels, None)
        paths = [one.path for one in mounts["/"] if isinstance(one, Route)]
        transport = httpx.ASGITransport(app=application(mounts))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            first, alive = await reader.get("/"), await reader.get("/healthz")
    assert alive.json() == {"alive": True}
    assert "/metrics" in paths
    assert first.status_code == (404 if channels is None else 200)
    assert ("owner/open" in first.text) == (channels is not None)
