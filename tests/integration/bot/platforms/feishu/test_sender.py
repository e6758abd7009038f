"""Posting to Feishu's double: once, within its limits, and every answer understood."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.messaging.sender import Part, Receipt, SendError, SendReason
from bot.messaging.wire import HttpClient
from bot.platforms.feishu import Config, create
from bot.platforms.feishu.open_api import _BY_CODE, Api
from bot.platforms.feishu.sender import FeishuSender
from digest.document import Actions, Button, Document, Paragraph, Text
from handlers.ports.storage import PartState
from tests.integration.bot.platforms.feishu.feishu_official import official
from tests.servers.feishu import FeishuServer, refused
from tests.servers.feishu_events import APP, SECRET
from tests.servers.loopback import Breaks, DropsAfter, Fails, Hangs, HangsAfter
from tests.support.fakes_delivery import Crash, FakeClock, FakeLeases, FakeLedger, Killed, no_step
from tests.support.virtual import VirtualLoop, run_in_virtual_time, timeless

HELLO = Document(title="hello", blocks=(Paragraph((Text("hello"),)),))
NAMED = "0123456789abcdef" * 2


@pytest.fixture
def server() -> Iterator[FeishuServer]:
    with FeishuServer() as running:
        yield running


@pytest.fixture
async def sender(server):
    made = a_sender(server)
    yield made
    await made.aclose()


def a_sender(server, patience=5.0, clock=None) -> FeishuSender:
    api = Api(server.url, APP, SecretStr(SECRET), HttpClient(patience=patience))
    return FeishuSender(api, clock or server.now)


def hello(sender, identity="", since=None) -> Part:
    (part,) = sender.render(HELLO)
    return Part(text=part.text, body=part.body, identity=identity, since=since)


async def fails(call) -> SendError:
    with pytest.raises(SendError) as raised:
        await call
    return raised.value


# Tokens


async def test_many_calls_share_one_token(server, sender):
    await sender.ready("oc_team")  # no turn is spent on fetching it
    assert server.token_calls == 1
    await asyncio.gather(*(sender.send("oc_team", hello(sender)) for _ in range(4)))
    assert server.token_calls == 1


async def test_a_token_is_fetched_anew_before_it_runs_out(server, monkeypatch):
    import time

    sender, began = a_sender(server), time.monotonic()
    await sender.send("oc_team", hello(sender))
    monkeypatch.setattr(time, "monotonic", lambda: began + 7200 - 1400)
    await sender.send("oc_team", hello(sender))
    assert server.token_calls == 2
    await sender.aclose()


async def test_a_stale_token_is_fetched_anew_once(server, sender):
    await sender.send("oc_team", hello(sender))
    server.revoke()
    await asyncio.gather(*(sender.send("oc_team", hello(sender)) for _ in range(4)))
    assert server.token_calls == 2
    assert len(server.stands) == 5


async def test_a_token_that_never_holds_is_given_up(server, sender):
    server.life = 0
    error = await fails(sender.send("oc_team", hello(sender)))
    assert (error.reason, error.retry) == (SendReason.UNAUTHORIZED, False)
    assert server.token_calls == 2


async def test_no_answer_for_a_token_leaves_no_message_in_doubt(server):
    server.counts = lambda sent: "tenant_access_token" in sent.path
    server.script.append(Hangs())
    sender = a_sender(server, patience=0.05)
    assert (await fails(sender.send("oc_team", hello(sender)))).reason is SendReason.UNAVAILABLE
    await sender.aclose()


# Once


@pytest.mark.parametrize("act", [DropsAfter(), HangsAfter(), Hangs(), Breaks()])
async def test_a_send_without_an_answer_is_repeated_and_stands_once(server, act):
    server.script.append(act)
    sender = a_sender(server, patience=0.2)
    part = hello(sender, NAMED)
    error = await fails(sender.send("oc_team", part))
    assert (error.reason, error.retry) == (SendReason.NO_ANSWER, True)
    receipt = await sender.send("oc_team", part)
    assert [one.id for one in server.stands] == [receipt.message]
    await sender.aclose()


async def test_without_an_identity_a_send_without_an_answer_is_not_repeatable(server):
    server.script.append(DropsAfter())
    sender = a_sender(server)
    error = await fails(sender.send("oc_team", hello(sender)))
    assert (error.reason, error.retry) == (SendReason.NO_ANSWER, False)
    await sender.aclose()


async def test_after_the_hour_a_repeat_is_another_message_and_is_looked_for_first(server, sender):
    since = datetime.fromtimestamp(server.now(), UTC)
    part = hello(sender, NAMED, since)
    first = await sender.send("oc_team", part)
    server.skew = 2 * 3600
    assert await sender.find("oc_team", part) == first
    await sender.send("oc_team", part)
    assert len(server.stands) == 2


async def test_find_passes_over_others_cards_recalled_ones_and_other_parts(server, sender):
    part = hello(sender, NAMED)
    receipt = await sender.send("oc_team", part)
    copy = server.messages[receipt.message].card
    server.messages[receipt.message].deleted = True
    server.post("oc_team", copy, sender="cli_somebody")
    server.post("oc_team", {"elements": "not a card of ours"})
    await sender.send("oc_team", hello(sender, "f" * 32))
    assert await sender.find("oc_team", part) is None


async def test_find_looks_through_pages(server, sender):
    part = hello(sender, NAMED)
    receipt = await sender.send("oc_team", part)
    for _ in range(120):
        server.post("oc_team", {"body": {"elements": [{"tag": "hr"}]}})
    assert await sender.find("oc_team", part) == receipt


async def test_without_permission_to_look_the_repeat_is_trusted_for_an_hour(server, sender):
    server.history = False
    part = hello(sender, NAMED, datetime.fromtimestamp(server.now(), UTC))
    assert await sender.find("oc_team", part) is None
    server.skew = 3600
    assert (await fails(sender.find("oc_team", part))).reason is SendReason.UNSUPPORTED
    undated = hello(sender, NAMED)
    assert (await fails(sender.find("oc_team", undated))).reason is SendReason.UNSUPPORTED


async def test_a_persons_chat_cannot_be_looked_through(server, sender):
    part = hello(sender, NAMED, datetime.fromtimestamp(server.now(), UTC))
    assert (await sender.send("ou_ann", part)).message
    assert await sender.find("ou_ann", part) is None
    server.skew = 3600
    assert (await fails(sender.find("ou_ann", part))).reason is SendReason.UNSUPPORTED


@pytest.mark.parametrize("history", [True, False])
async def test_a_delivery_in_doubt_stands_once(server, history):
    """The process dies after the call and before its proof: the next one resolves it."""
    server.history = history
    ledger, died = FakeLedger(), a_sender(server)
    document = Document(title="t", blocks=(Paragraph((Text("digest"),)),))

    async def post(sender):
        target = Target(name="team", sender=sender, chat="oc_team")
        delivery = Delivery(ledger, FakeLeases(), [target], Patience(first=0))
        return await delivery.deliver(Posting(target=target, digest="d", document=document))

    await post(died)
    (key,) = ledger.records
    ledger.records[key] = _in_doubt(ledger.records[key])
    again = a_sender(server)
    assert (await post(again)).done
    assert len(server.stands) == 1
    await died.aclose()
    await again.aclose()


def _in_doubt(record):
    from dataclasses import replace

    parts = tuple(replace(one, state=PartState.SENDING, receipt="") for one in record.parts)
    return replace(record, parts=parts, done=False)


# Threads and edits


async def test_parts_after_the_first_stand_in_its_thread(server, sender):
    root = await sender.send("oc_team", hello(sender))
    second = await sender.send("oc_team", hello(sender), root)
    third = await sender.send("oc_team", hello(sender), second)
    made = [server.messages[one.message] for one in (second, third)]
    assert {(one.root, one.in_thread) for one in made} == {(root.message, True)}


async def test_where_there_are_no_threads_an_answer_quotes(server, sender):
    server.threads = False
    root = await sender.send("oc_team", hello(sender))
    receipt = await sender.send("oc_team", hello(sender), root)
    answer = server.messages[receipt.message]
    assert (answer.root, answer.in_thread) == (root.message, False)


async def test_between_two_people_an_answer_quotes(server, sender):
    question = server.post("oc_p2p", {}, sender="ou_ann")
    receipt = await sender.send("oc_p2p", hello(sender), Receipt(message=question.id))
    answer = server.messages[receipt.message]
    assert (answer.root, answer.in_thread, receipt.thread) == (question.id, False, "")


async def test_an_edit_of_what_is_too_old_is_refused(server, sender):
    receipt = await sender.send("oc_team", hello(sender))
    server.skew = 15 * 86400
    sender_again = a_sender(server)
    error = await fails(sender_again.edit("oc_team", receipt, hello(sender)))
    assert error.reason is SendReason.REJECTED
    await sender_again.aclose()


async def test_an_edited_message_is_still_found(server, sender):
    part = hello(sender, NAMED)
    receipt = await sender.send("oc_team", part)
    (other,) = sender.render(Document(title="o", blocks=(Paragraph((Text("other"),)),)))
    await sender.edit("oc_team", receipt, Part(text=other.text, body=other.body, identity=NAMED))
    assert server.messages[receipt.message].edits == 1
    assert await sender.find("oc_team", part) == receipt


# Refusals


CODES = {
    int(code): SendReason(reason)
    for reason, words in tomllib.loads(
        (Path(__file__).parents[4] / "data" / "feishu" / "codes.toml").read_text(encoding="utf-8")
    ).items()
    for code in words
}

const = official("lark_oapi.ws.const")
CONNECTION_CODES = {
    const.SYSTEM_BUSY: SendReason.UNAVAILABLE,
    const.INTERNAL_ERROR: SendReason.UNAVAILABLE,
    const.FORBIDDEN: SendReason.UNAUTHORIZED,
    const.AUTH_FAILED: SendReason.UNAUTHORIZED,
    const.NO_CREDENTIAL: SendReason.UNAUTHORIZED,
    const.EXCEED_CONN_LIMIT: SendReason.UNAUTHORIZED,
}
"""What Feishu's library knows besides, of long connections."""


@pytest.mark.parametrize(("code", "reason"), (CODES | CONNECTION_CODES).items())
async def test_every_documented_code_has_a_reason(code, reason):
    with FeishuServer() as server:
        response = refused(code)
        fail = Fails(400, response.text, {"x-tt-logid": "log-1"})
        server.script.extend([fail, fail])
        sender = a_sender(server)
        error = await fails(sender.send("oc_team", hello(sender)))
        await sender.aclose()
    assert error.reason is reason
    assert str(code) in error.detail
    assert "log-1" in error.detail


def test_no_code_is_known_that_feishu_does_not_document():
    assert _BY_CODE.keys() == CODES.keys() | CONNECTION_CODES.keys()


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (Fails(200, {"code": 230002, "msg": "not in the group"}), SendReason.NO_CHANNEL),
        (Fails(200, {"code": 424242}), SendReason.BROKEN),
        (Fails(400, {"code": 424242}), SendReason.REJECTED),
        (Fails(200, "<html>a proxy</html>"), SendReason.BROKEN),
        (Fails(302, "", {"location": "https://evil.example"}), SendReason.BROKEN),
        (Fails(200, {"code": 0, "data": {}}), SendReason.NO_ANSWER),
        (Fails(500, "oops"), SendReason.UNAVAILABLE),
        (Fails(429, "later"), SendReason.RATE_LIMITED),
        (Fails(403, "forbidden"), SendReason.UNAUTHORIZED),
        (Fails(200, "[1]"), SendReason.BROKEN),
        (Fails(200, "x" * 5_000_000), SendReason.BROKEN),
    ],
)
async def test_other_answers_have_a_reason(server, sender, act, reason):
    server.script.append(act)
    assert (await fails(sender.send("oc_team", hello(sender)))).reason is reason


async def test_the_wait_that_feishu_asks_for_is_told(server, sender):
    body = {"code": 99991400, "msg": "request trigger frequency limit"}
    server.script.append(Fails(429, body, {"x-ogw-ratelimit-reset": "7"}))
    error = await fails(sender.send("oc_team", hello(sender)))
    assert (error.reason, error.retry, error.retry_after) == (SendReason.RATE_LIMITED, True, 7)


@pytest.mark.parametrize(
    ("chat", "reason"),
    [
        ("oc_unknown", SendReason.NO_CHANNEL),
        ("ou_unknown", SendReason.NO_CHANNEL),
        ("", SendReason.NO_CHANNEL),
        ("Team chat", SendReason.NO_CHANNEL),
    ],
)
async def test_a_chat_that_is_not_there_says_so(server, sender, chat, reason):
    assert (await fails(sender.send(chat, hello(sender)))).reason is reason


async def test_a_card_that_feishu_calls_too_large_is_rejected(server, sender):
    big = Part(text="x", body='{"schema":"2.0","body":"' + "x" * 40_000 + '"}')
    assert (await fails(sender.send("oc_team", big))).reason is SendReason.REJECTED


def posted_at(*chats: str) -> list[float]:
    """When each post to these chats stood, all begun at once, in a time of their own."""

    async def post_all(loop: VirtualLoop) -> list[float]:
        with FeishuServer() as server:
            server.clock = loop.time
            server.chats |= {chat: {"name": chat, "chat_mode": "group"} for chat in chats}
            client = HttpClient()
            client.request = timeless(loop, client.request)
            sender = FeishuSender(Api(server.url, APP, SecretStr(SECRET), client), server.now)

            async def post(chat: str) -> None:
                await sender.ready(chat)
                await sender.send(chat, hello(sender))

            await asyncio.gather(*map(post, chats))
            await sender.aclose()
            return sorted(one.at for one in server.stands)

    return run_in_virtual_time(post_all)


def test_a_busy_chat_waits_for_its_turn_and_is_never_refused():
    times = posted_at(*["oc_team"] * 9)
    assert len(times) == 9
    assert times[-1] - times[0] == pytest.approx(8 / 4)  # Feishu's limit is 5 a second


def test_a_hundred_chats_go_as_fast_as_the_app_may():
    times = posted_at(*(f"oc_{n}" for n in range(100)))
    assert len(times) == 100
    assert 99 / 50 <= times[-1] - times[0] < 1.2 * 99 / 50


def test_post_after_the_thousand_of_a_minute_goes_as_soon_as_the_minute_is_over():
    async def turns(loop: VirtualLoop) -> list[float]:
        with FeishuServer() as server:
            client = HttpClient()
            client.request = timeless(loop, client.request)
            sender = FeishuSender(Api(server.url, APP, SecretStr(SECRET), client), loop.time)
            times = []
            for number in range(1001):
                await sender.ready(f"oc_{number}")
                times.append(loop.time())
            await sender.aclose()
            return times

    times = run_in_virtual_time(turns)
    assert times[999] - times[0] < 30
    assert times[1000] - times[0] == pytest.approx(60)


# Looking without sending


async def test_probe_tells_the_bot_and_the_group(server, sender):
    assert await sender.probe("oc_team") == "bot 'Digest', group 'Team'"
    server.chats["oc_team"]["external"] = True
    assert (await sender.probe("oc_team")).endswith("with people from outside")
    direct = "bot 'Digest', direct messages to the open_id 'ou_ann', which is not checked"
    assert await sender.probe("ou_ann") == direct


async def test_probe_says_what_is_wrong_with_a_group(server, sender):
    server.chats["oc_team"]["chat_status"] = "dissolved"
    assert (await fails(sender.probe("oc_team"))).reason is SendReason.NO_CHANNEL
    unknown = await fails(sender.probe("oc_other"))
    assert unknown.reason is SendReason.NO_CHANNEL
    assert unknown.detail.endswith("log log-1; check the id, and add the bot to the group")
    server.chat_scope = False
    assert "im:chat:readonly" in await sender.probe("oc_team")


# Settings


@pytest.mark.parametrize(
    ("domain", "address"),
    [
        ("feishu", "https://open.feishu.cn"),
        ("lark", "https://open.larksuite.com"),
        ("https://open.corp.example/", "https://open.corp.example"),
    ],
)
def test_both_domains_and_ones_own(domain, address):
    config = Config(app_id=APP, app_secret=SecretStr(SECRET), domain=domain)
    assert config.domain == address
    assert create(config)._api.domain == address


@pytest.mark.parametrize("domain", ["http://open.feishu.cn", "ftp://x", "https://x/y", "larksuite"])
def test_a_domain_that_is_none_is_refused(domain):
    with pytest.raises(ValueError, match="write"):
        Config(app_id=APP, app_secret=SecretStr(SECRET), domain=domain)


async def test_buttons_of_a_card_come_back_as_they_were_given(server, sender):
    (part,) = sender.render(
        Document(title="t", blocks=(Actions((Button("Explain", "explain", "#1"),)),))
    )
    receipt = await sender.send("oc_team", part)
    (button,) = server.messages[receipt.message].seen.buttons
    assert button["value"] == {"action": "explain", "value": "#1"}


def test_the_time_in_which_repeats_are_dropped_is_within_feishus_hour():
    from bot.platforms.feishu.sender import DROPS_REPEATS

    assert DROPS_REPEATS + timedelta(minutes=Patience().total / 60) < timedelta(hours=1)


# Death at every step


class Mortal:
    """The sender, in a process that may end before and after each of its calls."""

    def __init__(self, sender, step):
        self.sender = sender
        self.step = step
        self.name, self.limit, self.abilities = sender.name, sender.limit, sender.abilities

    def render(self, document):
        return self.sender.render(document)

    async def send(self, *arguments):
        self.step("before send")
        receipt = await self.sender.send(*arguments)
        self.step("after send")
        return receipt

    async def find(self, *arguments):
        return await self.sender.find(*arguments)


# Long enough for two cards, so that a thread is made too.
LONG = Document(title="t", blocks=tuple(Paragraph((Text("word " * 150),)) for _ in range(40)))


async def dies_and_goes_on(server, at: int | None, wait: float) -> Crash:
    """One delivery, killed at a step and resumed by the next process; the steps of the first."""
    crash, ledger = Crash(at=at), FakeLedger()
    ledger.step = crash
    first, second = a_sender(server), a_sender(server)
    clock = FakeClock(datetime.fromtimestamp(server.now(), UTC))

    async def post(sender, step):
        target = Target(name="team", sender=Mortal(sender, step), chat="oc_team")
        delivery = Delivery(ledger, FakeLeases(), [target], Patience(first=0), clock)
        return await delivery.deliver(Posting(target=target, digest="d", document=LONG))

    try:
        await post(first, crash)
    except Killed:
        ledger.step = no_step
        server.skew += wait
        await post(second, no_step)
    finally:
        await first.aclose()
        await second.aclose()
    return crash


@pytest.mark.parametrize(("history", "wait"), [(True, 0), (True, 7200), (False, 0), (False, 1800)])
async def test_death_at_any_step_neither_doubles_nor_loses(history, wait):
    with FeishuServer(history=history) as server:
        steps = (await dies_and_goes_on(server, None, 0)).steps
    assert steps.count("before send") == 2
    for at in range(len(steps)):
        with FeishuServer(history=history) as server:
            await dies_and_goes_on(server, at, wait)
            assert [bool(one.in_thread) for one in server.stands] == [False, True], steps[at]
