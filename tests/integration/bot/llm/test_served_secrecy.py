"""Nothing of the key, and nothing of the environment, gets out."""

from __future__ import annotations

import logging
import traceback

import pytest

from handlers.ports.model_port import ModelError
from tests.integration.bot.llm.asking import GOOD, KEY, request
from tests.servers.model import Breaks, Fails, Raw, Says, error

LEAKS = [
    error(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"),
    error(400, f"bad request with Authorization: Bearer {KEY}"),
    Fails(500, {"error": {"message": f"key {KEY} is broken"}}),
    Fails(500, KEY),
    Fails(403, {"detail": [{"loc": ["header"], "msg": KEY, "input": {"key": KEY}}]}),
    Raw(f'{{"error": {{"message": "{KEY}"}}}}'),
    Raw(KEY, "text/html"),
    Says(text=f"no JSON but {KEY}"),
    Says(text=GOOD, finish=KEY),
    Breaks(),
]


@pytest.mark.parametrize("act", LEAKS, ids=range(len(LEAKS)))
@pytest.mark.parametrize("streaming", [False, True])
async def test_key_is_in_no_error_log_or_record(
    serve, connect, act, streaming, caplog, capfd, monkeypatch
):
    monkeypatch.setenv("OPENAI_LOG", "debug")
    caplog.set_level(logging.DEBUG)
    server = serve(answer=lambda sent: act)
    setup = connect(server)
    try:
        if streaming:
            async for _ in setup.model.stream(request()):
                pass
        else:
            await setup.model.complete(request())
    except ModelError as caught:
        told = "".join(traceback.format_exception(caught))
        chain: BaseException | None = caught
        while chain is not None:
            told += (
                repr(chain) + str(chain) + repr(chain.args) + repr(getattr(chain, "request", ""))
            )
            chain = chain.__cause__ or chain.__context__
    else:
        raise AssertionError("the act must fail")
    out, err = capfd.readouterr()
    told += out + err + caplog.text + repr(setup.ledger.calls) + repr(setup.config)
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert "model.fault" in told or "model.again" in told
    assert KEY not in told
    assert KEY[8:] not in told


async def test_lines_of_the_question_are_in_no_log(serve, connect, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    server = serve(Fails(500, ""), Says(text=GOOD))
    await connect(server).model.complete(request())
    out, err = capfd.readouterr()
    assert "You read changes" not in out + err + caplog.text


async def test_variables_of_the_environment_reach_no_server(serve, connect, monkeypatch):
    elsewhere = serve()
    for name, value in {
        "OPENAI_API_KEY": "sk-of-another-server",
        "OPENAI_ADMIN_KEY": "sk-admin",
        "OPENAI_BASE_URL": elsewhere.url,
        "OPENAI_ORG_ID": "org-secret",
        "OPENAI_PROJECT_ID": "project-secret",
        "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer custom\nX-Secret: secret",
    }.items():
        monkeypatch.setenv(name, value)
    server = serve(Says(text=GOOD))
    await connect(server).model.complete(request())
    sent = str(server.asked[0].headers)
    assert not any(word in sent for word in ("secret", "custom", "another", "admin"))
    assert not elsewhere.requests


async def test_server_without_a_key_gets_none(serve, connect, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-server")
    server = serve(Says(text=GOOD))
    await connect(server, key=None).model.complete(request())
    assert "authorization" not in server.asked[0].headers


async def test_request_does_not_tell_of_the_machine(serve, connect):
    server = serve(Says(text=GOOD))
    await connect(server).model.complete(request())
    assert server.asked[0].headers.keys() <= {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
        "x-stainless-raw-response",
    }
