"""Fit the weights of ``digest/grading/importance.json`` and say how they rank unseen changes.

    python -m tests.evals.fit_importance --clones FOLDER [--cache FOLDER] [--write]

``tests/evals/named/`` holds a file a release or a project: the clone's folder (``owner+name``), a
window, and the numbers of the requests that the maintainers named in it; ``changelog.py`` beside
this file makes one from a clone that keeps a changelog. ``weights.json`` there gives the weight of
each in the fit: releases with a list that somebody chose count most, and a project that names nearly
all it merges counts little. Requests without a number cannot be named and are left out.

Each project is predicted from weights that never saw it, and each also from its own past as
``digest/grading/local_weights.py`` learns it: trained on the older 70 %, held against the newer 30.

The demands are fitted on the entries that maintainers marked as breaking, deprecated or security
fixes. What the subject declares is left out of that fit, since a rule answers there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log
from pathlib import Path
from typing import Any

from digest.core.grade import Thresholds
from digest.grading import importance
from digest.grading.local_weights import Prior, Row, Sample, fit, odds_of
from digest.window import Window, zone_of
from tests.evals.reading import read_signals

ROOT = Path(__file__).resolve().parents[2]

NAMED = Path(__file__).parent / "named"

PENALTY = 0.004

LOCAL_PENALTY = 0.01

BIAS = -0.45
"""Added to the mean intercept, so that about one change in seven is high."""

DEMANDED = {"high": 0.12, "medium": 0.33}
"""The shares of unmarked changes that may reach a level as demands."""

DEMAND_PENALTY = 0.0015

NEWS_IN_DEMANDS = 0.5
"""The share of the news weights in the prior of demands: marked changes are also named."""

NO_DEMAND = (
    *("breaking", "note", "label_", "area_", "title_length", "title_name", "co_authors"),
    *("title_removal", "title_code", "symbol_", "core_", "files", "explained"),
)
"""Signals without weight for demands.

Rules cover what authors declare; the others depend on a project's habits.
"""

LEAST_MARKED = 8

CHANGES = frozenset({"alertmanager", "loki", "prometheus", "tempo", "thanos"})
"""Projects that mark what users must react to as ``[CHANGE]``; elsewhere it means any change."""

MOST = {"note": 0.6, "note_fixed": 0.1, "note_added": 0.35, "note_changed": 0.35}
"""Caps for signals whose meaning depends on the project.

They are nearly certain where code changes need a changelog entry, and unknown elsewhere; a
repository's own past decides.
"""

_POSITIVE = (
    *("breaking", "advisory", "deprecation", "dependency", "toolchain", "schema", "security"),
    *("note", "default_changed", "label_security", "label_deprecation"),
)
_CONTRACT = ("flag_", "environment_", "config_", "route_", "metric_", "symbol_", "schema_")
_FLOORED = ("says_", "note_", "deprecation_", *_CONTRACT)


@dataclass(frozen=True, slots=True)
class Project:
    """The rows of a file with their times, newest first."""

    sample: Sample
    demands: Sample
    moments: tuple[str, ...]


def load(file: Path, weight: float, clones: Path, cache: Path | None) -> Project:
    """The rows of a file, read from its clone or from the cache folder."""
    spec = json.loads(file.read_text(encoding="utf-8"))
    stored = cache / f"{file.stem}.json" if cache else None
    if stored and stored.exists():
        read = json.loads(stored.read_text(encoding="utf-8"))
    else:
        since, until = (datetime.fromisoformat(spec[name]) for name in ("since", "until"))
        window = Window(since=since, until=until, zone=zone_of("UTC"))
        read = asyncio.run(read_signals(str(clones / spec["clone"] / "repo"), window))
        if stored:
            stored.write_text(json.dumps(read), encoding="utf-8")
    noted = set(spec["noted"])
    chosen = [row for row in read if row["number"] is not None]
    rows = tuple(Row(row["signals"], row["number"] in noted) for row in chosen)
    return Project(
        Sample(file.stem, rows, weight),
        Sample(file.stem, tuple(_demands(file.stem, spec, chosen))),
        tuple(row["at"] for row in chosen),
    )


def _demands(name: str, spec: dict[str, Any], read: Sequence[dict[str, Any]]) -> Iterator[Row]:
    marks = ("breaking", "deprecated", "security", *(("changed", "removed") * (name in CHANGES)))
    marked = {number for mark in marks for number in spec.get(mark, ())}
    for row in read:
        signals = {n: v for n, v in row["signals"].items() if not n.startswith(NO_DEMAND)}
        if "breaking" not in row["signals"]:
            yield Row(signals, row["number"] in marked)


def fit_demands(projects: Sequence[Project], rounds: int) -> tuple[dict[str, float], float]:
    """The weights of demands, and the bias that gives the wanted shares of the other changes."""
    samples = [
        p.demands for p in projects if sum(row.noted for row in p.demands.rows) >= LEAST_MARKED
    ]
    prior = Prior(
        weights={
            name: weight * NEWS_IN_DEMANDS
            for name, weight in importance.weights().weights.items()
            if not name.startswith(NO_DEMAND)
        },
        floored=floored(samples),
        penalty=DEMAND_PENALTY,
        rounds=rounds,
    )
    found, _ = fit(samples, prior)
    cuts = dict.fromkeys(DEMANDED, 0.0)
    for sample in samples:
        odds = sorted(odds_of(row.signals, found) for row in sample.rows if not row.noted)
        for level, share in DEMANDED.items():
            cuts[level] += odds[int(len(odds) * (1 - share))] / len(samples)
    high, medium = (log(one / (1 - one)) for one in (Thresholds().high, Thresholds().medium))
    scale = (high - medium) / (cuts["high"] - cuts["medium"])
    return {name: w * scale for name, w in found.items()}, high - cuts["high"] * scale


def report_demands(projects: Sequence[Project], rounds: int) -> None:
    """Print the shares of marked changes that are high and medium by weights that saw others."""
    least = Thresholds()
    for held in projects:
        marked = [row for row in held.demands.rows if row.noted]
        if len(marked) < LEAST_MARKED:
            continue
        found, bias = fit_demands([p for p in projects if p is not held], rounds)
        line = f"{held.sample.name:14} {len(marked):4} marked"
        for level, bound in (("high", least.high), ("medium", least.medium)):
            cut = log(bound / (1 - bound)) - bias
            for who, rows in (
                ("of them", marked),
                ("of others", [r for r in held.demands.rows if not r.noted]),
            ):
                share = sum(odds_of(r.signals, found) >= cut for r in rows) / len(rows)
                line += f", {level} {share:.0%} {who}"
        print(line, flush=True)


def floored(samples: Sequence[Sample]) -> frozenset[str]:
    """The weights, in which lost contracts and changelog entries never lower a grade."""
    names = {name for sample in samples for row in sample.rows for name in row.signals}
    return frozenset(n for n in names if n in _POSITIVE or n.startswith(_FLOORED))


def auc(rows: Sequence[Row], odds: Sequence[float]) -> float:
    """Area under the ROC curve: the share of pairs in the right order."""
    ranked = sorted(range(len(rows)), key=lambda i: odds[i])
    places: dict[float, list[int]] = {}
    for place, i in enumerate(ranked, 1):
        places.setdefault(odds[i], []).append(place)
    mean = {value: sum(found) / len(found) for value, found in places.items()}
    named = [mean[o] for o, row in zip(odds, rows, strict=True) if row.noted]
    count = len(named)
    return (sum(named) - count * (count + 1) / 2) / (count * (len(rows) - count))


def average_precision(rows: Sequence[Row], odds: Sequence[float]) -> float:
    """The mean of the precision at each change that was named."""
    hits, total = 0, 0.0
    for rank, i in enumerate(sorted(range(len(rows)), key=lambda i: -odds[i]), 1):
        if rows[i].noted:
            hits += 1
            total += hits / rank
    return total / hits


def figures(rows: Sequence[Row], weights: dict[str, float]) -> str:
    """ROC AUC and average precision of rows under the weights."""
    odds = [odds_of(row.signals, weights) for row in rows]
    return f"{auc(rows, odds):.3f} {average_precision(rows, odds):.3f}"


def report(projects: Sequence[Project], rounds: int) -> None:
    """Print the ranking of each project by weights that never saw it, and with its own past."""
    for held in projects:
        others = [p.sample for p in projects if p is not held]
        weights, _ = fit(others, Prior(floored=floored(others), penalty=PENALTY, rounds=rounds))
        rows = held.sample.rows
        line = f"{held.sample.name:14} {len(rows):5} changes, unseen {figures(rows, weights)}"
        newest = len(rows) * 3 // 10
        local = Sample("past", rows[newest:])
        if min(sum(r.noted is named for r in local.rows) for named in (True, False)) >= 60:
            prior = Prior(
                weights=weights, floored=floored([local]), penalty=LOCAL_PENALTY, rounds=150
            )
            own, _ = fit([local], prior)
            late = rows[:newest]
            line += f", newest 30 %: {figures(late, weights)}, own past: {figures(late, own)}"
        print(line, flush=True)


def main() -> None:
    """Read, fit and print the figures; with ``--write`` change the shipped file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true", help="no projects left out")
    parser.add_argument("--rounds", type=int, default=400)
    args = parser.parse_args()
    shares = json.loads((NAMED / "weights.json").read_text(encoding="utf-8"))
    projects = [
        load(NAMED / f"{name}.json", share, args.clones, args.cache)
        for name, share in shares.items()
    ]
    if not args.quick:
        report(projects, args.rounds)
        report_demands(projects, args.rounds)
    samples = [project.sample for project in projects]
    prior = Prior(floored=floored(samples), penalty=PENALTY, rounds=args.rounds)
    weights, intercepts = fit(samples, prior)
    for name, weight in sorted(weights.items(), key=lambda p: -abs(p[1])):
        print(f"  {weight:+.3f} {name}", file=sys.stderr)
    if args.write:
        chosen = [b for b, s in zip(intercepts, samples, strict=True) if s.weight >= 1]
        write("", weights, sum(chosen) / len(chosen) + BIAS)
    demands, bias = fit_demands(projects, args.rounds)
    for name, weight in sorted(demands.items(), key=lambda p: -abs(p[1])):
        print(f"  demand {weight:+.3f} {name}", file=sys.stderr)
    if args.write:
        write("demand_", demands, bias)


def write(kind: str, weights: dict[str, float], bias: float) -> None:
    """Change weights and bias of the shipped file, and its version if they differ."""
    target = ROOT / "digest" / "grading" / "importance.json"
    data: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    most = {} if kind else MOST
    kept = {name: min(w, most.get(name, w)) for name, w in sorted(weights.items())}
    fresh = {name: round(w, 4) for name, w in kept.items() if abs(w) >= 0.002}
    if fresh != data.get(f"{kind}weights"):
        data |= {"version": str(int(data["version"]) + 1), f"{kind}weights": fresh}
    data[f"{kind}bias"] = round(bias, 4)
    target.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
