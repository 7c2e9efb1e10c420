"""One question, one answer: interval, p, verdict, gate, ranking and plan never contradict each other."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from adjudge.stats import GateOutcome, Method, TrialTable, gate, paired_difference, rank_agents
from adjudge.stats.pairs.difference import cautious_ends, difference_test
from adjudge.stats.pairs.gate import decide
from adjudge.stats.planning.power import VarianceParts, power_of, required_tasks
from adjudge.stats.planning.simulated import Pilot, cautious_lows, simulated_gate, simulated_power

FEW = Method(resamples=199)


def random_differences(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    """Whatever comes: few or many tasks, ties, rewards of 0 or 1, graded, skewed, clusters of any size."""
    n = int(rng.choice([2, 3, 5, 6, 7, 10, 13, 14, 20, 40]))
    kind = rng.integers(5)
    if kind == 0:
        values = rng.choice([-1.0, 0.0, 1.0], n, p=rng.dirichlet(np.ones(3)))
    elif kind == 1:
        values = np.round(rng.normal(rng.normal(0, 0.2), rng.uniform(0.01, 0.4), n), 2)
    elif kind == 2:
        values = np.where(rng.random(n) < 0.1, -0.9, 0.1)
    elif kind == 3:
        values = np.full(n, rng.choice([0.0, 0.1, -0.5]))
    else:
        values = rng.choice([-0.5, -0.25, 0.0, 0.0, 0.25, 0.5, 1.0], n)
    cluster = rng.integers(0, max(2, n // 2), n) if rng.random() < 0.4 else None
    return values.clip(-1, 1), cluster


def test_interval_p_and_verdict_agree_on_thousands_of_data_sets() -> None:
    rng = np.random.default_rng(13)
    shown = 0
    for _ in range(4000):
        values, cluster = random_differences(rng)
        test = difference_test(values, cluster, FEW)
        if test is None:
            continue
        for level in (0.8, 0.95, 0.999):
            interval = test.interval(level)
            excludes = interval.low > 0 or interval.high < 0
            assert excludes == (test.p <= 1 - level + 1e-12) == (test.shows(level) != 0)
            if excludes:
                assert (test.shows(level) > 0) == (interval.low > 0)
            assert -1 <= interval.low < interval.high <= 1
            assert interval.low - 1e-9 <= test.value <= interval.high + 1e-9
            shown += excludes
        assert test.p >= test.flips.smallest_p - 1e-15
    assert shown > 1000


def test_the_gate_reads_the_comparison_on_thousands_of_data_sets() -> None:
    """Without its plan, which is simulated and has its own tests."""
    rng = np.random.default_rng(5)
    seen = Counter[GateOutcome]()
    for _ in range(2000):
        values, cluster = random_differences(rng)
        a, b = two_tables(values, cluster)
        margin = float(rng.choice([0.0, 0.02, 0.1]))
        decision = decide(a, b, margin=margin, method=FEW)
        compared = paired_difference(a, b, method=FEW, names=("the candidate", "the baseline"))
        assert decision.comparison == compared
        interval = compared.difference.interval
        if interval is None:
            expected = GateOutcome.UNDECIDED
        elif interval.low > -margin:
            expected = GateOutcome.PASS
        else:
            expected = GateOutcome.REGRESSED if compared.better == "b" else GateOutcome.UNDECIDED
        assert decision.outcome is expected
        seen[expected] += 1
    assert min(seen[outcome] for outcome in GateOutcome) > 50


def test_a_gate_is_its_decision_and_a_plan_for_its_margin() -> None:
    rng = np.random.default_rng(15)
    for _ in range(10):
        a, b = two_tables(*random_differences(rng))
        verdict = gate(a, b, margin=0.1, method=FEW)
        assert (verdict.outcome, verdict.reason, verdict.comparison) == decide(a, b, margin=0.1, method=FEW)
        assert verdict.plan.goal == "gate"
        if verdict.plan.reason is None:
            assert verdict.plan.delta == 0.1


def two_tables(values: np.ndarray, cluster: np.ndarray | None) -> tuple[TrialTable, TrialTable]:
    tasks = range(len(values))
    return (
        TrialTable.of(tasks, (1 + values) / 2, cluster=cluster),
        TrialTable.of(tasks, np.full(len(values), 0.5), cluster=cluster),
    )


def test_a_ranking_of_two_is_the_comparison_and_of_many_agrees_with_its_intervals() -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        tasks, skill = range(25), rng.uniform(0.2, 0.8, 6)
        agents = {
            f"agent{i}": TrialTable.of(tasks, (rng.random(25) < s).astype(float)) for i, s in enumerate(skill)
        }
        for pair in rank_agents(agents, method=FEW).pairs:
            assert pair.interval is not None
            excludes = pair.interval.low > 0 or pair.interval.high < 0
            assert excludes == (pair.better is not None)
            assert pair.p_adjusted is not None
            assert excludes == (pair.p_adjusted <= 0.05 + 1e-9)
        two = rank_agents(dict(list(agents.items())[:2]), method=FEW).pairs[0]
        alone = paired_difference(agents[two.a], agents[two.b], method=FEW, names=(two.a, two.b))
        assert two.comparison == alone
        assert two.interval == alone.difference.interval
        assert two.better == (None if alone.better is None else getattr(two, alone.better))


def test_a_ranking_agrees_with_every_pair_alone_where_it_claims_something() -> None:
    """What Holm shows among many, the pair alone shows too."""
    rng = np.random.default_rng(7)
    agents = {
        f"agent{i}": TrialTable.of(range(30), (rng.random(30) < s).astype(float))
        for i, s in enumerate(np.linspace(0.1, 0.9, 8))
    }
    claims = [pair for pair in rank_agents(agents, method=FEW).pairs if pair.better]
    assert claims
    assert all(getattr(pair, pair.comparison.better or "") == pair.better for pair in claims)


@pytest.mark.parametrize("tasks", [8, 12, 20, 50])
@pytest.mark.parametrize("spread", [0.1, 0.3])
def test_the_formula_gives_the_power_that_simulation_gives(tasks: int, spread: float) -> None:
    """Within what 500 replicates can tell (sd 0.02) and what the formula leaves out."""
    values = np.quantile(np.random.default_rng(1).normal(0, spread, 4000), np.linspace(0.005, 0.995, 100))
    pilot = Pilot((), values, np.ones(100), spread / 10)
    parts = VarianceParts(between=float(values.var(ddof=1)))
    for wanted in (0.3, 0.8):
        delta = next(d for d in np.arange(0.005, 1, 0.005) if power_of(d, tasks, parts) >= wanted)
        assert simulated_power(pilot, delta, tasks, level=0.95) == pytest.approx(
            power_of(delta, tasks, parts), abs=0.09
        )


def test_the_number_of_tasks_planned_has_the_power_promised() -> None:
    """Plan 80 % for a difference of 0.1, then run that many tasks 400 times: sd 0.02."""
    rng = np.random.default_rng(3)
    parts = VarianceParts(between=0.04)
    tasks = required_tasks(0.1, parts)
    assert tasks is not None
    shown = [
        difference_test(rng.normal(0.1, 0.2, tasks).clip(-1, 1), None, FEW).shows(0.95) == 1  # type: ignore[union-attr]  # many tasks
        for _ in range(400)
    ]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.06)


def test_a_plan_looks_at_the_cautious_ends_of_the_comparison() -> None:
    """Many columns at once give what each gives alone."""
    rng = np.random.default_rng(21)
    for _ in range(60):
        n = int(rng.choice([2, 5, 12, 40]))
        kinds = [
            rng.choice([-1.0, 0.0, 1.0], (n, 20), p=rng.dirichlet(np.ones(3))),
            np.round(rng.normal(0, 0.2, (n, 20)), 1).clip(-1, 1),
            rng.choice([-0.5, 0.0, 0.0, 0.25], (n, 20)),
            np.full((n, 20), rng.choice([0.0, 0.5, -0.3])),
        ]
        for values in kinds:
            expected = [cautious_ends(column, None, 0.95, Method())[0] for column in values.T]
            assert cautious_lows(values, 0.95) == pytest.approx(expected, abs=1e-9)


GATES = {
    "graded": lambda rng, n: (rng.binomial(10, 0.6, n) - rng.binomial(10, 0.6, n)) / 10,
    "0/1": lambda rng, n: (rng.random(n) < 0.85).astype(float) - (rng.random(n) < 0.85),
    "mostly ties": lambda rng, n: rng.choice([-0.5, 0.0, 0.5], n, p=[0.03, 0.94, 0.03]),
}


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("clustered", [False, True])
def test_a_gate_passes_as_often_as_its_plan_says(kind: str, clustered: bool) -> None:
    """Plan from a pilot of 240 tasks without a loss, then hold 200 such candidates against the gate.

    The two may differ by the sd of 200 runs (0.03), of the simulation (0.02 to 0.03) and of the pilot.
    """
    rng = np.random.default_rng(17)
    cluster = np.arange(240) // 3
    codes = cluster if clustered else None

    def differences(n: int) -> np.ndarray:
        drawn = GATES[kind](rng, n)
        alike = drawn if codes is None else np.where(rng.random(n) < 0.5, drawn[codes[:n] * 3], drawn)
        return np.asarray(alike, np.float64)

    half = differences(120)
    pilot = np.concatenate((half, -half))  # so that the mean is zero to begin with
    groups = 30 if clustered else 90
    every = [pilot[cluster == c] for c in range(80)] if clustered else [pilot[i : i + 1] for i in range(240)]
    drawn_from = Pilot(
        tuple(every) if clustered else (),
        np.array([g.sum() for g in every]),
        np.array([float(len(g)) for g in every]),
        0.1,
        clustered=clustered,
    )
    margin = {"graded": 0.06, "0/1": 0.12, "mostly ties": 0.06}[kind]
    planned = simulated_gate(drawn_from, margin, groups, level=0.95)
    passed = []
    for _ in range(200):
        rows = rng.integers(0, len(every), groups)
        values = np.concatenate([every[row] for row in rows])
        at = np.repeat(np.arange(groups), [len(every[row]) for row in rows]) if clustered else None
        test = difference_test(values, at, Method(resamples=499))
        assert test is not None
        passed.append(test.interval(0.95).low > -margin)
    assert 0.1 < planned < 0.995
    assert planned == pytest.approx(np.mean(passed), abs=0.11)


def test_a_pilot_of_ties_plans_a_gate() -> None:
    """Nothing differs in 30 tasks: as the docs say, 189 would do for a margin of 0.02, and 30 do not."""
    same = TrialTable.of(range(30), [0.5] * 30)
    plan = gate(same, same, margin=0.02).plan
    assert (plan.tasks_needed, plan.power_now, plan.goal) == (189, 0.0, "gate")


def test_equal_agents_are_told_apart_no_more_often_than_promised() -> None:
    """1,000 comparisons of an agent with itself, ten tasks of rewards 0, 0.5 or 1: at most 5 % (sd 0.7)."""
    rng = np.random.default_rng(11)
    claims = 0
    for _ in range(1000):
        values = rng.choice([0, 0.5, 1.0], 10) - rng.choice([0, 0.5, 1.0], 10)
        test = difference_test(values, None, FEW)
        claims += test is not None and test.shows(0.95) != 0
    assert claims <= 50 + 2 * 7
