"""The gate for CI: has a candidate lost more than a margin against its baseline?

The paired difference d = candidate - baseline has an interval [low, high]. Three outcomes, and no fourth:

- pass: low > -margin. A loss of the margin or more is ruled out.
- regressed: not passed, and high < 0. A loss is shown, and one beyond the margin is not ruled out.
- undecided: neither. The data allow both no loss and too much of one; so do data that carry no interval.

At level 95 % a candidate that has in truth lost the margin passes in about 2.5 % of cases, and one that has
lost nothing is called regressed in about 2.5 %. If the machinery failed, the gate decides only if the
outcome is the same whatever the failed trials were worth: a broken verifier is neither a pass nor a
regression.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from adjudge.contracts import StrictModel
from adjudge.errors import UsageError
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.mean import count
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.pairs.paired import PairedComparison, paired_difference
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
    undecided = outcome is GateOutcome.UNDECIDED
    plan = plan_power(
        candidate,
        baseline,
        delta=margin or None,
        threshold=threshold,
        method=method,
        simulate=undecided,
        gate=True,
    )
    return GateVerdict(outcome=outcome, reason=reason, margin=margin, comparison=comparison, plan=plan)


def _judge(difference: Estimate, margin: float) -> tuple[GateOutcome, str]:
    interval = difference.interval
    if interval is None:
        return GateOutcome.UNDECIDED, f"too little data to tell: {difference.reason}"
    shown = f"[{interval.low:+.4f}, {interval.high:+.4f}]"
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
