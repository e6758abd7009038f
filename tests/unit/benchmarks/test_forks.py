"""Work in forks, and the time that counts for its bound."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from benchmarks import forks


def test_result_of_a_fork_is_that_of_its_work():
    assert forks.forked(lambda: 3, 60.0) == 3
    assert forks.forked(lambda: 1 // 0, 60.0) == 1


def test_work_that_waits_for_ever_is_ended_at_its_bound():
    def work() -> int:
        time.sleep(600)
        return 0

    began = time.monotonic()
    assert forks.forked(work, 0.6) == forks.STUCK
    assert time.monotonic() - began < 300


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(forks, "PROCESSES", tmp_path)
    for process, children in ((7, "8 9"), (8, ""), (9, "")):
        task = tmp_path / str(process) / "task" / str(process)
        task.mkdir(parents=True)
        (task / "children").write_text(children)
        (task / "schedstat").write_text("0 0 1")
    return tmp_path


def test_time_in_which_a_child_waits_for_a_processor_does_not_count(
    processes: Path, monkeypatch: pytest.MonkeyPatch
):
    now = iter((100.0, 101.0, 111.0, 121.0))
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    watch = forks.Stopwatch(7)
    watch.glance()
    assert watch.seconds == 1.0
    (processes / "9/task/9/schedstat").write_text("0 8000000000 1")
    (processes / "8/task/8/schedstat").write_text("0 3000000000 1")
    watch.glance()
    assert watch.seconds == 3.0
    watch.glance()
    assert watch.seconds == 13.0


def test_all_time_counts_where_the_system_tells_nothing_of_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(forks, "PROCESSES", tmp_path)
    assert forks.waited() == 0.0
    now = iter((100.0, 104.0))
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    watch = forks.Stopwatch(os.getpid())
    watch.glance()
    assert watch.seconds == 4.0
