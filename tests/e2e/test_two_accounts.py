"""Two workspaces of Slack, a bot in each: what a chat asked one for the other does not post."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.app import open_workspace
from bot.cli.run_service import _work
from bot.config.reader import read
from bot.jobs.loop import Runner
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Receipt, Sender
from bot.shared_state.shared_parts import SharedParts
from bot.store.chat_records import SqlChats
from bot.subscriptions.channel_registry import open_senders
from bot.workspace.workspace import Workspace
from digest.chat.chat_settings import Subscribed
from handlers.ports.chat_port import ChatKey
from tests.servers.slack import BOT_TOKEN, CHANNEL, SlackServer
from tests.support.builders import RepositoryBuilder
from tests.support.fakes_delivery import FakeClock, FakeLeases

FRIDAY = datetime(2026, 3, 6, 12, tzinfo=UTC)
NINE = FRIDAY.replace(day=7, hour=9, minute=1)


class Accounts:
    """The program with two accounts, and the servers that they speak to."""

    project: RepositoryBuilder

    def __init__(self, app: Workspace, senders: dict[str, Sender], servers: dict[str, SlackServer]):
        self.app, self.senders, self.servers = app, senders, servers

    async def begin(self) -> None:
        """What a process does first."""
        config = self.app.config
        assert config is not None
        self.work = await _work(self.app, config, self.senders, FakeLeases(), SharedParts())
        self.loop = Runner(self.work)

    async def say(self, account: str, words: str) -> str:
        """What stands below a message to an account when it is answered."""
        server = self.servers[account]
        stamp = server.say(words, channel=CHANNEL, user="U1").ts
        before = len(server.messages)
        incoming = Incoming(
            platform="slack",
            chat=CHANNEL,
            person="U1",
            text=words,
            id=stamp,
            at=self.app.clock.now(),
            receipt=Receipt(message=stamp, thread=stamp),
        )
        await self.work.hearing.hear(self.senders[account], incoming)
        await self.loop.channels.look()
        return "\n".join(one.text for one in server.messages[before:])

    async def posts_at(self, moment: datetime) -> dict[str, int]:
        """How many digests each account posts when the loop looks at a moment."""
        before = {name: len(server.messages) for name, server in self.servers.items()}
        assert isinstance(self.app.clock, FakeClock)
        self.app.clock.time = moment
        await self.loop.sweep()
        return {
            name: sum(not one.thread for one in server.messages[before[name] :])
            for name, server in self.servers.items()
        }


@pytest.fixture
async def accounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Accounts]:
    monkeypatch.setenv("DIGESTBOT_DATA", str(tmp_path / "data"))
    project = RepositoryBuilder(tmp_path / "project")
    project.commit("Begin (#1)", {"README.md": "x\n"}, at=datetime(2026, 2, 20, tzinfo=UTC))
    async with AsyncExitStack() as stack:
        servers = {
            name: stack.enter_context(SlackServer(rate=1000, burst=1000)) for name in ("a", "b")
        }
        told = "".join(
            f'[platforms.{name}]\nkind = "slack"\nbot_token = "{BOT_TOKEN}"\napi = "{one.url}"\n'
            for name, one in servers.items()
        )
        file = tmp_path / "digestbot.toml"
        file.write_text(
            f"[access]\nanyone = true\n{told}"
            f'[[repositories]]\nplace = "{project.path}"\nname = "acme/engine"\n',
            encoding="utf-8",
        )
        app = await stack.enter_async_context(open_workspace(file, FakeClock(FRIDAY), logging=True))
        senders = open_senders(read(file))
        for sender in senders.values():
            stack.push_async_callback(sender.aclose)
        found = Accounts(app, senders, servers)
        found.project = project
        yield found


def _commit(project: RepositoryBuilder, number: int, at: datetime) -> None:
    project.commit(f"Raise the limit (#{number})", {"src/limit.py": f"LIMIT = {number}\n"}, at=at)


async def test_account_that_was_asked_posts_and_the_other_does_not(accounts: Accounts) -> None:
    await accounts.begin()
    said = await accounts.say("b", "subscribe acme/engine daily 09:00 level low")
    assert "Subscribed" in said
    await accounts.say("a", "mute moe")
    assert "moe" not in await accounts.say("b", "settings")
    assert await accounts.posts_at(FRIDAY) == {"a": 0, "b": 0}
    _commit(accounts.project, 2, FRIDAY + timedelta(hours=1))
    assert await accounts.posts_at(NINE) == {"a": 0, "b": 1}


async def test_both_accounts_post_in_chats_of_one_name(accounts: Accounts) -> None:
    await accounts.begin()
    for name in accounts.servers:
        await accounts.say(name, "subscribe acme/engine daily 09:00 level low")
    assert await accounts.posts_at(FRIDAY) == {"a": 0, "b": 0}
    _commit(accounts.project, 2, FRIDAY + timedelta(hours=1))
    assert await accounts.posts_at(NINE) == {"a": 1, "b": 1}
    await accounts.say("a", "unsubscribe")
    _commit(accounts.project, 3, NINE + timedelta(hours=1))
    assert await accounts.posts_at(NINE + timedelta(days=1)) == {"a": 0, "b": 1}


async def test_what_names_no_account_is_posted_by_the_first_of_its_kind(
    accounts: Accounts,
) -> None:
    kept = SqlChats(accounts.app.database)
    await kept.subscribe(
        ChatKey(platform="slack", chat=CHANNEL), Subscribed(repository="acme/engine")
    )
    await accounts.begin()
    assert "acme/engine" in await accounts.say("a", "subscriptions")
    assert "no subscription" in await accounts.say("b", "subscriptions")
    (post,) = await accounts.work.posts.current()
    # The name that the ledger knew it by.
    assert (post.name, post.target.account) == (f"slack:{CHANNEL} acme/engine", "a")
