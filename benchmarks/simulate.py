"""Do the numbers hold? Simulate benchmarks whose truth is known, and count how often a number is wrong.

`make simulate` runs the whole grid and writes docs/assets/coverage.json, coverage.svg and the tables in
docs/statistics.md; a broken promise makes it fail. The tests run a smaller grid.

Two kinds of results. A `Cell` counts how often an interval covers the truth. A `Rate` counts how often
something happens that should be rare: a difference shown between equals, a loss let through a gate, a
sequence that ever misses. What carries a caveat is counted apart: it says of itself that it may be wrong.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
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
    effective_counts,
    gwet_ac1,
    prediction_powered_mean,
    reviewed_mean,
)
from adjudge.stats.means.units import mean_of_units
from adjudge.stats.pairs.difference import difference_test
from adjudge.stats.trial_table import FloatArray, IntArray
from benchmarks.coverage_plot import draw, rate_table, table
from benchmarks.simulated import (
    LAYOUTS,
    RATES,
    SHAPES,
    difficulties,
    layout,
    rare_losses,
    skewed,
    task_means,
)
from benchmarks.simulated_errors import Rate, rates

LOW, HIGH = 0.935, 0.965
TABLE_START, TABLE_END = "<!-- coverage table -->", "<!-- end of coverage table -->"
RATES_START, RATES_END = "<!-- error table -->", "<!-- end of error table -->"
SIZES = (5, 10, 20, 50, 100, 200)
FEW = Method(resamples=499)


@dataclass(frozen=True)
class Cell:
    """One point of the grid: how often the interval covers, and what it costs."""

    quantity: str
    shape: str
    n: int
    attempts: str
    design: str
    method: str
    replicates: int
    coverage: float
    width: float
    caveats: float
    """The share of intervals that carry a caveat."""
    silent_misses: float
    """The share that misses the truth without a caveat."""
    undefined: int = 0
    """Replicates without an interval; they count as neither covered nor not."""

    @property
    def kept(self) -> bool:
        return promise(self) is None or holds(self)


SHARP = {
    # (quantity, shape): fewest tasks, of independent ones with one attempt
    ("mean reward", "0/1"): 20,
    ("mean reward", "graded"): 10,
    ("mean reward", "bimodal"): 10,
    ("mean reward", "nearly all 1"): 50,
    ("paired difference", "0/1"): 50,
    ("paired difference", "graded"): 50,
}
"""Where docs/statistics.md promises 93.5 to 96.5 % for the default interval."""


def promise(cell: Cell) -> str | None:
    """What the documentation promises here: to cover, or to miss in silence no more often than 6.5 %."""
    if cell.method != "default" or cell.quantity not in ("mean reward", "paired difference"):
        return None
    fewest = SHARP.get((cell.quantity, cell.shape))
    if fewest and cell.n >= fewest and cell.design == "independent" and cell.attempts == "1":
        return "93.5 to 96.5"
    return "6.5 silent"


def holds(cell: Cell) -> bool:
    slack = 2 * np.sqrt(0.05 * 0.95 / cell.replicates)  # what so few replicates cannot tell
    if promise(cell) == "93.5 to 96.5":
        return bool(LOW - slack <= cell.coverage <= HIGH + slack)
    return bool(cell.silent_misses <= 1 - LOW + slack)


def cover_means(
    shape: str,
    n: int,
    *,
    attempts: int = 1,
    unequal: bool = False,
    design: str = "independent",
    method: IntervalMethod = "score",
    replicates: int = 2000,
    paired: bool = False,
    seed: int = 1,
) -> Cell:
    """How often the interval of a mean (or of the mean difference of two equal-shaped agents) covers."""
    rewards = {**SHAPES, **RATES}[shape]
    rng = np.random.default_rng([seed, n, attempts, LAYOUTS.index(design), paired, len(shape)])
    cluster = layout(design, n)
    u = difficulties(rng, replicates, n, cluster)
    drawn, truth = rewards(rng, u, attempts)
    values = task_means(rng, drawn, unequal=unequal)
    if paired:
        others, other_truth = rewards(rng, u, attempts)
        values, truth = values - task_means(rng, others, unequal=unequal), truth - other_truth
    return cover(
        values,
        truth,
        cluster,
        paired=paired,
        shape=shape,
        attempts=f"1 to {attempts}" if unequal else f"{attempts}",
        design=design,
        method=method,
    )


def cover_differences(name: str, n: int, *, replicates: int = 2000, seed: int = 1) -> Cell:
    """The interval of differences that are skewed, or all ties but for rare losses."""
    rng = np.random.default_rng([seed, n, len(name)])
    if name == "skewed":
        values, truth = skewed(rng, (replicates, n)), 0.0
    else:
        truth = -float(name.split()[-2]) / 100
        values = rare_losses(-truth, rng, (replicates, n))
    return cover(values, np.full(replicates, truth), None, paired=True, shape=name)


def cover(
    values: FloatArray,
    truth: FloatArray,
    cluster: IntArray | None,
    *,
    paired: bool,
    shape: str,
    attempts: str = "1",
    design: str = "independent",
    method: IntervalMethod = "score",
) -> Cell:
    """Count over the rows of `values` (replicates x tasks)."""
    hits, widths, warned, silent = [], [], [], []
    for row, mean in zip(values, truth, strict=True):
        if paired:
            test = difference_test(row, cluster, FEW)
            assert test is not None
            interval, caveats = test.interval(0.95), test.caveats(0.95)
        else:
            unit = mean_of_units(row, cluster, method=Method(interval=method, resamples=999))
            if unit.interval is None:
                continue
            interval, caveats = unit.interval, unit.caveats
        hit = interval.low - 1e-9 <= mean <= interval.high + 1e-9
        hits.append(hit)
        widths.append(interval.high - interval.low)
        warned.append(bool(caveats))
        silent.append(not hit and not caveats)
    return Cell(
        quantity="paired difference" if paired else "mean reward",
        shape=shape,
        n=values.shape[1],
        attempts=attempts,
        design=design,
        method="default" if method == "score" else method,
        replicates=len(values),
        coverage=round(float(np.mean(hits)), 4),
        width=round(float(np.mean(widths)), 4),
        caveats=round(float(np.mean(warned)), 4),
        silent_misses=round(float(np.mean(silent)), 4),
        undefined=len(values) - len(hits),
    )


def cover_other(quantity: str, n: int, *, replicates: int, seed: int = 1) -> Cell:
    """Agreement, corrected pass rates and prediction-powered means: one population each."""
    rng = np.random.default_rng([seed, n, len(quantity)])
    one: dict[str, Callable[[np.random.Generator, int], _Ends]] = {
        "kappa": _kappa,
        "AC1": _ac1,
        "corrected pass rate": _corrected,
        "prediction-powered": _powered,
        **{name: partial(_picked, name) for name in PICKED},
    }
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
        attempts="1",
        design="independent",
        method="default",
        replicates=replicates,
        coverage=round(float(np.mean(hits)), 4),
        width=round(float(np.mean(widths)), 4),
        caveats=0.0,
        silent_misses=round(1 - float(np.mean(hits)), 4),
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
    pairs = list(zip(*_two_raters(rng, n), strict=True))
    interval = gwet_ac1(pairs, categories=["fail", "pass"], method=Method(resamples=999)).interval
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


PICKED = (
    "share people pass, picked by disagreement",
    "corrected pass rate, picked by disagreement",
    "prediction-powered, picked by disagreement",
)


def _picked(name: str, rng: np.random.Generator, n: int) -> _Ends:
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


def cells(replicates: int, seed: int = 1) -> Iterator[Callable[[], Cell]]:
    """The intervals of the grid, each still to be simulated, in the order in which they are reported."""
    for cell in _cells(replicates):
        yield partial(cell, seed=seed)


def _cells(replicates: int) -> Iterator[Callable[..., Cell]]:
    fewer = max(replicates // 2, 1)
    for shape, n in product(SHAPES, SIZES):
        means = partial(cover_means, shape, n, replicates=replicates)
        yield means
        yield partial(means, attempts=4)
        yield partial(means, attempts=6, unequal=True)
        yield partial(means, method="t")
        if n <= 50:
            yield partial(means, method="bca", replicates=min(fewer, 500))
        if n > 5:
            yield partial(means, paired=True, replicates=fewer)
    for shape, n in product(RATES, SIZES):
        yield partial(cover_means, shape, n, replicates=replicates)
        yield partial(cover_means, shape, n, attempts=4, replicates=replicates)
        yield partial(cover_means, shape, n, attempts=50, unequal=True, replicates=replicates)
    for design, shape, n in product(LAYOUTS[1:], SHAPES, (50, 100, 200)):
        yield partial(cover_means, shape, n, design=design, replicates=replicates)
        yield partial(cover_means, shape, n, design=design, paired=True, replicates=fewer)
    for name, n in product(("skewed", "losses on 2 %", "losses on 5 %"), SIZES[1:]):
        yield partial(cover_differences, name, n, replicates=fewer)
    for quantity, n in product(("kappa", "AC1"), (30, 100)):
        yield partial(cover_other, quantity, n, replicates=min(replicates, 500))
    for quantity, n in product(("corrected pass rate", "prediction-powered", *PICKED), (20, 50, 200)):
        yield partial(cover_other, quantity, n, replicates=replicates)


def _simulate(job: Callable[[], Cell] | Callable[[], Rate]) -> Cell | Rate:
    return job()


def main() -> int:
    """Run the grid on all cores, write the summary, the plot and the tables, and fail if a promise is broken.

    Arguments: replicates, workers and seed. Every result has its own stream of the seed, so that neither the
    order nor the number of workers matters.
    """
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else None
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    start = time.perf_counter()
    found: list[Cell] = []
    errors: list[Rate] = []
    with ProcessPoolExecutor(workers) as pool:
        for result in pool.map(_simulate, [*cells(replicates, seed), *rates(replicates, seed)]):
            print(_line(result), flush=True)
            if isinstance(result, Cell):
                found.append(result)
            else:
                errors.append(result)
    broken = sum(not cell.kept for cell in found) + sum(not rate.kept for rate in errors)
    docs = Path(__file__).parent.parent / "docs"
    summary = {
        "level": 0.95,
        "range": [LOW, HIGH],
        "replicates": replicates,
        "seed": seed,
        "cells": [asdict(cell) | {"promise": promise(cell)} for cell in found],
        "rates": [asdict(rate) for rate in errors],
    }
    (docs / "assets" / "coverage.json").write_text(json.dumps(summary, indent=1) + "\n")
    (docs / "assets" / "coverage.svg").write_text(draw(summary))
    page = (docs / "statistics.md").read_text()
    page = _between(page, TABLE_START, TABLE_END, table(summary))
    page = _between(page, RATES_START, RATES_END, rate_table(summary))
    (docs / "statistics.md").write_text(page)
    promises = sum(promise(cell) is not None for cell in found) + sum(r.limit is not None for r in errors)
    print(f"{promises - broken} promises kept, {broken} broken, {time.perf_counter() - start:.0f} s")
    return 1 if broken else 0


def _line(result: Cell | Rate) -> str:
    mark = "" if result.kept else "  <- BROKEN PROMISE"
    if isinstance(result, Rate):
        limit = "" if result.limit is None else f" of at most {100 * result.limit:g} %"
        return f"{result.question}, {result.design}, n={result.n}: {100 * result.rate:.1f} %{limit}{mark}"
    return (
        f"{result.quantity:20} {result.shape:14} n={result.n:<4} K={result.attempts:6} {result.design:18} "
        f"{result.method:8} {100 * result.coverage:5.1f} %  "
        f"silent misses {100 * result.silent_misses:4.1f} %  width {result.width:.3f}{mark}"
    )


def _between(page: str, start: str, end: str, text: str) -> str:
    before, rest = page.split(start)
    return f"{before}{start}\n{text}\n{end}{rest.split(end)[1]}"


if __name__ == "__main__":
    sys.exit(main())
