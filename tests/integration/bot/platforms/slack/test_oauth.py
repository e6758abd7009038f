"""Many workspaces: Slack's OAuth flow, the tokens it leaves, and posting with each."""

from __future__ import annotations

import asyncio
import json
import stat
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from bot.messaging.sender import SendError, SendReason
from bot.platforms.slack import Config, create
from bot.platforms.slack.oauth import States
from digest.document import Document, Paragraph, Text
from tests.integration.bot.platforms.slack.slack_caller import SECRET, Caller
from tests.servers.asgi import served
from tests.servers.slack import (
    BOT_USER,
    CHANNEL,
    CLIENT_ID,
    CLIENT_SECRET,
    PERSON,
    Drops,
    SlackServer,
)

# slack-sdk 3.47 makes its request so; aiohttp is kept below 4, which takes it away.
pytestmark = pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")

COOKIE = "slack-app-oauth-state"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "installations"


@pytest.fixture
def redirect():
    """Where Slack is to send browsers back to, by the configuration."""
    return ""


@pytest.fixture
async def caller(folder, redirect):
    with SlackServer() as server:
        bot = create(
            Config(
                signing_secret=SECRET,
                events="http",
                api=server.url,
                installations=folder,
                client_id=CLIENT_ID,
                client_secret=CLIENT_SECRET,
                redirect_url=redirect,
                workspaces=("T0ONE", "T0TWO"),
            )
        )
        async with served(bot.web) as url, aiohttp.ClientSession() as session:
            made = Caller(url, session, bot)
            made.server = server
            async with made.listening():
                yield made
        await bot.aclose()


async def install(caller, team, *, cookie=None, state=None):
    """What a browser does; the status of the last page."""
    visit = caller.session.get(f"{caller.url}/slack/install", allow_redirects=False)
    async with visit as answer:
        assert answer.status == 302
        query = parse_qs(urlsplit(answer.headers["Location"]).query)
        assert query["client_id"] == [CLIENT_ID]
        assert "chat:write" in query["scope"][0]
        given = query["state"][0]
        # Slack holds the code to the address that it was asked for with.
        caller.server.redirect = query.get("redirect_uri", [""])[0]
    headers = {"Cookie": f"{COOKIE}={cookie or given}"}
    back = f"{caller.url}/slack/oauth_redirect"
    params = {"code": team, "state": state or given}
    async with caller.session.get(back, params=params, headers=headers) as answer:
        caller.page = await answer.text()
        assert answer.headers["Content-Type"].startswith("text/plain")
        assert f"{COOKIE}=deleted" in answer.headers["Set-Cookie"]
        return answer.status, given


def words(bot, text):
    (part,) = bot.render(Document(title=text, blocks=(Paragraph((Text(text),)),)))
    return part


async def test_a_workspace_that_installs_the_bot_is_posted_to_and_heard(caller, folder):
    for team in ("T0ONE", "T0TWO"):
        assert (await install(caller, team))[0] == 200
    await caller.bot.send(f"T0TWO/{CHANNEL}", words(caller.bot, "good morning"))
    assert caller.server.seen() == ["good morning"]
    event = {"type": "app_mention", "user": PERSON, "channel": CHANNEL, "ts": "1700000000.1", "text": f"<@{BOT_USER}> help"}  # fmt: skip
    await caller.event({"type": "event_callback", "team_id": "T0ONE", "event": event})
    heard = await asyncio.wait_for(caller.heard.get(), 120)
    assert (heard.chat, heard.workspace) == (f"T0ONE/{CHANNEL}", "T0ONE")


async def test_tokens_are_for_the_owner_alone(caller, folder):
    await install(caller, "T0ONE")
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert json.loads(file.read_text())["token"] == "xoxb-secret-of-T0ONE"


async def test_another_workspace_cannot_install_it(caller, folder):
    assert (await install(caller, "T0OTHER"))[0] == 403
    assert not folder.exists()
    with pytest.raises(SendError) as raised:
        await caller.bot.send(f"T0OTHER/{CHANNEL}", words(caller.bot, "x"))
    assert raised.value.reason is SendReason.UNAUTHORIZED


@pytest.mark.parametrize(
    "given",
    [{"state": "guessed"}, {"cookie": "guessed"}, {"state": "../../x", "cookie": "../../x"}],
)
async def test_a_state_that_was_not_issued_to_this_browser_installs_nothing(caller, folder, given):
    assert (await install(caller, "T0ONE", **given))[0] in {400, 401}
    assert not folder.exists()


async def test_a_state_is_good_for_one_installation_and_ten_minutes():
    now = 0.0
    states = States(clock=lambda: now)
    state, late = await states.async_issue(), await states.async_issue()
    assert await states.async_consume(state)
    assert not await states.async_consume(state)
    now = 601.0
    assert not await states.async_consume(late)


async def test_a_workspace_that_removes_the_bot_is_forgotten(caller, folder):
    await install(caller, "T0ONE")
    gone = {"type": "event_callback", "team_id": "T0ONE", "event": {"type": "app_uninstalled"}}
    assert (await caller.event(gone))[0] == 200
    while list(folder.iterdir()):
        await caller.event({"type": "other"})
    with pytest.raises(SendError):
        await caller.bot.send(f"T0ONE/{CHANNEL}", words(caller.bot, "x"))


async def test_a_chat_without_its_workspace_is_named(caller):
    with pytest.raises(SendError, match=r"T\.\.\./C"):
        await caller.bot.send(CHANNEL, words(caller.bot, "x"))


@pytest.mark.parametrize("redirect", ["https://bot.example/deep/events/slack/oauth_redirect"])
async def test_address_behind_a_proxy_goes_to_slack_both_times(caller, redirect):
    assert (await install(caller, "T0ONE"))[0] == 200
    assert caller.server.redirect == redirect
    assert caller.page == "Installed in The T0ONE. Now invite the bot to a channel.\n"


@pytest.mark.parametrize("wrong", ["http://bot.example/x", "bot.example", "https://a b"])
def test_redirect_that_slack_would_refuse_is_told_at_the_start(wrong):
    with pytest.raises(ValueError, match="redirect_url"):
        Config(bot_token="xoxb-1", redirect_url=wrong)


async def test_code_for_another_address_installs_nothing(caller, folder):
    visit = caller.session.get(f"{caller.url}/slack/install", allow_redirects=False)
    async with visit as answer:
        state = parse_qs(urlsplit(answer.headers["Location"]).query)["state"][0]
    caller.server.redirect = "https://elsewhere.example/"
    back = f"{caller.url}/slack/oauth_redirect?code=T0ONE&state={state}"
    async with caller.session.get(back, headers={"Cookie": f"{COOKIE}={state}"}) as answer:
        assert answer.status == 401
        assert "redirect_url" in await answer.text()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("access_denied", "Not installed: it was declined.\n"),
        ("<script>x</script>", "Not installed: Slack says '<script>x</script>'.\n"),
        ("two\nlines" + "x" * 500, f"Not installed: Slack says {('two' + chr(10) + 'lines' + 'x' * 91)!r}.\n"),
    ],
)  # fmt: skip
async def test_what_went_wrong_is_told_in_one_line_of_text(caller, error, said):
    back = f"{caller.url}/slack/oauth_redirect"
    async with caller.session.get(back, params={"error": error}) as answer:
        assert answer.status == 400
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert await answer.text() == said


async def test_slack_that_is_away_is_told_and_installs_nothing(caller, folder):
    visit = caller.session.get(f"{caller.url}/slack/install", allow_redirects=False)
    async with visit as answer:
        state = parse_qs(urlsplit(answer.headers["Location"]).query)["state"][0]
    caller.server.plan("oauth.v2.access", Drops())
    back = f"{caller.url}/slack/oauth_redirect?code=T0ONE&state={state}"
    async with caller.session.get(back, headers={"Cookie": f"{COOKIE}={state}"}) as answer:
        assert answer.status == 502
        assert (await answer.text()).startswith("Not installed: Slack did not answer")
    assert not folder.exists()
