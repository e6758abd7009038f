"""Bad questions in a chat, in both languages: a short, honest answer, and nothing done for them.

From a message to the rendered answer: the gate, the grammar, git, the archive and a forge's double.
"""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from bot.access.gate import AccessGate, policy_of
from bot.app import open_workspace
from bot.chat.question_service import QuestionService
from bot.chat.responder import AnswerProgress
from bot.config.reader import read
from bot.messaging.receiver import Incoming
from bot.platforms.console import Console
from bot.workspace.workspace import Workspace
from digest.errors import UserError
from tests.servers.github import TOKEN, GitHubServer
from tests.servers.loopback import Breaks
from tests.support.builders import RepositoryBuilder

Ask = Callable[..., Awaitable[str | None]]

MOST = 1_500
"""Characters of an answer to a bad question: what is wrong, and a few examples."""


@pytest.fixture
def forge() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server


@pytest.fixture
async def ask(tmp_path: Path, forge: GitHubServer) -> AsyncIterator[Ask]:
    """Say something in the team's chat; the answer as text, or ``None`` for silence."""
    builder = RepositoryBuilder(tmp_path / "engine")
    builder.commit("Add a scheduler (#2)", {"src/scheduler.py": "x = 1\n"})
    builder.commit("Fix the scheduler (#3)", {"src/scheduler.py": "x = 2\n"})
    file = tmp_path / "digestbot.toml"
    file.write_text(
        f"""
[[repositories]]
place = "{builder.path}"
name = "octo/engine"
web = "https://git.example.org/octo/engine"
forge = "github"
visibility = "public"

[[repositories]]
place = "{builder.path}"
name = "octo/secret"
visibility = "private"

[forges.work]
kind = "github"
host = "git.example.org"
api = "{forge.url}"
token = "{TOKEN}"

[platforms.telegram]
kind = "console"

[[channels]]
name = "team"
platform = "telegram"
chat = "-100"
repositories = ["octo/engine"]
""",
        encoding="utf-8",
    )
    file.chmod(0o600)
    config, numbers = read(file), count(1)
    async with AsyncExitStack() as stack:
        app: Workspace = await stack.enter_async_context(open_workspace(file))
        answers = QuestionService(app, config, AccessGate(policy_of(config, {})))

        async def said(text: str, *, person: str = "7", external: bool = False) -> str | None:
            asked = Incoming(
                platform="telegram",
                chat="-100",
                person=person,
                text=text,
                id=str(next(numbers)),
                at=datetime.now(UTC),
                external=external,
            )
            language = answers.language("telegram", asked)
            try:
                document = await answers.answer("telegram", asked, AnswerProgress(language))
            except UserError as error:
                return str(error)
            if document is None:
                return None
            return "\n".join(part.text for part in Console(io.StringIO()).render(document))

        yield said


def short(told: str | None) -> str:
    assert told
    assert len(told) < MOST
    assert "Traceback" not in told
    return told


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("explain #999", "#999 is not in"),
        ("解释 #999", "没有"),
        ("explain 0123456789abcdef", "0123456789abcdef"),
        ("解释 0123456789abcdef", "没有找到"),
        ("what changed in zeppelins this week", "zeppelins"),
        ("本周 zeppelins 有什么变化", "zeppelins"),
        ("what changed on 2026-02-31", "2026-02-31"),
        ("2026-02-31 有什么变化", "不是有效的日期"),
        ("digest 2199-01-01", "future"),
        ("2199-01-01 的摘要", "还没有到"),
        ("digest 2026-03-05..2026-03-01", "before"),
        ("2026-03-05到2026-03-01的摘要", "不成立"),
        ("compare v8 v9", "v8"),
        ("对比 v8 v9", "v8"),
        ("is it risky?", "explain #123"),
        ("有风险吗？", "解释 #123"),
        ("¿qué cambió esta semana en el planificador?", "English and Chinese"),
        ("что изменилось на этой неделе", "English and Chinese"),
        ("why " + "x" * 10_240, "2,048"),
        ("为什么" + "很" * 10_240, "2,048"),
        ("please subscribe my cat to the moon", "explain #123"),
    ],
)
async def test_a_bad_question_gets_a_short_answer_in_its_language(ask, question, named):
    assert named in short(await ask(question))


@pytest.mark.parametrize(
    "question", ["explain octo/secret#2", "解释 octo/secret#2", "explain other/thing#2"]
)
async def test_what_the_chat_does_not_follow_is_not_told_of(ask, question):
    told = short(await ask(question))
    assert "Add a scheduler" not in told
    assert "src/scheduler.py" not in told


@pytest.mark.parametrize(
    ("question", "word"), [("what changed this week", "Too many"), ("本周有什么变化", "太多")]
)
async def test_of_fifty_questions_in_a_minute_some_are_answered_and_one_refusal_is_told(
    ask, question, word
):
    told = [await ask(question) for _ in range(50)]
    refused = [one for one in told[20:] if one is not None]
    assert all(one and word not in one for one in told[:20])
    assert len(refused) == 1
    assert word in short(refused[0])
    assert await ask(question, person="8") is not None


@pytest.mark.parametrize(("question", "word"), [("explain #77", "#77"), ("解释 #77", "77")])
async def test_a_private_repository_that_answers_404_is_told_of_as_unknown(
    ask, forge, question, word
):
    assert word in short(await ask(question))
    assert forge.sent


@pytest.mark.parametrize(
    ("question", "word"), [("explain #77", "no more requests until"), ("解释 #77", "额度已用完")]
)
async def test_a_forge_whose_limit_is_reached_is_said_to_be(ask, forge, question, word):
    forge.used = forge.limit
    assert word in short(await ask(question))


@pytest.mark.parametrize(
    ("question", "word"), [("explain #77", "is unavailable"), ("解释 #77", "无法访问")]
)
async def test_a_forge_that_is_down_is_said_to_be_and_the_clone_still_answers(
    ask, forge, question, word
):
    forge.script.extend([Breaks()] * 20)
    assert word in short(await ask(question))
    assert "Add a scheduler" in short(await ask("explain #2"))
