"""Two agents on the tasks they share: the difference A - B, its interval, and whether it could be chance.

Pairing removes the difficulty of the tasks, which is most of the noise. Tasks that only one side has are
dropped and counted: a mean over different tasks compares the tasks. So are tasks that the machinery failed in
every attempt of a side: the specification's 0.0 is no result, and would make a tie or a loss out of nothing.
A task code means the same task on both sides.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from adjudge.contracts import StrictModel
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.mean import all_of, count
from adjudge.stats.means.units import mean_of_units
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.pairs.difference import DifferenceTest, difference_test
from adjudge.stats.pairs.sides import Pairs, Side, align, bounds_of_difference, reduce_side
from adjudge.stats.trial_table import TaskTable, TrialTable, exact_mean


class PairedComparison(StrictModel):
    """What the shared tasks say about A against B."""

    difference: Estimate
    """A - B; its coverage counts the trials of both sides on the tasks that both attempted."""
    p: float | None = Field(default=None, ge=0, le=1)
    """At most 1 - level exactly if the interval excludes zero."""
    p_method: str | None = None
    p_reason: str | None = None
    better: Literal["a", "b"] | None = None
    """Which side is shown to be better, whatever the trials that the machinery failed on were worth."""
    withheld: Literal["a", "b"] | None = None
    """Whom the interval shows to be better, if machinery failures could undo that; `better` is then None."""
    wins: int = Field(default=0, ge=0)
    """Shared tasks on which A's mean reward is higher."""
    losses: int = Field(default=0, ge=0)
    ties: int = Field(default=0, ge=0)
    shared: int = Field(ge=0)
    only_a: int = Field(default=0, ge=0)
    """Tasks dropped because B has no result for them; likewise `only_b`."""
    only_b: int = Field(default=0, ge=0)
    mean_a: float | None = None
    """Over the shared tasks; likewise `mean_b`."""
    mean_b: float | None = None


def paired_difference(
    a: TrialTable,
    b: TrialTable,
    *,
    threshold: float | None = None,
    method: Method = DEFAULT,
    names: tuple[str, str] = ("A", "B"),
) -> PairedComparison:
    """Compare A with B on the tasks both have a result for; without one there is no difference, and a reason.

    One shared task has a difference but neither interval nor p. Differences that are all zero have an
    interval that is not [0, 0], and p = 1. If trials carry clusters (A's first), whole ones flip together.
    Every comparison has the same kind of interval, whatever `method.interval` says about means. `names` are
    what sentences call the two.
    """
    return compare_sides(
        reduce_side(a, policy=method.policy, threshold=threshold),
        reduce_side(b, policy=method.policy, threshold=threshold),
        threshold=threshold,
        method=method,
        names=names,
    )[0]


def compare_sides(
    a: Side,
    b: Side,
    *,
    threshold: float | None,
    method: Method,
    names: tuple[str, str],
) -> tuple[PairedComparison, DifferenceTest | None]:
    """`paired_difference` of sides that were reduced before, and the test it stands on, if there is one."""
    pairs = align(a.table, b.table)
    d, cluster = pairs.difference, pairs.a.cluster
    dropped: dict[str, Any] = {
        "shared": len(d),
        "only_a": len(a.table) - len(d),
        "only_b": len(b.table) - len(d),
    }
    common: dict[str, Any] = {
        "level": method.level,
        "method": _method(threshold),
        "coverage": align(a.worst, b.worst).coverage,
        "policy": a.table.policy,
        "cluster_key": pairs.a.cluster_key,
        "bounds": bounds_of_difference(a, b),
        "notes": _notes(names, a.table, b.table, dropped),
    }
    reason = _why_undefined(names, a, b, pairs)
    if reason:
        difference = Estimate(value=None, n=0, reason=reason, **common)
        return PairedComparison(difference=difference, p_reason=reason, **dropped), None
    test = difference_test(d, cluster, method)
    better: Literal["a", "b"] | None = None
    withheld: Literal["a", "b"] | None = None
    if test is None:
        unit = mean_of_units(d, cluster, low=-1.0, high=1.0, method=method, unit="shared task")
        difference = Estimate(
            value=unit.value,
            n=len(d),
            unit="shared tasks",
            clusters=unit.clusters,
            reason=unit.reason,
            **common,
        )
    else:
        shown = test.shows(method.level)
        better = None if shown == 0 else "a" if shown > 0 else "b"
        if undone(a, b, test, method.level):
            better, withheld = None, better
        difference = Estimate(
            value=test.value,
            interval=test.interval(method.level),
            standard_error=test.standard_error,
            n=len(d),
            unit="shared tasks",
            seed=test.flips.seed,
            clusters=None if cluster is None else test.flips.groups,
            caveats=test.caveats(method.level),
            **common,
        )
    comparison = PairedComparison(
        difference=difference,
        p=test.p if test else None,
        p_method=test.flips.p_method if test else None,
        p_reason=None if test else difference.reason,
        better=better,
        withheld=withheld,
        wins=int((d > 0).sum()),
        losses=int((d < 0).sum()),
        ties=int((d == 0).sum()),
        mean_a=exact_mean(pairs.a.mean),
        mean_b=exact_mean(pairs.b.mean),
        **dropped,
    )
    return comparison, test


def undone(a: Side, b: Side, test: DifferenceTest, level: float) -> bool:
    """Could the machinery failures undo what the test shows at this level?

    They could unless the same side is shown with all failures against it and with all for it, over every
    task that both attempted. A regression gate asks the same. False if nothing is shown, or nothing failed.
    """
    shown = test.shows(level)
    if not shown or bounds_of_difference(a, b) is None:
        return False
    for pairs in (align(a.worst, b.best), align(a.best, b.worst)):
        other = difference_test(pairs.difference, pairs.a.cluster, test.method)
        if other is None or other.shows(level) != shown:
            return True
    return False


def _method(threshold: float | None) -> str:
    what = "mean reward" if threshold is None else f"share of attempts with reward >= {threshold:g}"
    return f"paired difference in {what}, attempts averaged by task, then shared tasks"


def _notes(
    names: tuple[str, str], left: TaskTable, right: TaskTable, dropped: dict[str, int]
) -> tuple[str, ...]:
    notes = []
    for name, number in zip(names, (dropped["only_a"], dropped["only_b"]), strict=True):
        if number:
            notes.append(f"{count(number, 'task')} dropped from the pairing: only {name} has a result there")
    for name, table in zip(names, (left, right), strict=True):
        if table.excluded:
            notes.append(
                f"{count(table.excluded, 'task')} of {name} left out: every attempt failed in the machinery"
            )
    return tuple(notes)


def _why_undefined(names: tuple[str, str], a: Side, b: Side, pairs: Pairs) -> str | None:
    for name, side in zip(names, (a, b), strict=True):
        coverage = side.worst.coverage
        if not coverage.trials:
            return f"{name} has no trials that count"
        if coverage.verifier_failed == coverage.trials:
            return (
                f"the machinery failed in {all_of(coverage.trials, 'trial')} of {name}: "
                "nothing is known about the rewards"
            )
    if not len(pairs.difference):
        return f"{names[0]} and {names[1]} share no task with a result on both sides"
    return None
