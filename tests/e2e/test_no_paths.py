"""What is posted and answered in a chat names no place of the machine that it was made on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.access.gate import AccessGate, policy_of
from bot.app import open_workspace
from bot.chat.question_service import QuestionService
from bot.chat.responder import AnswerProgress
from bot.config.reader import read
from bot.messaging.receiver import Incoming
from bot.platforms.slack.blocks import render
from bot.util.machine import FixedClock
from digest.core.enums import Language
from digest.errors import UserError
from digest.i18n.chat_text import complaint
from digest.question import questions
from tests.support.builders import START, RepositoryBuilder

QUESTIONS = (
    "explain #999",
    "explain 0123456789",
    "compare v1 v2",
    "changes in v1..v2",
    "blargh the foo",
    "digest of the last 3 days",
    "show the diff of #2",
    "use branch nowhere",
    "subscribe to nothing daily at 9",
    "show settings",
)
"""Beside every example of the help: what goes wrong in one way or another."""


def config_of(folder: Path) -> Path:
    builder = RepositoryBuilder(folder / "secret-place" / "project")
    builder.commit("Add a scheduler (#2)", {"src/scheduler.py": "x = 1\n"})
    builder.commit("Remove the flag --eager (#3)", {"src/scheduler.py": "x = 2\n"})
    file = folder / "digestbot.toml"
    file.write_text(
        f"""
        data = {str(folder / "secret-place" / "data")!r}
        [[repositories]]
        place = {str(builder.path)!r}
        name = "ada/project"
        [[repositories]]
        place = {str(folder / "secret-place" / "gone")!r}
        name = "ada/gone"
        [platforms.team]
        kind = "console"
        [[channels]]
        name = "team"
        platform = "team"
        chat = "C1"
        """,
        encoding="utf-8",
    )
    return file


async def said(answers: QuestionService, text: str) -> str:
    """Everything that is sent of an answer, or of a refusal."""
    # Everybody asks once: how often one may is not what is tried here.
    message = Incoming(
        platform="team", chat="C1", person=text, text=text, id=text, at=datetime.now(UTC)
    )
    try:
        document = await answers.answer("team", message, AnswerProgress(Language.EN))
    except UserError as error:
        return complaint(error, Language.EN)
    assert document is not None, text
    return document.title + "".join(part.text + part.body for part in render(document))


@pytest.mark.slow
async def test_no_answer_in_a_chat_holds_a_path_of_this_machine(tmp_path: Path) -> None:
    file = config_of(tmp_path)
    config = read(file)
    asked = [
        text
        for one in questions.QUESTIONS.values()
        for some in one.examples.values()
        for text in some
    ]
    asked += [f"{text} in ada/gone" for text in QUESTIONS[:3]]
    async with open_workspace(file, clock=FixedClock(START + timedelta(days=1))) as app:
        answers = QuestionService(app, config, AccessGate(policy_of(config, {})))
        told = [await said(answers, text) for text in (*asked, *QUESTIONS)]
    assert any("Add a scheduler" in text for text in told)
    for question, text in zip((*asked, *QUESTIONS), told, strict=True):
        assert str(tmp_path) not in text, question
        assert "secret-place" not in text, question
