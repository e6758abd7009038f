"""Who is answered, and with what silence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import event

from bot.access.gate import AccessGate, policy_of
from bot.app import open_workspace
from bot.chat.question_service import QuestionService
from bot.chat.responder import AnswerProgress
from bot.config.reader import read
from bot.messaging.receiver import Incoming
from bot.util.machine import FixedClock
from digest.core.enums import Language
from digest.document import Document
from digest.errors import UserError
from tests.support.builders import RepositoryBuilder

CHANNEL = """
[platforms.telegram]
kind = "console"

[[channels]]
name = "team"
platform = "telegram"
chat = "-100"
"""


def incoming(text: str, chat: str = "-100", *, addressed: bool = True) -> Incoming:
    return Incoming(
        platform="telegram", chat=chat, person="7", text=text, id="1", at=datetime.now(UTC),
        addressed=addressed,
    )  # fmt: skip


async def asked(tmp_path: Path, message: Incoming, access: str = "") -> Document | None:
    builder = RepositoryBuilder(tmp_path / "project")
    builder.commit("Add a scheduler (#2)", {"src/scheduler.py": "x = 1\n"})
    file = tmp_path / "digestbot.toml"
    file.write_text(
        f"{access}\n[[repositories]]\nplace = {str(builder.path)!r}\nname = 'ada/project'\n{CHANNEL}",
        encoding="utf-8",
    )
    config = read(file)
    async with open_workspace(file) as app:
        # The account of the configuration is a console that stands in for a chat.
        answers = QuestionService(app, config, AccessGate(policy_of(config, {})))
        return await answers.answer("telegram", message, AnswerProgress(Language.EN))


async def test_chat_of_a_channel_is_answered(tmp_path: Path) -> None:
    document = await asked(tmp_path, incoming("explain #2"))
    assert document is not None
    assert "Add a scheduler" in document.title


@pytest.mark.parametrize("access", ["", "[access]\nchats = ['telegram:6']"])
async def test_stranger_is_told_how_to_be_let_in_and_nothing_else(
    tmp_path: Path, access: str
) -> None:
    with pytest.raises(UserError, match=r"telegram:5.*\[access\]"):
        await asked(tmp_path, incoming("explain #2", chat="5"), access)


async def test_stranger_who_does_not_address_the_bot_gets_silence(tmp_path: Path) -> None:
    assert await asked(tmp_path, incoming("explain #2", chat="5", addressed=False)) is None


@pytest.mark.parametrize("access", ["[access]\nanyone = true", "[access]\nchats = ['telegram:5']"])
async def test_stranger_who_is_let_in_is_answered(tmp_path: Path, access: str) -> None:
    assert await asked(tmp_path, incoming("explain #2", chat="5"), access) is not None


async def test_talk_in_a_thread_that_is_no_question_gets_silence(tmp_path: Path) -> None:
    assert await asked(tmp_path, incoming("thanks, lunch?", addressed=False)) is None


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("explain #2", 8),
        ("what changed this week", 8),
        ("what changed in scheduler this week", 16),
        ("search scheduler", 7),
    ],
)
async def test_a_question_asked_again_needs_few_statements(
    tmp_path: Path, text: str, most: int
) -> None:
    """The bounds only shrink: at a server each statement costs a round trip."""
    builder = RepositoryBuilder(tmp_path / "project")
    before = datetime.now(UTC) - timedelta(seconds=2)  # a period ends before the current second
    builder.commit("Add a scheduler (#2)", {"src/scheduler.py": "x = 1\n"}, at=before)
    file = tmp_path / "digestbot.toml"
    file.write_text(
        f"[[repositories]]\nplace = {str(builder.path)!r}\nname = 'ada/project'\n{CHANNEL}",
        encoding="utf-8",
    )
    config = read(file)
    async with open_workspace(file) as opened:
        # Time stands still: what is asked again much later is read anew.
        app = opened.at(FixedClock(datetime.now(UTC)))
        answers = QuestionService(app, config, AccessGate(policy_of(config, {})))
        statements: list[str] = []
        async with app.database.reading() as connection:
            engine = connection.sync_engine

        @event.listens_for(engine, "before_cursor_execute")
        def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            statements.append(statement)

        for question in ("what changed this week", text, text):
            statements.clear()
            watch = AnswerProgress(Language.EN)
            assert await answers.answer("telegram", incoming(question), watch) is not None
            await watch.settle()
        assert len(statements) <= most, "\n".join(statements)
