"""How long reading a question takes, without any answer: median and p99 by length and kind of text.

    python -m benchmarks.reading [--rounds 20]

The goal is 5 ms at p99 for 500 characters, and 50 ms for 10,000 of anything. Texts are the examples
of both languages, and hostile ones: repeated cues, periods, versions, marks and single signs.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from digest.errors import UserError
from digest.question.parser import parse
from digest.question.questions import QUESTIONS

NOW, ZONE = datetime(2026, 8, 17, 20, tzinfo=UTC), ZoneInfo("UTC")

HOSTILE = (
    "what changed in the scheduler by Ada last week ", "上周调度器和注意力内核有什么变化",
    "--flag_a.b::c/d#1@e ", "1.2.3 4567 2026-01-02 v1..v2 ", "fix ", "a-b_c.d/e",
    "the last ", "一二三四五六七八九十", "since until before from ", "[]()\"'", "@", "a", "1", ".",
    "-", "最近", "x:y ", "Ada's Bob's ", "/", "_", "aB", "v1.2-", "in the ", "2026-01-", "https://",
    '"a ', "w/o ", "except ", "the week before ", "\u2028\t", "é",
)  # fmt: skip
"""Texts that are repeated up to the required length."""


def spent(text: str) -> float:
    """Milliseconds of processor time to read a text."""
    begun = time.process_time()
    with contextlib.suppress(UserError):
        parse(text, NOW, ZONE)
    return (time.process_time() - begun) * 1000


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    asked = [text for one in QUESTIONS.values() for some in one.examples.values() for text in some]
    cases = {"examples": asked}
    for n in (500, 2_000, 10_000):
        cases[f"hostile, {n} characters"] = [(text * n)[:n] for text in HOSTILE]
    for name, texts in cases.items():
        for text in texts:
            spent(text)
        times = sorted(spent(text) for _ in range(rounds) for text in texts)
        p99 = times[int(len(times) * 0.99)]
        print(f"{name:28} median {statistics.median(times):7.2f} ms  p99 {p99:7.2f} ms")


if __name__ == "__main__":
    main()
