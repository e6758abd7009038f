"""Workers at one PostgreSQL: killed at random, or the server itself: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.store.postgresql import ServerLeases, open_postgres
from digest.errors import UnreachableDatabase
from tests.servers.postgresql import Postgres

ROOT = Path(__file__).parents[2]
CHANNELS = 20


def started(folder: Path, url: str, seed: int, sides: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.integration.working_processes"),
            *(str(folder), url, str(CHANNELS), str(seed), str(sides)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def posts(folder: Path) -> Counter[str]:
    return Counter(line.split()[1] for line in (folder / "posts.txt").read_text().splitlines())


def once_each() -> Counter[str]:
    return Counter(f"c{n}" for n in range(CHANNELS))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_three_workers_killed_at_random_post_everything_once(
    tmp_path: Path, address: str, seed: int
) -> None:
    child = started(tmp_path, address, seed, 25)
    out, err = child.communicate()
    assert child.returncode == 0, err
    assert int(out) > 3, "the dice killed nobody"
    assert posts(tmp_path) == once_each()


@pytest.mark.slow
def test_three_workers_outlive_a_server_that_crashes_under_them(
    tmp_path: Path, address: str, postgres: Postgres
) -> None:
    child = started(tmp_path, address, 0, 0)
    try:
        while not (tmp_path / "posts.txt").exists() or len(posts(tmp_path)) < 3:
            assert child.poll() is None, child.communicate()
            time.sleep(0.01)
        postgres.stop(signal.SIGQUIT)
        while not (tmp_path / "unreachable").exists():
            assert child.poll() is None, child.communicate()
            time.sleep(0.01)
    finally:
        postgres.start()
    _, err = child.communicate()
    assert child.returncode == 0, err
    assert posts(tmp_path) == once_each()


async def _held(leases: ServerLeases, name: str) -> bool:
    async with leases.hold(name) as found:
        return found


async def test_lease_is_held_by_one_connection_and_freed_with_it(address: str) -> None:
    async with await open_postgres(address) as database:
        mine, others = ServerLeases(database), ServerLeases(database)
        async with mine.hold("a") as held:
            assert held
            for leases, name, expected in [
                (mine, "a", False), (others, "a", False), (others, "b", True), (mine, "b", True),
            ]:  # fmt: skip
                async with leases.hold(name) as found:
                    assert found is expected, name
            await mine.aclose()
            # The server lets go when its own process of the connection has ended.
            async with asyncio.timeout(120):
                while not await _held(others, "a"):
                    await asyncio.sleep(0.01)
        async with mine.hold("a") as held:
            assert held
        await mine.aclose()
        await others.aclose()


async def test_lease_without_a_server_says_so(address: str, postgres: Postgres) -> None:
    async with await open_postgres(address) as database:
        leases = ServerLeases(database)
        postgres.stop()
        try:
            with pytest.raises(UnreachableDatabase, match="does not answer"):
                async with leases.hold("a"):
                    pass
            with pytest.raises(UnreachableDatabase, match="does not answer"):
                async with database.reading() as connection:
                    # A connection that was used just now is not looked at before.
                    await connection.execute(select(1))
        finally:
            postgres.start()
        async with leases.hold("a") as held, database.reading():
            assert held
        await leases.aclose()
