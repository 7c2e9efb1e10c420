"""Confidence sequences: intervals that hold however often one looks, and whenever one stops.

A fixed interval is right at one number of tasks, chosen beforehand. Who looks after every task and stops
when it excludes zero finds a difference between equals sooner or later. A sequence of intervals is right at
all times at once: with probability `level` not one of them misses the mean. The price is width, and it is
stated (`Watched.price`).

The intervals are betting ones (Waudby-Smith and Ramdas 2023). For each candidate mean a gambler bets that it
is wrong, on values that lie in a known range, and stakes by what was seen before; a mean against which some
gambler has won 1/(1 - level) times the stake is excluded (Ville's inequality). Nothing is assumed but the
range and that tasks are independent and come in a random order.

That order is fixed before the run (`fixed_order`) and results count in it, never in the order in which they
arrive: quick tasks would otherwise come first. A task whose result is still missing holds back those behind
it. Whether a question is watched or asked once is chosen before any result is seen.

If tasks come in clusters, the cluster is what is drawn: clusters come in a random order, each with all of its
tasks, and a bet is on a whole one. It wins or loses the sum of how far the cluster's tasks lie above the
candidate mean, in units of the largest cluster planned. For the true mean that sum is zero on average,
whatever the sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt
from pydantic import Field

from adjudge.contracts import Interval, StrictModel
from adjudge.errors import UsageError
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.mean import count
from adjudge.stats.means.units import mean_of_units
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.pairs.difference import difference_test
from adjudge.stats.pairs.gate import GateOutcome
from adjudge.stats.pairs.sides import align, reduce_side
from adjudge.stats.trial_table import FloatArray, IntArray, Status, TrialTable, exact_mean

GRID = 1000
"""Candidate means over the range; ends are rounded outwards to the next."""
MOST_AT_STAKE = 0.5
_METHOD = "betting confidence sequence, valid at every look"


class Watched(StrictModel):
    """Where a run stands: the always-valid estimate so far, and what being always valid costs."""

    estimate: Estimate
    price: float | None = None
    """Its width over that of the interval for a single look at the same tasks; None without either."""
    waiting: int = Field(default=0, ge=0)
    """Tasks with a result that do not count yet, because one before them in the order has none."""
    planned: int = Field(ge=0)


class SequentialVerdict(StrictModel):
    """What a watched gate says now. Undecided means: go on. A decision stands whatever comes after it."""

    outcome: GateOutcome
    reason: str
    margin: float
    decided_after: int | None = None
    """Tasks after which it was decided; None while it is not."""
    watched: Watched


def fixed_order(
    tasks: npt.ArrayLike, *, seed: int = 0, clusters: npt.ArrayLike | None = None
) -> list[int | str]:
    """A random order of the tasks that depends on their names and the seed alone; fix it before a run.

    With the cluster of each task, the order is one of whole clusters, and depends on their names.
    """
    codes, at = np.unique(np.asarray(tasks), return_index=True)
    if clusters is not None:
        of = np.asarray(clusters)[at]
        return [task for one in fixed_order(of, seed=seed) for task in codes[of == one].tolist()]
    keys = np.asarray(np.random.PCG64(seed).random_raw(len(codes)), dtype=np.uint64)
    ordered: list[int | str] = codes[np.argsort(keys, kind="stable")].tolist()
    return ordered


def confidence_sequence(
    values: npt.ArrayLike,
    *,
    low: float = 0.0,
    high: float = 1.0,
    level: float = 0.95,
    weights: npt.ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray]:
    """The lower and the upper end after each value; values lie between `low` and `high`, in their order.

    `weights`, at most 1, are for means over clusters: how many tasks each has, over the most that one could
    have. Ends never move outwards: what was excluded once stays excluded. No values give no ends.
    """
    x = (np.asarray(values, np.float64) - low) / (high - low)
    if ((x < 0) | (x > 1)).any():
        raise UsageError("a value is out of range", allowed=f"numbers from {low:g} to {high:g}")
    n = len(x)
    if not n:
        return np.empty(0), np.empty(0)
    weight = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    stakes = _stakes(x, weight, 1 - level)
    candidate = np.linspace(0.0, 1.0, GRID + 1)
    with np.errstate(divide="ignore"):
        up = np.minimum(stakes[:, None], MOST_AT_STAKE / candidate)
        down = np.minimum(stakes[:, None], MOST_AT_STAKE / (1 - candidate))
    apart = weight[:, None] * (x[:, None] - candidate)
    won = np.maximum(np.cumsum(np.log1p(up * apart), axis=0), np.cumsum(np.log1p(-down * apart), axis=0))
    alive = won < math.log(2 / (1 - level))  # half of the stake is on either side
    first = np.argmax(alive, axis=1)
    last = GRID - np.argmax(alive[:, ::-1], axis=1)
    lower = np.maximum.accumulate(np.maximum(first - 1, 0)) / GRID
    upper = np.minimum.accumulate(np.minimum(last + 1, GRID)) / GRID
    upper = np.maximum(upper, np.minimum(lower + 1 / GRID, 1.0))
    return low + (high - low) * lower, low + (high - low) * upper


def watch_mean(
    trials: TrialTable,
    order: Sequence[int | str],
    *,
    threshold: float | None = None,
    method: Method = DEFAULT,
) -> Watched:
    """The mean reward so far, over the tasks of `order` up to the first without a result.

    With clusters up to the first that is not complete; the cluster of every task of `order` must be known.
    """
    side = reduce_side(trials, policy=method.policy, threshold=threshold)
    rows = dict(zip(side.table.task.tolist(), side.table.mean.tolist(), strict=True))
    failed = set(np.unique(trials.task).tolist()) - rows.keys()
    units = _units(order, trials)
    return _watched(rows, failed, units, low=0.0, method=method, what="mean reward")[0]


def watch_difference(
    a: TrialTable,
    b: TrialTable,
    order: Sequence[int | str],
    *,
    threshold: float | None = None,
    method: Method = DEFAULT,
) -> Watched:
    """The paired difference so far, over the tasks of `order` up to the first that either side lacks.

    B's clusters count, if it has any: they are known before A's results are.
    """
    return _difference(a, b, order, threshold, method)[0]


def sequential_gate(
    candidate: TrialTable,
    baseline: TrialTable,
    order: Sequence[int | str],
    *,
    margin: float,
    threshold: float | None = None,
    method: Method = DEFAULT,
) -> SequentialVerdict:
    """The gate for who looks while results arrive; it may stop the run at the first decision.

    It passes once the lower end is above -margin, and has regressed once the upper end is below zero. It
    decides later than the gate for one look, by design; the chance that it is ever wrong is the same. If the
    machinery failed, it decides once the outcome is the same whatever the failed trials were worth.
    """
    if not 0 <= margin <= 1:
        raise UsageError("not a margin", field="margin", found=margin, allowed="a number from 0 to 1")

    def look(a: TrialTable, b: TrialTable) -> tuple[Watched, FloatArray, FloatArray]:
        return _difference(a, b, order, threshold, method)

    watched, lower, upper = look(candidate, baseline)
    decided = _decided(lower, upper, margin)
    looked_at = order[: len(lower)]
    failures = sum(_failures(side, looked_at) for side in (candidate, baseline))
    if failures:
        worst, best = (
            _decided(*look(candidate.assume(mine), baseline.assume(1.0 - mine))[1:], margin)
            for mine in (0.0, 1.0)
        )
        if decided is not None and not (decided[0] == _outcome(worst) == _outcome(best)):
            reason = (
                f"{count(failures, 'machinery failure')} could decide it: {_outcome(worst)} if they all "
                f"count against the candidate, {_outcome(best)} if they all count for it"
            )
            return SequentialVerdict(
                outcome=GateOutcome.UNDECIDED, reason=reason, margin=margin, watched=watched
            )
        known = [one for one in (decided, worst, best) if one is not None]
        decided = None if decided is None else max(known, key=lambda one: one[1])
    if decided is None:
        planned = watched.planned
        so_far = f"{count(len(looked_at), 'task')} of {planned}: go on"
        if len(looked_at) == planned:
            so_far = f"all {count(planned, 'task')}: it would take more of them"
        return SequentialVerdict(
            outcome=GateOutcome.UNDECIDED,
            reason=f"not decided after {so_far}",
            margin=margin,
            watched=watched,
        )
    outcome, at = decided
    shown = f"[{lower[at]:+.4f}, {upper[at]:+.4f}] after {count(at + 1, 'task')}"
    passed = outcome is GateOutcome.PASS
    what = f"a loss of {margin:g} or more is ruled out" if passed else "a loss is shown"
    return SequentialVerdict(
        outcome=outcome,
        reason=f"{what}: the difference lies in {shown}",
        margin=margin,
        decided_after=at + 1,
        watched=watched,
    )


def _decided(lower: FloatArray, upper: FloatArray, margin: float) -> tuple[GateOutcome, int] | None:
    """The first decision and its place in the order; None if there is none yet."""
    passed, lost = lower > -margin, upper < 0
    at = np.flatnonzero(passed | lost)
    return (GateOutcome.PASS if passed[at[0]] else GateOutcome.REGRESSED, int(at[0])) if len(at) else None


def _outcome(decided: tuple[GateOutcome, int] | None) -> GateOutcome:
    return GateOutcome.UNDECIDED if decided is None else decided[0]


def _failures(trials: TrialTable, tasks: Sequence[int | str]) -> int:
    failed = trials.task[trials.status == Status.VERIFIER_FAILED]
    return int(np.isin(failed, np.asarray(list(tasks), failed.dtype)).sum())


def _difference(
    a: TrialTable, b: TrialTable, order: Sequence[int | str], threshold: float | None, method: Method
) -> tuple[Watched, FloatArray, FloatArray]:
    sides = [reduce_side(side, policy=method.policy, threshold=threshold) for side in (a, b)]
    pairs = align(sides[0].table, sides[1].table)
    rows = dict(zip(pairs.a.task.tolist(), pairs.difference.tolist(), strict=True))
    tried = set(np.unique(a.task).tolist()) & set(np.unique(b.task).tolist())
    what = "paired difference in mean reward"
    units = _units(order, a if b.cluster is None else b)
    return _watched(rows, tried - rows.keys(), units, low=-1.0, method=method, what=what)


def _units(order: Sequence[int | str], trials: TrialTable) -> list[list[int | str]]:
    """The order as what is drawn: single tasks, or the clusters that these trials put tasks into.

    UsageError if a task stands twice, or if clusters are not known or not whole.
    """
    if len(set(order)) != len(order):
        raise UsageError("a task stands twice in the order", field="order")
    if trials.cluster is None:
        return [[task] for task in order]
    of = dict(zip(trials.task.tolist(), trials.cluster.tolist(), strict=True))
    if not of.keys() >= set(order):
        raise UsageError(
            "the cluster of a task is known once it has a trial, and a sequence must know all before",
            field="cluster",
            remedy="Compare with a baseline that has trials of the same tasks, or look once, at the end.",
        )
    units = [list(tasks) for _, tasks in groupby(order, key=of.__getitem__)]
    if len(units) > len({of[task] for task in order}):
        raise UsageError(
            "the tasks of a cluster stand apart in the order",
            field="order",
            remedy="fixed_order(tasks, clusters=...) keeps them together.",
        )
    return units


def _watched(
    rows: dict[int | str, float],
    failed: set[int | str],
    units: Sequence[Sequence[int | str]],
    *,
    low: float,
    method: Method,
    what: str,
) -> tuple[Watched, FloatArray, FloatArray]:
    ready = 0
    while ready < len(units) and all(task in rows or task in failed for task in units[ready]):
        ready += 1
    there = [[rows[task] for task in unit if task in rows] for unit in units[:ready]]
    drawn = [values for values in there if values]
    largest = max(map(len, units), default=1)
    lower, upper = confidence_sequence(
        [exact_mean(np.array(values)) for values in drawn],
        low=low,
        level=method.level,
        weights=[len(values) / largest for values in drawn],
    )
    # The ends after each task of the order: one inside a cluster, or left out, tells nothing new.
    seen, places = 0, list[int]()
    for unit, values in zip(units[:ready], there, strict=True):
        places += [seen] * (len(unit) - 1)
        seen += bool(values)
        places.append(seen)
    ends_at = np.concatenate(([low], lower))[places], np.concatenate(([1.0], upper))[places]
    order = [task for unit in units for task in unit]
    clustered = largest > 1
    waiting = sum(task in rows for task in order[len(places) :])
    skipped = sum(task in failed for task in order[: len(places)])
    notes = (f"{count(skipped, 'task')} left out: every attempt failed in the machinery",) if skipped else ()
    common = {"level": method.level, "method": f"{what}, tasks in the order fixed before", "notes": notes}
    if not drawn:
        reason = f"no {'whole cluster' if clustered else 'task'} at the head of the order has a result yet"
        nothing = Estimate(value=None, n=0, reason=reason, **common)  # type: ignore[arg-type]  # a plain mapping
        return Watched(estimate=nothing, waiting=waiting, planned=len(order)), *ends_at
    ends = Interval(low=float(lower[-1]), high=float(upper[-1]), level=method.level, method=_METHOD)
    together = np.array([value for values in drawn for value in values])
    codes = np.repeat(np.arange(len(drawn)), [len(one) for one in drawn]) if clustered else None
    estimate = Estimate(
        value=exact_mean(together),
        interval=ends,
        n=len(together),
        clusters=len(drawn) if clustered else None,
        **common,  # type: ignore[arg-type]  # a plain mapping
    )
    single = _single_look(together, codes, low, method)
    price = None if single is None else (ends.high - ends.low) / (single.high - single.low)
    watched = Watched(estimate=estimate, price=price, waiting=waiting, planned=len(order))
    return watched, *ends_at


def _single_look(values: FloatArray, codes: IntArray | None, low: float, method: Method) -> Interval | None:
    if low == 0:
        return mean_of_units(values, codes, method=method).interval
    test = difference_test(values, codes, method)
    return None if test is None else test.interval(method.level)


def _stakes(x: FloatArray, weight: FloatArray, alpha: float) -> FloatArray:
    """What to stake on each value, from those before it: more if they vary little, less as time goes on."""
    t = np.arange(1, len(x) + 1)
    mean = (0.5 + np.cumsum(weight * x)) / (1 + np.cumsum(weight))
    variance = (0.25 + np.cumsum((weight * (x - mean)) ** 2)) / (t + 1)
    before = np.concatenate(([0.25], variance[:-1]))
    stakes: FloatArray = np.sqrt(2 * math.log(2 / alpha) / (before * t * np.log1p(t)))
    return stakes
