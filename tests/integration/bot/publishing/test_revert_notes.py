"""Changes that are reverted after their digest was posted: the post says so, its thread once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.app import open_workspace
from bot.config.channel_section import ChannelConfig
from bot.config.reader import read
from bot.config.repository_section import RepositoryConfig
from bot.delivery.delivery import Delivery
from bot.delivery.part_sender import Patience, Target
from bot.jobs.loop import Runner
from bot.jobs.services import LoopServices
from bot.messaging.sender import SendError, SendReason
from bot.publishing import revert_notes
from bot.publishing.revert_notes import RevertNotes
from bot.publishing.slots import Slots, name_of
from bot.store.deliveries import SqlAmendments
from bot.store.digests import KeptDigest, SqlDigests
from bot.subscriptions.channel_registry import subscriptions_of
from bot.util.machine import FixedClock
from bot.workspace.workspace import Workspace
from digest.core.grade import Graded, Level, Repository
from digest.markdown import markdown
from handlers.ports.status_port import undone_by
from handlers.ports.storage import Archive
from handlers.router import ask
from tests.support.builders import RepositoryBuilder
from tests.support.channels import Fixed, at_target
from tests.support.fakes_delivery import Crash, FakeLeases, FakeSender, Killed, no_step

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)

DAY = timedelta(days=1)

FLAG = {
    "src/cli.py": "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--fast')\n"
}


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    builder = RepositoryBuilder(tmp_path / "project")
    builder.commit("Begin (#1)", {"src/cli.py": "import argparse\n"}, at=MONDAY - 3 * DAY)
    builder.commit("[CLI] Add --fast (#2)", FLAG, at=MONDAY - DAY / 2)
    builder.commit(
        "Add other things (#3)", {"src/x.py": "def x():\n    return 1\n"}, at=MONDAY - DAY / 3
    )
    return builder


class World:
    """One channel of a platform, run for some days; what stands there outlives each process."""

    def __init__(
        self, app: Workspace, repository: RepositoryBuilder, sender: FakeSender, **more
    ) -> None:
        self.app, self.sender = app, sender
        config = ChannelConfig(
            name="team", platform="fake", chat="C1", time="12:00", least=Level.LOW, **more
        )
        settings = RepositoryConfig(
            place=str(repository.path), name="ada/project", web="https://forge.example/ada/project"
        )
        self.served = {one.name: one for one in subscriptions_of(config, [settings])}
        self.step = no_step

    async def sweep(self, at: datetime) -> None:
        """A new process that sweeps once at a moment."""
        app = self.app.at(FixedClock(at))
        delivery = Delivery(app.ledger, FakeLeases(), patience=Patience(first=0, attempts=1))
        slots = Slots(app, RevertNotes(app, delivery, name_of))
        posts = [
            at_target(Target(name=name, sender=self.sender, chat="C1"), one)
            for name, one in self.served.items()
        ]
        work = LoopServices(
            posts=Fixed(posts),
            build=slots.build,
            finish=slots.finish,
            hearing=None,
            delivery=delivery,
            ledger=app.ledger,
            leases=FakeLeases(),
            clock=app.clock,
            amend=slots.amend,
        )
        await Runner(work).sweep()

    async def days(self, *days: int) -> None:
        for day in days:
            for _ in range(2):
                await self.sweep(MONDAY + day * DAY)

    def texts(self) -> list[str]:
        """What stands, without the breaks of lines."""
        return [" ".join(text.split()) for text in self.sender.texts()]

    def marked(self) -> list[str]:
        return [
            t for t in self.texts() if "Add --fast" in t and "#2" in t and "↩️ reverted by #4" in t
        ]

    def notes(self) -> list[tuple[str, str | None]]:
        replies = [reply.message if reply else None for _, _, reply in self.sender.stands]
        told = zip(self.texts(), replies, strict=True)
        return [(text, reply) for text, reply in told if "was reverted by" in text]


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[Workspace]:
    config = tmp_path / "digestbot.toml"
    config.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    async with open_workspace(config, FixedClock(MONDAY)) as app:
        yield app


def revert(repository: RepositoryBuilder) -> None:
    repository.commit(
        'Revert "[CLI] Add --fast (#2)" (#4)\n\nThis reverts commit '
        + repository.sha("main~1")
        + ".",
        {"src/cli.py": "import argparse\n"},
        at=MONDAY + DAY / 2,
    )


async def test_post_is_edited_and_its_thread_told_once(app, repository):
    world = World(app, repository, FakeSender(can_find=True, can_edit=True))
    await world.days(-1, 0)
    before = world.texts()
    revert(repository)
    await world.days(1, 2)
    (line,) = world.marked()
    assert line not in before
    ((note, thread),) = world.notes()
    assert "[CLI] Add --fast (#2)" in note
    assert thread == "C1/1"
    # Nothing else of what stood was touched.
    kept = [text for text in before if "--fast" not in text]
    assert [text for text in world.texts()[: len(before)] if "--fast" not in text] == kept
    assert await SqlAmendments(app.database).planned() == ()


@pytest.mark.parametrize(
    "title", ['Revert "[CLI] Add --fast" (#4)', 'Revert "[CLI] Add --fast (#2)" (#4)']
)
async def test_revert_that_names_nothing_but_the_title_amends_the_post(app, repository, title):
    world = World(app, repository, FakeSender(can_find=True, can_edit=True))
    await world.days(-1, 0)
    repository.commit(title, {"src/cli.py": "import argparse\n"}, at=MONDAY + DAY / 2)
    await world.days(1, 2)
    assert len(world.marked()) == 1
    assert len(world.notes()) == 1


async def test_revert_of_a_title_that_nobody_posted_amends_nothing(app, repository):
    world = World(app, repository, FakeSender(can_find=True, can_edit=True))
    await world.days(-1, 0)
    files = {"src/cli.py": "import argparse\n"}
    repository.commit('Revert "Add --faster" (#4)', files, at=MONDAY + DAY / 2)
    await world.days(1, 2)
    assert world.marked() == []
    assert world.notes() == []


async def test_platform_without_edits_gets_the_note_alone(app, repository):
    world = World(app, repository, FakeSender())
    await world.days(-1, 0)
    before = world.texts()
    revert(repository)
    await world.days(1, 2)
    assert world.texts()[: len(before)] == before
    assert len(world.notes()) == 1


async def test_weekly_post_is_amended_by_the_daily_digest_that_finds_the_revert(app, repository):
    schedules = ({"kind": "daily"}, {"kind": "weekly", "weekdays": ["mon"]})
    world = World(app, repository, FakeSender(can_edit=True), schedules=schedules)
    await world.days(-7, 0)
    assert len([t for t in world.texts() if "Add --fast" in t]) == 2
    revert(repository)
    await world.days(1, 2)
    assert len(world.marked()) == 2
    assert len(world.notes()) == 2


async def test_revert_in_the_same_digest_amends_nothing(app, repository):
    revert(repository)
    world = World(app, repository, FakeSender(can_edit=True))
    await world.days(-1, 0, 1, 2)
    assert world.notes() == []


async def test_edit_that_is_refused_for_now_is_made_later_and_one_for_good_is_left(app, repository):
    sender = FakeSender(can_edit=True)
    world = World(app, repository, sender)
    await world.days(-1, 0)
    revert(repository)
    sender.edit_errors = [SendError(SendReason.UNAVAILABLE)]
    await world.sweep(MONDAY + DAY)
    assert world.notes() == []
    await world.sweep(MONDAY + DAY)
    assert len(world.notes()) == 1
    assert len(world.marked()) == 1


async def test_edit_window_that_closed_leaves_the_note(app, repository):
    sender = FakeSender(can_edit=True)
    world = World(app, repository, sender)
    await world.days(-1, 0)
    revert(repository)
    sender.edit_errors = [SendError(SendReason.REJECTED, "edit_window_closed")]
    await world.days(1)
    assert len(world.notes()) == 1


async def test_death_at_any_step_of_an_amendment_edits_and_tells_once(app, repository):
    sender = FakeSender(can_find=True, can_edit=True)
    world = World(app, repository, sender)
    await world.days(-1, 0)
    revert(repository)
    sender.edit_errors = [SendError(SendReason.UNAVAILABLE)]  # only planned at first
    await world.sweep(MONDAY + DAY)
    for step in range(20):
        sender.step = Crash(at=step)
        try:
            await world.sweep(MONDAY + DAY)
        except Killed:
            continue
        finally:
            sender.step = no_step
        break
    await world.sweep(MONDAY + DAY)
    assert step >= 4
    assert len(world.notes()) == 1
    assert len(world.marked()) == 1


async def test_revert_and_what_it_undoes_name_the_digest_that_announced_it(app, repository):
    world = World(app, repository, FakeSender(can_find=True, can_edit=True))
    await world.days(-1, 0)
    watched = await app.watch_configured(next(iter(world.served.values())).repositories[0])

    async def explained(reference: str, at: Workspace) -> str:
        ctx = at.context(watched, zone=ZoneInfo("UTC"))
        return markdown((await ask(f"explain {reference}", ctx)).document)

    # What stands is not said to have been announced.
    assert "digest of" not in await explained("#2", app)
    revert(repository)
    await world.days(1)
    day = (MONDAY - DAY).date().isoformat()
    assert f"Announced in the digest of {day}" in await explained("#2", app)
    undoing = await explained("#4", app)
    assert "It reverts [\\[CLI\\] Add --fast (#2)]" in undoing
    assert f"announced in the digest of {day}" in undoing

    (web := app.data / "web.toml").write_text('[web]\npublic_url = "https://bot.example"\n')
    found = replace(app, config=read(web))
    (first,) = [
        one for one in await app.digests.list(9) if one.window.since.date() == MONDAY.date() - DAY
    ]
    link = f"[{day}](https://bot.example/digests/{first.mark}?lang=en)"
    assert f"Announced in the digest of {link}" in await explained("#2", found)


async def test_what_a_digest_undoes_is_looked_up_once_for_all_its_channels(
    app, repository, monkeypatch
) -> None:
    sender = FakeSender(can_find=True, can_edit=True)
    world = World(app, repository, sender)
    [(name, first)] = world.served.items()
    world.served |= {f"{name}-{n}": replace(first, name=f"{name}-{n}") for n in range(3)}
    await world.days(-1, 0)
    revert(repository)
    looked: list[str] = []
    read: list[str] = []
    get = SqlDigests.get

    async def undone(archive: Archive, named: Repository, by: Graded) -> Sequence[Graded]:
        looked.append(by.sha)
        return await undone_by(archive, named, by)

    async def got(self: SqlDigests, name: str) -> KeptDigest | None:
        read.append(name)
        return await get(self, name)

    monkeypatch.setattr(revert_notes, "undone_by", undone)
    monkeypatch.setattr(SqlDigests, "get", got)
    sender.edit_errors = [SendError(SendReason.UNAVAILABLE)] * 4  # only planned at first
    await world.sweep(MONDAY + DAY)
    # Each channel's own post is amended all the same.
    assert looked == [repository.sha("main")]
    assert len(await SqlAmendments(app.database).planned()) == 4
    # What was just built is not read back to be finished.
    assert len([name for name in read if (MONDAY + DAY).date().isoformat() in name]) == 4
    monkeypatch.undo()
    await world.sweep(MONDAY + DAY)
    assert len(world.marked()) == 4
