import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.calls import Estimator, raw


@given(st.text(), st.text())
def test_raw_adds_up(one, other):
    assert abs(raw(one + other) - raw(one) - raw(other)) < 1e-6


@given(st.text())
def test_count_is_never_less_than_a_token_for_a_text(text):
    assert Estimator().count(text) >= bool(text)


def test_letter_takes_a_part_of_a_token_and_nothing_takes_none():
    assert [letter for letter in string.ascii_letters if not 0 < raw(letter) < 0.5] == []
    assert Estimator().count("") == 0


def test_count_of_texts_with_known_counts():
    # Counted with o200k_base; the largest of five tokenizers differs by up to a tenth.
    samples = {
        "The scheduler now reads the default from the model configuration. " * 40: 11 * 40,
        "+        value = config.get_default(name, fallback=None)\n" * 40: 12 * 40,
        "该提交修改了调度器的默认参数，并修复了缓存失效的问题。" * 40: 20 * 40,
    }
    for text, counted in samples.items():
        assert 0.85 * counted <= Estimator().count(text) <= 1.8 * counted


def test_estimates_follow_the_server_and_stay_above_it():
    rng = random.Random(1)
    estimator = Estimator()
    below = 0
    for turn in range(300):
        estimated = rng.uniform(1_000, 20_000)
        counted = int(estimated * rng.gauss(1.4, 0.05))
        if turn > 30:
            below += estimated * estimator.factor < counted
        estimator.learn(estimated, counted)
    assert 1.4 < estimator.factor < 1.6
    assert below < 30


def test_estimates_cannot_be_led_astray():
    estimator = Estimator()
    for counted in (0, -5, 10**12, 1):
        for _ in range(50):
            estimator.learn(1_000, counted)
            estimator.learn(10, 10_000)
    assert 0.3 <= estimator.factor <= 8


@pytest.mark.parametrize(
    ("estimated", "counted", "factor"),
    [
        (400, 480, 1.2),  # the mean goes up a fifth of the way, and so does the deviation
        (400, 400, 1.08),
        (399, 4000, 1.1),
        (4000, 0, 1.1),
        (4000, -1, 1.1),
        (4000, 1, 1.22),
        (4000, 1200, 1.22),
        (1000, 3000, 2.28),
        (1000, 90_000, 2.28),
    ],
)
def test_estimate_goes_a_fifth_of_the_way_to_what_was_counted(estimated, counted, factor):
    estimator = Estimator()
    assert estimator.factor == pytest.approx(1.1)
    estimator.learn(estimated, counted)
    assert estimator.factor == pytest.approx(factor)
