"""What is remembered of an answer: only once it stands."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime

from bot.access.gate import AccessGate, policy_of
from bot.app import open_workspace
from bot.chat.question_service import QuestionService
from bot.chat.reply import ReplyMessage
from bot.chat.responder import AnswerProgress
from bot.config.reader import read
from bot.delivery.part_sender import Patience
from bot.messaging.sender import SendError, SendReason
from bot.store.replies import MessageKey, SqlReplies
from bot.subscriptions.chat_subscriptions import Subscribing
from digest.core.enums import Language
from digest.document import Document
from digest.markdown import markdown
from handlers.ports.chat_port import ConversationKey
from tests.integration.bot.chat.talk import Board, Talk, said
from tests.support.builders import RepositoryBuilder
from tests.support.fakes_delivery import Crash, Killed, paragraphs

CHANNELS = """
[platforms.chat]
kind = "console"

[[channels]]
name = "outer"
platform = "chat"
chat = "C9"

[[channels]]
name = "insider merger"
platform = "chat"
chat = "C9"
repositories = ["ada/secret"]
"""


def counting(done: list[str]):
    async def effect() -> None:
        done.append("done")

    return lambda watch: watch.after(effect)


async def test_effect_waits_for_the_answer_and_comes_once(database):
    talk, done = Talk(database), []
    talk.answers.meanwhile = counting(done)
    await talk.start().hear(talk.sender, said("hello"))
    assert done == ["done"]


async def test_answer_that_is_refused_by_the_platform_changes_nothing(database):
    talk, done = Talk(database), []
    talk.answers.meanwhile = counting(done)
    talk.sender.errors = [SendError(SendReason.REJECTED, "no")] * 9
    await talk.start().hear(talk.sender, said("hello"))
    assert done == []


async def test_process_that_dies_before_the_answer_stands_changes_nothing(database):
    talk, done = Talk(database), []
    talk.answers.meanwhile = counting(done)
    talk.sender.step = Crash(0)
    with contextlib.suppress(Killed):
        await talk.start().hear(talk.sender, said("hello"))
    assert done == []


async def test_post_that_is_ended_twice_keeps_its_proof(database):
    key, records = MessageKey(account="board", chat="C9", message="m1"), SqlReplies(database)
    await records.claim(key, said("hello"), datetime.now(UTC))
    board = Board(delay=0.2)
    message = ReplyMessage(board, key, records, Patience(first=0, attempts=1, answer=5))
    telling = asyncio.create_task(message.become(paragraphs("answer")))
    while not board.calls:
        await asyncio.sleep(0.001)
    # An edit of the question ends it, then the end of the program.
    for _ in range(2):
        telling.cancel()
        await asyncio.sleep(0.02)
    with contextlib.suppress(asyncio.CancelledError):
        await telling
    record = await records.get(key)
    assert record is not None
    assert record.receipt is not None


async def asked(tmp_path, text: str, *, external: bool = False) -> tuple[Document, bool]:
    """The answer in a chat of two repositories, and whether it was remembered before it stands."""
    for name in ("open", "secret"):
        builder = RepositoryBuilder(tmp_path / name)
        builder.commit("Add a scheduler (#2)", {"src/scheduler.py": "x = 1\n"})
    file = tmp_path / "digestbot.toml"
    file.write_text(
        "".join(
            f"[[repositories]]\nplace = '{tmp_path / name}'\nname = 'ada/{name}'\n"
            f"visibility = '{'private' if name == 'secret' else 'public'}'\n"
            for name in ("open", "secret")
        )
        + CHANNELS,
        encoding="utf-8",
    )
    config, watch = read(file), AnswerProgress(Language.EN)
    message = said(text, platform="chat", external=external)
    async with open_workspace(file) as app:
        policy = policy_of(config, {})
        subscribing = Subscribing(app, config, policy, {})
        answers = QuestionService(app, config, AccessGate(policy), subscribing)
        document = await answers.answer("chat", message, watch)
        key = ConversationKey(platform="chat", chat="C9", thread="t1", person="U1")
        early = await app.conversations.talk(key, app.clock.now()) is not None
        await watch.settle()
        assert early or await app.conversations.talk(key, app.clock.now()) or text == "status"
    assert document is not None
    return document, early


async def test_talk_is_kept_once_the_answer_stands(tmp_path):
    _, early = await asked(tmp_path, "explain #2")
    assert not early


async def test_status_names_no_run_of_what_a_shared_chat_may_not_see(tmp_path):
    inside, _ = await asked(tmp_path, "status")
    assert "insider merger" in markdown(inside)


async def test_status_in_a_shared_chat_is_silent_of_private_runs(tmp_path):
    outside, _ = await asked(tmp_path, "status", external=True)
    assert "outer" in markdown(outside)
    assert "merger" not in markdown(outside)
    assert "secret" not in markdown(outside)
