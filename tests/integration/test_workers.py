"""Work in other processes comes back whole, and a killed one costs time only."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from bot.util.machine import Processes
from digest.grading.policy import Batch, grade_batch
from tests.support.fakes import change


@pytest.fixture
def workers() -> Iterator[Processes]:
    made = Processes(2)
    yield made
    made.close()


def batch() -> Batch:
    return Batch(
        changes=(change("a" * 40, "Add a flag (#1)"), change("b" * 40, "Fix a bug (#2)")), texts={}
    )


async def test_batch_graded_elsewhere_is_the_same(workers: Processes) -> None:
    assert await workers.many(grade_batch, batch()) == grade_batch(batch())
    assert await workers.few(grade_batch, batch()) == grade_batch(batch())


def die_elsewhere(here: int) -> int:
    if os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return here


async def test_killed_process_costs_time_only(workers: Processes) -> None:
    assert await workers.many(die_elsewhere, os.getpid()) == os.getpid()
    assert await workers.many(grade_batch, batch()) == grade_batch(batch())
