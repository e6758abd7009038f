"""Weights learned from a repository's own release notes: what they name, the maintainers call news.

The shipped weights are the prior, so a few releases change little. Scores are then rescaled so that
the thresholds mean the same everywhere. A change is graded only by what was known when it was made.

The fit is a weighted logistic regression towards the prior; the rows of several samples share the
weights but have an intercept each. An L2 penalty on standardised signals pulls each weight to its
prior, within bounds. The method is accelerated projected gradient (Beck and Teboulle 2009) in plain
arithmetic: the same rows give the same weights on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from math import exp, log, sqrt

from digest.core.grade import Graded, Thresholds
from digest.frozen import frozen
from digest.grading.importance import Weights, demands_high, weights

RARE = 0.6  # signals with a root mean square below this are rare and are penalised more
CAP = 1.5  # maximum log-odds per unit of a signal, unless its prior is higher


@frozen(kw_only=False)
class Row:
    """One change: its signals and whether the maintainers named it."""

    signals: Mapping[str, float]
    noted: bool


@frozen(kw_only=False)
class Sample:
    """Changes of one project and period; ``weight`` is that of the whole sample in the fit."""

    name: str
    rows: tuple[Row, ...]
    weight: float = 1.0


@frozen
class Prior:
    """The beliefs before the rows are seen; ``floored`` weights are at least 0 whatever these say.

    ``penalty`` is the strength of the prior per unit of total sample weight.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    floored: Collection[str] = ()
    penalty: float = 0.004
    rounds: int = 400


@frozen(kw_only=False)
class _Cells:
    """A row with its scaled signals by index."""

    cells: tuple[tuple[int, float], ...]
    sample: int
    truth: float
    share: float


def fit(samples: Sequence[Sample], prior: Prior) -> tuple[dict[str, float], list[float]]:
    """The weights per unit of a signal, and the intercept of each sample."""
    names = sorted({*prior.weights, *(n for s in samples for r in s.rows for n in r.signals)})
    scale = _scales(samples, names)
    rows = _cells(samples, names, scale)
    centre = [prior.weights.get(n, 0.0) * by for n, by in zip(names, scale, strict=True)]
    bounds = [_bounds(n, prior, by) for n, by in zip(names, scale, strict=True)]
    point = ahead = centre + [0.0] * len(samples)
    # The curvature of the logistic loss is at most a quarter of the mean squared length of a row.
    mean = sum(row.share * (sum(v * v for _, v in row.cells) + 1) for row in rows)
    step, pace = 1 / (mean / 4 + prior.penalty), 1.0
    for _ in range(prior.rounds):
        slope = _slope(rows, ahead, centre, prior.penalty)
        moved = [a - step * g for a, g in zip(ahead, slope, strict=True)]
        moved[: len(names)] = [
            min(max(m, low), high) for m, (low, high) in zip(moved, bounds, strict=False)
        ]
        quicker = (1 + sqrt(1 + 4 * pace * pace)) / 2
        push = (pace - 1) / quicker
        ahead = [m + push * (m - p) for m, p in zip(moved, point, strict=True)]
        point, pace = moved, quicker
    return ({n: point[i] / scale[i] for i, n in enumerate(names)}, point[len(names) :])


def odds_of(signals: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The log-odds of a change, without intercept."""
    return sum(weights.get(name, 0.0) * value for name, value in signals.items())


def _scales(samples: Sequence[Sample], names: Sequence[str]) -> list[float]:
    total = sum(sample.weight for sample in samples)
    squares = dict.fromkeys(names, 0.0)
    for sample in samples:
        for row in sample.rows:
            for name, value in row.signals.items():
                squares[name] += sample.weight / len(sample.rows) / total * value * value
    return [max(sqrt(squares[name]), RARE) for name in names]


def _cells(samples: Sequence[Sample], names: Sequence[str], scale: Sequence[float]) -> list[_Cells]:
    place = {name: i for i, name in enumerate(names)}
    mass = sum(sample.weight for sample in samples)
    return [
        _Cells(
            tuple((place[n], v / scale[place[n]]) for n, v in row.signals.items()),
            len(names) + k,
            float(row.noted),
            sample.weight / len(sample.rows) / mass,
        )
        for k, sample in enumerate(samples)
        for row in sample.rows
    ]


def _bounds(name: str, prior: Prior, scale: float) -> tuple[float, float]:
    belief = prior.weights.get(name, 0.0)
    low = 0.0 if name in prior.floored else min(-CAP, belief)
    return low * scale, max(CAP, belief) * scale


def _slope(
    rows: Sequence[_Cells], point: Sequence[float], centre: Sequence[float], penalty: float
) -> list[float]:
    slope = [penalty * (p - c) for p, c in zip(point, centre, strict=False)]
    slope += [0.0] * (len(point) - len(centre))
    for row in rows:
        odds = point[row.sample] + sum(point[i] * v for i, v in row.cells)
        pull = row.share * (1 / (1 + exp(-max(-30.0, min(30.0, odds)))) - row.truth)
        slope[row.sample] += pull
        for i, v in row.cells:
            slope[i] += pull * v
    return slope


LEAST_NAMED = 60
"""Minimum number of named, and of unnamed, changes to learn from; fewer would be chance."""

LEAST_PAST = 200  # minimum number of past changes for learning and rescaling
MOST_PAST = 3000  # maximum number of changes to learn from, newest first: about ten seconds of work
_HIGH = 0.12  # the target share of high changes; busy days have more than the mean
_NEWS = 0.06  # the minimum share of changes that are high as news, however many demand action
_LATELY = 500  # number of newest changes used for rescaling, since projects change their pace
_MEDIUM = 0.45  # the target share of changes that are medium or high
_NAMED_SHARES = (0.03, 0.95)
"""Release notes that name fewer or more than these shares of changes are not used."""

_PENALTY = 0.01  # strength of the prior, chosen by the figures of tests/evals/fit_importance.py
_ROUNDS = 150


@frozen
class LocalWeights:
    """Weights for the changes since a release, which ``weights.version`` includes."""

    release: str
    since: datetime
    weights: Weights


def learn(
    release: str, since: datetime, past: Sequence[Graded], named: frozenset[int]
) -> LocalWeights | None:
    """Weights for the changes after a release; ``None`` if too few changes precede it.

    ``past`` is newest first; ``named`` are the requests named in release notes up to the release.
    """
    past = [change for change in past if change.commit.committed_at < since][:MOST_PAST]
    if len(past) < LEAST_PAST:
        return None
    from digest.grading.signals import signals  # learning is rare, loading what was learnt is not

    read = [{s.name: s.value for s in signals(g.facts, g.commit)} for g in past]
    first, last = _period_of_notes(past, named)
    rows = [
        Row(values, g.number in named)
        for values, g in zip(read, past, strict=True)
        if g.number is not None and first <= g.commit.committed_at <= last
    ]
    model = _fit(rows) or weights()
    due = [demands_high(g.facts, g.commit) for g in past[:_LATELY]]
    odds = [model.bias + odds_of(values, model.weights) for values in read[:_LATELY]]
    mapped = _rescale(model, odds, due)
    version = f"{weights().version}+{release}"
    return LocalWeights(release=release, since=since, weights=replace(mapped, version=version))


def _period_of_notes(past: Sequence[Graded], named: frozenset[int]) -> tuple[datetime, datetime]:
    """The period that the notes cover: from the first change they name to the last."""
    moments = [g.commit.committed_at for g in past if g.number in named]
    newest = past[0].commit.committed_at
    return min(moments, default=newest), max(moments, default=newest)


def _fit(rows: Sequence[Row]) -> Weights | None:
    counted = Counter(row.noted for row in rows)
    if min(counted[True], counted[False]) < LEAST_NAMED:
        return None
    least, most = _NAMED_SHARES
    if not least <= counted[True] / len(rows) <= most:
        return None
    shipped = weights()
    prior = Prior(weights=shipped.weights, floored=shipped.act, penalty=_PENALTY, rounds=_ROUNDS)
    found, (bias,) = fit([Sample("past", tuple(rows))], prior)
    rounded = {name: round(weight, 4) for name, weight in found.items() if abs(weight) >= 0.002}
    return replace(shipped, bias=bias, weights=rounded)


def _rescale(model: Weights, odds: Sequence[float], due: Sequence[bool]) -> Weights:
    """The weights rescaled to the target shares, unless every change demands action."""
    least = Thresholds()
    high, medium = _logit(least.high), _logit(least.medium)
    room = max(_NEWS, _HIGH - sum(due) / len(due))
    free = sorted((o for o, must in zip(odds, due, strict=True) if not must), reverse=True)
    if not free:
        return model
    top = free[min(len(free) - 1, int(room * len(odds)))]
    middle = free[min(len(free) - 1, int((_MEDIUM - _HIGH + room) * len(odds)))]
    scale = min(3.0, max(0.2, (high - medium) / max(top - middle, 0.05)))
    return replace(
        model,
        bias=round((model.bias - top) * scale + high, 4),
        weights={name: round(weight * scale, 4) for name, weight in model.weights.items()},
    )


def _logit(share: float) -> float:
    return log(share / (1 - share))
