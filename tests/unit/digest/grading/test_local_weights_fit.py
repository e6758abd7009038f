"""The fit finds what the rows say, stays near the prior and keeps floors."""

from __future__ import annotations

from digest.grading.local_weights import Prior, Row, Sample, fit, odds_of


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
    found, _ = fit([Sample("a", rows(40, useful=False))], Prior(floors={"cue": 0.0}))
    assert found["cue"] == 0.0


def test_sets_that_name_more_have_another_intercept_and_the_same_weights() -> None:
    many = Sample("many", tuple(Row({"cue": float(n % 2)}, n % 4 != 0) for n in range(80)))
    few = Sample("few", tuple(Row({"cue": float(n % 2)}, n % 8 == 1) for n in range(80)))
    found, intercepts = fit([many, few], Prior())
    assert intercepts[0] > intercepts[1]
    assert odds_of({"cue": 1.0}, found) > 0


def test_the_same_rows_give_the_same_weights() -> None:
    sample = [Sample("a", rows(30, useful=True))]
    assert fit(sample, Prior()) == fit(sample, Prior())
