"""The digests of a slot: repositories that fail, are withheld, or were quiet."""

from __future__ import annotations

import re
import shutil
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.app import open_workspace
from bot.config.channel_section import ChannelConfig, Quiet
from bot.config.repository_section import RepositoryConfig
from bot.delivery.delivery import Delivered
from bot.delivery.part_sender import Target
from bot.publishing.slots import Slots
from bot.scheduler.schedule import Slot
from bot.subscriptions.channel_registry import subscriptions_of
from bot.util.machine import FixedClock
from digest.core.grade import Level
from digest.errors import SourceUnavailable
from digest.markdown import markdown
from tests.support.builders import RepositoryBuilder
from tests.support.channels import at_target
from tests.support.fakes_delivery import FakeSender

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)

SLOT = Slot(day=NOON.date(), at=NOON)


class Withholding:
    """Withholds the named repositories."""

    def __init__(self, *names: str) -> None:
        self.names = names

    async def withholds(self, _target, repository: str) -> bool:
        return repository in self.names


@asynccontextmanager
async def slots(tmp_path: Path, *names: str, quiet: Quiet = Quiet.LINE, withheld: str = ""):
    """Slots of a channel with these repositories, and its post."""
    places = {}
    for name in names:
        builder = RepositoryBuilder(tmp_path / name)
        files = {"src/part.py": "def part():\n    return 1\n"}
        builder.commit("Add a part (#1)", files, at=NOON - timedelta(days=9))
        places[name] = builder.path
    settings = [RepositoryConfig(place=str(place), name=name) for name, place in places.items()]
    channel = ChannelConfig(
        name="team", platform="fake", time="12:00", least=Level.LOW, quiet=quiet
    )
    (served,) = subscriptions_of(channel, settings)
    file = tmp_path / "digestbot.toml"
    file.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    post = at_target(Target(name="team", sender=FakeSender()), served)
    async with open_workspace(file, FixedClock(NOON)) as app:
        for one in settings:
            await app.watch_configured(one)
        visibility = Withholding(withheld) if withheld else None
        yield Slots(app, visibility=visibility), post, places


async def test_repository_that_cannot_be_read_is_left_out_and_the_others_are_posted(tmp_path):
    async with slots(tmp_path, "a", "b") as (made, post, places):
        shutil.rmtree(places["a"])
        (ready,) = await made.build(post, SLOT)
    assert ready.repository == "b"


async def test_slot_fails_if_none_of_its_repositories_can_be_read(tmp_path):
    async with slots(tmp_path, "a", "b") as (made, post, places):
        for place in places.values():
            shutil.rmtree(place)
        with pytest.raises(SourceUnavailable):
            await made.build(post, SLOT)


async def test_repository_that_is_withheld_is_not_posted(tmp_path):
    async with slots(tmp_path, "a", "b", withheld="a") as (made, post, _):
        (ready,) = await made.build(post, SLOT)
        assert ready.repository == "b"


async def test_quiet_day_is_posted_only_where_a_line_is_wanted(tmp_path):
    async with slots(tmp_path / "line", "a", quiet=Quiet.LINE) as (made, post, _):
        assert len(await made.build(post, SLOT)) == 1
    async with slots(tmp_path / "silent", "a", quiet=Quiet.SILENT) as (made, post, _):
        assert await made.build(post, SLOT) == []


@pytest.mark.parametrize(
    ("visibility", "token", "linked"),
    [
        ("public", "", True),
        ("private", "", False),
        ("private", 'token = "long-enough-for-a-token"', True),
    ],
)
async def test_digest_has_a_link_only_where_somebody_can_open_the_page(
    tmp_path, visibility, token, linked
):
    file = tmp_path / "digestbot.toml"
    file.write_text(
        f"""data = "data"
[web]
public_url = "https://bot.example"
{token}
[[repositories]]
place = "clone"
name = "a"
visibility = "{visibility}"
""",
        encoding="utf-8",
    )
    async with open_workspace(file, FixedClock(NOON)) as app:
        assert app.web_of("a") == ("https://bot.example" if linked else "")


async def test_further_branches_have_digests_of_their_own_and_tell_no_commit_twice(tmp_path):
    builder = RepositoryBuilder(tmp_path / "engine")

    def commit(n: int, branch: str, **more) -> str:
        files = {f"src/part{n}.py": f"def part{n}():\n    return {n}\n"}
        at = NOON - timedelta(days=2) + timedelta(hours=n)
        return builder.commit(f"Add part{n}", files, branch=branch, at=at, **more)

    base = commit(30, "main")
    commit(31, "release/1.0", parents=[base])
    builder.commit("Old", branch="release/0.9", parents=[], at=NOON - timedelta(days=400))
    builder.commit("Other", branch="topic", parents=[], at=NOON - timedelta(hours=1))
    settings = RepositoryConfig(place=str(builder.path), name="engine", branches=["release/*"])
    channel = ChannelConfig(
        name="team", platform="fake", time="12:00", least=Level.LOW, quiet=Quiet.LINE
    )
    (served,) = subscriptions_of(channel, [settings])
    post = at_target(Target(name="team", sender=FakeSender()), served)
    file = tmp_path / "digestbot.toml"
    file.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    told = []
    async with open_workspace(file, FixedClock(NOON)) as app:
        made = Slots(app)

        async def posted(slot: Slot) -> list[tuple[str, list[int]]]:
            ready = await made.build(post, slot)
            sent = [Delivered(key=None, new=1, parts=()) for _ in ready]
            await made.finish(post, slot, sent)
            texts = [markdown(one.document) for one in ready]
            told.extend(texts)
            found = [sorted({int(n) for n in re.findall(r"part(\d+)", text)}) for text in texts]
            titles = [one.document.title.partition(":")[0] for one in ready]
            return list(zip(titles, found, strict=True))

        first = await posted(SLOT)
        cut = commit(50, "main")
        commit(51, "release/1.0")
        commit(52, "release/1.1", parents=[cut])
        later = SLOT.at + timedelta(days=1)
        second = await posted(Slot(day=later.date(), at=later))
        quiet = later + timedelta(days=1)
        third = await posted(Slot(day=quiet.date(), at=quiet))
    assert first == [("engine", [30]), ("engine release/1.0", [31])]
    assert second == [
        ("engine", [50]),
        ("engine release/1.0", [51]),
        ("engine release/1.1", [52]),
    ]
    assert "1 left out by filters (told on another branch 1)" in told[-2]
    assert third == [("engine", [])]
