"""One script on every platform that listens: the same answers, acknowledged, edited into place.

The adapters are the real ones, before strict servers; git, SQLite, the gate and the use cases are
real as well. Only the moment at which an answer is ready is the test's, so that every answer has a
placeholder where the platform can edit one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from bot.access.gate import AccessGate, policy_of
from bot.app import open_workspace
from bot.chat.message_service import Conversation
from bot.chat.question_service import QuestionService
from bot.chat.responder import PlaceholderTiming
from bot.config.reader import read
from bot.delivery.delivery import Delivery
from bot.jobs.loop import run
from bot.jobs.services import LoopServices
from bot.messaging.sender import Ability
from bot.platforms.slack import sender as slack_sender
from bot.store.feedback import ReaderVerdict, SqlFeedback
from bot.store.replies import SqlReplies
from bot.util.locks import FileLeases
from bot.util.machine import FixedClock
from bot.workspace.workspace import Workspace
from tests.e2e.parity import console, feishu, slack, telegram
from tests.e2e.parity.stage import Stage, until, words
from tests.servers.slack import BOT_USER, CHANNEL
from tests.support.builders import START, RepositoryBuilder
from tests.support.channels import Fixed

Open = Callable[[], AbstractAsyncContextManager[Stage]]

STAGES: list[Open] = [
    slack.by_socket,
    slack.by_http,
    telegram.by_polling,
    telegram.by_webhook,
    feishu.by_connection,
    feishu.by_http,
    console.at_a_terminal,
]

NAMES = [f"{one.__module__.rpartition('.')[2]} {one.__name__}" for one in STAGES]

SCRIPT = (
    "explain #2",
    "why",
    "what changed in scheduler since 2026-01-01",
    "本周有哪些变更",
    "explain #999",
    "blargh the foo",
    "what changed since 2026-99-99",
    "help",
)
"""Questions, follow-ups, unknown words and errors, in two languages."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    builder = RepositoryBuilder(tmp_path_factory.mktemp("parity") / "project")
    builder.commit(
        "Add a scheduler (#2)", {"src/scheduler.py": "def run(jobs):\n    return jobs\n"}
    )
    builder.commit(
        "[Core] Remove the flag --eager from the scheduler (#3)",
        {"src/scheduler.py": "def run(jobs, limit):\n    return jobs[:limit]\n"},
    )
    builder.commit("Tell how to install (#4)", {"README.md": "Install it.\n"})
    return builder.path


@pytest.fixture(autouse=True)
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    # One message a second is Slack's limit; that it is kept is tested elsewhere.
    monkeypatch.setattr(slack_sender, "_IN_A_CHANNEL", slack.BRISK)


class Unhurried(QuestionService):
    """Answers that take a moment longer than the placeholder."""

    async def answer(self, account, asked, watch):
        try:
            return await super().answer(account, asked, watch)
        finally:
            if watch.shown:
                await asyncio.sleep(0.1)


class Played:
    """A stage with the program behind it."""

    def __init__(self, stage: Stage, app: Workspace, hearing: Conversation) -> None:
        self.stage = stage
        self.app = app
        self._hearing = hearing

    async def remembered(self) -> None:
        """Wait until what follows from an answer is remembered, after it is marked as told."""
        await until(lambda: not self._hearing._under_way)

    async def ask(self, text: str) -> str:
        """Say something; the one answer, once nothing more comes of it."""
        return await self._answered(lambda: self.stage.say(text))

    async def press(self, label: str) -> str:
        """Press a button; the one answer."""
        return await self._answered(lambda: self.stage.press(label))

    async def act(self, act: Callable[[], Awaitable[None]]) -> str:
        """Do something else; the one answer."""
        return await self._answered(act)

    async def _answered(self, act) -> str:
        before = len(self.stage.texts())
        records = SqlReplies(self.app.database)
        await act()
        await until(lambda: len(self.stage.texts()) > before)
        async with asyncio.timeout(120):
            while await records.left(self.stage.account):
                await asyncio.sleep(0.01)
        await self.remembered()
        (answer,) = self.stage.texts()[before:]
        return answer.strip()


@asynccontextmanager
async def played(stage: Stage, project: Path, folder: Path) -> AsyncIterator[Played]:
    """The program on a stage: its own composition, but for the clock and the rhythm."""
    folder.mkdir()
    file = folder / "digestbot.toml"
    file.write_text(
        f"""
        data = {str(folder / "data")!r}
        [[repositories]]
        place = {str(project)!r}
        name = "ada/project"
        [platforms.{stage.account}]
        kind = "console"
        [[channels]]
        name = "team"
        platform = {stage.account!r}
        chat = {stage.chat!r}
        """,
        encoding="utf-8",
    )
    config, clock = read(file), FixedClock(START + timedelta(days=1))
    async with open_workspace(file, clock=clock) as app:
        gate = AccessGate(policy_of(config, {stage.account: stage.sender.name}))
        leases = FileLeases(app.data / "leases")
        senders = {stage.account: stage.sender}
        hearing = Conversation(
            Unhurried(app, config, gate),
            SqlReplies(app.database),
            leases,
            clock,
            senders,
            rhythm=PlaceholderTiming(moment=0.01, first=5.0),
        )
        work = LoopServices(
            posts=Fixed([]), build=_none, finish=_none, hearing=hearing,
            delivery=Delivery(app.ledger, leases), ledger=app.ledger, leases=leases,
            clock=clock, receivers=[stage.sender],
        )  # fmt: skip
        stop = asyncio.Event()
        running = asyncio.create_task(run(work, stop))
        try:
            yield Played(stage, app, hearing)
        finally:
            stop.set()
            await running


async def _none(*_: object) -> tuple[()]:
    return ()


@pytest.fixture(scope="module")
def expected(project: Path, tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """What the script is answered on a terminal."""
    folder = tmp_path_factory.mktemp("expected") / "run"

    async def play_it() -> list[list[str]]:
        async with console.at_a_terminal() as stage, played(stage, project, folder) as play:
            return [words(await play.ask(text)) for text in SCRIPT]

    return asyncio.run(play_it())


@pytest.mark.parametrize("open_stage", STAGES, ids=NAMES)
async def test_script_is_answered_alike_everywhere(
    open_stage: Open, expected: list[list[str]], project: Path, tmp_path: Path
) -> None:
    async with open_stage() as stage, played(stage, project, tmp_path / "run") as play:
        for text, answer in zip(SCRIPT, expected, strict=True):
            assert " ".join(words(await play.ask(text))) == " ".join(answer), text
        assert stage.acknowledged()
        if Ability.EDIT in stage.sender.abilities:
            assert stage.edits() == len(SCRIPT)


@pytest.mark.parametrize("open_stage", STAGES[:-1], ids=NAMES[:-1])
async def test_buttons_explain_and_take_verdicts(
    open_stage: Open, expected: list[list[str]], project: Path, tmp_path: Path
) -> None:
    async with open_stage() as stage, played(stage, project, tmp_path / "run") as play:
        await play.ask("what changed in scheduler since 2026-01-01")
        pressed = words(await play.press("Explain #2"))
        # Only a question that was typed is told how it was read.
        line = expected[0].index("Read")
        assert expected[0][line : line + 4] == ["Read", "as", "explain", "2"]
        assert pressed == expected[0][:line]
        assert await play.press("Not useful") == "Noted as not useful. Thank you."
        assert await play.press("Useful") == "Noted as useful. Thank you."
        (opinion,) = await SqlFeedback(play.app.database).all(START)
        assert (opinion.repository, opinion.verdict) == ("ada/project", ReaderVerdict.USEFUL)
        assert opinion.level
        assert stage.acknowledged()


@pytest.mark.parametrize("open_stage", STAGES[:4], ids=NAMES[:4])
async def test_question_with_other_words_has_its_answer_edited(
    open_stage: Open, expected: list[list[str]], project: Path, tmp_path: Path
) -> None:
    async with open_stage() as stage, played(stage, project, tmp_path / "run") as play:
        await play.ask("explain #999")
        await stage.restate("explain #2")
        await until(lambda: words(stage.texts()[-1]) == expected[0])
        assert len(stage.texts()) == 1


@asynccontextmanager
async def in_the_channel(stage, project: Path, folder: Path) -> AsyncIterator[Callable]:
    """Slack's channel with the program behind it: what comes of an act, and in which thread."""
    stage.chat = CHANNEL

    async with played(stage, project, folder) as play:

        async def answered(act) -> tuple[list[str], str]:
            server = stage.server
            before = len([one for one in server.messages if one.user == BOT_USER])
            await act
            async with asyncio.timeout(120):
                while True:
                    mine = [one for one in server.messages if one.user == BOT_USER][before:]
                    left = await SqlReplies(play.app.database).left(stage.account)
                    if mine and not left:
                        await play.remembered()
                        return words(mine[0].text), mine[0].thread or mine[0].ts
                    await asyncio.sleep(0.01)

        yield answered


@pytest.mark.parametrize("open_stage", STAGES[:2], ids=NAMES[:2])
async def test_thread_of_a_slash_commands_answer_goes_on_with_it(
    open_stage: Open, expected: list[list[str]], project: Path, tmp_path: Path
) -> None:
    async with open_stage() as stage, in_the_channel(stage, project, tmp_path / "run") as answered:
        told, thread = await answered(stage.command("explain #2"))
        assert told == expected[0]
        why, where = await answered(stage.ask_in_channel("why", thread))
        assert (why, where) == (expected[1], thread)
        assert stage.acknowledged()


@pytest.mark.parametrize("open_stage", STAGES[:2], ids=NAMES[:2])
async def test_script_is_answered_alike_in_a_thread_of_a_group(
    open_stage: Open, expected: list[list[str]], project: Path, tmp_path: Path
) -> None:
    async with open_stage() as stage, in_the_channel(stage, project, tmp_path / "run") as answered:
        asking = stage.ask_in_channel(SCRIPT[0])
        told, thread = await answered(asking)
        assert told == expected[0]
        for text, answer in zip(SCRIPT[1:4], expected[1:4], strict=True):
            assert await answered(stage.ask_in_channel(text, thread)) == (answer, thread), text


@pytest.mark.parametrize("open_stage", [telegram.by_polling, telegram.by_webhook])
async def test_reply_goes_on_from_the_answer_that_it_replies_to(
    open_stage: Open, project: Path, tmp_path: Path
) -> None:
    async with open_stage() as stage, played(stage, project, tmp_path / "run") as play:
        await play.ask("explain #2")
        await play.ask("explain #3")
        first, second = stage.server.screen(int(stage.chat))
        for answer, number in ((first, "#2"), (second, "#3"), (first, "#2")):
            why = await play.act(partial(stage.reply, "why?", answer))
            assert why.startswith(f"Why {number} is"), why
        last = stage.server.screen(int(stage.chat))[-1]
        assert (await play.act(partial(stage.reply, "is it risky?", last))).startswith(
            "Risks of #2"
        )
        assert (await play.ask("why?")).startswith("Why #2 is")


@pytest.mark.parametrize("open_stage", [feishu.by_connection, feishu.by_http])
async def test_threads_of_feishu_keep_their_questions_apart(
    open_stage: Open, expected: list[list[str]], project: Path, tmp_path: Path
) -> None:
    async with open_stage() as stage:
        stage.chat = feishu.GROUP
        async with played(stage, project, tmp_path / "run") as play:
            assert words(await play.act(partial(stage.ask_in_group, "explain #2"))) == expected[0]
            first = stage.server.stands[-1]
            await play.act(partial(stage.ask_in_group, "explain #3"))
            second = stage.server.stands[-1]
            assert first.root != second.root
            for root, number in ((first.root, "#2"), (second.root, "#3"), (first.root, "#2")):
                why = await play.act(partial(stage.ask_in_group, "why", root))
                assert why.startswith(f"Why {number} is"), why
                assert (stage.server.stands[-1].root, stage.server.stands[-1].in_thread) == (
                    root,
                    True,
                )
