"""Every finding that matters is looked at twice before it is believed.

The probes that show findings of high or medium severity are run once more. A reward that comes out otherwise
is a flake that was seen: it is reported with both rewards, and puts all other sections in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench, BudgetSpent
from adjudge.contracts import Severity

_MOST = 10
_ROUND = 500
_OWN_LUCK = frozenset({Cause.RANDOM, Cause.ENVIRONMENT, Cause.CLOCK, Cause.HANGS, Cause.LINGERS})


def flakes(bench: Bench, findings: Sequence[Finding]) -> list[Finding]:
    """A finding for each probe whose second run gave another reward; nothing once the budget is spent."""
    serious = [
        f
        for f in findings
        if f.probe is not None and f.severity.rank <= Severity.MEDIUM.rank and f.cause not in _OWN_LUCK
    ]
    names = list(dict.fromkeys(f.probe for f in serious if f.probe is not None))[:_MOST]
    firsts = [bench.log[name] for name in names]
    again = [
        replace(
            probe,
            name=f"{probe.name}/again",
            conditions=replace(probe.conditions, round=probe.conditions.round + _ROUND),
        )
        for probe, seen in firsts
        if not seen.limits_hit
    ]
    try:
        seconds = bench.run(again)
    except BudgetSpent:
        return []
    found = []
    for probe, second in zip(again, seconds, strict=True):
        first = bench.log[probe.name.removesuffix("/again")][1]
        if first.claimed != second.claimed:
            found.append(
                bench.finding(
                    Severity.HIGH,
                    Section.DETERMINISM,
                    "the reward changes from run to run",
                    cause=Cause.RANDOM,
                    seen=f"{probe.what} got {_words(first.claimed)}, and {_words(second.claimed)} when it "
                    "was run again.",
                    advice="Take out random numbers, times, thread timing and the order of sets; seed what "
                    "must be random.",
                    probe=probe,
                    before=first.claimed,
                )
            )
    return found


def _words(reward: float | None) -> str:
    return "no reward" if reward is None else f"{reward:g}"
