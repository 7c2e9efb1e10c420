"""Reviews whose truth is known: agreement of two raters, imperfect judges, and reviews that were picked.

Each function draws one population of `n` reviews and returns the interval that adjudge makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from adjudge.stats import (
    Method,
    cohen_kappa,
    corrected_pass_rate,
    effective_counts,
    gwet_ac1,
    prediction_powered_mean,
    reviewed_mean,
)

Ends = tuple[tuple[float, float] | None, float]
"""Both ends of the interval, if there is one, and the truth."""


def _two_raters(rng: np.random.Generator, n: int) -> tuple[list[str], list[str]]:
    """70 % truly pass; each rater is wrong about one trial in ten."""
    truth = rng.random(n) < 0.7
    first, second = ((truth ^ (rng.random(n) < 0.1)) for _ in range(2))
    return [["fail", "pass"][int(x)] for x in first], [["fail", "pass"][int(x)] for x in second]


def _kappa(rng: np.random.Generator, n: int) -> Ends:
    """po = 0.9² + 0.1² = 0.82; both pass 0.66 of the trials, pe = 0.66² + 0.34² = 0.5512."""
    interval = cohen_kappa(*_two_raters(rng, n), method=Method(resamples=999)).interval
    return (interval.low, interval.high) if interval else None, (0.82 - 0.5512) / (1 - 0.5512)


def _ac1(rng: np.random.Generator, n: int) -> Ends:
    """pe = 2 * 0.66 * 0.34 = 0.4488."""
    pairs = list(zip(*_two_raters(rng, n), strict=True))
    interval = gwet_ac1(pairs, categories=["fail", "pass"], method=Method(resamples=999)).interval
    return (interval.low, interval.high) if interval else None, (0.82 - 0.4488) / (1 - 0.4488)


def _corrected(rng: np.random.Generator, n: int) -> Ends:
    """Sensitivity 0.9, specificity 0.8, each from n/4 trials; 30 to 90 % truly pass."""
    truth = rng.uniform(0.3, 0.9)
    size = n // 4
    estimate = corrected_pass_rate(
        int(rng.binomial(n, 0.9 * truth + 0.2 * (1 - truth))),
        n,
        true_passes=int(rng.binomial(size, 0.9)),
        positives=size,
        true_fails=int(rng.binomial(size, 0.8)),
        negatives=size,
    )
    return (estimate.interval.low, estimate.interval.high) if estimate.interval else None, float(truth)


def _powered(rng: np.random.Generator, n: int) -> Ends:
    """n labels of 0 or 1, and 20 n scores that know the label's chance but run 0.1 too high."""
    chance = np.sqrt(rng.random(21 * n))  # mean 2/3
    scores = np.clip(chance + rng.normal(0.1, 0.1, 21 * n), 0, 1)
    labels = (rng.random(n) < chance[:n]).astype(float)
    interval = prediction_powered_mean(labels, scores[:n], scores[n:]).interval
    return (interval.low, interval.high) if interval else None, 2 / 3


PICKED = (
    "share people pass, picked by disagreement",
    "corrected pass rate, picked by disagreement",
    "prediction-powered, picked by disagreement",
)


def _picked(name: str, rng: np.random.Generator, n: int) -> Ends:
    """10 n trials, five to a task, of which n or so are reviewed: those on which verifier and judge disagree
    (a third of the reviews, if there are enough), and some drawn by lot among the rest. The verifier is right
    in 85 % of cases, the judge in 90.
    """
    tasks = np.repeat(np.arange(2 * n), 5)
    alike = np.where(rng.random(10 * n) < 0.5, rng.random(2 * n)[tasks], rng.random(10 * n))
    labels = alike < 0.7
    verdict, judged = labels ^ (rng.random(10 * n) < 0.15), labels ^ (rng.random(10 * n) < 0.1)
    apart = verdict != judged
    among = min(1.0, n / 3 / max(1, int(apart.sum())))
    chance = np.where(apart, among, max(n - among * apart.sum(), 1) / max(1, int((~apart).sum())))
    seen = rng.random(10 * n) < chance
    y, f, p, cluster = labels[seen].astype(float), verdict[seen].astype(float), chance[seen], tasks[seen]
    if name == PICKED[0]:
        estimate = reviewed_mean(y, p, cluster=cluster)
    elif name == PICKED[1]:
        passed, total = effective_counts(verdict, 1.0, tasks)
        good, bad = y == 1, y == 0
        true_passes, positives = effective_counts(f[good] == 1, p[good], cluster[good])
        true_fails, negatives = effective_counts(f[bad] == 0, p[bad], cluster[bad])
        estimate = corrected_pass_rate(
            passed,
            total,
            true_passes=true_passes,
            positives=positives,
            true_fails=true_fails,
            negatives=negatives,
        )
    else:
        estimate = prediction_powered_mean(y, f, verdict[~seen].astype(float), chances=p, cluster=cluster)
    interval = estimate.interval
    return (interval.low, interval.high) if interval else None, 0.7


REVIEWS: dict[str, Callable[[np.random.Generator, int], Ends]] = {
    "kappa": _kappa,
    "AC1": _ac1,
    "corrected pass rate": _corrected,
    "prediction-powered": _powered,
    **{name: partial(_picked, name) for name in PICKED},
}
