"""Hearing with the real library: long polling through everything that happens to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.chat.message_service import Conversation
from bot.chat.responder import AnswerProgress
from bot.delivery.delivery import Delivery
from bot.jobs.loop import Listening
from bot.jobs.services import LoopServices, TaskTracker
from bot.messaging.receiver import Incoming
from bot.messaging.sender import SendError, SendReason
from bot.platforms.telegram.receiver import PollTiming
from bot.platforms.telegram.sender import Telegram, TelegramAccount
from bot.store.replies import SqlReplies
from bot.store.sqlite import open_database
from digest.core.enums import Language
from digest.document import Document, Paragraph, Text
from tests.contract.benches.telegram import BRISK
from tests.servers.telegram import FORUM, GROUP, PRIVATE, TOKEN, TelegramServer
from tests.servers.telegram_http import Drops, Fails, Garbled, too_many
from tests.support.channels import Fixed
from tests.support.fakes_delivery import FakeClock, FakeLeases, FakeLedger, paragraphs

RHYTHM = PollTiming(wait=0.4, late=60, first=0.01, longest=0.05, conflict=0.2, disputed=0.8)


@pytest.fixture
def server() -> Iterator[TelegramServer]:
    with TelegramServer() as one:
        yield one


def account(server: TelegramServer, **more) -> Telegram:
    given = {"token": TOKEN, "answer": 60.0, "rates": BRISK, "rhythm": RHYTHM, **more}
    return Telegram(TelegramAccount(api=server.url, **given))


async def until(true: Callable[[], object], seconds: float = 120.0) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.005)


@asynccontextmanager
async def listening(telegram: Telegram) -> AsyncIterator[list[Incoming]]:
    """What is heard while the block lasts."""
    heard: list[Incoming] = []

    async def listen() -> None:
        async for one in telegram.listen():
            heard.append(one)  # noqa: PERF401  # looked at while it goes on

    task = asyncio.create_task(listen())
    try:
        yield heard
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, SendError):
            await task
        await telegram.aclose()


def said(heard: list[Incoming]) -> list[str]:
    return [one.text for one in heard]


async def test_messages_come_in_order_with_their_chat_and_person(server):
    server.say("explain #1")
    async with listening(account(server)) as heard:
        await until(lambda: heard)
        server.say("/explain 2", GROUP)
        server.say("nothing for a bot", GROUP)
        server.say("/explain 3", FORUM, is_topic_message=True, message_thread_id=5)
        await until(lambda: len(heard) == 3)
    assert said(heard) == ["explain #1", "explain 2", "explain 3"]
    assert [one.chat for one in heard] == [str(PRIVATE), str(GROUP), f"{FORUM}/5"]
    assert [one.direct for one in heard] == [True, False, False]


async def test_menus_are_set_for_private_chats_and_groups_in_each_language(server):
    async with listening(account(server)):
        await until(lambda: len(server.menus) == 4)
    assert set(server.menus) == {
        (scope, code) for scope in ("all_private_chats", "all_group_chats") for code in ("", "zh")
    }
    assert server.menus["all_group_chats", "zh"][0]["command"] == "digest"
    assert "摘要" not in server.menus["all_private_chats", ""][0]["description"]


async def test_menus_that_are_refused_keep_nobody_from_being_heard(server):
    server.will("setMyCommands", Fails(400, "Bad Request: BOT_COMMANDS_TOO_MUCH"))
    server.say("help")
    with capture_logs() as logs:
        async with listening(account(server)) as heard:
            await until(lambda: heard and "telegram.no_menus" in [one["event"] for one in logs])


async def test_after_a_restart_only_what_is_new_comes(server):
    server.say("one")
    async with listening(account(server)) as heard:
        await until(lambda: heard)
        await until(lambda: server.polls == 2)
    server.say("two")
    async with listening(account(server)) as heard:
        await until(lambda: heard)
    assert said(heard) == ["two"]


async def test_a_press_of_a_button_is_answered_at_once_and_heard(server):
    telegram = account(server)
    async with listening(telegram) as heard:
        (part,) = telegram.render(paragraphs("digest"))
        await telegram.send(str(GROUP), part)
        (shown,) = server.screen(GROUP)
        number = server.press(shown, "explain #812")
        await until(lambda: heard and server.answered == [number])
    (one,) = heard
    assert (one.action, one.text, one.receipt.message) == ("explain", "#812", str(shown.id))


async def test_a_press_from_before_an_outage_is_no_fault(server):
    telegram = account(server)
    server.will(
        "answerCallbackQuery",
        Fails(
            400, "Bad Request: query is too old and response timeout expired or query ID is invalid"
        ),
        Fails(500, "Internal Server Error"),
    )
    with capture_logs() as logs:
        async with listening(telegram) as heard:
            (part,) = telegram.render(paragraphs("digest"))
            await telegram.send(str(GROUP), part)
            server.press(server.screen(GROUP)[0], "explain #1")
            server.press(server.screen(GROUP)[0], "explain #2")
            await until(lambda: len(heard) == 2 and len(server.called("answerCallbackQuery")) == 2)
            await asyncio.sleep(0.05)
    assert [one["event"] for one in logs].count("telegram.press_unanswered") == 1


async def test_a_second_poller_is_one_line_however_long_it_lasts(server):
    # However slow the machine is, a request that succeeds in between does not end the conflict.
    rhythm = replace(RHYTHM, disputed=3600)
    with capture_logs() as logs:
        async with (
            listening(account(server, rhythm=rhythm)) as first,
            listening(account(server, rhythm=rhythm)) as second,
        ):
            await until(lambda: len(server.refused) >= 6)
            server.say("who hears me?")
            await until(lambda: first or second)
            refused = len(server.refused)
            await until(lambda: len(server.refused) >= refused + 6)
        conflicts = [one for one in logs if one["event"] == "telegram.conflict"]
    assert 1 <= len(conflicts) <= 2  # one for each of the two
    assert "another process" in conflicts[0]["detail"]
    # Telegram gives a message to whoever asks until one of them confirms it.
    assert {*said(first + second)} == {"who hears me?"}
    assert len(first) <= 1
    assert len(second) <= 1


async def test_after_a_conflict_it_receives_again(server):
    server.will(
        "getUpdates", Fails(409, "Conflict: terminated by other getUpdates request; make sure")
    )
    server.say("one")
    with capture_logs() as logs:
        async with listening(account(server)) as heard:
            await until(lambda: "telegram.receiving_again" in [one["event"] for one in logs])
    assert said(heard) == ["one"]


async def test_a_silent_connection_is_noticed_and_rebuilt(server):
    with capture_logs() as logs:
        async with listening(account(server, rhythm=replace(RHYTHM, late=2))) as heard:
            await until(lambda: server.polls)
            server.silent = True
            await until(lambda: "telegram.silent" in [one["event"] for one in logs])
            connections = server.connections
            server.silent = False
            server.say("still there?")
            await until(lambda: heard)
    assert server.connections > connections
    assert said(heard) == ["still there?"]
    assert [one["event"] for one in logs if one["event"] == "telegram.silent"] == [
        "telegram.silent"
    ]


@pytest.mark.parametrize(
    "act",
    [
        Fails(500, "Internal Server Error: restart"),
        Fails(502, html=True),
        Garbled(),
        Drops(),
        too_many(0.02),
    ],
    ids=str,
)
async def test_whatever_an_answer_is_polling_goes_on(server, act):
    server.will("getUpdates", act, act)
    server.say("hello")
    with capture_logs() as logs:
        async with listening(account(server)) as heard:
            await until(lambda: heard)
    assert said(heard) == ["hello"]
    troubles = [one for one in logs if one["log_level"] == "warning"]
    assert len(troubles) == 1
    assert TOKEN not in str(logs)


async def test_a_server_that_is_gone_for_a_while_is_waited_for(server):
    with capture_logs() as logs:
        async with listening(account(server)) as heard:
            await until(lambda: server.polls)
            server.go()
            await until(lambda: any(one["log_level"] == "warning" for one in logs))
            await asyncio.sleep(0.1)
            server.come_back()
            server.say("back again")
            await until(lambda: heard)
    assert said(heard) == ["back again"]
    warnings = [one["event"] for one in logs if one["log_level"] == "warning"]
    assert warnings
    assert all(a != b for a, b in pairwise(warnings)), "each trouble is told once while it lasts"


async def test_a_token_that_is_revoked_ends_it_with_a_word(server):
    telegram = account(server)

    async def listen() -> None:
        async for _ in telegram.listen():
            pass

    task = asyncio.create_task(listen())
    await until(lambda: server.polls)
    server.token = "123456:another"
    server.say("x")
    with pytest.raises(SendError) as raised:
        await asyncio.wait_for(task, 120)
    assert raised.value.reason is SendReason.UNAUTHORIZED
    await telegram.aclose()


async def test_a_webhook_that_was_left_is_removed_and_told_without_its_path(server):
    server.webhook = {"url": "https://old.example/hook/s3cret", "secret_token": ""}
    server.say("hello")
    with capture_logs() as logs:
        async with listening(account(server)) as heard:
            await until(lambda: heard)
    (line,) = [one for one in logs if one["event"] == "telegram.webhook_removed"]
    assert line["host"] == "old.example"
    assert "s3cret" not in str(logs)


async def test_an_account_that_only_posts_hears_nothing(server):
    telegram = account(server, listens=False)
    assert [one async for one in telegram.listen()] == []
    assert server.calls == []


async def test_a_group_that_becomes_a_supergroup_is_posted_to_under_its_new_id(server):
    telegram = account(server)
    server.add(-5, "group", title="Old")
    async with listening(telegram) as heard:
        server.update(
            message={
                "message_id": 1,
                "date": 1773144000,
                "chat": server.chats[-5],
                "migrate_to_chat_id": GROUP,
            }
        )
        server.say("help")
        await until(lambda: heard)
        (part,) = telegram.render(paragraphs("digest"))
        await telegram.send("-5", part)
    assert server.texts(GROUP) == ["digest"]


# With the loop of the program


@dataclass
class Answers:
    """What answers questions; ``asked`` keeps them."""

    asked: list[str] = field(default_factory=list)

    def language(self, account: str, asked: Incoming) -> Language:
        return Language.EN

    async def answer(self, account: str, asked: Incoming, watch: AnswerProgress) -> Document:
        watch.admit(addressed=asked.addressed)
        self.asked.append(asked.text)
        words = Text(f"about {asked.text} for @{asked.person}")
        return Document(title="a", blocks=(Paragraph((words,)),))

    async def owed(self, account: str, asked: Incoming) -> bool:
        raise AssertionError("everything is answered here")

    async def forget(self, account: str, asked: Incoming) -> None:
        raise AssertionError("nothing is deleted here")


@asynccontextmanager
async def running(telegram: Telegram, data: Path, answers: Answers) -> AsyncIterator[None]:
    async def nothing(*_: object) -> tuple[()]:
        return ()

    data.mkdir(exist_ok=True)
    async with await open_database(data) as database:
        leases, clock, ledger = FakeLeases(), FakeClock(), FakeLedger()
        records, accounts = SqlReplies(database), {"telegram": telegram}
        work = LoopServices(
            posts=Fixed(()),
            build=nothing,
            finish=nothing,
            hearing=Conversation(answers, records, leases, clock, accounts),
            delivery=Delivery(ledger, leases),
            ledger=ledger,
            leases=leases,
            clock=clock,
            receivers=(telegram,),
        )
        under_way = TaskTracker()
        task = asyncio.create_task(Listening(work, under_way).listen(telegram))
        try:
            yield
            await under_way.settle(120)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await telegram.aclose()


async def test_a_question_is_answered_in_its_place_below_it(server, tmp_path):
    answers = Answers()
    async with running(account(server), tmp_path / "data", answers):
        asked = server.say("/explain 5", FORUM, is_topic_message=True, message_thread_id=7)
        await until(lambda: server.screen(FORUM, 7))
    (shown,) = server.screen(FORUM, 7)
    assert shown.text.startswith("about explain 5")
    assert shown.reply_to == asked["message_id"]
    assert shown.of("mention") == []
    assert server.refused == []


async def test_what_is_delivered_again_is_answered_once(server, tmp_path):
    answers = Answers()
    async with running(account(server), tmp_path / "data", answers):
        server.say("explain #5")
        await until(lambda: server.texts(PRIVATE))
        server.redeliver()
        server.say("explain #6")
        await until(lambda: len(server.texts(PRIVATE)) == 2)
    async with running(
        account(server), tmp_path / "data", answers
    ):  # after a crash, on the same database
        server.redeliver()
        server.say("explain #7")
        await until(lambda: len(server.texts(PRIVATE)) == 3)
    assert answers.asked == ["explain #5", "explain #6", "explain #7"]


async def test_many_questions_at_once_are_all_answered_once(server, tmp_path):
    answers = Answers()
    async with running(account(server), tmp_path / "data", answers):
        for number in range(50):
            server.say(f"explain #{number}")
        await until(lambda: len(server.texts(PRIVATE)) == 50)
    assert sorted(answers.asked) == sorted(f"explain #{n}" for n in range(50))
