"""What ``check`` says of a model, by asking a real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.config.model_section import ModelConfig
from bot.ops.check import look_at_model
from bot.store.analyses import SqlCalls
from bot.store.sqlite import FILE, open_database
from digest.errors import UserError
from tests.integration.bot.llm.asking import KEY
from tests.servers.model import ModelServer, Says
from tests.support.fakes import FakeClock

BLUE = Says(text=json.dumps({"colour": "blue", "sides": 3}))


def config(server: ModelServer, **more: object) -> ModelConfig:
    return ModelConfig.model_validate({"name": "m", "base_url": server.url, "key": KEY, **more})


async def test_without_spending_only_the_list_is_asked_for(serve, tmp_path: Path) -> None:
    server = serve(key=KEY)
    told = await look_at_model(config(server), FakeClock(), tmp_path, spend=False)
    assert "has the model" in told
    assert "check --spend" in told
    assert server.asked == []
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize(
    ("formats", "said"),
    [
        (("json_schema", "json_object"), "rung 1 of 3"),
        (("json_object",), "rung 2 of 3"),
        ((), "rung 3 of 3"),
    ],
)
async def test_spending_tells_the_rung_and_it_is_remembered(
    serve, tmp_path: Path, formats: tuple[str, ...], said: str
) -> None:
    server = serve(key=KEY, formats=formats, answer=lambda sent: BLUE)
    told = await look_at_model(config(server), FakeClock(), tmp_path, spend=True)
    assert said in told
    assert "tokens spent" in told
    asked = len(server.asked)
    again = await look_at_model(config(server), FakeClock(), tmp_path, spend=False)
    assert said in again
    assert len(server.asked) == asked
    async with await open_database(tmp_path) as database:
        spent = await SqlCalls(database).spent(FakeClock().now())
    assert spent.tokens > 0


async def test_what_is_wrong_is_told_without_the_key(serve, tmp_path: Path) -> None:
    server = serve(key="another", models=("m1", "other"))
    with pytest.raises(UserError, match="unauthorized") as raised:
        await look_at_model(config(server), FakeClock(), tmp_path, spend=False)
    assert KEY not in str(raised.value)
    server.key = KEY
    with pytest.raises(UserError, match=r"unknown_model.*it has m1"):
        await look_at_model(config(server), FakeClock(), tmp_path, spend=False)
