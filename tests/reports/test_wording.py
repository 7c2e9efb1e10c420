"""How numbers are written: a table of snapshots."""

from __future__ import annotations

import pytest

from adjudge.contracts import Interval
from adjudge.reports.rendering import wording
from adjudge.stats import Bounds, Coverage, Estimate


def estimate(**changes: object) -> Estimate:
    values: dict[str, object] = {
        "value": 0.72,
        "interval": Interval(low=0.65, high=0.78, level=0.95, method="score"),
        "method": "mean reward",
        "n": 40,
        "coverage": Coverage(scored=180, unparseable=17, verifier_failed=3),
        "bounds": Bounds(low=0.7, high=0.73),
    }
    return Estimate(**(values | changes))  # type: ignore[arg-type]


def test_the_headline_says_everything_in_one_line() -> None:
    assert wording.headline(estimate()) == (
        "0.720 [0.650, 0.780] · 180 of 200 usable · 17 unparseable · 3 verifier failures · "
        "bounds [0.700, 0.730]"
    )


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (
            estimate(bounds=None, coverage=Coverage(scored=3)),
            "0.720 [0.650, 0.780] · 3 of 3 usable",
        ),
        (
            estimate(
                value=None,
                interval=None,
                bounds=None,
                coverage=Coverage(scored=0),
                reason="there are no trials",
            ),
            "undefined · 0 of 0 usable · there are no trials",
        ),
        (
            estimate(
                interval=None,
                bounds=None,
                coverage=Coverage(scored=0, verifier_failed=1),
                reason="one task has no standard error",
            ),
            "0.720 · 0 of 1 usable · 1 verifier failure · one task has no standard error",
        ),
    ],
)
def test_what_is_missing_is_a_word_and_a_reason(found: Estimate, text: str) -> None:
    assert wording.headline(found) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (wording.number(-0.0), "0.000"),
        (wording.number(None), "undefined"),
        (wording.signed(0.0314), "+0.031"),
        (wording.signed(-0.5), "-0.500"),
        (wording.p_value(0.0314), "p = 0.031"),
        (wording.p_value(0.0001), "p < 0.001"),
        (wording.p_value(None), "no p"),
        (wording.money(14.832), "$14.83"),
        (wording.money(0.0031), "$0.0031"),
        (wording.money(0.0), "$0.00"),
        (wording.money(None), "not known"),
        (wording.seconds(0.0866), "0.0866 s"),
        (wording.seconds(7200.0), "7,200 s"),
        (wording.percent(0.95), "95 %"),
        (wording.percent(0.999), "99.9 %"),
        (wording.count(1, "trial"), "1 trial"),
        (wording.count(20_000, "trial"), "20,000 trials"),
    ],
)
def test_small_things(written: str, text: str) -> None:
    assert written == text
