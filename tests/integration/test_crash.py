"""A real process, a real database, SIGKILL at every step: no digest twice, none lost but in doubt."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.config.channel_section import Promise

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What stands after a death at every step and a restart, and after races."""
    child = subprocess.run(
        [sys.executable, "-m", "tests.integration.dying_process", tmp_path_factory.mktemp("runs")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return json.loads(child.stdout)


@pytest.fixture
def outcomes(told):
    return told["steps"]


@pytest.mark.slow
def test_a_slot_that_four_processes_find_due_at_once_is_posted_once(told):
    assert told["races"] == [1, 1, 1]


@pytest.mark.slow
def test_every_step_of_a_slot_was_tried_and_every_process_killed(outcomes):
    steps = [one["step"] for one in outcomes if one["promise"] == Promise.AT_MOST_ONCE]
    assert steps == [
        "before claim_slot", "after claim_slot",  # the channel is seen for the first time
        "before claim_slot", "after claim_slot",  # the slot
        "before claim", "after claim",
        "before mark sending", "after mark sending",
        "before send", "after send",
        "before mark sent", "after mark sent",
        "before claim_slot", "after claim_slot",  # the slot is finished
    ]  # fmt: skip
    assert all(one["ends"] == [-signal.SIGKILL, 0] for one in outcomes)


@pytest.mark.slow
def test_at_most_once_posts_nothing_twice_and_loses_only_the_call_in_doubt(outcomes):
    for one in outcomes:
        if one["promise"] == Promise.AT_MOST_ONCE:
            in_doubt = one["step"] in {"after mark sending", "before send"}
            assert one["posts"] == (0 if in_doubt else 1), one


@pytest.mark.slow
def test_at_least_once_loses_nothing_and_repeats_only_the_call_in_doubt(outcomes):
    for one in outcomes:
        if one["promise"] == Promise.AT_LEAST_ONCE:
            in_doubt = one["step"] in {"after send", "before mark sent"}
            assert one["posts"] == (2 if in_doubt else 1), one
