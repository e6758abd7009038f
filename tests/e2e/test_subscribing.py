"""A Slack channel that sets itself up: from the first word to the filtered post, and to silence."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.app import open_workspace
from bot.cli.run_service import _work
from bot.config.reader import read
from bot.delivery.payload import freeze
from bot.jobs.loop import Runner
from bot.jobs.services import LoopServices
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Receipt, Sender
from bot.platforms.slack import sender as slack_sender
from bot.shared_state.shared_parts import SharedParts
from bot.subscriptions.channel_registry import open_senders
from digest.document import Document, Paragraph, Text
from handlers.ports.storage import DeliveryKey
from tests.e2e.parity.slack import BRISK
from tests.servers.slack import BOT_TOKEN, CHANNEL, Channel, SlackServer
from tests.support.builders import RepositoryBuilder
from tests.support.fakes_delivery import FakeClock, FakeLeases

OTHER = "C0000000009"
FRIDAY = datetime(2026, 3, 6, 12, tzinfo=UTC)

ADMIN, MEMBER = "U0ADMIN", "U0MEMBER"


@dataclass
class Chat:
    """A channel with the program behind it, at a time that the test sets."""

    server: SlackServer
    sender: Sender
    work: LoopServices
    loop: Runner
    clock: FakeClock
    project: RepositoryBuilder

    async def say(
        self, words: str, *, person: str = ADMIN, chat: str = CHANNEL, external: bool = False
    ) -> str:
        """Everything that stands below a message when it is answered."""
        stamp = self.server.say(words, channel=chat, user=person).ts
        before = len(self.server.messages)
        incoming = Incoming(
            platform="slack",
            chat=chat,
            person=person,
            text=words,
            id=stamp,
            at=self.clock.now(),
            receipt=Receipt(message=stamp, thread=stamp),
            external=external,
        )
        await self.work.hearing.hear(self.sender, incoming)
        await self.loop.channels.look()
        return "\n".join(one.text for one in self.server.messages[before:])

    async def posts_at(self, moment: datetime, chat: str = CHANNEL) -> list[str]:
        """What is posted to a chat by itself when the loop looks at a moment."""
        before = len(self.server.messages)
        self.clock.time = moment
        await self.loop.sweep()
        posted = self.server.messages[before:]
        return [one.text for one in posted if one.channel == chat and not one.thread]

    def commit(self, message: str, path: str, at: datetime, author: str = "") -> None:
        more = {"author": author} if author else {}
        self.project.commit(message, {path: f"{message}\nVALUE = 1\n"}, at=at, **more)


@pytest.fixture
def channels() -> str:
    """What the configuration posts by itself."""
    return f"""
[[channels]]
name = "team"
platform = "slack"
chat = "{OTHER}"
time = "18:00"
"""


@pytest.fixture
async def chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, channels: str
) -> AsyncIterator[Chat]:
    monkeypatch.setenv("DIGESTBOT_DATA", str(tmp_path / "data"))
    # One message a second is Slack's limit; that it is kept is tested elsewhere.
    monkeypatch.setattr(slack_sender, "_IN_A_CHANNEL", BRISK)
    project = RepositoryBuilder(tmp_path / "project")
    project.commit("Begin (#1)", {"README.md": "x\n"}, at=datetime(2026, 2, 20, tzinfo=UTC))
    async with AsyncExitStack() as stack:
        server = stack.enter_context(SlackServer(rate=1000, burst=1000))
        server.channels[OTHER] = Channel("other")
        file = tmp_path / "digestbot.toml"
        file.write_text(
            f"""
[access]
anyone = true
admins = ["slack:{ADMIN}"]
per_minute = 12

[[repositories]]
place = {str(project.path)!r}
name = "acme/engine"

[[repositories]]
place = {str(project.path)!r}
name = "acme/open"
visibility = "public"

[platforms.slack]
bot_token = "{BOT_TOKEN}"
api = "{server.url}"
{channels}
""",
            encoding="utf-8",
        )
        clock = FakeClock(FRIDAY)
        app = await stack.enter_async_context(open_workspace(file, clock, logging=True))
        config = read(file)
        senders = open_senders(config)
        for sender in senders.values():
            stack.push_async_callback(sender.aclose)
        work = await _work(app, config, senders, FakeLeases(), SharedParts())
        yield Chat(server, senders["slack"], work, Runner(work), clock, project)


async def test_channel_subscribes_filters_mutes_pauses_and_leaves(chat: Chat) -> None:
    assert "acme/engine" in await chat.say("subscribe engine daily 09:00 Europe/Berlin level low")
    listed = await chat.say("subscriptions")
    assert "acme/engine" in listed
    assert "2026-03-07 09:00" in listed
    assert "configuration" not in listed
    assert "moe" in await chat.say("mute moe")

    chat.commit("Add a cache (#2)", "src/cache.py", FRIDAY - timedelta(days=1))
    chat.commit("Tell of caches (#3)", "docs/cache.md", FRIDAY - timedelta(hours=3))
    previewed = await chat.say("include path src/**")
    assert "1 of the 2 changes" in previewed
    assert "save include path src/**" in previewed
    assert "src/**" not in await chat.say("settings")
    assert "Saved" in await chat.say("save include path src/**")
    assert "path src/**" in await chat.say("settings")

    assert await chat.posts_at(FRIDAY) == []
    chat.commit("Raise the limit (#4)", "src/limit.py", FRIDAY + timedelta(hours=1))
    chat.commit("[MoE] Fuse the experts (#5)", "src/moe.py", FRIDAY + timedelta(hours=2))
    chat.commit(
        "Bump torch (#6)", "src/pins.py", FRIDAY + timedelta(hours=3), "renovate[bot] <b@x>"
    )
    chat.commit("Write more (#7)", "docs/more.md", FRIDAY + timedelta(hours=4))
    saturday = FRIDAY.replace(day=7, hour=8)
    (post,) = await chat.posts_at(saturday + timedelta(minutes=1))
    assert "Raise the limit" in post
    assert not any(words in post for words in ("Fuse the experts", "Bump torch", "Write more"))
    assert "1 muted" in post
    assert "left out by filters (bot 1, include path " in post

    assert "Paused" in await chat.say("pause")
    chat.commit("Lower the limit (#8)", "src/limit.py", saturday + timedelta(hours=1))
    assert await chat.posts_at(saturday + timedelta(days=1, minutes=1)) == []
    assert "again" in await chat.say("resume")
    (post,) = await chat.posts_at(saturday + timedelta(days=2, minutes=1))
    assert "Lower the limit" in post

    assert "已取消 1 个订阅" in await chat.say("取消订阅 engine")
    chat.commit("Remove the limit (#9)", "src/limit.py", saturday + timedelta(days=2, hours=1))
    assert await chat.posts_at(saturday + timedelta(days=3, minutes=1)) == []


async def test_pause_with_an_end_holds_digests_until_then_and_the_next_one_covers_it(
    chat: Chat,
) -> None:
    await chat.say("subscribe engine daily 09:00 Europe/Berlin level low")
    assert await chat.posts_at(FRIDAY) == []
    assert "一年之内" in await chat.say("暂停到2026-03-01")
    assert "Paused until 2026-03-08 00:00 (Europe/Berlin)" in await chat.say("pause until sunday")
    listed = await chat.say("subscriptions")
    assert "paused until 2026-03-08 00:00; next 2026-03-08 09:00" in listed
    assert "暂停至 2026-03-08 00:00" in await chat.say("设置")
    chat.commit("Raise the limit (#4)", "src/limit.py", FRIDAY + timedelta(hours=1))
    saturday = FRIDAY.replace(day=7, hour=8, minute=1)
    assert await chat.posts_at(saturday) == []
    assert await chat.posts_at(saturday + timedelta(hours=16)) == []
    assert "paused" not in await chat.say("subscriptions")
    (post,) = await chat.posts_at(saturday + timedelta(days=1))
    assert "Raise the limit" in post
    assert "2026-03-06 09:00" in post

    await chat.say("暂停3天")
    chat.commit("Lower the limit (#5)", "src/limit.py", saturday + timedelta(days=1, hours=2))
    assert await chat.posts_at(saturday + timedelta(days=2)) == []
    assert "again" in await chat.say("resume")
    assert await chat.posts_at(saturday + timedelta(days=2, minutes=5)) == []
    (post,) = await chat.posts_at(saturday + timedelta(days=3))
    assert "Lower the limit" in post


async def test_monthly_digest_covers_the_month_once_and_ends_alone(chat: Chat) -> None:
    said = await chat.say("subscribe engine monthly 09:00 Europe/Berlin level low")
    assert "monthly, on the first day at 09:00 (Europe/Berlin)" in said
    await chat.say("subscribe engine daily 08:00 Europe/Berlin level low")
    assert "每月第一天 09:00" in await chat.say("订阅列表")
    chat.commit("Raise the limit (#4)", "src/limit.py", FRIDAY + timedelta(hours=1))
    chat.commit("Lower the limit (#5)", "src/limit.py", FRIDAY + timedelta(days=20))
    assert "1 subscription dropped" in await chat.say("unsubscribe daily")
    assert await chat.posts_at(FRIDAY + timedelta(days=14)) == []
    first = datetime(2026, 4, 1, 7, 1, tzinfo=UTC)
    (post,) = await chat.posts_at(first)
    assert "2026-03-01 – 2026-04-01" in post
    assert "Raise the limit" in post
    assert "Lower the limit" in post
    assert "By week" in post
    assert await chat.posts_at(first + timedelta(hours=1)) == []


async def test_alert_waits_until_the_pause_of_its_chat_ends(chat: Chat) -> None:
    flag = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--workers")\n'
    chat.project.commit("Add workers (#6)", {"src/main.py": flag}, at=FRIDAY)
    await chat.say("profile add --workers")
    await chat.say("alerts on")
    assert "no alert" in await chat.say("pause until sunday")
    removed = {"src/main.py": "p = None\n"}
    chat.project.commit("Remove workers (#7)", removed, at=FRIDAY + timedelta(hours=1))
    assert await chat.posts_at(FRIDAY + timedelta(hours=2)) == []
    (alert,) = await chat.posts_at(FRIDAY.replace(day=8, hour=1))
    assert "--workers" in alert
    assert await chat.posts_at(FRIDAY.replace(day=8, hour=2)) == []


async def test_changes_of_a_watched_author_are_told_at_once(chat: Chat) -> None:
    assert "Lovelace" in await chat.say("tell me at once when Ada Lovelace commits")
    for title, author in (
        ("Tidy up (#6)", "Ada Lovelace <ada@example.org>"),
        ("Tidy more (#7)", "Bob <bob@example.org>"),
    ):
        chat.commit(title, "docs/a.md", FRIDAY + timedelta(hours=1), author)
    (alert,) = await chat.posts_at(FRIDAY + timedelta(hours=2))
    assert "Tidy up" in alert
    assert "by Ada Lovelace" in alert
    assert "Tidy more" not in alert


async def test_digest_that_a_chat_asks_for_shows_what_its_own_digest_would(chat: Chat) -> None:
    chat.commit("Raise the limit (#4)", "src/limit.py", FRIDAY - timedelta(hours=1))
    assert "Raise the limit" not in await chat.say("digest today")
    await chat.say("subscribe engine daily 09:00 level low")
    assert "Raise the limit" in await chat.say("digest today")
    assert "Muted" in await chat.say("mute limit")
    assert "Raise the limit" not in await chat.say("digest today")


async def test_member_asks_and_lists_but_changes_nothing(chat: Chat) -> None:
    for words in ("subscribe engine", "mute moe", "settings language zh", "include path src/**",
                  "save exclude author ada", "pause", "unsubscribe"):  # fmt: skip
        assert "Only an admin" in await chat.say(words, person=MEMBER)
    assert "no subscription" in await chat.say("subscriptions", person=MEMBER)


async def test_configured_channel_is_listed_and_keeps_its_own_rules(chat: Chat) -> None:
    listed = await chat.say("subscriptions", chat=OTHER)
    assert "by the configuration" in listed
    assert "18:00" in listed
    await chat.say("exclude path docs/**", chat=OTHER)
    await chat.say("save exclude path docs/**", chat=OTHER)
    assert await chat.posts_at(FRIDAY) == []
    chat.commit("Write more (#7)", "docs/more.md", FRIDAY + timedelta(hours=1))
    chat.commit("[CLI] Remove a flag (#8)", "src/cli.py", FRIDAY + timedelta(hours=2))
    told = "\n".join(await chat.posts_at(FRIDAY.replace(hour=18, minute=1), OTHER))
    assert "Write more" not in told


async def test_external_channel_hears_of_private_repositories_by_an_admins_word_alone(
    chat: Chat,
) -> None:
    chat.server.channels[CHANNEL].external = True
    said = await chat.say("subscriptions", external=True)
    assert "subscribe acme/open" in said
    assert "acme/engine" not in said
    refused = await chat.say("subscribe acme/engine 09:00 level low", external=True)
    assert "has no repository" in refused
    assert "Set" in await chat.say("settings private on", external=True)
    assert "Subscribed" in await chat.say("subscribe acme/engine 09:00 level low", external=True)
    assert await chat.posts_at(FRIDAY) == []
    chat.commit("Raise the limit (#4)", "src/limit.py", FRIDAY + timedelta(hours=1))
    assert len(await chat.posts_at(FRIDAY.replace(day=7, hour=9, minute=1))) == 1


async def test_post_of_a_private_repository_is_withheld_once_outsiders_read(chat: Chat) -> None:
    await chat.say("subscribe acme/engine 09:00 level low")
    assert await chat.posts_at(FRIDAY) == []
    chat.commit("Raise the limit (#4)", "src/limit.py", FRIDAY + timedelta(hours=1))
    chat.server.channels[CHANNEL].external = True
    assert await chat.posts_at(FRIDAY.replace(day=7, hour=9, minute=1)) == []
    chat.server.channels[CHANNEL].external = False
    chat.commit("Lower the limit (#5)", "src/limit.py", FRIDAY + timedelta(days=1))
    told = await chat.posts_at(FRIDAY.replace(day=8, hour=9, minute=1))
    assert len(told) == 1
    assert "Lower the limit" in told[0]


async def test_filter_is_tried_on_every_repository_that_the_chat_follows(chat: Chat) -> None:
    await chat.say("subscribe acme/engine daily 09:00")
    await chat.say("subscribe acme/open weekly")
    chat.commit("Add a cache (#2)", "src/cache.py", FRIDAY - timedelta(days=1))
    chat.commit("Tell of caches (#3)", "docs/cache.md", FRIDAY - timedelta(hours=3))
    previewed = await chat.say("include path src/**")
    assert "2 of the 4 changes" in previewed
    assert "acme/engine, acme/open" in previewed
    assert "acme/engine: 1 of 2" in previewed
    assert "acme/open: 1 of 2" in previewed


@pytest.mark.parametrize("channels", [""])
async def test_chat_of_an_account_that_no_channel_names_subscribes_within_its_limits(
    chat: Chat,
) -> None:
    assert "Subscribed" in await chat.say("subscribe acme/engine 09:00 level low")
    assert await chat.posts_at(FRIDAY) == []
    chat.commit("Raise the limit (#4)", "src/limit.py", FRIDAY + timedelta(hours=1))
    (post,) = await chat.posts_at(FRIDAY.replace(day=7, hour=9, minute=1))
    assert "Raise the limit" in post
    said = [await chat.say("subscriptions", person=MEMBER) for _ in range(14)]
    assert all("acme/engine" in one for one in said[:12])
    assert not any("acme/engine" in one for one in said[12:])


async def test_frozen_digest_waits_while_outsiders_read_and_comes_when_they_are_gone(
    chat: Chat,
) -> None:
    await chat.say("subscribe acme/engine 09:00 level low")
    (target,) = (p.target for p in chat.loop.channels.posts.values() if p.target.chat == CHANNEL)
    # As a process leaves it that dies between the claim and the first message.
    document = Document(title="Limits", blocks=(Paragraph((Text("Raise the limit"),)),))
    parts = chat.sender.render(document)
    key = DeliveryKey(platform="slack", channel=target.name, digest="daily:acme/engine:before")
    content = freeze(document, parts, repository="acme/engine")
    await chat.work.ledger.claim(key, content, len(parts))
    chat.server.channels[CHANNEL].external = True
    for minutes in (5, 10):
        assert await chat.posts_at(FRIDAY + timedelta(minutes=minutes)) == []
    chat.server.channels[CHANNEL].external = False
    (post,) = await chat.posts_at(FRIDAY + timedelta(minutes=15))
    assert "Raise the limit" in post
    assert await chat.posts_at(FRIDAY + timedelta(minutes=20)) == []


_HEARD: list[tuple[str, str]] = []


def _listen(event: str, given: tuple[object, ...]) -> None:
    """Notes what leads out of the process towards the place that is asked for."""
    if event in _WAYS_OUT and any(place in repr(given) for place in _PLACES):
        _HEARD.append((event, repr(given)))


_ASKED_FOR = (
    "http://169.254.169.254/latest/meta-data",
    "file:///etc/passwd",
    "ext::sh -c internal.example",
)
_PLACES = ("169.254.169.254", "/etc/passwd", "internal.example")
_WAYS_OUT = {
    "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "subprocess.Popen",
    "os.posix_spawn", "os.exec", "os.fork", "open", "os.listdir", "os.scandir",
}  # fmt: skip


async def test_nobody_in_a_chat_makes_this_machine_look_anywhere(chat: Chat) -> None:
    sys.addaudithook(_listen)
    open("/etc/passwd", encoding="utf-8").close()  # noqa: PTH123  # what is listened for is heard
    assert _HEARD.pop()[0] == "open"
    for number, place in enumerate(_ASKED_FOR):
        for words in ("subscribe {}", "profile from {}", "explain {}/pull/1", "what changed in {}"):
            room = f"C0{number}{len(words)}"
            chat.server.channels[room] = Channel(room)
            assert await chat.say(words.format(place), chat=room)
    assert _HEARD == []


async def test_channel_of_a_team_hears_of_the_files_that_it_owns(chat: Chat) -> None:
    owners = {".github/CODEOWNERS": "/core/ @octo/core\n/web/ @octo/web @ada\n"}
    chat.project.commit("Name owners", owners, at=FRIDAY - timedelta(hours=3))
    chat.commit("Speed up the core (#2)", "core/run.py", FRIDAY - timedelta(hours=2))
    chat.commit("Speed up the web (#3)", "web/run.py", FRIDAY - timedelta(hours=1))
    await chat.say("subscribe acme/engine daily 13:00 level low")
    tried = await chat.say("include owner @octo/web")
    assert "include owner @octo/web would keep 1 of the 3 changes" in tried
    assert "include owner 2" in tried
    await chat.say("save include owner @octo/web")
    assert "owner @octo/web" in await chat.say("settings")
    assert await chat.posts_at(FRIDAY) == []
    (post,) = await chat.posts_at(FRIDAY + timedelta(hours=1, minutes=1))
    assert "Speed up the web" in post
    assert "Speed up the core" not in post
    assert "2 left out by filters (include owner 2)" in post
    explained = await chat.say("explain #3")
    assert "Owners: @octo/web and @ada" in explained
    assert "<!subteam" not in explained
    await chat.say("remove filter owner @octo/web")
    assert "owner" not in await chat.say("settings")
