"""The intervals hold: a small part of the grid of `make simulate`, under fixed seeds.

Promises are held to within two standard errors of what so many replicates can tell.
"""

from __future__ import annotations

import json
from math import comb
from pathlib import Path

import numpy as np
import pytest
from benchmarks.coverage_plot import draw
from benchmarks.simulate import LOW, cover_differences, cover_means, cover_other, holds, promise
from benchmarks.simulated import RATES, SHAPES
from benchmarks.simulated_errors import (
    any_false_rank,
    claims_between_equals,
    equal_agents,
    false_ranks,
    gate_calls_a_regression,
    gate_lets_a_loss_through,
    sequence_ever_misses,
    shown_among_many,
    silent_claims_under_skew,
)

from adjudge.stats import Method, TrialTable, rank_agents
from adjudge.stats.means.intervals import wide_wilson_interval

ASSETS = Path(__file__).parents[2] / "docs" / "assets"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("quantity", ["mean", "mean of four attempts", "clustered mean", "difference"])
def test_promised_coverage(shape: str, quantity: str) -> None:
    cell = cover_means(
        shape,
        100 if quantity == "clustered mean" else 50,
        attempts=4 if quantity == "mean of four attempts" else 1,
        design="Zipf clusters" if quantity == "clustered mean" else "independent",
        paired=quantity == "difference",
        replicates=200 if quantity == "difference" else 1500,
        seed=20,
    )
    assert promise(cell) is not None
    assert holds(cell)
    assert cell.undefined == 0


@pytest.mark.parametrize("rate", RATES)
def test_rates_near_zero_and_one(rate: str) -> None:
    """Plain Wilson covers 89 to 91 % at a true rate of 1 or 99 % and 50 tasks."""
    assert cover_means(rate, 50, replicates=1500, seed=20).coverage > LOW


def exact_coverage(n: int, rate: float) -> float:
    """The chance that the interval of a binomial count covers the rate, summed over all counts."""
    found = 0.0
    for successes in range(n + 1):
        interval = wide_wilson_interval(successes, n)
        if interval.low <= rate <= interval.high:
            found += comb(n, successes) * rate**successes * (1 - rate) ** (n - successes)
    return found


@pytest.mark.parametrize("n", [5, 10, 20, 50, 100])
def test_few_tasks_and_extreme_rates(n: int) -> None:
    """Wilson's own interval falls to 86 % at 5 tasks and 3 %; this one covers at every rate tried."""
    assert min(exact_coverage(n, rate) for rate in (0.005, 0.01, 0.03, 0.05, 0.95, 0.97, 0.99)) > 0.935


def test_one_large_cluster() -> None:
    """Half of the tasks in one cluster: the usual clustered error covers 71 to 81 % here."""
    cell = cover_means("graded", 100, design="one large cluster", replicates=800, seed=20)
    assert cell.coverage > 0.92
    assert cell.caveats > 0.9  # and the interval says that the clusters weigh like few


def test_skew_is_mended_or_said() -> None:
    """Nine small wins for each large loss, ten tasks: a third of the claims are wrong; each one says so."""
    cell = cover_differences("skewed", 10, replicates=300)
    assert cell.coverage < 0.8
    assert cell.silent_misses == 0


def test_students_t_falls_short_where_the_default_does_not() -> None:
    """Why the default is not t: nearly all rewards 1, 50 tasks."""
    plain = cover_means("nearly all 1", 50, method="t", replicates=1500, seed=20)
    score = cover_means("nearly all 1", 50, replicates=1500, seed=20)
    assert plain.coverage < 0.91
    assert score.coverage > plain.coverage + 0.04


@pytest.mark.parametrize("quantity", ["corrected pass rate", "prediction-powered"])
def test_judges(quantity: str) -> None:
    assert 0.925 <= cover_other(quantity, 200, replicates=800).coverage <= 0.975


@pytest.mark.parametrize("quantity", ["kappa", "AC1"])
def test_agreement(quantity: str) -> None:
    """150 replicates: a standard error of 1.8 points."""
    assert cover_other(quantity, 60, replicates=150).coverage >= 0.90


def test_wrong_claims_are_as_rare_as_promised() -> None:
    assert claims_between_equals("graded", 10, replicates=200).kept
    assert claims_between_equals("0/1", 50, design="Zipf clusters", replicates=150).kept
    assert silent_claims_under_skew(20, replicates=200).kept
    assert false_ranks(5, 20, replicates=40).kept
    assert gate_lets_a_loss_through("nearly all 1", 100, replicates=150).kept
    assert gate_calls_a_regression("graded", 30, replicates=200).kept
    assert sequence_ever_misses("0/1", 100, replicates=200).kept


def test_a_false_rank_is_what_a_ranking_would_name() -> None:
    rng = np.random.default_rng(2)
    seen = set()
    for agents in (2, 2, 2, 2, 3, 4) * 4:
        rewards = equal_agents(rng, agents, 12) + rng.choice([0, 0.3]) * np.arange(agents)
        tables = {f"{i}": TrialTable.of(range(12), rewards[:, i] / 2) for i in range(agents)}
        ranked = any(pair.better for pair in rank_agents(tables, method=Method(resamples=499)).pairs)
        assert any_false_rank(rewards / 2) == ranked
        seen.add(ranked)
    assert seen == {True, False}


def test_many_agents_can_be_told_apart() -> None:
    """33 agents from 10 to 90 % on 40 tasks: with p floored by the draws, not one of 528 pairs could be."""
    assert shown_among_many(33, 40).rate > 0.1


def test_the_plot_in_the_docs_shows_the_summary_beside_it() -> None:
    summary = json.loads((ASSETS / "coverage.json").read_text())
    assert (ASSETS / "coverage.svg").read_text() == draw(summary)
    assert sum(cell["promise"] == "93.5 to 96.5" for cell in summary["cells"]) >= 20
    assert sum(rate["limit"] is not None for rate in summary["rates"]) > 50
