"""Do the numbers hold? Simulate benchmarks whose truth is known, and count how often a number is wrong.

`make simulate` runs the whole grid and writes docs/assets/coverage.json, coverage.svg and the tables in
docs/statistics.md; a broken promise makes it fail. The tests run a smaller grid.

Two kinds of results. A `Cell` counts how often an interval covers the truth. A `Rate` counts how often
something happens that should be rare: a difference shown between equals, a loss let through a gate, a
sequence that ever misses. What carries a caveat is counted apart: it says of itself that it may be wrong.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.stats import IntervalMethod, Method
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
from benchmarks.simulated_reviews import REVIEWS

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
    rng = np.random.default_rng([seed, n, attempts, LAYOUTS.index(design), paired, *shape.encode()])
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
    rng = np.random.default_rng([seed, n, *name.encode()])
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
    rng = np.random.default_rng([seed, n, *quantity.encode()])
    hits, widths = [], []
    for _ in range(replicates):
        ends, truth = REVIEWS[quantity](rng, n)
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


def cells(replicates: int, seed: int = 1) -> Iterator[Callable[[], Cell]]:
    """The intervals of the grid, each still to be simulated, in the order in which they are reported."""
    for cell in _cells(replicates):
        yield partial(cell, seed=seed)


def _cells(replicates: int) -> Iterator[Callable[..., Cell]]:
    cover_mean = partial(cover_means, replicates=replicates)
    for shape, n in product(SHAPES, SIZES):
        yield partial(cover_mean, shape, n)
        yield partial(cover_mean, shape, n, attempts=4)
        yield partial(cover_mean, shape, n, attempts=6, unequal=True)
        yield partial(cover_mean, shape, n, method="t")
        if n <= 50:
            yield partial(cover_mean, shape, n, method="bca")
        if n > 5:
            yield partial(cover_mean, shape, n, paired=True)
    for shape, n in product(RATES, SIZES):
        yield partial(cover_mean, shape, n)
        yield partial(cover_mean, shape, n, attempts=4)
        yield partial(cover_mean, shape, n, attempts=50, unequal=True)
    for design, shape, n in product(LAYOUTS[1:], SHAPES, (50, 100, 200)):
        yield partial(cover_mean, shape, n, design=design)
        yield partial(cover_mean, shape, n, design=design, paired=True)
    for name, n in product(("skewed", "losses on 2 %", "losses on 5 %"), SIZES[1:]):
        yield partial(cover_differences, name, n, replicates=replicates)
    for quantity in REVIEWS:
        for n in (30, 100) if quantity in ("kappa", "AC1") else (20, 50, 200):
            yield partial(cover_other, quantity, n, replicates=replicates)


def _simulate(job: Callable[[], Cell] | Callable[[], Rate]) -> Cell | Rate:
    return job()


def main() -> int:
    """Run the grid on all cores, write the summary, the plot and the tables, and fail if a promise is broken.

    Arguments: replicates a round, workers, the first seed, rounds. Each round has the next seed, and all are
    pooled; after each the files are written, so that a run that is ended early leaves whole rounds. Every
    result has its own stream of the seed, so that neither the order nor the number of workers matters.
    """
    given = [int(word) for word in sys.argv[1:]]
    replicates, workers, seed, rounds = *given, *(400, os.cpu_count() or 1, 1, 1)[len(given) :]
    start = time.perf_counter()
    every: list[list[Cell | Rate]] = []
    broken = 0
    with ProcessPoolExecutor(workers) as pool:
        for at in range(seed, seed + rounds):
            jobs = [*cells(replicates, at), *rates(replicates, at)]
            every.append(list(pool.map(_simulate, jobs)))
            pooled = [pool_rounds(results) for results in zip(*every, strict=True)]
            _write(pooled, seed, len(every))
            print(*map(_line, pooled), sep="\n")
            promises = [
                one for one in pooled if (promise(one) if isinstance(one, Cell) else one.limit) is not None
            ]
            broken = sum(not one.kept for one in promises)
            print(
                f"{len(every)} of {rounds} rounds: {len(promises) - broken} promises kept, {broken} broken, "
                f"{time.perf_counter() - start:.0f} s",
                flush=True,
            )
    return 1 if broken else 0


def pool_rounds(results: Sequence[Cell | Rate]) -> Cell | Rate:
    """One result from rounds of as many replicates each: shares and widths averaged, counts added."""
    fields = [asdict(result) for result in results]
    shares = ("coverage", "width", "caveats", "silent_misses", "rate")
    pooled: dict[str, Any] = {
        **{name: round(float(np.mean([f[name] for f in fields])), 4) for name in shares if name in fields[0]},
        **{name: sum(f[name] for f in fields) for name in ("replicates", "undefined") if name in fields[0]},
    }
    return replace(results[0], **pooled)


def _write(pooled: Sequence[Cell | Rate], seed: int, rounds: int) -> None:
    docs = Path(__file__).parent.parent / "docs"
    found = [one for one in pooled if isinstance(one, Cell)]
    summary = {
        "level": 0.95,
        "range": [LOW, HIGH],
        "replicates": found[0].replicates,
        "seed": seed,
        "rounds": rounds,
        "cells": [asdict(cell) | {"promise": promise(cell)} for cell in found],
        "rates": [asdict(rate) for rate in pooled if isinstance(rate, Rate)],
    }
    (docs / "assets" / "coverage.json").write_text(json.dumps(summary, indent=1) + "\n")
    (docs / "assets" / "coverage.svg").write_text(draw(summary))
    page = (docs / "statistics.md").read_text()
    page = _between(page, TABLE_START, TABLE_END, table(summary))
    page = _between(page, RATES_START, RATES_END, rate_table(summary))
    (docs / "statistics.md").write_text(page)


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
