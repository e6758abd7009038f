"""The world of the load run: repositories, chats, an archive that knows them, and processes.

Everything is in one folder and is deleted with it. Half of the channels are in the configuration;
the other half subscribed by themselves.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import insert

from benchmarks.load_slack import SIGNING, token_of
from bot.app import open_workspace
from bot.jobs.channel_worker import NOTES
from bot.store.chat_records import SqlChats
from bot.store.tables.ledger_tables import slots
from digest.chat.chat_settings import DigestTiming, Subscribed
from digest.window import Window, zone_of
from handlers.digests.ingest import fill, tip_of
from handlers.ports.chat_port import ChatKey
from tests.e2e.running import free_port

COMMITS, FRESH = 30, 5
"""Commits per repository that the archive knows, and new ones for the digests."""

_WAVES = 2
_FIRST_SEEN = NOTES[1]
_SUBJECTS = (
    "Let the scheduler skip empty batches",
    "Fix a leak in the cache of blocks",
    "Add an option that bounds the queue",
    "Rename the helper that reads tensors",
    "Document how the server is drained",
    "Remove the flag that did nothing",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of everything. Channels are spread evenly over repositories and workspaces."""

    repositories: int = 200
    channels: int = 5000
    workspaces: int = 50


class World:
    """The folder of a run. In its ``zone`` it is about noon, so that no slot is near midnight."""

    def __init__(
        self, folder: Path, size: Size, database: str, redis: str, level: str = "info"
    ) -> None:
        self.folder, self.size = folder, size
        self.database, self.redis, self.level = database, redis, level
        shift = 12 - datetime.now(UTC).hour
        # POSIX uses the opposite sign: https://man7.org/linux/man-pages/man3/tzset.3.html
        self.zone = f"Etc/GMT{-shift:+d}" if shift else "Etc/GMT"
        self.config = folder / "digestbot.toml"
        self.chats = [self._chat(number) for number in range(size.channels)]
        self.plan = folder / "chats.json"
        self.plan.write_text(json.dumps(self.chats))

    def _chat(self, number: int) -> dict[str, str]:
        # Every second one subscribed by itself, and names its repository.
        named = "yes" if number % 2 else ""
        return {
            "team": f"T{number % self.size.workspaces:04}",
            "channel": f"C{number:06}",
            "person": f"U{number:06}",
            "repository": f"load/r{number % self.size.repositories}",
            "named": named,
        }

    def make_repositories(self) -> None:
        """Write every repository with its history, without the newest commits."""
        for number in range(self.size.repositories):
            place = self._place(number)
            _git("init", "--quiet", "--bare", "--initial-branch=main", "--template=", str(place))
            self._commit(number, 1, COMMITS)

    def commit_more(self) -> None:
        """Add the commits that are new in the digests."""
        for number in range(self.size.repositories):
            self._commit(number, COMMITS + 1, COMMITS + FRESH)

    def _place(self, number: int) -> Path:
        return self.folder / "repositories" / f"r{number}.git"

    def _commit(self, number: int, first: int, last: int) -> None:
        now = int(time.time())
        stream = "".join(
            _commit(number, one, now - (COMMITS + FRESH - one + 1) * 1500, new=one == 1)
            for one in range(first, last + 1)
        )
        _git("-C", str(self._place(number)), "fast-import", "--quiet", stdin=stream.encode())

    def write_config(self, slack: str, at: Sequence[time_of_day]) -> None:
        """Write the configuration; channels are due at one of the times, in turn."""
        store = self.folder / "slack"
        store.mkdir(mode=0o700, exist_ok=True)
        for team in {one["team"] for one in self.chats}:
            (store / f"{team}.json").write_text(json.dumps(_installed(team)))
        lines = [
            f"data = '{self.folder / 'data'}'",
            "[logs]", 'format = "json"', f'level = "{self.level}"',
            "[defaults]", f'zone = "{self.zone}"', 'least = "medium"',
            "[access]", "anyone = true",
            "[database]", f'url = "{self.database}"',
            "[shared]", f'redis_url = "{self.redis}"',
            "[web]", 'listen = "127.0.0.1:0"',
            "[platforms.slack]", f"installations = '{store}'", 'events = "http"',
            'client_id = "1.2"', 'client_secret = "client-secret"',
            f'signing_secret = "{SIGNING}"', f'api = "{slack}"',
        ]  # fmt: skip
        for number in range(self.size.repositories):
            lines += ["[[repositories]]", f'name = "load/r{number}"', 'visibility = "public"']
            lines += [f"place = '{self._place(number)}'"]
        for number, chat in enumerate(self.chats):
            if not chat["named"]:
                lines += ["[[channels]]", f'name = "c{number}"', 'platform = "slack"']
                lines += [f'chat = "{place_of(chat)}"', f'repositories = ["{chat["repository"]}"]']
                lines += [f'time = "{_at(number, at):%H:%M}"']
        self.config.write_text("\n".join(lines))
        self.config.chmod(0o600)

    async def fill(self) -> None:
        """Read all histories into the archive."""
        async with open_workspace(self.config) as app:
            assert app.config is not None
            now = datetime.now(UTC)
            window = Window(since=now - timedelta(days=7), until=now, zone=zone_of("UTC"))
            for settings in app.config.repositories:
                ctx = app.context(await app.watch_configured(settings), zone=window.zone)
                await fill(ctx, window, await tip_of(ctx))

    async def subscribe(self, at: Sequence[time_of_day]) -> None:
        """Subscribe half of the chats, and record all as known since yesterday."""
        async with open_workspace(self.config) as app:
            chats, names = SqlChats(app.database), []
            for number, chat in enumerate(self.chats):
                key = ChatKey(platform="slack", chat=place_of(chat))
                names.append(f"{key} {chat['repository']}" if chat["named"] else f"c{number}")
                if chat["named"]:
                    wanted = Subscribed(
                        repository=chat["repository"],
                        timing=DigestTiming(at=_at(number, at)),
                        person=f"slack:{chat['person']}",
                    )
                    await chats.subscribe(key, wanted)
            yesterday = (datetime.now(ZoneInfo(self.zone)) - timedelta(days=1)).date()
            rows = [{"subscription": _FIRST_SEEN + n, "slot": f"{yesterday}"} for n in names]
            async with app.database.writing() as connection:
                await connection.execute(insert(slots), rows)


class Process:
    """A ``digestbot run`` with its log in a file and its web server on a port of its own."""

    def __init__(self, world: World, name: str, role: str) -> None:
        self.name, self.role, self.port = name, role, free_port()
        self.log = world.folder / f"{name}.log"
        listen = f"127.0.0.1:{self.port}"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "bot.cli", "run", "--config", str(world.config)),
                    *("--role", role, "--listen", listen),
                ],
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    @property
    def address(self) -> str:
        """The address of its web server."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def wait(self) -> None:
        """Wait until it is ready."""
        until = time.monotonic() + 180
        while b'"run.started"' not in self.log.read_bytes():
            assert self._process.poll() is None, self.log.read_text()[-2000:]
            assert time.monotonic() < until, self.log.read_text()[-2000:]
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop it as an operator would, and finally by force."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(40)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def logged(self) -> Iterator[Mapping[str, object]]:
        """Its log events."""
        for line in self.log.read_text(encoding="utf-8").splitlines():
            if line.startswith("{"):
                yield json.loads(line)


@contextmanager
def processes(world: World, roles: Sequence[tuple[str, int]]) -> Iterator[list[Process]]:
    """A number of running processes of each role; they end with the block."""
    made: list[Process] = []
    try:
        for role, count in roles:
            made += [Process(world, f"{role}{number}", role) for number in range(1, count + 1)]
        for one in made:
            one.wait()
        yield made
    finally:
        for one in made:
            one.stop()


def place_of(chat: Mapping[str, str]) -> str:
    """A chat in the form that channels use."""
    return f"{chat['team']}/{chat['channel']}"


def waves(after: datetime) -> list[datetime]:
    """When digests are due: the whole minutes after a moment."""
    minute = after.replace(second=0, microsecond=0)
    return [minute + timedelta(minutes=1 + number) for number in range(_WAVES)]


def _at(number: int, at: Sequence[time_of_day]) -> time_of_day:
    return at[number // 2 % len(at)]


def _installed(team: str) -> dict[str, object]:
    known = {"token": token_of(team), "team": team, "user": "U0BOT", "bot": "B0BOT"}
    return {**known, "workspace": f"The {team}", "app": "A0APP", "installed_at": 1.7e9}


def _commit(repository: int, number: int, at: int, *, new: bool) -> str:
    subject = f"{_SUBJECTS[number % len(_SUBJECTS)]} (#{number})"
    body = "".join(f"value_{n} = {n * number + repository}\n" for n in range(20))
    folder = ("scheduler", "cache", "server", "docs")[number % 4]
    file = f"src/{folder}/part_{number % 7}.py"
    who = f"Ada Example <ada@example.org> {at} +0000"
    told = f"{subject}\n\nThe old way took too long when a batch had no members.\n"
    head = "commit refs/heads/main\n" + f"author {who}\ncommitter {who}\n" + _data(told)
    parent = (
        "" if new or number == 1 else "from refs/heads/main^0\n" if number == COMMITS + 1 else ""
    )
    return f"{head}{parent}M 100644 inline {file}\n{_data(body)}\n"


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}"


def _git(*words: str, stdin: bytes = b"") -> None:
    subprocess.run(["git", *words], check=True, input=stdin, capture_output=True)
