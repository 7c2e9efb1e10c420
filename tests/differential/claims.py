"""One design through the statistics alone: all claims about one question agree, with plain code as well.

No ledger and no format, so thousands of designs take minutes. `check.py` takes some of them through every
command. `claims` raises AssertionError with the design's name.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

from adjudge.stats import (
    GateOutcome,
    Method,
    PairedComparison,
    Status,
    TrialTable,
    mean_reward,
    paired_difference,
    plan_power,
    rank_agents,
)
from adjudge.stats.pairs.difference import difference_test
from adjudge.stats.pairs.gate import decide
from adjudge.stats.pairs.sides import align, reduce_side
from differential import plain
from differential.designs import Attempt, Design

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
MARGINS = (0.0, 0.02, 0.1)
FEW = Method(resamples=499)
MOST_PAIRS = 3
"""Pairs of a design that are looked at one by one; rankings look at all."""
MOST_RANKED = 12


def claims(design: Design, rng: np.random.Generator, *, plans: bool = False) -> None:
    """Everything that is said of this design. `plans` simulates a plan, too, which takes a second."""
    codes = {task: code for code, task in enumerate(sorted({t for a in design.agents.values() for t in a}))}
    tables = {name: table(tasks, codes, design.clusters) for name, tasks in design.agents.items()}
    for trials in tables.values():
        _nested(trials)
    pairs = list(combinations(tables, 2))
    rng.shuffle(pairs)
    for a, b in pairs[:MOST_PAIRS]:
        _pair(design, tables, a, b)
    if 1 < len(tables) <= MOST_RANKED:
        _ranking(tables)
    if plans and pairs:
        a, b = pairs[0]
        _plan(tables[a], tables[b], rng)


def table(
    tasks: dict[str, list[Attempt]],
    codes: dict[str, int],
    clusters: dict[str, str] | None,
    failure: float | None = None,
) -> TrialTable:
    """The trials of one agent; with `failure`, what the machinery failed on is scored so."""
    rows = [(task, one) for task, attempts in tasks.items() for one in attempts]
    failed = Status.VERIFIER_FAILED if failure is None else Status.SCORED
    numbers = {name: at for at, name in enumerate(sorted(set((clusters or {}).values())))}
    return TrialTable.of(
        [codes[task] for task, _ in rows],
        [plain.worth(one, failure or 0.0) for _, one in rows],
        status=[
            failed if one.reward is None else Status.SCORED if one.parseable else Status.UNPARSEABLE
            for _, one in rows
        ],
        cluster=None if clusters is None else [numbers[clusters[task]] for task, _ in rows],
    )


def _nested(trials: TrialTable) -> None:
    found = [mean_reward(trials, method=Method(level=level)) for level in LEVELS]
    for narrow, wide in pairwise(one.interval for one in found):
        assert (narrow is None) == (wide is None)
        if narrow is not None and wide is not None:
            assert wide.low <= narrow.low < narrow.high <= wide.high


def _pair(design: Design, tables: dict[str, TrialTable], a: str, b: str) -> None:
    found = paired_difference(tables[a], tables[b], method=FEW)
    back = paired_difference(tables[b], tables[a], method=FEW)
    assert (found.p, found.shared, found.wins, found.ties) == (back.p, back.shared, back.losses, back.ties)
    assert (found.better, found.withheld) == tuple(
        {"a": "b", "b": "a", None: None}[side] for side in (back.better, back.withheld)
    )
    if found.difference.interval and back.difference.interval:
        ends = found.difference.interval.low, found.difference.interval.high
        assert ends == (-back.difference.interval.high, -back.difference.interval.low)
    interval = found.difference.interval
    excludes = interval is not None and (interval.low > 0 or interval.high < 0)
    assert excludes == ((found.better or found.withheld) is not None)
    _levels(tables[a], tables[b])
    left, right = (plain.with_a_result(design.agents[name]) for name in (a, b))
    d = {task: left[task] - right[task] for task in left if task in right}
    if not d:
        assert found.difference.value is None
        return
    assert found.difference.value == pytest.approx(math.fsum(d.values()) / len(d), abs=1e-12)
    p = plain.flips_p(d, design.clusters)
    if p is not None:
        assert found.p == pytest.approx(p, abs=1e-9)
        inverted = plain.flips_ends(d, design.clusters, 0.95)
        test = difference_test(*_differences(tables[a], tables[b]), FEW)
        if inverted is not None and test is not None:
            assert test.flips.ends(0.95) == pytest.approx(inverted, abs=1e-9)
    _failures(design, found, a, b)
    _gate(design, tables, a, b)


def _differences(a: TrialTable, b: TrialTable) -> tuple[np.ndarray, np.ndarray | None]:
    pairs = align(reduce_side(a).table, reduce_side(b).table)
    return pairs.difference, pairs.a.cluster


def _levels(a: TrialTable, b: TrialTable) -> None:
    """At every level the interval excludes zero exactly if p says so, and holds the one before."""
    values, cluster = _differences(a, b)
    test = difference_test(values, cluster, FEW) if len(values) else None
    if test is None:
        return
    before = None
    for level in LEVELS:
        interval = test.interval(level)
        shown = 1 if interval.low > 0 else -1 if interval.high < 0 else 0
        assert shown == test.shows(level)
        assert (shown != 0) == (test.p <= 1 - level + 1e-12)
        assert -1 <= interval.low <= test.value + 1e-12
        assert test.value - 1e-12 <= interval.high <= 1
        if before is not None:
            assert interval.low <= before.low < before.high <= interval.high
        before = interval


def _failures(design: Design, found: PairedComparison, a: str, b: str) -> None:
    """A side is named only if plain flips of both extremes show it as well."""
    side = found.better or found.withheld
    if side is None:
        return
    agrees = True
    for mine in (0.0, 1.0):
        left = plain.task_means(design.agents[a], failure=mine)
        right = plain.task_means(design.agents[b], failure=1.0 - mine)
        d = {task: left[task] - right[task] for task in left if task in right}
        p = plain.flips_p(d, design.clusters)
        if p is None:
            return
        agrees = agrees and p <= 0.05 + 1e-9 and (math.fsum(d.values()) > 0) == (side == "a")
    failed = any(one.reward is None for name in (a, b) for x in design.agents[name].values() for one in x)
    assert (found.better is not None) == (agrees or not failed)


def _gate(design: Design, tables: dict[str, TrialTable], a: str, b: str) -> None:
    codes = {task: code for code, task in enumerate(sorted({t for x in design.agents.values() for t in x}))}
    extremes = [
        [
            table(design.agents[name], codes, design.clusters, failure=worth)
            for name, worth in ((a, mine), (b, 1 - mine))
        ]
        for mine in (0.0, 1.0)
    ]
    compared = [paired_difference(*sides, method=FEW) for sides in extremes]
    now = paired_difference(tables[a], tables[b], method=FEW)
    coverage = now.difference.coverage
    failed = bool(coverage and coverage.verifier_failed and now.difference.value is not None)
    for margin in MARGINS:
        outcomes = {_outcome(one, margin) for one in ([now, *compared] if failed else [now])}
        decided = decide(tables[a], tables[b], margin=margin, method=FEW)
        assert decided.outcome is (outcomes.pop() if len(outcomes) == 1 else GateOutcome.UNDECIDED)
        if decided.outcome is GateOutcome.REGRESSED:
            assert now.better == "b"
        if margin == 0 and decided.outcome is GateOutcome.PASS:
            assert now.better == "a"


def _outcome(found: PairedComparison, margin: float) -> GateOutcome:
    interval = found.difference.interval
    if interval is None:
        return GateOutcome.UNDECIDED
    if interval.low > -margin:
        return GateOutcome.PASS
    return GateOutcome.REGRESSED if interval.high < 0 else GateOutcome.UNDECIDED


def _ranking(tables: dict[str, TrialTable]) -> None:
    found = rank_agents(tables, method=FEW)
    adjusted = plain.holm([pair.comparison.p for pair in found.pairs])
    for pair, p in zip(found.pairs, adjusted, strict=True):
        assert pair.p_adjusted == (None if p is None else pytest.approx(p, abs=1e-12))
        if pair.interval is None or p is None:
            assert pair.better is None
            continue
        side = pair.a if pair.interval.low > 0 else pair.b if pair.interval.high < 0 else None
        assert (pair.better or pair.withheld) == side
        if abs(p - 0.05) > 1e-9:
            assert (side is not None) == (p <= 0.05)
    known = [agent for agent in found.agents if agent.reward.value is not None]
    for agent in known:
        beats = sum(pair.better == agent.agent for pair in found.pairs)
        beaten = sum(
            pair.better not in (None, agent.agent) for pair in found.pairs if agent.agent in (pair.a, pair.b)
        )
        assert (agent.best_rank, agent.worst_rank) == (1 + beaten, len(known) - beats)


def _plan(a: TrialTable, b: TrialTable, rng: np.random.Generator) -> None:
    """As many tasks as planned show the difference about as often as planned, drawn and flipped apart."""
    values, cluster = _differences(a, b)
    if len(values) < 4:
        return
    delta = float(max(0.05, round(abs(values.mean()), 3)))
    plan = plan_power(a, b, delta=delta, method=FEW)
    needed = plan.tasks_needed if plan.clusters is None else plan.clusters_needed
    if needed is None or needed > 250 or plan.method == "formula":
        return
    power = plain.power(values, cluster, delta, needed, rng)
    assert power is None or power >= 0.8 - 0.12, (needed, delta, power)
