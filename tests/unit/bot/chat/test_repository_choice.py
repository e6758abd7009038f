"""A chat of several repositories: which is asked, and what the answer says of it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.access.gate import AccessGate, policy_of
from bot.app import open_workspace
from bot.chat.question_service import QuestionService
from bot.chat.repository_choice import which
from bot.chat.responder import AnswerProgress
from bot.config.reader import read
from bot.config.repository_section import RepositoryConfig
from bot.messaging.receiver import Incoming
from bot.util.terminal import lay_out, plain_text
from digest.core.enums import Language
from digest.errors import AmbiguousRepository
from tests.support.builders import RepositoryBuilder
from tests.unit.bot.chat.test_question_service import CHANNEL


@asynccontextmanager
async def chat(folder: Path, names=("ada/engine", "prometheus")):
    """Asks questions in a chat of repositories, each with a change #2 and one of its own."""
    tables = []
    for name in names:
        builder = RepositoryBuilder(folder / name.replace("/", "-"))
        builder.commit(f"Add a scheduler to {name} (#2)", {"src/scheduler.py": "x = 1\n"})
        own = "planner" if name == names[-1] else "reactor"
        builder.commit(f"Teach the {own} of {name} to wait (#3)", {f"{own}/core.py": "y = 1\n"})
        tables.append(f"[[repositories]]\nplace = {str(builder.path)!r}\nname = {name!r}\n")
    file = folder / "digestbot.toml"
    file.write_text("".join(tables) + CHANNEL, encoding="utf-8")
    config = read(file)
    async with open_workspace(file) as app:
        answers = QuestionService(app, config, AccessGate(policy_of(config, {})))

        async def ask(text: str) -> str:
            message = Incoming(
                platform="telegram", chat="-100", person="7", text=text, id="1", at=datetime.now(UTC)
            )  # fmt: skip
            watch = AnswerProgress(Language.EN)
            document = await answers.answer("telegram", message, watch)
            await watch.settle()
            return plain_text(lay_out(document, 1000, urls=False))

        yield ask


async def test_first_repository_answers_and_the_answer_says_so(tmp_path):
    async with chat(tmp_path) as ask:
        told = await ask("explain #2")
    assert "In ada/engine" in told
    assert "Add a scheduler to ada/engine" in told


@pytest.mark.parametrize(
    "question",
    [
        "explain prometheus#2",
        "explain #2 in prometheus",
        "explain https://github.com/prometheus/prometheus/pull/2",
        "prometheus: explain #2",
    ],
)
async def test_named_repository_answers_alone(tmp_path, question):
    async with chat(tmp_path) as ask:
        told = await ask(question)
    assert "In prometheus" in told
    assert "Add a scheduler to prometheus" in told


async def test_named_repository_that_has_no_such_change_is_not_answered_for_by_another(tmp_path):
    async with chat(tmp_path, ("ada/engine", "bob/prometheus")) as ask:
        told = await ask("explain bob/prometheus#77")
    assert "#77 is not in bob/prometheus" in told


async def test_topic_that_the_first_has_nothing_of_is_looked_for_in_the_next(tmp_path):
    async with chat(tmp_path) as ask:
        assert "In prometheus" in await ask("what changed in planner since 2026-01-01")
        assert "In ada/engine" in await ask("what changed in scheduler since 2026-01-01")
        assert "In ada/engine" in await ask("what changed in nothingness since 2026-01-01")


async def test_follow_up_goes_on_with_the_repository_of_the_answer(tmp_path):
    async with chat(tmp_path) as ask:
        await ask("explain #3 in prometheus")
        told = await ask("why?")
    assert "In prometheus" in told


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what changed in engine since 2026-01-01", "several repositories match: ada/engine, bob/engine"),
        ("explain engine#2", "several repositories match: ada/engine, bob/engine"),
        ("在 engine 里本周有什么变更", "several repositories match: ada/engine, bob/engine"),
    ],
)  # fmt: skip
async def test_name_that_two_repositories_have_is_asked_back(tmp_path, question, said):
    async with chat(tmp_path, ("ada/engine", "bob/engine")) as ask:
        with pytest.raises(AmbiguousRepository, match=said):
            await ask(question)
        assert "In bob/engine" in await ask("explain bob/engine#2")


async def test_help_names_the_repositories(tmp_path):
    async with chat(tmp_path) as ask:
        told = await ask("help")
    assert "ada/engine and prometheus" in told or "ada/engine, prometheus" in told
    assert "prometheus#123" in told


def test_follow_up_goes_to_the_last_repository_and_then_to_the_others():
    of = [RepositoryConfig(place="/nowhere", name=name) for name in ("a/one", "b/two", "c/three")]
    now = datetime(2026, 3, 10, tzinfo=UTC)
    for question in ("who wrote it", "why"):
        choice = which(question, of, "b/two", now, ZoneInfo("UTC"))
        assert [one.name for one in choice.asked] == ["b/two", "a/one", "c/three"]
    new = which("what changed this week", of, "b/two", now, ZoneInfo("UTC"))
    assert [one.name for one in new.asked] == ["a/one", "b/two", "c/three"]


async def test_chat_of_one_repository_is_not_told_which(tmp_path):
    async with chat(tmp_path, ("ada/engine",)) as ask:
        assert "In ada/engine" not in await ask("explain #2")
        assert "#123 or" not in await ask("help")
