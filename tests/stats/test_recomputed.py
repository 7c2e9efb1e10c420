"""Numbers about reviews and plans again, by plain code from their formulas: to the last digits."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats  # type: ignore[import-untyped]  # scipy ships no types

from adjudge.stats import (
    Method,
    TrialTable,
    VarianceParts,
    cohen_kappa,
    corrected_pass_rate,
    effective_counts,
    gwet_ac1,
    krippendorff_alpha,
    plan_from_parts,
    plan_power,
    prediction_powered_mean,
    reviewed_mean,
)
from adjudge.stats.means.draws import index_blocks
from adjudge.stats.planning.power import power_of, required_attempts

SEEDS = range(25)
Z = float(stats.norm.isf(0.025))
Ratings = list[list[str | None]]


def score_ends(mean: float, error: float, df: float) -> tuple[float, float]:
    """Where the mean lies t errors away, with the error of as many coin flips: by searching for the roots."""
    flips = mean * (1 - mean) / error**2
    t = float(stats.t.isf(0.025, df))

    def off(p: float) -> float:
        return (mean - p) ** 2 - t * t * p * (1 - p) / flips

    return float(optimize.brentq(off, 0, mean, xtol=1e-15)), float(optimize.brentq(off, mean, 1, xtol=1e-15))


@pytest.mark.parametrize("seed", SEEDS)
def test_prediction_powered_means(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, rest = int(rng.integers(5, 40)), int(rng.integers(2, 200))
    chance = rng.random(n + rest)
    scores = (chance + rng.normal(0.1, 0.1, n + rest)).clip(0, 1)
    y, f, g = (rng.random(n) < chance[:n]).astype(float), scores[:n], scores[n:]
    found = prediction_powered_mean(y, f, g)
    weight = np.cov(y, f)[0, 1] / ((1 + n / rest) * scores.var(ddof=1))
    value = weight * g.mean() + (y - weight * f).mean()
    error = math.sqrt((y - weight * f).var(ddof=1) * (n - 1) / (n - 2) / n + weight**2 * g.var(ddof=1) / rest)
    assert found.value == pytest.approx(min(1.0, max(0.0, value)), rel=1e-11)
    assert found.standard_error == pytest.approx(error, rel=1e-10)
    assert found.interval is not None
    if 0 < value < 1:
        ends = score_ends(value, error, n - 2)
        assert (found.interval.low, found.interval.high) == pytest.approx(ends, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_weighted_reviews_and_what_they_make_sharper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 60))
    y, f, g = (rng.random(size).round(3) for size in (n, n, 3 * n))
    chance, cluster = rng.uniform(0.1, 1, n), rng.integers(0, n // 2, n)
    w = 1 / chance
    groups = [cluster == one for one in np.unique(cluster)]

    def plain(values: np.ndarray) -> tuple[float, float]:
        mean = float((w * values).sum() / w.sum())
        squares = [
            ((w * (values - mean))[at].sum()) ** 2 / max(1 - w[at].sum() / w.sum(), 1 / len(groups))
            for at in groups
        ]
        return mean, math.sqrt(sum(squares)) / w.sum()

    alike = w.sum() ** 2 / sum(w[at].sum() ** 2 for at in groups)
    found = reviewed_mean(y, chance, cluster=cluster.tolist())
    mean, error = plain(y)
    assert (found.value, found.standard_error) == pytest.approx((mean, error), rel=1e-11)
    assert found.interval is not None
    ends = score_ends(mean, error, max(1.0, alike - 1))
    assert (found.interval.low, found.interval.high) == pytest.approx(ends, abs=1e-9)

    every = np.concatenate((f, g))
    weight = np.cov(y, f)[0, 1] / ((1 + n / len(g)) * every.var(ddof=1))
    residual, own = plain(y - weight * f)
    sharper = prediction_powered_mean(y, f, g, chances=chance, cluster=cluster.tolist())
    assert sharper.value == pytest.approx(residual + weight * every.mean(), rel=1e-10)
    total = math.sqrt(own**2 + weight**2 * every.var(ddof=1) / len(every))
    assert sharper.standard_error == pytest.approx(total, rel=1e-10)

    hits = y > 0.5
    share = float((w * hits).sum() / w.sum())
    spread = sum(((w * (hits - share))[at].sum()) ** 2 for at in groups) / w.sum() ** 2
    good, of = effective_counts(hits, chance, cluster.tolist())
    assert (good, of) == pytest.approx((share * share * (1 - share) / spread, share * (1 - share) / spread))


@pytest.mark.parametrize("seed", SEEDS)
def test_corrected_pass_rates(seed: int) -> None:
    """Rogan and Gladen; Lang and Reiczigel's interval with z² pseudo-trials and two pseudo-reviews a side."""
    rng = np.random.default_rng(seed)
    n, positives, negatives = (int(rng.integers(10, 300)) for _ in range(3))
    passed = int(rng.binomial(n, rng.random()))
    good, bad = int(rng.binomial(positives, 0.85)), int(rng.binomial(negatives, 0.8))
    found = corrected_pass_rate(
        passed, n, true_passes=good, positives=positives, true_fails=bad, negatives=negatives
    )
    raw = (passed / n + bad / negatives - 1) / (good / positives + bad / negatives - 1)
    assert found.value == pytest.approx(min(1.0, max(0.0, raw)), rel=1e-12)
    p, se, sp = (passed + Z**2 / 2) / (n + Z**2), (good + 1) / (positives + 2), (bad + 1) / (negatives + 2)
    youden = se + sp - 1
    t = (p + sp - 1) / youden
    of_se, of_sp = se * (1 - se) / (positives + 2), sp * (1 - sp) / (negatives + 2)
    centre = t + 2 * Z**2 * (t * of_se - (1 - t) * of_sp)
    half = Z / youden * math.sqrt(p * (1 - p) / (n + Z**2) + t**2 * of_se + (1 - t) ** 2 * of_sp)
    if found.interval is not None:
        ends = max(0.0, centre - half), min(1.0, centre + half)
        assert (found.interval.low, found.interval.high) == pytest.approx(ends, abs=1e-12)


def ratings(rng: np.random.Generator, raters: int, missing: float) -> Ratings:
    truth = rng.integers(0, 4, int(rng.integers(12, 40)))
    drawn = np.where(
        rng.random((len(truth), raters)) < 0.3, rng.integers(0, 4, (len(truth), raters)), truth[:, None]
    )
    return [["abcd"[x] if rng.random() >= missing else None for x in row] for row in drawn]


def kappa(rows: Ratings, weights: str | None) -> float:
    """1 - observed/expected cost, over pairs of ratings and over all ways to pair them."""

    def cost(x: int) -> float:
        return float(x > 0 if weights is None else x if weights == "linear" else x * x)

    both = [("abcd".index(a), "abcd".index(b)) for a, b in rows if a and b]
    observed = np.mean([cost(abs(a - b)) for a, b in both])
    expected = np.mean([cost(abs(a - d)) for a, _ in both for _, d in both])
    return float(1 - observed / expected)


def alpha(rows: Ratings, metric: str) -> float:
    """Krippendorff's own definition: disagreement of pairs within a trial over that of all pairs."""
    values = [[x for x in row if x] for row in rows]
    values = [row for row in values if len(row) > 1]
    every = [x for row in values for x in row]
    use = {c: every.count(c) for c in "abcd"}

    def cost(a: str, b: str) -> float:
        a, b = min(a, b), max(a, b)
        if metric == "nominal":
            return float(a != b)
        between = sum(use[c] for c in "abcd" if a <= c <= b)
        return (between - (use[a] + use[b]) / 2) ** 2

    observed = sum(2 * cost(a, b) / (len(row) - 1) for row in values for a, b in combinations(row, 2)) / len(
        every
    )
    expected = sum(2 * cost(a, b) for a, b in combinations(every, 2)) / (len(every) * (len(every) - 1))
    return float(1 - observed / expected)


def ac1(rows: Ratings) -> float:
    values = [[x for x in row if x] for row in rows if any(row)]
    twice = [row for row in values if len(row) > 1]
    agreed = np.mean([np.mean([a == b for a, b in combinations(row, 2)]) for row in twice])
    use = [np.mean([row.count(c) / len(row) for row in values]) for c in "abcd"]
    chance = sum(p * (1 - p) for p in use) / 3
    return float((agreed - chance) / (1 - chance))


@pytest.mark.parametrize("seed", SEEDS)
def test_agreement_of_two_or_many_with_weights_and_gaps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    few: dict[str, Any] = {"categories": "abcd", "method": Method(resamples=99)}
    two, many = ratings(rng, 2, 0.1), ratings(rng, 4, 0.3)
    a, b = ([row[i] for row in two] for i in (0, 1))
    for weights in (None, "linear", "quadratic"):
        found = cohen_kappa(a, b, weights=weights, **few)
        assert found.value == pytest.approx(kappa(two, weights), abs=1e-11)
    for metric in ("nominal", "ordinal"):
        found = krippendorff_alpha(many, metric=metric, **few)
        assert found.value == pytest.approx(alpha(many, metric), abs=1e-11)
    assert gwet_ac1(many, **few).value == pytest.approx(ac1(many), abs=1e-11)


def test_the_interval_of_a_weighted_kappa_is_efron_s() -> None:
    """The same draws of whole trials, each kappa by its definition, and BCa with scipy's normal."""
    rng = np.random.default_rng(5)
    rows = ratings(rng, 2, 0.0)
    a, b = ([row[i] for row in rows] for i in (0, 1))
    found = cohen_kappa(a, b, weights="quadratic", categories="abcd", method=Method(resamples=199))
    # Trials are drawn in the order of their cells, so that names and rows cannot matter.
    cells = sorted(rows, key=lambda row: [int((x, y) == tuple(row)) for x in "dcba" for y in "dcba"])
    drawn = np.array(
        [
            kappa([cells[i] for i in picked], "quadratic")
            for block in index_blocks(0, 199, len(cells))
            for picked in block
        ]
    )
    value = kappa(rows, "quadratic")
    left = np.array([kappa(rows[:i] + rows[i + 1 :], "quadratic") for i in range(len(rows))])
    bias = stats.norm.ppf((np.mean(drawn < value) + np.mean(drawn <= value)) / 2)
    pull = left.mean() - left
    skew = (pull**3).sum() / (6 * (pull**2).sum() ** 1.5)
    ends = []
    for q in (0.025, 0.975):
        shifted = bias + stats.norm.ppf(q)
        ends.append(np.quantile(drawn, stats.norm.cdf(bias + shifted / (1 - skew * shifted))))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(ends, abs=1e-9)


def plain_power(delta: float, tasks: int, variance: float, per_cluster: float) -> float:
    df = tasks / per_cluster - 1
    if tasks / per_cluster < 6:  # of five groups two flips of 32 are as far out: p = 0.0625
        return 0.0
    critical = float(stats.t.isf(0.025, df))
    out = delta / math.sqrt(variance / tasks)
    spread = math.sqrt(1 + critical**2 / (2 * df))
    return float(stats.norm.cdf((out - critical * (1 - 1 / (4 * df))) / spread))


@pytest.mark.parametrize("seed", SEEDS)
def test_plans_by_the_formula(seed: int) -> None:
    rng = np.random.default_rng(seed)
    between, a, b = rng.uniform(0.005, 0.1, 3)
    k, design, per = float(rng.integers(1, 6)), float(rng.uniform(1, 3)), float(rng.integers(1, 5))
    parts = VarianceParts(
        between=between,
        within_a=a,
        within_b=b,
        attempts_a=k,
        attempts_b=k,
        design_effect=design,
        tasks_per_cluster=per,
    )
    delta, tasks = float(rng.uniform(0.05, 0.3)), int(rng.integers(30, 200))

    def variance(k: float) -> float:
        return float(design * (between + (a + b) / k))

    plan = plan_from_parts(tasks, parts, delta=delta)
    assert plan.power_now == pytest.approx(plain_power(delta, tasks, variance(k), per), abs=1e-9)
    needed = next(n for n in range(2, 10**6) if plain_power(delta, n, variance(k), per) >= 0.8)
    assert plan.tasks_needed == needed
    smallest = optimize.brentq(lambda d: plain_power(d, tasks, variance(k), per) - 0.8, 0.001, 1)
    assert plan.detectable == pytest.approx(smallest, rel=1e-5)
    enough = [n for n in range(1, 2000) if plain_power(delta, tasks, variance(n), per) >= 0.8]
    if enough:
        assert required_attempts(delta, tasks, parts) == plan.attempts_needed == enough[0]
    else:
        assert plan.attempts_needed is None or plan.attempts_needed >= 2000
    assert power_of(delta, needed, parts) >= 0.8 > power_of(delta, needed - 1, parts)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_variance_that_a_plan_is_made_from(seed: int) -> None:
    """Unequal attempts: within is the mean of the tasks' own variances, attempts their harmonic mean."""
    rng = np.random.default_rng(seed)
    sides = [[rng.random(int(rng.integers(1, 5))) for _ in range(15)] for _ in range(2)]
    tables = [
        TrialTable.of([t for t, x in enumerate(side) for _ in x], np.concatenate(side)) for side in sides
    ]
    parts = plan_power(tables[0], tables[1], delta=0.1, simulate=False).parts
    d = np.array([x.mean() - y.mean() for x, y in zip(*sides, strict=True)])
    within = [np.mean([x.var(ddof=1) for x in side if len(x) > 1]) for side in sides]
    attempts = [1 / np.mean([1 / len(x) for x in side]) for side in sides]
    noise = within[0] / attempts[0] + within[1] / attempts[1]
    fits = min(1.0, d.var(ddof=1) / noise)
    assert parts is not None
    assert parts.between == pytest.approx(max(0.0, d.var(ddof=1) - noise), abs=1e-12)
    assert (parts.within_a, parts.within_b) == pytest.approx([x * fits for x in within], rel=1e-11)
    assert (parts.attempts_a, parts.attempts_b) == pytest.approx(attempts, rel=1e-12)
    assert parts.total == pytest.approx(d.var(ddof=1), rel=1e-11)
