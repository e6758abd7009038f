"""Windows of a held line of commits, beside what git lists for the same."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.git.open_source import open_source
from digest.window import Window
from tests.support.builders import START, RepositoryBuilder

HOUR = timedelta(hours=1)


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "project")


def by_git(builder: RepositoryBuilder, window: Window) -> list[str]:
    since, until = (int(at.timestamp()) for at in (window.since, window.until))
    listed = builder.git(
        "rev-list", "--first-parent", f"--since-as-filter=@{since} +0000",
        f"--until=@{until - 1} +0000", "HEAD",
    )  # fmt: skip
    return listed.split()


def windows(chance: random.Random, number: int) -> list[Window]:
    bounds = [sorted(chance.sample(range(-3, 60), 2)) for _ in range(number)]
    return [
        Window(since=START + a * HOUR, until=START + b * HOUR, zone=ZoneInfo("UTC"))
        for a, b in bounds
    ]


async def test_windows_are_gits_own_while_the_branch_moves_merges_and_is_forced(builder):
    chance = random.Random(7)
    folder = builder.path.parent / "data"
    base = builder.commit("Begin", {"a": "0"}, at=START)
    source = (await open_source(str(builder.path), folder))[1]
    for step in range(12):
        if step == 8:
            # Forced: what the line ends at is no ancestor of the tip any more.
            builder.commit("Again", {"a": "again"}, at=START + 5 * HOUR, parents=[base])
        elif step % 3 == 2:
            builder.commit(
                "Aside", {"b": f"{step}"}, at=START, branch=f"side{step}", parents=[base]
            )
            builder.merge(f"side{step}", at=START + chance.randrange(50) * HOUR)
        else:
            for n in range(chance.randrange(4)):
                at = START + chance.randrange(50) * HOUR
                builder.commit(f"Change {step}.{n}", {"a": f"{step}.{n}"}, at=at)
        tip = await source.tip()
        for window in windows(chance, 4):
            assert list(await source.names(tip, window)) == by_git(builder, window)


async def test_window_of_a_tip_that_the_line_is_ahead_of_is_right(builder):
    first = builder.commit("First", {"a": "1"}, at=START)
    source = (await open_source(str(builder.path), builder.path.parent / "data"))[1]
    old = await source.tip()
    second = builder.commit("Second", {"a": "2"}, at=START + HOUR)
    new = await source.tip()
    asked = [
        Window(since=START - n * HOUR, until=START + (2 + n) * HOUR, zone=ZoneInfo("UTC"))
        for n in range(4)
    ]

    told = [await source.names(tip, one) for one in asked for tip in (old, new)]

    assert [list(names) for names in told] == [[first], [second, first]] * 4


async def test_window_before_1970_and_to_the_end_of_time_is_the_whole_line(builder):
    shas = [builder.commit(str(n), {"a": str(n)}) for n in range(3)]
    source = (await open_source(str(builder.path), builder.path.parent / "data"))[1]
    tip = await source.tip()
    await source.names(tip, Window(since=START, until=START + HOUR, zone=ZoneInfo("UTC")))
    ever = Window(
        since=datetime(1901, 1, 1, tzinfo=UTC),
        until=datetime(9000, 1, 1, tzinfo=UTC),
        zone=ZoneInfo("UTC"),
    )

    assert list(await source.names(tip, ever)) == shas[::-1]
    before = Window(since=ever.since, until=datetime(1960, 1, 1, tzinfo=UTC), zone=ZoneInfo("UTC"))
    assert list(await source.names(tip, before)) == []
