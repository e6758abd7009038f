"""The digest on real git and SQLite: every commit accounted for, late ones told, crashes survived."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.app import open_workspace
from bot.config.channel_section import ChannelConfig, Quiet
from bot.config.repository_section import RepositoryConfig
from bot.delivery.delivery import Delivered
from bot.delivery.part_sender import Target
from bot.git.open_source import open_source
from bot.platforms.console import Console
from bot.publishing.slots import Slots
from bot.scheduler.schedule import Slot
from bot.store.ledger import SqlLedger
from bot.store.sqlite import open_database
from bot.subscriptions.channel_registry import subscriptions_of
from bot.util.machine import FixedClock
from bot.workspace.workspace import Workspace
from digest.facts.extract import extract
from digest.window import Window, day_window
from handlers.context import Context
from handlers.digests.daily import digest_of_window
from handlers.ports.storage import State, Tip
from tests.support.builders import RepositoryBuilder
from tests.support.channels import at_target, due

UTC_ZONE = ZoneInfo("UTC")

DAY = timedelta(days=1)

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    builder = RepositoryBuilder(tmp_path / "project")
    for n in range(5):
        builder.commit(
            f"[Feature] Add part {n} (#{n + 1})",
            {f"src/part{n}.py": f"def part{n}():\n    return {n}\n"},
            at=MONDAY + timedelta(hours=n),
        )
    return builder


@pytest.fixture
async def app() -> AsyncIterator[Workspace]:
    async with open_workspace(clock=FixedClock(MONDAY + DAY)) as found:
        yield found


async def context(app: Workspace, repository: RepositoryBuilder) -> Context:
    return app.context(await app.watch(str(repository.path)), zone=UTC_ZONE)


def counted(repository: RepositoryBuilder, words: str) -> int:
    return int(repository.git("rev-list", "--count", "--first-parent", words))


async def test_states_of_a_day_add_up_to_what_git_counts(
    app: Workspace, repository: RepositoryBuilder
) -> None:
    ctx = await context(app, repository)
    daily = await digest_of_window(ctx, day_window(MONDAY.date(), UTC_ZONE))
    states = Counter(o.state for o in daily.outcomes)
    assert sum(states.values()) == counted(repository, "main") == 5
    assert len({o.sha for o in daily.outcomes}) == 5
    coverage = daily.report.coverage
    assert coverage is not None
    assert coverage.total == coverage.accounted == 5


async def test_commit_with_an_old_date_is_in_the_next_digest_and_late(
    app: Workspace, repository: RepositoryBuilder
) -> None:
    ctx = await context(app, repository)
    first = await due(ctx, "team", day_window(MONDAY.date(), UTC_ZONE))
    await app.coverage.record(
        ctx.watched.repository, first.tip.branch, "team", first.tip.sha, first.outcomes
    )
    old = repository.commit("Fix an old bug (#9)", {"src/old.py": "x = 1\n"}, at=MONDAY - 30 * DAY)
    new = repository.commit("Add news (#10)", {"src/new.py": "y = 1\n"}, at=MONDAY + DAY)
    base = first.tip.sha
    second = await due(
        await context(app, repository), "team", day_window((MONDAY + DAY).date(), UTC_ZONE)
    )
    assert {o.sha for o in second.outcomes} == {old, new}
    assert len(second.outcomes) == counted(repository, f"{base}..main")
    assert {e.graded.sha: e.late for e in second.report.entries} == {old: True, new: False}


@pytest.mark.parametrize("seen", [None, "f" * 40])
async def test_first_digest_has_what_came_after_its_window_because_the_next_begins_at_its_tip(
    app: Workspace, repository: RepositoryBuilder, seen: str | None
) -> None:
    ctx = await context(app, repository)
    await app.coverage.record(ctx.watched.repository, "main", "team", seen, ())
    window = Window(since=MONDAY + DAY / 24, until=MONDAY + DAY / 12, zone=UTC_ZONE)
    first = await due(ctx, "team", window)
    assert len(first.outcomes) == counted(repository, "main") - 1
    assert first.tip.sha == repository.sha("main")


async def test_nothing_new_of_a_rewritten_branch_is_lost(
    app: Workspace, repository: RepositoryBuilder
) -> None:
    ctx = await context(app, repository)
    first = await due(ctx, "team", day_window(MONDAY.date(), UTC_ZONE))
    await app.coverage.record(
        ctx.watched.repository, first.tip.branch, "team", first.tip.sha, first.outcomes
    )
    kept = repository.git("rev-parse", "main~2")
    fresh = repository.commit(
        "Rewrite the last parts (#11)", {"src/p.py": "z = 1\n"}, at=MONDAY + DAY, parents=[kept]
    )
    second = await due(
        await context(app, repository), "team", day_window((MONDAY + DAY).date(), UTC_ZONE)
    )
    assert [o.sha for o in second.outcomes] == [fresh]


async def test_old_tip_that_is_gone_holds_back_no_digest(
    app: Workspace, repository: RepositoryBuilder
) -> None:
    ctx = await context(app, repository)
    first = await due(ctx, "team", day_window(MONDAY.date(), UTC_ZONE))
    await app.coverage.record(
        ctx.watched.repository, first.tip.branch, "team", "f" * 40, first.outcomes
    )
    fresh = repository.commit("Go on (#11)", {"src/p.py": "z = 1\n"}, at=MONDAY + DAY)
    second = await due(
        await context(app, repository), "team", day_window((MONDAY + DAY).date(), UTC_ZONE)
    )
    assert [o.sha for o in second.outcomes] == [fresh]


async def test_change_that_cannot_be_read_is_failed_with_its_cause_and_read_again_later(
    app: Workspace, repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(change, *others, **named):
        if "part 3" in change.commit.message:
            raise RuntimeError("no such luck")
        return extract(change, *others, **named)

    # The failure has to come from inside our own code, where no fake stands.
    monkeypatch.setattr("digest.facts.extract.extract", broken)
    ctx = await context(app, repository)
    window = day_window(MONDAY.date(), UTC_ZONE)
    daily = await digest_of_window(ctx, window)
    failed = [o for o in daily.outcomes if o.state is State.FAILED]
    assert [o.why for o in failed] == ["RuntimeError: no such luck"]
    assert len(daily.report.entries) == len(daily.outcomes) == 5
    monkeypatch.setattr("digest.facts.extract.extract", extract)
    assert not [
        o for o in (await digest_of_window(ctx, window)).outcomes if o.state is State.FAILED
    ]


class Channel:
    """A channel of the console, with the calls that the runner makes for a slot."""

    def __init__(self, app: Workspace, repository: RepositoryBuilder) -> None:
        self.sender = Console(io.StringIO())
        config = ChannelConfig(
            name="team", platform="console", zone="UTC", quiet=Quiet.LINE, time="12:00"
        )
        settings = RepositoryConfig(place=str(repository.path), name="ada/project")
        (subscription,) = subscriptions_of(config, [settings])
        target = Target(name="team", sender=self.sender)
        self.post = at_target(target, subscription)
        self.slots = Slots(app)


def slot(day: int) -> Slot:
    at = datetime(2026, 3, day, 12, tzinfo=UTC)
    return Slot(day=at.date(), at=at)


async def test_slot_built_again_after_a_crash_is_the_same_and_moves_the_tip_once(
    app: Workspace, repository: RepositoryBuilder
) -> None:
    app = app.at(FixedClock(slot(3).at))
    channel = Channel(app, repository)
    first = await channel.slots.build(channel.post, slot(3))
    seen = repository.sha("main")
    # The process dies here, and the branch moves on before the next one takes over.
    late = repository.commit("Add more (#20)", {"src/more.py": "m = 1\n"}, at=slot(3).at)
    again = await Channel(app, repository).slots.build(channel.post, slot(3))
    assert again == first
    done = [Delivered(key=posting.key) for posting in first]
    await channel.slots.finish(channel.post, slot(3), done)
    await channel.slots.finish(channel.post, slot(3), done)
    _, source = await open_source(str(repository.path), app.data)
    repo = (await app.watch(str(repository.path), name="ada/project")).repository
    assert await app.coverage.seen(repo, "main", "team") == seen
    nextday = app.at(FixedClock(slot(4).at))
    daily = await due(
        nextday.context(await nextday.watch(str(repository.path)), zone=UTC_ZONE),
        "team",
        day_window(slot(4).day, UTC_ZONE),
    )
    assert [o.sha for o in daily.outcomes] == [late]
    assert await source.tip() == Tip(branch="main", sha=late)


@pytest.mark.parametrize("begun", [True, False])
async def test_slot_left_by_a_dead_process_is_told_by_the_next_unless_its_delivery_had_begun(
    app: Workspace, repository: RepositoryBuilder, begun: bool
) -> None:
    app = app.at(FixedClock(slot(3).at))
    channel = Channel(app, repository)
    (posting,) = await channel.slots.build(channel.post, slot(3))
    if begun:
        await app.ledger.claim(posting.key, "{}", 1)
    await channel.slots.finish(channel.post, slot(3), ())
    repo = (await app.watch(str(repository.path), name="ada/project")).repository
    seen = await app.coverage.seen(repo, "main", "team")
    assert seen == (repository.sha("main") if begun else None)


async def test_first_slot_of_a_channel_reaches_back_one_slot_only(
    app: Workspace, repository: RepositoryBuilder
) -> None:
    repository.commit("Add today's part (#30)", {"src/t.py": "t = 1\n"}, at=slot(5).at - DAY / 2)
    app = app.at(FixedClock(slot(5).at))
    channel = Channel(app, repository)
    await channel.slots.build(channel.post, slot(5))
    kept = [h.counts["total"] for h in await app.digests.list(5)]
    assert kept == [1]


async def test_quiet_slot_is_one_line_where_a_line_is_wanted(
    app: Workspace, repository: RepositoryBuilder
) -> None:
    app = app.at(FixedClock(slot(20).at))
    channel = Channel(app, repository)
    assert len(await channel.slots.build(channel.post, slot(20))) == 1


async def test_run_command_catches_up_a_missed_slot_once_and_ends_at_a_signal(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    """The whole of ``digestbot run`` as a process, twice over the same slot."""
    due_at = datetime.now(UTC) - timedelta(minutes=1)
    repository.commit(
        "[CLI] Add --fast (#40)", {"src/cli.py": "import argparse\n"}, at=due_at - DAY / 2
    )
    async with await open_database(tmp_path / "data") as database:
        # The channel was served before, so that the slot of a minute ago counts as missed.
        earlier = (due_at - 2 * DAY).date().isoformat()
        for name in ("team", "finished:team"):
            await SqlLedger(database).claim_slot(name, earlier)
    posts = tmp_path / "posts.txt"
    config = tmp_path / "digestbot.toml"
    config.write_text(
        f"""
        [[repositories]]
        place = {str(repository.path)!r}
        name = "ada/project"

        [platforms.file]
        kind = "console"
        output = {str(posts)!r}

        [[channels]]
        name = "team"
        platform = "file"
        time = "{due_at:%H:%M:%S}"
        quiet = "line"
        """,
        encoding="utf-8",
    )
    first = await _run_until(config, tmp_path, "slot.finished")
    assert "(#40)" in posts.read_text(encoding="utf-8")
    before = posts.read_text(encoding="utf-8")
    again = await _run_until(config, tmp_path, "run.started")
    assert "Traceback" not in first + again
    assert posts.read_text(encoding="utf-8") == before


async def _run_until(config: Path, folder: Path, event: str) -> str:
    """Start ``digestbot run``, end it by a signal when its log tells the event; the log."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.cli", "run", "--config", str(config),
        env={**os.environ, "DIGESTBOT_DATA": str(folder / "data")},
        cwd=Path(__file__).parents[4],
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    told: list[str] = []
    async with asyncio.timeout(120):
        while event not in "".join(told):
            line = await process.stderr.readline()
            assert line, "".join(told)
            told.append(line.decode())
        process.send_signal(signal.SIGTERM)
        told.append((await process.stderr.read()).decode())
        assert await process.wait() == 0, "".join(told)
    return "".join(told)


async def test_configured_folder_needs_no_name(
    app: Workspace, repository: RepositoryBuilder
) -> None:
    watched = await app.watch_configured(
        RepositoryConfig.model_validate({"place": str(repository.path)})
    )
    assert watched.repository.name == "project"
    assert (await watched.source.tip()).sha == repository.sha("main")
