"""Installing into a workspace of Slack, through the program's own web server."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from bot.platforms.slack import Config, create
from bot.web.server import events
from tests.integration.bot.platforms.slack.slack_caller import SECRET
from tests.servers.slack import CLIENT_ID, CLIENT_SECRET, SlackServer

# slack-sdk 3.47 makes its request so; aiohttp is kept below 4, which takes it away.
pytestmark = pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")

COOKIE = "slack-app-oauth-state"


@pytest.fixture
async def slack(tmp_path):
    with SlackServer() as server:
        bot = create(
            Config(
                signing_secret=SECRET,
                events="http",
                api=server.url,
                installations=tmp_path / "installations",
                client_id=CLIENT_ID,
                client_secret=CLIENT_SECRET,
            )
        )
        yield bot
        await bot.aclose()


async def test_a_browser_is_led_to_slack_and_back_and_the_token_is_kept(visit, slack, tmp_path):
    async with visit(events({"many": slack})) as client:
        led = await client.get("/events/many/install")
        assert led.status_code == 302
        asked = parse_qs(urlsplit(led.headers["location"]).query)
        assert asked["client_id"] == [CLIENT_ID]
        (state,) = asked["state"]
        assert "HttpOnly" in led.headers["set-cookie"]
        assert "Secure" in led.headers["set-cookie"]
        back = await client.get(
            "/events/many/oauth_redirect",
            params={"code": "T0ONE", "state": state},
            headers={"Cookie": f"{COOKIE}={state}"},
        )
    assert back.status_code == 200
    assert back.headers["x-frame-options"] == "DENY"
    assert [file.name for file in (tmp_path / "installations").iterdir()] == ["T0ONE.json"]
    assert "xoxb-" not in back.text


async def test_who_comes_back_without_having_been_sent_installs_nothing(visit, slack, tmp_path):
    async with visit(events({"many": slack})) as client:
        back = await client.get(
            "/events/many/oauth_redirect", params={"code": "T0ONE", "state": "guessed"}
        )
        assert back.status_code in {400, 401}
        assert (await client.get("/events/many")).status_code == 405
        assert (await client.post("/events/many/install")).status_code == 401
    assert not (tmp_path / "installations").exists()
