"""The web server as it is outside: real connections on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx
import pytest

from bot.config.file_model import WebSettings
from bot.web.server import application, serving

Visit = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def visit() -> Visit:
    """Serve what is mounted for as long as the block lasts, and a client that asks it."""

    @asynccontextmanager
    async def visiting(mounts, **settings) -> AsyncIterator[httpx.AsyncClient]:
        bounds = {key: settings.pop(key) for key in ("largest", "seconds") if key in settings}
        web = WebSettings.model_validate({"listen": "127.0.0.1:0", **settings})
        async with (
            serving(application(mounts, **bounds), web) as address,
            httpx.AsyncClient(base_url=address, trust_env=False) as client,
        ):
            yield client

    return visiting
