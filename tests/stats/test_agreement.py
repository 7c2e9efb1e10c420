"""Agreement: values frozen from statsmodels, krippendorff and irrCAC; intervals by resampling trials."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import Estimate, cohen_kappa, gwet_ac1, krippendorff_alpha

A = [1, 2, 3, 3, 2, 1, 4, 1, 2, 4, 3, 1]
B = [1, 2, 3, 2, 2, 1, 3, 1, 3, 4, 3, 2]
_ = float("nan")
# Three raters, fifteen trials, much missing: the worked example of Krippendorff's Wikipedia article.
THREE = np.array(
    [
        [_, _, _, _, _, 3, 4, 1, 2, 1, 1, 3, 3, _, 3],
        [1, _, 2, 1, 3, 3, 4, 3, _, _, _, _, _, _, _],
        [_, _, 2, 1, 3, 4, 4, _, 2, 1, 1, 3, 3, _, 4],
    ]
).T


@pytest.mark.parametrize(
    ("weights", "expected"),
    [(None, 0.5471698113207546), ("linear", 0.7037037037037037), ("quadratic", 0.8367346938775511)],
)
def test_kappa(weights: str | None, expected: float) -> None:
    """statsmodels 0.15 cohens_kappa(table, wt=weights).kappa."""
    estimate = cohen_kappa(A, B, weights=weights)  # type: ignore[arg-type]  # parametrised
    assert estimate.value == pytest.approx(expected, rel=1e-11)
    assert estimate.interval is not None
    assert estimate.interval.low < expected < estimate.interval.high
    assert (estimate.n, estimate.unit) == (12, "trials")


def test_kappa_by_hand() -> None:
    """4 trials: po = 3/4; A passes 3/4, B 2/4: pe = 3/8 + 1/8 = 1/2; kappa = (3/4 - 1/2)/(1/2) = 1/2."""
    a = ["pass", "pass", "pass", "fail"]
    b = ["pass", "pass", "fail", "fail"]
    assert cohen_kappa(a, b).value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("nominal", 0.691358024691358), ("ordinal", 0.8067214199413153), ("interval", 0.8108448928121059)],
)
def test_alpha(metric: str, expected: float) -> None:
    """krippendorff 0.9 alpha(reliability_data=THREE.T, level_of_measurement=metric)."""
    estimate = krippendorff_alpha(THREE, metric=metric)  # type: ignore[arg-type]  # parametrised
    assert estimate.value == pytest.approx(expected, rel=1e-11)
    assert estimate.n == 12
    assert estimate.notes == (
        "18 ratings missing or deferred",
        "3 trials with fewer than two ratings cannot show agreement",
    )


def test_ac1() -> None:
    """irrCAC 0.4.4 CAC(frame).gwet(), printed to five digits: 0.55963 for two raters, 0.70916 for three."""
    assert gwet_ac1(list(zip(A, B, strict=True))).value == pytest.approx(0.55963, abs=5e-6)
    assert gwet_ac1(THREE).value == pytest.approx(0.70916, abs=5e-6)


def test_ac1_is_stable_where_nearly_all_pass() -> None:
    """18 agree on pass, 2 differ: po = 0.9. Kappa: both pass 0.95, pe = 0.905, kappa < 0.

    AC1: pe = 2 * 0.95 * 0.05 = 0.095, (0.9 - 0.095)/0.905 = 0.8895.
    """
    a = ["pass"] * 18 + ["pass", "fail"]
    b = ["pass"] * 18 + ["fail", "pass"]
    kappa, ac1 = cohen_kappa(a, b).value, gwet_ac1(list(zip(a, b, strict=True))).value
    assert kappa == pytest.approx((0.9 - 0.905) / 0.095)
    assert ac1 == pytest.approx(0.8895, abs=1e-4)


def test_defer_is_missing_and_counted() -> None:
    with_defer = cohen_kappa(["pass", "fail", "pass", "defer"], ["pass", "fail", "fail", "pass"])
    without = cohen_kappa(["pass", "fail", "pass"], ["pass", "fail", "fail"])
    assert with_defer.value == without.value
    assert with_defer.notes[0] == "1 rating missing or deferred"


def test_perfect_agreement_is_not_certainty() -> None:
    """10 trials, 5 pass, 5 fail: pe = 0.5, u = z²/(10 + z²) = 0.277533, low = 1 - u/0.5 = 0.444934."""
    verdicts = ["pass", "fail"] * 5
    estimate = cohen_kappa(verdicts, verdicts)
    assert estimate.value == 1.0
    assert estimate.interval is not None
    assert estimate.interval.low == pytest.approx(0.4449344, abs=1e-6)
    assert estimate.interval.high == 1.0


@pytest.mark.parametrize(
    ("estimate", "says"),
    [
        (cohen_kappa([], []), "no trial has two ratings"),
        (cohen_kappa(["pass"], ["pass"]), "only one trial has two ratings"),
        (cohen_kappa(["pass"] * 9, ["pass"] * 8 + ["fail"]), "rater A gave all 9 trials the same rating"),
        (cohen_kappa(["pass", "fail"] * 4, ["fail"] * 8), "rater B gave all 8 trials the same rating"),
        (krippendorff_alpha([["pass", "pass"]] * 5), "every rating is the same"),
        (krippendorff_alpha([["pass", None]] * 5), "no trial has two ratings"),
        (krippendorff_alpha([[0.5, 0.5]] * 5, metric="interval"), "every rating is the same"),
        (gwet_ac1([["pass", "pass"]] * 5), "only the category pass occurs"),
        (gwet_ac1([]), "no trial has two ratings"),
    ],
)
def test_undefined_says_why(estimate: Estimate, says: str) -> None:
    assert estimate.value is None
    assert estimate.interval is None
    assert estimate.reason is not None
    assert says in estimate.reason


def test_named_categories_define_chance() -> None:
    """All pass, fail was possible: pe = 1 * 0 + 0 * 1 = 0, AC1 = 1, low = 1 - z²/(5 + z²) = 0.5655."""
    estimate = gwet_ac1([["pass", "pass"]] * 5, categories=["fail", "pass"])
    assert estimate.value == 1.0
    assert estimate.interval is not None
    assert estimate.interval.low == pytest.approx(0.5655175, abs=1e-6)


def test_a_rare_category_that_most_resamples_miss_has_no_kappa_interval() -> None:
    """A's only fail is missing from (19/20)^20 = 36 % of resamples, which makes A constant there."""
    a = ["fail"] + ["pass"] * 19
    b = ["fail", "fail"] + ["pass"] * 18
    estimate = cohen_kappa(a, b)
    assert estimate.value == pytest.approx((0.95 - 0.86) / 0.14)  # pe = 0.05 * 0.1 + 0.95 * 0.9 = 0.86
    assert estimate.interval is None
    assert estimate.reason is not None
    assert estimate.notes[-1].startswith("undefined in 7")  # some 700 of 1999


def test_row_order_cannot_matter() -> None:
    order = np.random.default_rng(0).permutation(len(THREE))
    for metric in ("nominal", "ordinal", "interval"):
        assert krippendorff_alpha(THREE, metric=metric) == krippendorff_alpha(THREE[order], metric=metric)
    assert gwet_ac1(THREE) == gwet_ac1(THREE[order])


def test_tables_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="rating is not a category; found 'maybe'"):
        gwet_ac1([["pass", "maybe"]], categories=["pass", "fail"])
    with pytest.raises(UsageError, match="of each rater"):
        gwet_ac1([["pass", "fail"], ["pass"]])
    with pytest.raises(UsageError, match="needs numbers"):
        krippendorff_alpha([["pass", "fail"]] * 2, metric="interval")


def test_trials_of_one_task_are_drawn_together() -> None:
    """Every trial four times over: as clusters they say what one trial of each says, and no more."""
    a, b = ["p", "p", "f", "f", "p", "f", "p", "p"], ["p", "f", "f", "f", "p", "p", "p", "p"]
    four_a, four_b = [x for x in a for _ in range(4)], [x for x in b for _ in range(4)]
    task = [i for i in range(8) for _ in range(4)]
    alone = cohen_kappa(a, b)
    copied = cohen_kappa(four_a, four_b)
    together = cohen_kappa(four_a, four_b, cluster=task)
    assert alone.value == copied.value == together.value
    assert alone.interval is not None
    assert copied.interval is not None
    assert together.interval is not None
    width = alone.interval.high - alone.interval.low
    assert together.interval.high - together.interval.low == pytest.approx(width, rel=1e-6)
    assert copied.interval.high - copied.interval.low < 0.7 * width
    assert (together.n, together.clusters) == (32, 8)
    table = list(zip(four_a, four_b, strict=True))
    for statistic in (krippendorff_alpha, gwet_ac1):
        assert statistic(table, cluster=task).clusters == 8
    assert (
        gwet_ac1([*table, ("p", None)], cluster=[*task, 99]).clusters == 9
    )  # counts for how often p is used
    assert (
        cohen_kappa(a, b, cluster=["x"] * 8).reason
        == "every trial lies in one cluster, which shows no spread"
    )
