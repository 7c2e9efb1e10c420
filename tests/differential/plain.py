"""Every number of a report again, from a design alone: plain formulas, numpy and scipy, nothing of adjudge.

Slow on purpose: all flips are tried, clustered errors come from n x n matrices, pass@k counts subsets.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from scipy import optimize, stats  # type: ignore[import-untyped]  # scipy ships no types

from differential.designs import Attempt, Design

Values = dict[str, float]


def worth(attempt: Attempt, failure: float = 0.0) -> float:
    """What an attempt counts: an output that does not parse 0, a machinery failure what is assumed."""
    if attempt.reward is None:
        return failure
    return attempt.reward if attempt.parseable else 0.0


def task_means(tasks: dict[str, list[Attempt]], failure: float = 0.0) -> Values:
    """Attempts averaged by task; failures counted, exactly and rounded once."""
    return {
        task: float(sum(Fraction(worth(a, failure)) for a in attempts) / len(attempts))
        for task, attempts in tasks.items()
    }


def with_a_result(tasks: dict[str, list[Attempt]]) -> Values:
    """The same for tasks with an attempt that the machinery did not fail: what comparisons look at."""
    known = {task: a for task, a in tasks.items() if any(one.reward is not None for one in a)}
    return task_means(known)


def all_failed(tasks: dict[str, list[Attempt]]) -> bool:
    return all(one.reward is None for attempts in tasks.values() for one in attempts)


def error(values: Values, clusters: dict[str, str] | None) -> float | None:
    """The standard error of the mean: s/sqrt(n), or CR2 by matrices; None for fewer than two groups."""
    names = sorted(values)
    x = np.array([values[name] for name in names])
    n = len(x)
    of = names if clusters is None else [clusters[name] for name in names]
    if len(set(of)) < 2:
        return None
    residuals = x - x.mean()
    if clusters is None:
        return float(stats.sem(x))
    meat = 0.0
    for cluster in sorted(set(of)):
        at = np.array([c == cluster for c in of])
        block = np.eye(at.sum()) - np.ones((at.sum(), at.sum())) / n
        weights, vectors = np.linalg.eigh(block)
        root = vectors @ np.diag(weights**-0.5) @ vectors.T
        meat += float((np.ones(at.sum()) @ root @ residuals[at]) ** 2)
    return math.sqrt(meat) / n


def score_ends(mean: float, se: float, df: float, level: float) -> tuple[float, float]:
    """Where |m - p| = t sqrt(p(1 - p)/n*), found by searching for the roots."""
    effective = mean * (1 - mean) / se**2
    t = float(stats.t.isf((1 - level) / 2, df))

    def off(p: float) -> float:
        return (mean - p) ** 2 - t * t * p * (1 - p) / effective

    return float(optimize.brentq(off, 0, mean, xtol=1e-14)), float(optimize.brentq(off, mean, 1, xtol=1e-14))


def passes(successes: int, n: int, k: int) -> tuple[Fraction, Fraction]:
    """The shares of the ways to pick k of n attempts with one success, and with nothing else."""
    picks = list(combinations([True] * successes + [False] * (n - successes), k))
    return Fraction(sum(map(any, picks)), len(picks)), Fraction(sum(map(all, picks)), len(picks))


def flips_p(differences: Values, clusters: dict[str, str] | None) -> float | None:
    """Two-sided p over all sign flips of whole clusters, in exact fractions; None if they are too many."""
    sums: dict[str, Fraction] = {}
    for task, value in differences.items():
        group = task if clusters is None else clusters[task]
        sums[group] = sums.get(group, Fraction(0)) + Fraction(value)
    if not 2 <= len(sums) <= 10:
        return None
    terms = list(sums.values())
    total = sum(terms)
    # Sums in floating point carry rounding; adjudge calls means closer than 1e-12 equal.
    slack = Fraction(len(differences), 10**12)
    drawn = [
        sum(s * t for s, t in zip(signs, terms, strict=True)) for signs in product((1, -1), repeat=len(terms))
    ]
    above = sum(d >= total - slack for d in drawn)
    below = sum(d <= total + slack for d in drawn)
    return min(1.0, 2 * min(above, below) / len(drawn))


def flips_ends(
    differences: Values, clusters: dict[str, str] | None, level: float
) -> tuple[float, float] | None:
    """The smallest and the largest theta that all flips of d - theta do not reject; with zero unless shown.

    Where the test changes its mind there is a subset with this mean, so those are tried. None if groups are
    too many, or if nothing could be rejected.
    """
    groups: dict[str, list[float]] = {}
    for task, value in differences.items():
        groups.setdefault(task if clusters is None else clusters[task], []).append(value)
    sums, sizes = (np.array([f(g) for g in groups.values()]) for f in (math.fsum, len))
    if not 2 <= len(sums) <= 8 or 2.0 ** (1 - len(sums)) > 1 - level:
        return None
    signs = np.array(list(product((1, -1), repeat=len(sums))))
    chosen = signs[1:] < 0
    thetas = np.unique((chosen @ sums) / (chosen @ sizes))
    left = sums[:, None] - thetas * sizes[:, None]
    totals, slack = left.sum(axis=0), 1e-11 * sizes.sum()
    tail = (1 - level) / 2 + 1e-12
    too_low = (signs @ left >= totals - slack).mean(axis=0) <= tail
    too_high = (signs @ left <= totals + slack).mean(axis=0) <= tail
    kept = thetas[~(too_low | too_high)]
    low, high = float(kept.min()), float(kept.max())
    p = flips_p(differences, clusters)
    shown = p is not None and p <= 1 - level + 1e-12
    return (low, high) if shown else (min(low, 0.0), max(high, 0.0))


def power(
    values: np.ndarray, cluster: np.ndarray | None, delta: float, groups: int, rng: np.random.Generator
) -> float | None:
    """How often so many groups, drawn from these with a tilt to the mean `delta`, show it: 300 times.

    None if no mild tilt reaches that mean.
    """
    of = np.arange(len(values)) if cluster is None else np.unique(cluster, return_inverse=True)[1]
    sums, sizes = np.bincount(of, values), np.bincount(of).astype(float)
    terms = sums - delta * sizes
    if not terms.min() < 0 < terms.max():
        return None
    scale = np.abs(terms).max()

    def off(tilt: float) -> float:
        return float((np.exp(tilt * terms / scale) * terms).sum())

    chances = np.exp(optimize.brentq(off, -30, 30) * terms / scale) if off(-30) * off(30) < 0 else None
    if chances is None or chances.sum() ** 2 / (chances**2).sum() < len(sums) / 4:
        return None
    rows = rng.choice(len(sums), (groups, 300), p=chances / chances.sum())
    drawn = sums[rows]
    if groups <= 10:
        signs = np.array(list(product((1, -1), repeat=groups)))
    else:
        signs = np.vstack((np.ones(groups), rng.choice([-1.0, 1.0], (999, groups))))
    far = (signs @ drawn >= drawn.sum(axis=0) - 1e-9).mean(axis=0)
    return float((far <= 0.025 + 1e-12).mean())


def holm(ps: list[float | None]) -> list[float | None]:
    known = sorted((p, at) for at, p in enumerate(ps) if p is not None)
    found: list[float | None] = [None] * len(ps)
    least = 0.0
    for place, (p, at) in enumerate(known):
        least = max(least, min(1.0, p * (len(known) - place)))
        found[at] = least
    return found


def costs(design: Design, agent: str) -> list[float | None]:
    return [one.cost for attempts in design.agents[agent].values() for one in attempts]
