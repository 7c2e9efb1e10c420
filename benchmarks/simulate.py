"""Do the intervals hold? Simulate benchmarks whose truth is known and count how often it is covered.

`make simulate` runs the whole grid and writes docs/assets/coverage.json, coverage.svg and the table in
docs/statistics.md; a broken promise makes it fail. The tests run a smaller grid.

Every replicate is a new benchmark: the shape's parameter is drawn, then the tasks, then the attempts.
Drawing the parameter matters for 0/1 rewards, where no interval covers 95 % at every true rate, and Wilson's
does so on average over rates.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from adjudge.stats import (
    IntervalMethod,
    Method,
    cohen_kappa,
    corrected_pass_rate,
    gwet_ac1,
    prediction_powered_mean,
)
from adjudge.stats.trial_table import FloatArray
from adjudge.stats.units import mean_of_units
from benchmarks.coverage_plot import draw, table

LOW, HIGH = 0.935, 0.965
CLUSTER_SIZE = 5
TABLE_START, TABLE_END = "<!-- coverage table -->", "<!-- end of coverage table -->"
SIZES = (5, 10, 20, 50, 100, 200, 500)
Rewards = Callable[[np.random.Generator, FloatArray, int], tuple[FloatArray, FloatArray]]
"""From task difficulties (replicates x tasks) to rewards (x attempts), and each replicate's true mean."""


@dataclass(frozen=True)
class Cell:
    """One point of the grid and what was found there."""

    quantity: str
    shape: str
    n: int
    attempts: int
    clusters: int | None
    method: str
    replicates: int
    coverage: float
    width: float
    undefined: int
    """Replicates without an interval; they count as neither covered nor not."""

    @property
    def kept(self) -> bool:
        return not promised(self) or LOW <= self.coverage <= HIGH


def zero_one(rng: np.random.Generator, u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Pass or fail; the true rate of the agent is 30 to 90 %, and tasks differ in difficulty."""
    p = rng.uniform(0.3, 0.9, len(u))
    chance = u ** ((1 - p) / p)[:, None]  # the mean of u^c is 1/(1 + c) = p
    return (rng.random((*u.shape, k)) < chance[:, :, None]).astype(float), p


def nearly_all_one(rng: np.random.Generator, u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """2 to 10 % of the tasks give anything from 0 to 1, all others exactly 1."""
    share = rng.uniform(0.02, 0.10, len(u))
    hard = (u < share[:, None])[:, :, None]
    return np.where(hard, rng.random((*u.shape, k)), 1.0), 1 - share / 2


def graded(rng: np.random.Generator, u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """A rubric of ten fields, each right with a chance that depends on the task."""
    p = rng.uniform(0.4, 0.8, len(u))
    chance = u ** ((1 - p) / p)[:, None]
    return rng.binomial(10, np.repeat(chance[:, :, None], k, axis=2)) / 10, p


def bimodal(rng: np.random.Generator, u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Solved nearly (mean 0.9) or hardly at all (mean 0.1)."""
    share = rng.uniform(0.3, 0.8, len(u))
    near = rng.random((*u.shape, k)) ** (1 / 9)
    return np.where((u < share[:, None])[:, :, None], near, 1 - near), 0.9 * share + 0.1 * (1 - share)


SHAPES: dict[str, Rewards] = {
    "0/1": zero_one,
    "nearly all 1": nearly_all_one,
    "graded": graded,
    "bimodal": bimodal,
}


def difficulties(rng: np.random.Generator, replicates: int, n: int, *, clustered: bool) -> FloatArray:
    """Uniform task difficulties; in a cluster, half of the tasks have the difficulty of the cluster."""
    u = rng.random((replicates, n))
    if not clustered:
        return u
    shared = np.repeat(rng.random((replicates, n // CLUSTER_SIZE)), CLUSTER_SIZE, axis=1)
    return np.where(rng.random((replicates, n)) < 0.5, shared, u)


PROMISES = {
    # (quantity, shape): fewest independent tasks, fewest clusters
    ("mean reward", "0/1"): (20, 10),
    ("mean reward", "graded"): (10, 10),
    ("mean reward", "bimodal"): (20, 10),
    ("mean reward", "nearly all 1"): (20, 20),
    ("paired difference", "0/1"): (50, 10),
    ("paired difference", "graded"): (10, 10),
    ("paired difference", "bimodal"): (50, 100),
    ("paired difference", "nearly all 1"): (50, 100),
}
"""Where docs/statistics.md promises 93.5 to 96.5 % for the default interval."""


def promised(cell: Cell) -> bool:
    """Does the documentation promise coverage at this point of the grid?

    Not for several attempts where nearly all rewards are 1: the interval is wider there than it need be.
    """
    key = cell.quantity, cell.shape
    if cell.method != "score" or (cell.shape == "nearly all 1" and cell.attempts > 1):
        return False
    tasks, clusters = PROMISES[key]
    return cell.n >= tasks if cell.clusters is None else cell.clusters >= clusters


def cover_means(
    shape: str,
    n: int,
    *,
    attempts: int = 1,
    clustered: bool = False,
    method: IntervalMethod = "score",
    replicates: int = 4000,
    resamples: int = 999,
    paired: bool = False,
    seed: int = 1,
) -> Cell:
    """How often the interval of a mean (or of the mean difference of two equal-shaped agents) covers."""
    rng = np.random.default_rng([seed, n, attempts, clustered, paired, sorted(SHAPES).index(shape)])
    u = difficulties(rng, replicates, n, clustered=clustered)
    rewards, truth = SHAPES[shape](rng, u, attempts)
    values = rewards.mean(axis=2)
    low = 0.0
    if paired:
        others, other_truth = SHAPES[shape](rng, u, attempts)
        values, truth, low = values - others.mean(axis=2), truth - other_truth, -1.0
    cluster = np.arange(n) // CLUSTER_SIZE if clustered else None
    how = Method(interval=method, seed=seed, resamples=resamples)
    hits, widths = [], []
    for row, mean in zip(values, truth, strict=True):
        unit = mean_of_units(row, cluster, low=low, method=how)
        if unit.interval is not None:
            hits.append(unit.interval.low <= mean <= unit.interval.high)
            widths.append(unit.interval.high - unit.interval.low)
    clusters = n // CLUSTER_SIZE if clustered else None
    quantity = "paired difference" if paired else "mean reward"
    return Cell(
        quantity=quantity,
        shape=shape,
        n=n,
        attempts=attempts,
        clusters=clusters,
        method=method,
        replicates=replicates,
        coverage=round(float(np.mean(hits)), 4),
        width=round(float(np.mean(widths)), 4),
        undefined=replicates - len(hits),
    )


def cover_other(quantity: str, n: int, *, replicates: int, seed: int = 1) -> Cell:
    """Agreement, corrected pass rates and prediction-powered means: one population each."""
    rng = np.random.default_rng([seed, n, len(quantity)])
    one = {"kappa": _kappa, "AC1": _ac1, "corrected pass rate": _corrected, "prediction-powered": _powered}
    hits, widths = [], []
    for _ in range(replicates):
        ends, truth = one[quantity](rng, n)
        if ends is not None:
            hits.append(ends[0] <= truth <= ends[1])
            widths.append(ends[1] - ends[0])
    return Cell(
        quantity=quantity,
        shape="-",
        n=n,
        attempts=1,
        clusters=None,
        method="default",
        replicates=replicates,
        coverage=round(float(np.mean(hits)), 4),
        width=round(float(np.mean(widths)), 4),
        undefined=replicates - len(hits),
    )


_Ends = tuple[tuple[float, float] | None, float]


def _two_raters(rng: np.random.Generator, n: int) -> tuple[list[str], list[str]]:
    """70 % truly pass; each rater is wrong about one trial in ten."""
    truth = rng.random(n) < 0.7
    first, second = ((truth ^ (rng.random(n) < 0.1)) for _ in range(2))
    return [["fail", "pass"][int(x)] for x in first], [["fail", "pass"][int(x)] for x in second]


def _kappa(rng: np.random.Generator, n: int) -> _Ends:
    """po = 0.9² + 0.1² = 0.82; both pass 0.66 of the trials, pe = 0.66² + 0.34² = 0.5512."""
    interval = cohen_kappa(*_two_raters(rng, n), method=Method(resamples=999)).interval
    return (interval.low, interval.high) if interval else None, (0.82 - 0.5512) / (1 - 0.5512)


def _ac1(rng: np.random.Generator, n: int) -> _Ends:
    """pe = 2 * 0.66 * 0.34 = 0.4488."""
    table = list(zip(*_two_raters(rng, n), strict=True))
    interval = gwet_ac1(table, categories=["fail", "pass"], method=Method(resamples=999)).interval
    return (interval.low, interval.high) if interval else None, (0.82 - 0.4488) / (1 - 0.4488)


def _corrected(rng: np.random.Generator, n: int) -> _Ends:
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


def _powered(rng: np.random.Generator, n: int) -> _Ends:
    """n labels of 0 or 1, and 20 n scores that know the label's chance but run 0.1 too high."""
    chance = np.sqrt(rng.random(21 * n))  # mean 2/3
    scores = np.clip(chance + rng.normal(0.1, 0.1, 21 * n), 0, 1)
    labels = (rng.random(n) < chance[:n]).astype(float)
    interval = prediction_powered_mean(labels, scores[:n], scores[n:]).interval
    return (interval.low, interval.high) if interval else None, 2 / 3


def grid(replicates: int) -> Iterator[Cell]:
    """The whole grid, in the order in which it is reported."""
    for shape, n, clustered in product(SHAPES, SIZES, (False, True)):
        if clustered and n < 2 * CLUSTER_SIZE:
            continue
        cover = partial(cover_means, shape, n, clustered=clustered)
        yield cover(replicates=replicates)
        yield cover(replicates=replicates, attempts=4)
        yield cover(replicates=replicates, method="t")
        yield cover(replicates=replicates, paired=True)
        if n <= 50 and not clustered:
            yield cover(replicates=min(replicates, 1000), method="bca")
    for quantity, n in product(("kappa", "AC1"), (30, 100)):
        yield cover_other(quantity, n, replicates=min(replicates, 500))
    for quantity, n in product(("corrected pass rate", "prediction-powered"), (20, 50, 200)):
        yield cover_other(quantity, n, replicates=replicates)


def main() -> int:
    """Run the grid, write the summary and the plot, and fail where a promise is broken."""
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    start = time.perf_counter()
    cells = []
    for cell in grid(replicates):
        cells.append(cell)
        mark = "" if cell.kept else "  <- BROKEN PROMISE"
        clusters = f"{cell.clusters} clusters" if cell.clusters else "independent"
        print(
            f"{cell.quantity:20} {cell.shape:13} n={cell.n:<4} K={cell.attempts} {clusters:13} "
            f"{cell.method:8} {100 * cell.coverage:5.1f} %  width {cell.width:.3f}{mark}",
            flush=True,
        )
    docs = Path(__file__).parent.parent / "docs"
    assets = docs / "assets"
    summary = {
        "level": 0.95,
        "range": [LOW, HIGH],
        "cells": [asdict(cell) | {"promised": promised(cell)} for cell in cells],
    }
    (assets / "coverage.json").write_text(json.dumps(summary, indent=1) + "\n")
    (assets / "coverage.svg").write_text(draw(summary))
    page = (docs / "statistics.md").read_text()
    before, rest = page.split(TABLE_START)
    _, after = rest.split(TABLE_END)
    (docs / "statistics.md").write_text(f"{before}{TABLE_START}\n{table(summary)}\n{TABLE_END}{after}")
    broken = [cell for cell in cells if not cell.kept]
    kept = sum(promised(cell) for cell in cells) - len(broken)
    print(f"{kept} promised cells kept, {len(broken)} broken, {time.perf_counter() - start:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
