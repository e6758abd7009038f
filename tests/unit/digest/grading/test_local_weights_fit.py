"""The fit finds what the rows say, stays near the prior and keeps floors."""

from __future__ import annotations

from math import exp, log

import pytest

from digest.grading.local_weights import CAP, RARE, Prior, Row, Sample, fit, odds_of


def rows(count: int, *, useful: bool) -> tuple[Row, ...]:
    """Half have the signal; with ``useful`` just those are named."""
    return tuple(
        Row({"cue": 1.0 if n % 2 else 0.0, "size": 1.0}, (n % 2 == 1) is useful)
        for n in range(count)
    )


def test_a_signal_that_tells_gains_weight_and_one_that_misleads_loses_it() -> None:
    for useful in (True, False):
        found, _ = fit([Sample("a", rows(40, useful=useful))], Prior())
        assert (found["cue"] > 0.5) is useful
        assert (found["cue"] < -0.5) is not useful


def test_the_prior_holds_where_the_rows_say_nothing() -> None:
    same = tuple(Row({"cue": 1.0}, n % 2 == 0) for n in range(20))
    found, _ = fit([Sample("a", same)], Prior(weights={"cue": 0.7, "other": 0.4}, penalty=0.01))
    assert abs(found["other"] - 0.4) < 0.01
    assert abs(found["cue"] - 0.7) < 0.05


def test_a_floor_holds_against_the_rows() -> None:
    found, _ = fit([Sample("a", rows(40, useful=False))], Prior(floored={"cue"}))
    assert found["cue"] == 0.0


def test_sets_that_name_more_have_another_intercept_and_the_same_weights() -> None:
    many = Sample("many", tuple(Row({"cue": float(n % 2)}, n % 4 != 0) for n in range(80)))
    few = Sample("few", tuple(Row({"cue": float(n % 2)}, n % 8 == 1) for n in range(80)))
    found, intercepts = fit([many, few], Prior())
    assert intercepts[0] > intercepts[1]
    assert odds_of({"cue": 1.0}, found) > 0
    assert odds_of({"cue": 1.0, "unknown": 9.0}, found) == found["cue"]


def test_the_same_rows_give_the_same_weights() -> None:
    sample = [Sample("a", rows(30, useful=True))]
    assert fit(sample, Prior()) == fit(sample, Prior())


@pytest.mark.parametrize(
    ("prior", "useful", "weight"),
    [
        (Prior(), True, CAP),
        (Prior(), False, -CAP),
        (Prior(weights={"cue": 2.0}, penalty=1e-6), True, 2.0),
        (Prior(weights={"cue": -2.0}, penalty=1e-6), False, -2.0),
        (Prior(weights={"cue": -2.0}, floored={"cue"}), False, 0.0),
        (Prior(weights={"cue": 1.0}, penalty=30.0), True, 1.0),
    ],
)
def test_a_weight_is_within_its_bounds_however_clear_the_rows(
    prior: Prior, useful: bool, weight: float
) -> None:
    found, _ = fit([Sample("a", rows(40, useful=useful))], prior)
    assert found["cue"] == pytest.approx(weight, abs=0.02)


def test_no_neighbouring_weights_or_intercepts_explain_the_rows_better() -> None:
    def some(count: int, named: int) -> tuple[Row, ...]:
        return tuple(
            Row({"cue": n % 2 * 0.5, "size": n % 5 * 0.7, "rare": float(n == 7)}, n % named == 0)
            for n in range(count)
        )

    samples = [Sample("many", some(24, 3), 2.0), Sample("few", some(36, 5), 0.5)]
    prior = Prior(weights={"cue": 0.3, "other": 0.2}, penalty=0.05)
    found, intercepts = fit(samples, prior)

    def loss(weights: dict[str, float], intercepts: list[float]) -> float:
        """The mean logistic loss of a change, and the penalty on standardised weights."""
        total = 0.0
        for sample, intercept in zip(samples, intercepts, strict=True):
            share = sample.weight / 2.5 / len(sample.rows)
            for row in sample.rows:
                odds = odds_of(row.signals, weights) + intercept
                total += share * log(1 + exp(-odds if row.noted else odds))
        for name, weight in weights.items():
            square = sum(
                sample.weight / 2.5 / len(sample.rows) * row.signals.get(name, 0.0) ** 2
                for sample in samples
                for row in sample.rows
            )
            away = (weight - prior.weights.get(name, 0.0)) * max(square**0.5, RARE)
            total += prior.penalty / 2 * away**2
        return total

    best = loss(found, intercepts)
    for step in (-0.002, 0.002):
        for name in found:
            assert best < loss(found | {name: found[name] + step}, intercepts)
        for place in range(2):
            moved = [one + step * (at == place) for at, one in enumerate(intercepts)]
            assert best < loss(found, moved)
    assert found["other"] == pytest.approx(0.2)
