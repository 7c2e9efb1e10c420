"""How often a claim is wrong: verdicts between equals, rankings, gates, and sequences looked at all the time.

Beside each error rate that is promised stand the powers that show what the promise costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product

import numpy as np

from adjudge.stats import Method, TrialTable, confidence_sequence, rank_agents
from adjudge.stats.pairs.difference import DifferenceTest, difference_test
from adjudge.stats.pairs.gate import pass_caveats
from adjudge.stats.trial_table import FloatArray, IntArray
from benchmarks.simulated import LAYOUTS, SHAPES, difficulties, layout, skewed

FEW = Method(resamples=499)
MARGIN = 0.05
LONG_TAIL = "small gains and a long tail of losses"


@dataclass(frozen=True)
class Rate:
    """How often something happens that should be rare; or, for a power, often."""

    question: str
    design: str
    n: int
    replicates: int
    rate: float
    limit: float | None
    """The rate that is promised not to be exceeded; None for a power, which promises nothing."""

    @property
    def kept(self) -> bool:
        if self.limit is None:
            return True
        return bool(self.rate <= self.limit + 2 * np.sqrt(self.limit * (1 - self.limit) / self.replicates))


def rates(replicates: int, seed: int = 1) -> Iterator[Callable[[], Rate]]:
    """Every rate, still to be simulated, in the order in which it is reported."""
    for rate in _rates(replicates):
        yield partial(rate, seed=seed)


def _rates(replicates: int) -> Iterator[Callable[..., Rate]]:
    for design, shape in product(LAYOUTS, SHAPES):
        for n in (10, 30, 100) if design == "independent" else (50, 100):
            yield partial(claims_between_equals, shape, n, design=design, replicates=replicates)
    for n in (10, 20, 50, 100):
        yield partial(silent_claims_under_skew, n, replicates=replicates)
    for n, delta in ((10, 0.15), (20, 0.1), (50, 0.06)):
        yield partial(power, n, delta, replicates=replicates)
    for agents, n in ((3, 20), (10, 30), (33, 30)):
        yield partial(false_ranks, agents, n, replicates=replicates)
    yield partial(shown_among_many, 33, 40)
    for n in (75, 200):
        yield partial(gate_lets_a_loss_through, LONG_TAIL, n, replicates=replicates)
    for shape, n in product(SHAPES, (30, 100)):
        yield partial(gate_lets_a_loss_through, shape, n, replicates=replicates)
        yield partial(gate_calls_a_regression, shape, n, replicates=replicates)
    for shape in SHAPES:
        yield partial(sequence_ever_misses, shape, 100, replicates=replicates)


def _tests(values: FloatArray, cluster: IntArray | None = None) -> Iterator[DifferenceTest]:
    for row in values:
        test = difference_test(row, cluster, FEW)
        assert test is not None
        yield test


def _share(hits: list[bool]) -> float:
    return round(float(np.mean(hits)), 4)


def _equals(
    rng: np.random.Generator, shape: str, replicates: int, n: int, cluster: IntArray | None
) -> FloatArray:
    """Differences of one agent's first and second attempts."""
    rewards, _ = SHAPES[shape](rng, difficulties(rng, replicates, n, cluster), 2)
    return np.asarray(rewards[:, :, 0] - rewards[:, :, 1], np.float64)


def claims_between_equals(
    shape: str, n: int, *, design: str = "independent", replicates: int, seed: int = 1
) -> Rate:
    """Two agents that are the same: how often is one shown to be better?"""
    rng = np.random.default_rng([seed, 3, n, *shape.encode(), LAYOUTS.index(design)])
    cluster = layout(design, n)
    values = _equals(rng, shape, replicates, n, cluster)
    wrong = _share([test.shows(0.95) != 0 for test in _tests(values, cluster)])
    return Rate(f"a difference shown between equals, {shape}", design, n, replicates, wrong, 0.05)


def silent_claims_under_skew(n: int, *, replicates: int, seed: int = 1) -> Rate:
    """Equal means, nine small wins for each large loss: how often is that called better, without a caveat?"""
    rng = np.random.default_rng([seed, 4, n])
    values = skewed(rng, (replicates, n))
    wrong = _share([test.shows(0.95) != 0 and not test.caveats(0.95) for test in _tests(values)])
    return Rate("a difference shown without a caveat, skewed", "independent", n, replicates, wrong, 0.05)


def power(n: int, delta: float, *, replicates: int, seed: int = 1) -> Rate:
    """Graded differences with a true mean: how often are they shown?"""
    rng = np.random.default_rng([seed, 5, n])
    values = _equals(rng, "graded", replicates, n, None) + delta
    shown = _share([test.shows(0.95) > 0 for test in _tests(values.clip(-1, 1))])
    return Rate(f"a true difference of {delta:g} shown, graded", "independent", n, replicates, shown, None)


def false_ranks(agents: int, n: int, *, replicates: int, seed: int = 1) -> Rate:
    """Agents that are all the same: how often is any of them ranked above any other?

    Holm ranks any exactly if it shows the pair with the smallest p, at the level of its first step. Asking
    each pair at that level takes a quarter of the time of `rank_agents`; a test compares the two.
    """
    rng = np.random.default_rng([seed, 6, agents, n])
    wrong = []
    for _ in range(replicates):
        wrong.append(any_false_rank(equal_agents(rng, agents, n)))
    return Rate(f"any false rank among {agents} equals", "independent", n, replicates, _share(wrong), 0.05)


def equal_agents(rng: np.random.Generator, agents: int, n: int) -> FloatArray:
    """Graded rewards of agents that are all the same: tasks x agents."""
    return np.asarray(SHAPES["graded"](rng, rng.random((1, n)), agents)[0][0], np.float64)


def any_false_rank(rewards: FloatArray) -> bool:
    """Would a ranking of these agents (columns) name any of them better than another?"""
    pairs = list(combinations(range(rewards.shape[1]), 2))
    first = 1 - 0.05 / len(pairs)
    values = np.array([rewards[:, a] - rewards[:, b] for a, b in pairs])
    # Less than 1.5 errors out p is above 0.1, whatever the differences, which no first step shows.
    far = values.sum(axis=1) ** 2 > 1.5**2 * (values**2).sum(axis=1)
    return any(test.shows(first) for test in _tests(values[far]))


def shown_among_many(agents: int, n: int, *, seed: int = 1) -> Rate:
    """Agents whose pass rates run from 10 to 90 %: the share of pairs that a ranking tells apart."""
    rng = np.random.default_rng([seed, 7, agents, n])
    tables = {
        f"{i}": TrialTable.of(range(n), (rng.random(n) < rate).astype(float))
        for i, rate in enumerate(np.linspace(0.1, 0.9, agents))
    }
    pairs = rank_agents(tables, method=FEW).pairs
    shown = _share([pair.better is not None for pair in pairs])
    return Rate(f"pairs told apart among {agents} from 10 to 90 %", "independent", n, len(pairs), shown, None)


def _lost(rng: np.random.Generator, shape: str, replicates: int, n: int) -> FloatArray:
    """Differences of a candidate that truly loses `MARGIN`: as good, but for a total loss now and then.

    Or, for `LONG_TAIL`, gains of up to 0.1 and losses that are as rare as they are large.
    """
    if shape == LONG_TAIL:
        return np.asarray(0.1 - rng.exponential(0.1 + MARGIN, (replicates, n)), np.float64).clip(-1, 1)
    rewards, truth = SHAPES[shape](rng, rng.random((replicates, n)), 2)
    broken = rng.random((replicates, n)) < (MARGIN / truth)[:, None]
    values = np.where(broken, -rewards[:, :, 1], rewards[:, :, 0] - rewards[:, :, 1])
    return np.asarray(values, np.float64)


def gate_lets_a_loss_through(shape: str, n: int, *, replicates: int, seed: int = 1) -> Rate:
    """A candidate that has lost exactly the margin: how often does it pass, without a caveat?"""
    rng = np.random.default_rng([seed, 8, n, *shape.encode()])
    values = _lost(rng, shape, replicates, n)
    some = TrialTable.of(range(n), np.full(n, 0.5))  # the caveat looks at the number of tasks alone
    doubtful = bool(pass_caveats(some, some, MARGIN, FEW))
    passed = _share([not doubtful and test.interval(0.95).low > -MARGIN for test in _tests(values)])
    return Rate(
        f"a loss of the margin passes the regression gate without a caveat, {shape}",
        "independent",
        n,
        replicates,
        passed,
        0.025,
    )


def gate_calls_a_regression(shape: str, n: int, *, replicates: int, seed: int = 1) -> Rate:
    """A candidate that has lost nothing: how often is it called a regression?"""
    rng = np.random.default_rng([seed, 9, n, *shape.encode()])
    values = _equals(rng, shape, replicates, n, None)
    failed = _share([test.interval(0.95).high < 0 for test in _tests(values)])
    return Rate(f"no loss called a regression, {shape}", "independent", n, replicates, failed, 0.025)


def sequence_ever_misses(shape: str, n: int, *, replicates: int, seed: int = 1) -> Rate:
    """Looking after every task: how often does any of the intervals miss the mean?"""
    rng = np.random.default_rng([seed, 10, n, *shape.encode()])
    rewards, truth = SHAPES[shape](rng, rng.random((replicates, n)), 1)
    missed = []
    for row, mean in zip(rewards[:, :, 0], truth, strict=True):
        low, high = confidence_sequence(row)
        missed.append(bool(((low > mean) | (high < mean)).any()))
    question = f"a sequence misses at any of {n} looks, {shape}"
    return Rate(question, "independent", n, replicates, _share(missed), 0.05)
