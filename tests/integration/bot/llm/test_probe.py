"""What the check says of a server."""

from __future__ import annotations

import pytest

from bot.config.model_section import ModelConfig
from bot.llm.response_format import Rung
from bot.llm.runtime import PROBE_TOKENS, connect, look
from bot.util.machine import SystemClock
from digest.errors import UserError
from handlers.ports.model_port import ModelReason
from tests.integration.bot.llm.asking import GOOD, KEY, request
from tests.servers.model import Fails, Says
from tests.support.fakes_model import FakeCallLedger

TRIANGLE = '{"colour": "blue", "sides": 3}'


@pytest.fixture
def see(tmp_path):
    async def see(server, *, spend=False, ledger=None, **settings):
        url = server if isinstance(server, str) else server.url
        config = ModelConfig.model_validate({"name": "m", "base_url": url, "key": KEY} | settings)
        ledger = FakeCallLedger() if ledger is None else ledger
        return await look(config, ledger if spend else None, SystemClock(), tmp_path)

    return see


async def test_probe_without_spending_reads_the_list_alone(serve, see):
    server = serve(key=KEY)
    found = await see(server)
    assert (found.model, found.rung) == (True, None)
    assert not server.asked


async def test_probe_names_models_like_the_one_that_is_not_there(serve, see):
    server = serve(models=("qwen3-32b", "deepseek-chat"))
    with pytest.raises(UserError, match=r"no model 'deepseek-chta'; it has deepseek-chat$"):
        await see(server, name="deepseek-chta")


async def test_probe_tells_a_wrong_key(serve, see):
    with pytest.raises(UserError, match=ModelReason.UNAUTHORIZED) as told:
        await see(serve(key="another"))
    assert KEY not in str(told.value)


async def test_probe_tells_that_nothing_is_there(see):
    with pytest.raises(UserError, match=f"127.0.0.1:9/v1: {ModelReason.UNAVAILABLE}"):
        await see("http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("formats", "rung"),
    [
        ({"json_schema", "json_object"}, Rung.STRICT),
        ({"json_object"}, Rung.OBJECT),
        (set(), Rung.TEXT),
    ],
)
async def test_probe_that_may_spend_finds_the_rung_and_keeps_it(
    serve, see, tmp_path, formats, rung
):
    server = serve(answer=lambda sent: Says(text=TRIANGLE), formats=formats)
    ledger = FakeCallLedger()
    found = await see(server, spend=True, ledger=ledger)
    assert (found.rung, found.model) == (rung, True)
    assert found.usage == ledger.total
    assert 0 < found.usage.tokens < PROBE_TOKENS
    config = ModelConfig.model_validate({"name": "m", "base_url": server.url})
    model = connect(config, ledger, SystemClock(), tmp_path)
    assert model.dialect.rung is rung


async def test_probe_finds_a_server_that_does_not_keep_to_a_schema(serve, see):
    def answer(sent):
        knows = "colour" in sent.text
        return Says(text=TRIANGLE if knows else '{"shape": "triangle", "color": "blue"}')

    found = await see(serve(answer=answer), spend=True)
    assert found.rung is Rung.OBJECT


async def test_probe_asks_anew_whatever_was_remembered(serve, see):
    server = serve(answer=lambda sent: Says(text=TRIANGLE), formats=())
    assert (await see(server, spend=True)).rung is Rung.TEXT
    server.formats = frozenset({"json_schema"})
    assert (await see(server, spend=True)).rung is Rung.STRICT


async def test_probe_of_a_server_without_a_list(serve, see):
    server = serve(answer=lambda sent: Says(text=TRIANGLE))
    server._act, usual = (
        (lambda sent: Fails(404, "") if sent.path.endswith("/models") else usual(sent)),
        server._act,
    )
    assert not (await see(server)).model
    assert (await see(server, spend=True)).rung is Rung.STRICT


async def test_connected_model_keeps_its_caps(serve, tmp_path):
    server = serve(answer=lambda sent: Says(text=GOOD))
    settings = {"name": "m", "base_url": server.url, "caps": {"channel": {"tokens": 1500}}}
    ledger = FakeCallLedger()
    model = connect(ModelConfig.model_validate(settings), ledger, SystemClock(), tmp_path)
    await model.complete(request())
    with pytest.raises(Exception, match="1500 tokens a day of channel 'team'"):
        await model.complete(request(output_tokens=1490))
    await model.aclose()
    assert len(server.asked) == 1
