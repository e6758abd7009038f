"""Roles at one PostgreSQL and one Redis, killed at random: nothing lost, nothing twice."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]

CHANNELS, QUESTIONS = 20, 20


def started(folder: Path, url: str, redis: str, seed: int, sides: int) -> subprocess.Popen[str]:
    given = [str(folder), url, redis, *map(str, (CHANNELS, QUESTIONS, seed, sides))]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.integration.bot.jobs.processes", *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def posts(folder: Path) -> Counter[str]:
    return Counter(line.split()[1] for line in (folder / "posts.txt").read_text().splitlines())


def once_each() -> Counter[str]:
    names = [f"c{n}" for n in range(CHANNELS)] + [f"q{n}" for n in range(QUESTIONS)]
    return Counter(names)


@pytest.fixture(autouse=True)
def _forgetful(redis_server) -> None:
    redis_server.client.flushall()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_roles_killed_at_random_post_and_answer_everything_once(
    tmp_path: Path, address: str, redis_server, seed: int
) -> None:
    child = started(tmp_path, address, redis_server.url, seed, 40)
    out, err = child.communicate(timeout=240)
    assert child.returncode == 0, err
    assert int(out) > 3, "the dice killed nobody"
    assert posts(tmp_path) == once_each()


@pytest.mark.slow
def test_roles_outlive_a_redis_that_dies_under_them(
    tmp_path: Path, address: str, redis_server
) -> None:
    child = started(tmp_path, address, redis_server.url, 3, 0)
    while not (tmp_path / "posts.txt").exists() or len(posts(tmp_path)) < 3:
        assert child.poll() is None, child.communicate()
        time.sleep(0.01)
    redis_server.stop()
    try:
        _, err = child.communicate(timeout=240)
    finally:
        redis_server.start()
    assert child.returncode == 0, err
    assert posts(tmp_path) == once_each()
    assert "shared.lost" in (tmp_path / "log").read_text()
