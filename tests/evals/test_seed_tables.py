"""The commits of three days of vLLM, against the tables of reports made by hand.

    DIGESTBOT_VLLM=/path/to/a/clone/of/vllm pytest tests/evals/test_seed_tables.py

Skipped without that clone, or without the reports in ``../shared/seeds``.
"""

from __future__ import annotations

import os
import re
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.git.open_source import open_source
from digest.window import day_window

# Read here: inside a test our variables are stripped from the environment.
CLONE = os.environ.get("DIGESTBOT_VLLM", "")
ZONE = ZoneInfo("Asia/Shanghai")
ROW = re.compile(r"\| (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \| (.*?) \| (.*) \|$", re.MULTILINE)


@pytest.mark.skipif(not CLONE, reason="DIGESTBOT_VLLM names no clone of vLLM")
@pytest.mark.parametrize(
    ("day", "count"), [("2026-01-07", 43), ("2026-01-23", 33), ("2026-02-21", 31)]
)
async def test_commits_of_a_day_are_those_of_the_table(shared: Path, tmp_path, day, count) -> None:
    text = (shared / "seeds" / f"{day}.md").read_text(encoding="utf-8")
    table = [(at, author, subject.replace("\\|", "|")) for at, author, subject in ROW.findall(text)]
    _, source = await open_source(CLONE, tmp_path / "data")
    window = day_window(date.fromisoformat(day), ZONE)

    tip = await source.tip()
    changes = [c async for batch in source.changes(tip, window) for c in batch]

    assert len(changes) == len(table) == count
    assert [
        (
            c.commit.committed_at.astimezone(ZONE).strftime("%Y-%m-%d %H:%M:%S"),
            c.commit.author,
            c.commit.subject.strip(),
        )
        for c in changes
    ] == table
