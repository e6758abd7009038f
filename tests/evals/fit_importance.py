"""Fit the weights of ``digest/importance.json`` and say how well they rank unseen changes.

    python -m tests.evals.fit_importance --set CLONE RELEASE.json 1.0 [--set CLONE OTHER.json 0.25 ...]
        [--cache FOLDER] [--write]

RELEASE.json has the form of ``../shared/eval/vllm-v0.15.0.json``: ``since``, ``until`` and
``noted``, the numbers that the maintainers named; ``changelog.py`` beside this file makes one from
a clone that keeps a changelog. The last figure is the weight of the whole set. The first set is
cross-validated (5 folds, 3 times, the other sets always in training), each other set is predicted
from weights that never saw it, and the shipped weights are fitted on all.

A weighted logistic regression with an intercept per set and an L2 penalty on standardised
weights, by accelerated projected gradient (Beck and Teboulle 2009). Contract signals may not
lower a grade: finding out that a flag went away never makes a change matter less.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp, sqrt
from pathlib import Path

from digest.window import Window, zone_of
from tests.evals.reading import read_signals

ROOT = Path(__file__).resolve().parents[2]
PENALTY = 0.01  # per unit of total sample weight; this and RARE by the figures printed here
RARE = 0.6  # root mean square below which a signal counts as rare and is held back the more
CAP = 1.5  # log-odds that a unit of a signal moves at the most, unless its floor is higher
ROUNDS = 400
FLOORS = {
    # Least log-odds of the first such fact, whatever the notes of one project say of it: what a
    # deployment has to react to is never a small change.
    "flag_removed": 3.2,
    "environment_removed": 3.2,
    "route_removed": 3.2,
    "metric_removed": 2.6,
    "config_removed": 0.5,
    "symbol_removed": 0.15,
    "flag_renamed": 3.2,
    "environment_renamed": 3.2,
    "route_renamed": 3.2,
    "metric_renamed": 2.6,
    "config_renamed": 0.5,
    "symbol_renamed": 0.15,
    "flag_changed": 1.8,
    "environment_changed": 1.8,
    "route_changed": 0.8,
    "metric_changed": 0.6,
    "config_changed": 0.4,
    "symbol_changed": 0.05,
    "flag_added": 0.3,
    "environment_added": 0.2,
    "route_added": 0.3,
    "metric_added": 0.2,
    "config_added": 0.1,
    "symbol_added": 0.0,
    "breaking": 2.3,
    "advisory": 2.0,
    "deprecation": 0.3,
    "security": 0.8,
    "security_code": 0.0,
    "schema": 0.2,
    "toolchain": 0.2,
    "dependency": 0.0,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One change of a set: its signals, and whether it was named."""

    signals: dict[str, float]
    noted: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """The rows of one release with the weight that the whole set has in the fit."""

    name: str
    rows: tuple[Row, ...]
    weight: float


def load(clone: str, release: str, weight: float, cache: Path | None) -> Sample:
    """The rows of a release, read from the clone or from the cache folder."""
    spec = json.loads(Path(release).read_text(encoding="utf-8"))
    zone = zone_of("UTC")
    window = Window(
        since=datetime.fromisoformat(spec["since"]),
        until=datetime.fromisoformat(spec["until"]),
        zone=zone,
    )
    stored = cache / f"{Path(release).stem}.json" if cache else None
    if stored and stored.exists():
        read = json.loads(stored.read_text(encoding="utf-8"))
    else:
        read = asyncio.run(read_signals(clone, window))
        if stored:
            stored.write_text(json.dumps(read), encoding="utf-8")
    noted = set(spec["noted"])
    rows = tuple(Row(signals=r["signals"], noted=r["number"] in noted) for r in read)
    return Sample(name=spec.get("release") or Path(release).stem, rows=rows, weight=weight)


def fit(samples: Sequence[Sample]) -> tuple[dict[str, float], list[float]]:
    """Weights per unit of signal, and the intercept of every sample."""
    names = sorted({n for s in samples for r in s.rows for n in r.signals})
    place = {n: i for i, n in enumerate(names)}
    total = sum(len(s.rows) for s in samples)
    scale = [
        max(sqrt(sum(r.signals.get(n, 0.0) ** 2 for s in samples for r in s.rows) / total), RARE)
        for n in names
    ]
    rows: list[tuple[list[tuple[int, float]], int, float, float]] = []
    for k, sample in enumerate(samples):
        share = sample.weight / len(sample.rows)
        for row in sample.rows:
            cells = [(place[n], v / scale[place[n]]) for n, v in row.signals.items()]
            rows.append((cells, k, float(row.noted), share))
    mass = sum(r[3] for r in rows)
    rows = [(c, k, y, w / mass) for c, k, y, w in rows]
    bounds = [
        (FLOORS.get(n, -CAP) * scale[place[n]], max(CAP, FLOORS.get(n, 0.0)) * scale[place[n]])
        for n in names
    ]
    width = len(names) + len(samples)
    step = 4.0 / max(sum(v * v for _, v in c) + 1 for c, *_ in rows)
    point, ahead, pace = [0.0] * width, [0.0] * width, 1.0
    for _ in range(ROUNDS):
        slope = [PENALTY * v for v in ahead[: len(names)]] + [0.0] * len(samples)
        for cells, k, truth, share in rows:
            odds = ahead[len(names) + k] + sum(ahead[i] * v for i, v in cells)
            pull = share * (1 / (1 + exp(-max(-30.0, min(30.0, odds)))) - truth)
            slope[len(names) + k] += pull
            for i, v in cells:
                slope[i] += pull * v
        moved = [a - 4 * step * g for a, g in zip(ahead, slope, strict=True)]
        for i, (least, most) in enumerate(bounds):
            moved[i] = min(max(moved[i], least), most)
        quicker = (1 + sqrt(1 + 4 * pace * pace)) / 2
        push = (pace - 1) / quicker
        ahead = [m + push * (m - p) for m, p in zip(moved, point, strict=True)]
        point, pace = moved, quicker
    return (
        {n: point[i] / scale[i] for i, n in enumerate(names)},
        point[len(names) :],
    )


def odds_of(row: Row, weights: dict[str, float]) -> float:
    """The log-odds of a row without intercept."""
    return sum(weights.get(n, 0.0) * v for n, v in row.signals.items())


def auc(rows: Sequence[Row], odds: Sequence[float]) -> float:
    """Area under the ROC curve: the share of pairs in the right order."""
    high = [o for o, r in zip(odds, rows, strict=True) if r.noted]
    low = [o for o, r in zip(odds, rows, strict=True) if not r.noted]
    won = sum((h > x) + (h == x) / 2 for h in high for x in low)
    return won / (len(high) * len(low))


def cross_validate(samples: Sequence[Sample], folds: int = 5, times: int = 3) -> list[float]:
    """ROC AUC of the first sample, each row predicted from weights that never saw it."""
    first, figures = samples[0], []
    for seed in range(times):
        order = list(range(len(first.rows)))
        random.Random(seed).shuffle(order)
        order.sort(key=lambda i: first.rows[i].noted)  # stratified: dealt out by turns
        odds = [0.0] * len(order)
        for fold in range(folds):
            held = set(order[fold::folds])
            kept = tuple(r for i, r in enumerate(first.rows) if i not in held)
            weights, intercepts = fit([Sample(first.name, kept, first.weight), *samples[1:]])
            for i in held:
                odds[i] = intercepts[0] + odds_of(first.rows[i], weights)
        figures.append(auc(first.rows, odds))
    return figures


def carry_over(samples: Sequence[Sample]) -> dict[str, float]:
    """ROC AUC of every further sample under weights fitted without it."""
    figures = {}
    for held in samples[1:]:
        weights, _ = fit([s for s in samples if s is not held])
        figures[held.name] = auc(held.rows, [odds_of(r, weights) for r in held.rows])
    return figures


def main() -> None:
    """Read, fit, print the figures; with ``--write`` change the shipped file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", nargs=3, action="append", required=True, dest="sets")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true", help="no cross-validation")
    args = parser.parse_args()
    samples = [load(c, r, float(w), args.cache) for c, r, w in args.sets]
    for s in samples:
        print(f"{s.name}: {len(s.rows)} changes, {sum(r.noted for r in s.rows)} named")
    if not args.quick:
        print("cross-validated ROC AUC:", [round(f, 4) for f in cross_validate(samples)])
        print("carried over:", {k: round(v, 4) for k, v in carry_over(samples).items()})
    weights, intercepts = fit(samples)
    first = samples[0]
    print("in sample:", round(auc(first.rows, [odds_of(r, weights) for r in first.rows]), 4))
    for name, weight in sorted(weights.items(), key=lambda p: -abs(p[1])):
        print(f"  {weight:+.3f} {name}", file=sys.stderr)
    if args.write:
        write(weights, intercepts[0])


def write(weights: dict[str, float], bias: float) -> None:
    """Change weights and bias of the shipped file, and its version where they differ."""
    target = ROOT / "digest" / "importance.json"
    data = json.loads(target.read_text(encoding="utf-8"))
    fresh = {n: round(w, 4) for n, w in sorted(weights.items()) if abs(w) >= 0.002}
    if fresh != data["weights"]:
        data |= {"version": str(int(data["version"]) + 1), "weights": fresh}
    data["bias"] = round(bias, 4)
    target.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
