"""How often chance alone earns a label: random wrong numbers, counted.

A list of factors explains some random ratios by coincidence. Ratios are drawn log-uniformly, one in four
negative, with answers of 2, 3, 4 and all digits; what lies within two tolerances is a near miss and not
counted. The bar is 2 %, in every setting and not only on average.
"""

from __future__ import annotations

import random

import pytest

from adjudge_kit import diagnose

DRAWS = 1000


def to_digits(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}") if digits else value


@pytest.mark.parametrize("spread", [1, 3, 6], ids=lambda n: f"ratios to 1e{n}")
@pytest.mark.parametrize("rel", [0.001, 0.02])
@pytest.mark.parametrize(
    ("name", "unit"), [("value", None), ("span_mm", None), ("outlet_c", None), ("p", "kPa"), ("x", "%")]
)
def test_a_random_wrong_number_is_labelled_at_most_once_in_fifty(
    name: str, unit: str | None, rel: float, spread: int
) -> None:
    dice = random.Random(f"{name} {unit} {rel} {spread}")  # noqa: S311 - a fixed draw, not a secret
    labels = 0
    for draw in range(DRAWS):
        expected = to_digits(10 ** dice.uniform(-2, 4), 4)
        ratio = 10 ** dice.uniform(-spread, spread) * dice.choice((1, 1, 1, -1))
        actual = to_digits(expected * ratio, (2, 3, 4, 0)[draw % 4])
        if abs(actual - expected) > 2 * rel * expected:
            labels += diagnose(expected, actual, name=name, unit=unit, rel=rel) is not None
    assert labels <= 0.02 * DRAWS
