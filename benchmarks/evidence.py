"""How well the check of evidence tells true from false, and what fitting saves.

    python -m benchmarks.evidence [CLONE] [--commits N] [--days DAY ...] [--zone ZONE]

Sentences are made by ``benchmarks.claims`` about the last ``--commits`` changes of the clone, in
English and Chinese, each judged as a model's reply would be. Tokens are those of every prompt of
the days, system text and schema counted once a prompt, beside one prompt a commit with its whole
patch as git shows it (three lines of context). They are estimated as the client estimates them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from benchmarks.claims import Claim, Writer, strange_names
from bot.git.open_source import open_source
from bot.llm.calls import Estimator
from digest.core.enums import Language
from digest.core.grade import Graded, Level, is_settled
from digest.facts.extract import extract, wanted_blobs
from digest.grading.importance import grade
from digest.llm.change_index import ChangeIndex
from digest.llm.format_check import Failed
from digest.llm.model_input import Material
from digest.llm.packing import lines_prompts, prompts_for
from digest.llm.prompt import Prompt, kind_of, system_of
from digest.llm.statement_check import judge
from digest.window import day_window
from handlers.ports.storage import Selection

BUDGET = 32_000
"""Tokens of one prompt, as the program requests them."""

HARD = ("misbound",)
"""Kinds in which everything named is in the change and only the relation is false."""


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", nargs="?", default=".")
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--days", nargs="*", default=["2026-01-07", "2026-01-23", "2026-02-21"])
    parser.add_argument("--zone", default="Asia/Shanghai")
    args = parser.parse_args()
    names = _git(args.clone, "rev-list", "--first-parent", f"-n{args.commits}", "HEAD").split()
    materials = asyncio.run(read(args.clone, names))
    print(f"{len(materials)} changes of {Path(args.clone).resolve()}\n")
    show(told(materials))
    print("\n| day | changes | asked | prompts | tokens | every diff whole | ratio | fitting |")
    print("|---|---|---|---|---|---|---|---|")
    for day in args.days:
        window = day_window(date.fromisoformat(day), ZoneInfo(args.zone))
        with suppress(ZeroDivisionError):
            print(tokens(args.clone, day, asyncio.run(read(args.clone, window))))


async def read(clone: str, selection: Selection) -> list[Material]:
    """The changes of a selection with their facts, newest first."""
    with TemporaryDirectory() as folder:
        _, source = await open_source(clone, Path(folder))
        tip = await source.tip()
        found = []
        async for batch in source.changes(tip, selection):
            blobs = list(dict.fromkeys(b for change in batch for b in wanted_blobs(change)))
            texts = await source.texts(blobs) if blobs else {}
            for change in batch:
                facts = extract(change, texts)
                graded = Graded(commit=change.commit, facts=facts, grade=grade(facts))
                found.append(Material(change=change, facts=facts, graded=graded, secrets=0))
        return found


Verdict = tuple[Claim, bool, float]


def told(materials: Sequence[Material]) -> Iterator[Verdict]:
    """Every sentence, with whether it was kept and the seconds that this took."""
    strange = strange_names(materials)
    for seed, material in enumerate(materials):
        ground = ChangeIndex(material.change, material.facts)
        for language in Language:
            for claim in Writer(material, strange, seed).claims(language):
                began = time.perf_counter()
                verdict = judge(claim.text, claim.cites, ground, language)
                took = time.perf_counter() - began
                yield claim, not isinstance(verdict, Failed), took


def show(verdicts: Iterator[Verdict]) -> None:
    """Print the shares by kind, and in total."""
    counted: dict[tuple[bool, str], Counter[bool]] = defaultdict(Counter)
    times = []
    for claim, kept, took in verdicts:
        counted[claim.true, claim.sort][kept] += 1
        times.append(took)
    print("| sentences | made | kept | dropped |")
    print("|---|---|---|---|")
    for (said, sort), counter in sorted(
        counted.items(), key=lambda item: (not item[0][0], item[0])
    ):
        row = (f"{'true' if said else 'false'}, {sort}", counter.total())
        print(f"| {row[0]} | {row[1]} | {counter[True]} | {counter[False]} |")
    true = sum((c for (t, _), c in counted.items() if t), Counter())
    false = sum((c for (t, s), c in counted.items() if not t and not s.endswith(HARD)), Counter())
    hard = sum((c for (t, s), c in counted.items() if not t and s.endswith(HARD)), Counter())
    print(f"\ntrue ones wrongly dropped: {true[False] / true.total():.2%} of {true.total()}")
    print(f"false ones caught: {false[False] / false.total():.2%} of {false.total()}")
    if hard:
        share = hard[False] / hard.total()
        print(f"caught where only the connection is false: {share:.0%} of {hard.total()}")
    print(f"a sentence takes {statistics.median(times) * 1000:.2f} ms (median)")


def tokens(clone: str, day: str, materials: Sequence[Material]) -> str:
    """A row of the table: a day with our prompts, compared with one prompt per full patch."""
    count = Estimator().count
    began = time.process_time()
    asked = [m for m in materials if not is_settled(m.graded)]
    prompts: list[Prompt] = []
    for material in asked:
        if material.graded.grade.level is not Level.LOW:
            prompts += prompts_for(material, Language.EN, count, BUDGET)
    low = [m for m in asked if m.graded.grade.level is Level.LOW]
    prompts += lines_prompts(low, Language.EN, count, BUDGET)
    took = time.process_time() - began
    ours = sum(count(p.system) + count(p.user) + count(json.dumps(p.schema)) for p in prompts)
    frame = count(system_of(kind_of(Level.HIGH))) + count(json.dumps(prompts[0].schema))
    whole = sum(frame + count(_git(clone, "show", m.sha)) for m in materials)
    return (
        f"| {day} | {len(materials)} | {len(asked)} | {len(prompts)} | {ours:,} | {whole:,} "
        f"| {ours / whole:.2f} | {took * 1000:.0f} ms |"
    )


def _git(clone: str, *words: str) -> str:
    done = subprocess.run(["git", "-C", clone, *words], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
