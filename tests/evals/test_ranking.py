"""How the shipped weights rank a release on a real clone; needs ``../shared`` and a clone.

DIGESTBOT_VLLM=/path/to/clone .venv/bin/python -m pytest tests/evals/test_ranking.py
"""

from __future__ import annotations

import asyncio
import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from digest.grading.importance import weights
from digest.grading.local_weights import Row, odds_of
from digest.window import Window, zone_of
from tests.evals.fit_importance import auc
from tests.evals.reading import read_signals

CLONE = os.environ.get("DIGESTBOT_VLLM", "")


@pytest.mark.skipif(not CLONE, reason="DIGESTBOT_VLLM names no clone to rank")
def test_shipped_weights_rank_what_maintainers_named(shared: Path) -> None:
    spec = json.loads((shared / "eval" / "vllm-v0.15.0.json").read_text(encoding="utf-8"))
    window = Window(
        since=datetime.fromisoformat(spec["since"]),
        until=datetime.fromisoformat(spec["until"]),
        zone=zone_of("UTC"),
    )
    noted = set(spec["noted"])
    read = asyncio.run(read_signals(CLONE, window))
    rows = [Row(r["signals"], r["number"] in noted) for r in read]
    assert auc(rows, [odds_of(r.signals, weights().weights) for r in rows]) >= 0.84
