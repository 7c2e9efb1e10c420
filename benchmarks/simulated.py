"""Made-up benchmarks whose truth is known: shapes of rewards, layouts of clusters, numbers of attempts.

Every replicate is a new benchmark: the shape's parameter is drawn, then the tasks, then the attempts.
Drawing the parameter matters for 0/1 rewards: no interval covers 95 % at every true rate, and Wilson's does
so on average over rates. The shapes with a fixed rate near 0 or 1 look at just that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from adjudge.stats.trial_table import FloatArray, IntArray

Rewards = Callable[[np.random.Generator, FloatArray, int], tuple[FloatArray, FloatArray]]
"""From task difficulties (replicates x tasks) to rewards (x attempts), and each replicate's true mean."""


def zero_one(rng: np.random.Generator, u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Pass or fail; the true rate of the agent is 30 to 90 %, and tasks differ in difficulty."""
    p = rng.uniform(0.3, 0.9, len(u))
    chance = u ** ((1 - p) / p)[:, None]  # the mean of u^c is 1/(1 + c) = p
    return (rng.random((*u.shape, k)) < chance[:, :, None]).astype(float), p


def at_rate(rate: float, rng: np.random.Generator, u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Pass or fail at one true rate; tasks differ in difficulty."""
    chance = u ** ((1 - rate) / rate)
    return (rng.random((*u.shape, k)) < chance[:, :, None]).astype(float), np.full(len(u), rate)


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
RATES: dict[str, Rewards] = {
    f"0/1 at {rate:.0%}": partial(at_rate, rate) for rate in (0.01, 0.05, 0.95, 0.99)
}


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Differences of mean zero: nine tasks in ten won by 0.1, the tenth lost by 0.9."""
    lost = rng.random(shape) < 0.1
    return np.where(lost, -0.9, 0.1) + rng.uniform(-0.02, 0.02, shape)


def rare_losses(rate: float, rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Differences of mean -rate: all ties but for rare total losses."""
    return -(rng.random(shape) < rate).astype(float)


def layout(name: str, n: int) -> IntArray | None:
    """The cluster of each of `n` tasks."""
    if name == "independent":
        return None
    if name == "clusters of 5":
        return np.arange(n) // 5
    if name == "Zipf clusters":  # the largest holds a fifth to a quarter of the tasks
        count = max(4, n // 5)
        shares = 1 / np.arange(1, count + 1)
        edges = np.cumsum(shares / shares.sum())
        return np.searchsorted(edges, (np.arange(n) + 0.5) / n).astype(np.int64)
    if name == "one large cluster":  # half of the tasks, the rest in pairs
        return np.where(np.arange(n) < n // 2, 0, 1 + (np.arange(n) - n // 2) // 2)
    raise ValueError(name)


LAYOUTS = ("independent", "clusters of 5", "Zipf clusters", "one large cluster")


def difficulties(
    rng: np.random.Generator, replicates: int, n: int, cluster: IntArray | None, *, alike: float = 0.5
) -> FloatArray:
    """Uniform task difficulties; in a cluster, that share of the tasks has the difficulty of the cluster."""
    u = rng.random((replicates, n))
    if cluster is None:
        return u
    shared = rng.random((replicates, int(cluster.max()) + 1))[:, cluster]
    return np.where(rng.random((replicates, n)) < alike, shared, u)


def task_means(rng: np.random.Generator, rewards: FloatArray, *, unequal: bool) -> FloatArray:
    """The mean of each task's attempts; of a random number of them, if they are to be unequal."""
    if not unequal:
        return np.asarray(rewards.mean(axis=2), np.float64)
    most = rewards.shape[2]
    kept = np.arange(most) < rng.integers(1, most + 1, rewards.shape[:2])[:, :, None]
    return np.asarray((rewards * kept).sum(axis=2) / kept.sum(axis=2), np.float64)
