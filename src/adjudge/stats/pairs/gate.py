"""The gate for CI: has a candidate lost more than a margin against its baseline?

The paired difference d = candidate - baseline has an interval [low, high]. Three outcomes, and no fourth:

- pass: low > -margin. A loss of the margin or more is ruled out.
- regressed: not passed, and high < 0. A loss is shown, and one beyond the margin is not ruled out.
- undecided: neither. The data allow both no loss and too much of one; so do data that carry no interval.

At level 95 % both errors are at most 2.5 %. A candidate that has lost nothing is called regressed no more
often, because the flips are exact there. One that has in truth lost the margin passes without a caveat no
more often, because the interval is let out where losses are rare or the differences lean to one side
(`difference.py`, `skew.py`; benchmarks/simulated_errors.py). A rare total loss may not show in few tasks at
all; a pass then says so. If the machinery failed, the gate decides only if the outcome is the same whatever
the failed trials were worth: a broken verifier is neither a pass nor a regression.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from pydantic import Field

from adjudge.contracts import Interval, StrictModel
from adjudge.errors import UsageError
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.errors import effective_clusters
from adjudge.stats.means.mean import count
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.pairs.paired import PairedComparison, paired_difference
from adjudge.stats.pairs.sides import align, reduce_side
from adjudge.stats.planning.plan import PowerPlan, plan_power
from adjudge.stats.trial_table import TrialTable


class GateOutcome(StrEnum):
    """What a gate says."""

    PASS = "pass"  # noqa: S105 - an outcome, not a password
    REGRESSED = "regressed"
    UNDECIDED = "undecided"


class GateVerdict(StrictModel):
    """The outcome, the sentence that justifies it, and the comparison it stands on."""

    outcome: GateOutcome
    reason: str
    margin: float = Field(ge=0)
    comparison: PairedComparison
    """A is the candidate, B the baseline."""
    plan: PowerPlan
    """How much data would tell a loss of the margin from none."""
    caveats: tuple[str, ...] = ()
    """What may make the outcome untrue, beside what is said of the difference."""


def gate(
    candidate: TrialTable,
    baseline: TrialTable,
    *,
    margin: float,
    threshold: float | None = None,
    method: Method = DEFAULT,
    names: tuple[str, str] = ("the candidate", "the baseline"),
) -> GateVerdict:
    """Judge the candidate on the tasks it shares with the baseline. Without an interval it is undecided.

    A margin of zero asks for proof of an improvement. A negative one, or one above 1, is refused.
    """
    outcome, reason, comparison = decide(
        candidate, baseline, margin=margin, threshold=threshold, method=method, names=names
    )
    undecided = outcome is GateOutcome.UNDECIDED
    plan = plan_power(
        candidate,
        baseline,
        delta=margin or None,
        threshold=threshold,
        method=method,
        simulate=undecided,
        gate=margin > 0,
    )
    return GateVerdict(
        outcome=outcome,
        reason=reason,
        margin=margin,
        comparison=comparison,
        plan=plan,
        caveats=pass_caveats(candidate, baseline, margin, method) if outcome is GateOutcome.PASS else (),
    )


class Decision(NamedTuple):
    """What a gate says, why, and of what comparison: its verdict but for the plan."""

    outcome: GateOutcome
    reason: str
    comparison: PairedComparison


def decide(
    candidate: TrialTable,
    baseline: TrialTable,
    *,
    margin: float,
    threshold: float | None = None,
    method: Method = DEFAULT,
    names: tuple[str, str] = ("the candidate", "the baseline"),
) -> Decision:
    """The outcome of `gate`, without simulating what more data would do."""
    if not 0 <= margin <= 1:
        raise UsageError("not a margin", field="margin", found=margin, allowed="a number from 0 to 1")

    def compare(a: TrialTable, b: TrialTable) -> PairedComparison:
        return paired_difference(a, b, threshold=threshold, method=method, names=names)

    comparison = compare(candidate, baseline)
    outcome, reason = _judge(comparison.difference, margin)
    failures = comparison.difference.coverage.verifier_failed if comparison.difference.coverage else 0
    if failures and comparison.difference.value is not None:
        worst, _ = _judge(compare(candidate.assume(0.0), baseline.assume(1.0)).difference, margin)
        best, _ = _judge(compare(candidate.assume(1.0), baseline.assume(0.0)).difference, margin)
        if not worst == best == outcome:
            reason = (
                f"{count(failures, 'machinery failure')} could decide it: {worst} if they all count against "
                f"the candidate, {best} if they all count for it"
            )
            outcome = GateOutcome.UNDECIDED
    return Decision(outcome, reason, comparison)


def pass_caveats(
    candidate: TrialTable, baseline: TrialTable, margin: float, method: Method
) -> tuple[str, ...]:
    """Said of a pass: could a kind of task that was never drawn, lost in full, make up for the margin?"""
    sides = (reduce_side(side, policy=method.policy).table for side in (candidate, baseline))
    pairs = align(*sides)
    n, cluster = len(pairs.difference), pairs.a.cluster
    alike = n if cluster is None else effective_clusters(np.unique(cluster, return_inverse=True)[1])
    unseen = 1 - ((1 - method.level) / 2) ** (1 / alike)
    if unseen <= margin:
        return ()
    who = f"{n} tasks" if cluster is None else f"clusters that weigh like {alike:.0f} of equal size"
    return (
        f"{who} may miss a kind that makes up {100 * unseen:.1f} % of all tasks: if each of those were lost "
        f"in full, more than {margin:g} would be lost",
    )


def _judge(difference: Estimate, margin: float) -> tuple[GateOutcome, str]:
    interval = difference.interval
    if interval is None:
        return GateOutcome.UNDECIDED, f"too little data to tell: {difference.reason}"
    shown = _ends(interval, margin)
    if interval.low > -margin:
        return GateOutcome.PASS, f"a loss of {margin:g} or more is ruled out: the difference lies in {shown}"
    if interval.high < 0:
        return (
            GateOutcome.REGRESSED,
            f"a loss is shown, and one beyond {margin:g} is not ruled out: the difference lies in {shown}",
        )
    return (
        GateOutcome.UNDECIDED,
        f"too little data to tell: the difference lies in {shown}, with both 0 and a loss of {margin:g}",
    )


def _ends(interval: Interval, margin: float) -> str:
    """The interval with as many digits as it takes to see on which sides of -margin and 0 its ends lie."""

    def sides(low: float, high: float) -> tuple[bool, bool]:
        return low > -margin, high < 0

    for digits in range(4, 13):
        low, high = f"{interval.low:+.{digits}f}", f"{interval.high:+.{digits}f}"
        if sides(float(low), float(high)) == sides(interval.low, interval.high):
            break
    return f"[{low}, {high}]"
