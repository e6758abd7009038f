"""What the calls of a model used."""

from __future__ import annotations

from decimal import Decimal

from handlers.ports.model_port import Usage


def test_the_usage_of_calls_adds_up_and_is_estimated_if_a_part_of_it_is():
    first = Usage(
        calls=1, input_tokens=300, cached_tokens=200, output_tokens=20, cost=Decimal("0.1")
    )
    second = Usage(
        calls=2, input_tokens=50, cached_tokens=10, output_tokens=5, cost=Decimal("0.2"),
        estimated=True,
    )  # fmt: skip
    assert first + second == Usage(
        calls=3, input_tokens=350, cached_tokens=210, output_tokens=25, cost=Decimal("0.3"),
        estimated=True,
    )  # fmt: skip
    assert (first + second).tokens == 375
