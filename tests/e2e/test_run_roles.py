"""A web process, a scheduler and a worker at one PostgreSQL: what one hears, another does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.running import Running, free_port, missed, running
from tests.e2e.test_run_hooked import FLAG, HOOK_SECRET, ask, git_daemon, push
from tests.integration.bot.platforms.slack.slack_caller import SECRET as SIGNING
from tests.servers import postgresql
from tests.servers.github import TOKEN, GitHubServer
from tests.servers.slack import BOT_TOKEN, CHANNEL, PERSON, Hangs, SlackServer, Slow
from tests.support.builders import RepositoryBuilder

_CONFIG = """
[web]
listen = "127.0.0.1:{port}"

[access]
anyone = true
admins = ["slack:{person}"]

[defaults]
zone = "UTC"
time = "00:00"

[forges.work]
kind = "github"
host = "ghe.example.org"
api = "{forge}"
token = "{token}"
webhook_secret = "{hook}"

[[repositories]]
place = "{address}/engine"
name = "octo/engine"
web = "https://ghe.example.org/octo/engine"
forge = "github"

[platforms.slack]
bot_token = "{bot}"
signing_secret = "{signing}"
events = "http"
api = "{slack}"

[[channels]]
name = "team"
platform = "slack"
chat = "{channel}"
repositories = ["octo/engine"]
quiet = "line"
"""

# Only where a test is about it: the admin is told of missed digests by whichever process is up for
# fifteen seconds, and would meet what is planned for the digest where another is slow to begin.
_ADMIN = """
[admin]
channel = "slack:{channel}"
"""

_GONE = """
[[repositories]]
place = "{folder}/gone"
name = "octo/gone"

[[channels]]
name = "nobody"
platform = "slack"
chat = "{channel}"
repositories = ["octo/gone"]
"""


@dataclass
class World:
    """The processes by their roles, and what is around them."""

    slack: SlackServer
    engine: RepositoryBuilder
    web: Running
    scheduler: Running
    worker: Running

    @property
    def every(self) -> tuple[Running, ...]:
        return self.web, self.scheduler, self.worker


class Stage:
    """Everything but the processes, which a test starts as it needs them."""

    def __init__(self, stack: ExitStack, folder: Path, environment: dict[str, str]) -> None:
        self.engine = RepositoryBuilder(folder / "served" / "engine")
        self.engine.commit("Add workers (#1)", {"src/main.py": FLAG})
        self.slack = stack.enter_context(SlackServer())
        server = stack.enter_context(postgresql.running())
        server.run("CREATE DATABASE roles")
        self.environment = {**environment, "DATABASE_URL": server.url("roles")}
        self.port, self.config = free_port(), folder / "digestbot.toml"
        self.config.write_text(
            _CONFIG.format(
                port=self.port,
                person=PERSON,
                channel=CHANNEL,
                forge=stack.enter_context(GitHubServer()).url,
                token=TOKEN,
                hook=HOOK_SECRET,
                address=stack.enter_context(git_daemon(folder / "served")),
                bot=BOT_TOKEN,
                signing=SIGNING,
                slack=self.slack.url,
            )
        )
        self.config.chmod(0o600)
        self._stack = stack
        self._folder = folder
        missed(folder / "data", "team", "nobody", url=server.url("roles"))

    def add_what_is_gone(self) -> None:
        """A channel of a repository that cannot be read, and an admin to be told of it."""
        with self.config.open("a") as file:
            file.write((_ADMIN + _GONE).format(folder=self._folder, channel=CHANNEL))

    def start(self, role: str) -> Running:
        port = self.port if role == "web" else free_port()
        words = ("--role", role, "--listen", f"127.0.0.1:{port}")
        one = running(self.config, self.environment, port, *words)
        return self._stack.enter_context(one)


@pytest.fixture
def stage(tmp_path: Path, environment) -> Iterator[Stage]:
    with ExitStack() as stack:
        yield Stage(stack, tmp_path, environment)


@pytest.fixture
def world(stage: Stage) -> World:
    started = {role: stage.start(role) for role in ("worker", "scheduler", "web")}
    return World(slack=stage.slack, engine=stage.engine, **started)


def posted(bot: Running) -> list[str]:
    """The channels that a digest was posted to."""
    return [one["channel"] for one in bot.events("delivery.sent")]


def traces(bot: Running, event: str) -> set[str]:
    return {told["trace"] for told in bot.events(event)}


def waiting(bot: Running) -> dict[str, float]:
    """Jobs that wait, by kind, as a process tells Prometheus."""
    text = bot.client.get("/metrics").text
    lines = [ln for ln in text.splitlines() if ln.startswith("digestbot_jobs_waiting{")]
    return {line.split('"')[1]: float(line.split()[-1]) for line in lines}


def push_until_heard_first(world: World) -> int:
    """Push until the one ID of a forge's event leads to its alert; the number of pushes.

    The scheduler's own round, every few minutes, may read a commit before the event does.
    """
    for number in range(2, 5):
        changed = FLAG.replace("default=4", f"default={4 + number}")
        world.engine.commit(f"Use more workers (#{number})", {"src/main.py": changed})
        assert push(world.web, str(number)) == 202
        assert push(world.web, str(number)) == 202
        told = number - 1
        world.worker.until(lambda n=told: len(world.worker.events("alert.told")) == n)
        world.worker.until(lambda n=told: len(world.worker.events("repository.moved")) == n)
        heard = world.web.events("hook.heard")
        assert len(heard) == told
        last = {
            world.worker.events(event)[-1]["trace"] for event in ("repository.moved", "alert.told")
        }
        if last == {heard[-1]["trace"]}:
            return told
    raise AssertionError("no event of the forge led to its own alert")


def test_what_is_heard_by_one_is_done_by_another_under_one_id(world: World) -> None:
    world.worker.until(lambda: world.worker.events("slot.finished"))
    (finished,) = world.worker.events("slot.finished")
    claimed = [one for one in world.scheduler.events("slot.claimed") if one["channel"] == "team"]
    assert [one["trace"] for one in claimed] == [finished["trace"]]

    for number, words in enumerate(("profile add --workers", "alerts on"), start=1):
        ask(world.slack, world.web, words, 0)
        world.worker.until(lambda n=number: len(world.worker.events("message.answered")) == n)
    assert traces(world.worker, "message.answered") == traces(world.web, "message.heard")

    pushes = push_until_heard_first(world)
    assert not world.web.events("repository.moved")
    assert len(world.web.events("hook.repeated")) == pushes
    assert len([text for text in world.slack.seen() if "Use more workers" in text]) == pushes

    for one in world.every:
        assert set(waiting(one)) >= {"channel", "answer", "alert", "arrived"}
        assert one.client.get("/readyz").status_code == 200
        assert one.stop() == 0
        assert not one.events("delivery.orphaned")


def test_trouble_of_a_worker_is_told_to_the_admin(stage: Stage) -> None:
    stage.add_what_is_gone()
    worker = stage.start("worker")
    stage.start("scheduler")
    worker.until(lambda: worker.events("slot.failed"))
    worker.until(lambda: [text for text in stage.slack.seen() if "nobody" in text])
    assert worker.stop() == 0


def test_what_waits_is_seen_and_is_done_as_soon_as_there_is_a_worker(stage: Stage) -> None:
    scheduler = stage.start("scheduler")
    scheduler.until(lambda: waiting(scheduler).get("channel") == 1)
    worker = stage.start("worker")
    worker.until(lambda: worker.events("slot.finished"))
    assert posted(worker) == ["team"]


def test_worker_that_is_told_to_end_posts_what_it_is_at(stage: Stage) -> None:
    stage.slack.plan("chat.postMessage", Slow(2.0))
    stage.start("scheduler")
    worker = stage.start("worker")
    worker.until(lambda: stage.slack.called("chat.postMessage"))
    assert worker.stop() == 0
    assert posted(worker) == ["team"]
    assert worker.events("slot.finished")


def test_what_a_worker_could_not_end_is_done_once_by_another(stage: Stage) -> None:
    stage.slack.plan("chat.postMessage", Hangs(taken=True))
    stage.start("scheduler")
    worker = stage.start("worker")
    worker.until(lambda: stage.slack.called("chat.postMessage"))
    assert worker.stop() == 0
    assert worker.events("run.cancelled")
    worker.close()
    again = stage.start("worker")
    again.until(lambda: [one for one in again.events("slot.finished") if one["channel"] == "team"])
    # What hung had arrived all the same, and is found there.
    assert again.events("delivery.found")
