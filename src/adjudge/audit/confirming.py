"""Every finding that matters is looked at twice before it is believed.

The probes that show findings of high or medium severity are run once more. A reward that comes out otherwise
is a flake that was seen: it is reported with both rewards, and puts all other sections in doubt. Of a
verifier that flakes, what a probe shows counts only if the same comes out many times (`lasting`).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench, BudgetSpent, Probe
from adjudge.contracts import Severity

_MOST = 10
_MOST_LASTING = 30
_TIMES = 12
_ROUND = 500
_OWN_LUCK = frozenset({Cause.RANDOM, Cause.ENVIRONMENT, Cause.CLOCK, Cause.HANGS, Cause.LINGERS})


def flakes(bench: Bench, findings: Sequence[Finding]) -> list[Finding]:
    """A finding for each probe whose second run gave another reward; nothing once the budget is spent."""
    again = _again(bench, _serious(findings)[:_MOST], "again", _ROUND)
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


def lasting(bench: Bench, findings: Sequence[Finding]) -> list[Finding]:
    """The findings of a verifier that flakes without those that chance has shown, as far as time allows.

    What a probe earned by luck is not earned each time; what it earns each time is no luck.
    """
    names = _serious(findings)[:_MOST_LASTING]
    chance: set[str] = set()
    try:
        for number in range(1, _TIMES + 1):
            tried = [name for name in names if name not in chance]
            probes = _again(bench, tried, f"again-{number}", _ROUND * (number + 1))
            for probe, seen in zip(probes, bench.run(probes), strict=True):
                name = probe.name.rpartition("/")[0]
                if seen.claimed != bench.log[name][1].claimed:
                    chance.add(name)
    except BudgetSpent:
        pass  # what was shown to be chance until then is
    return [f for f in findings if f.probe not in chance or f.cause in _OWN_LUCK]


def _serious(findings: Sequence[Finding]) -> list[str]:
    """The probes of the findings that matter, by name."""
    named = [
        f.probe
        for f in findings
        if f.probe is not None and f.severity.rank <= Severity.MEDIUM.rank and f.cause not in _OWN_LUCK
    ]
    return list(dict.fromkeys(named))


def _again(bench: Bench, names: Sequence[str], suffix: str, later: int) -> list[Probe]:
    """The same probes once more, under names of their own; without those that ran into a limit."""
    return [
        replace(
            probe,
            name=f"{probe.name}/{suffix}",
            conditions=replace(probe.conditions, round=probe.conditions.round + later),
        )
        for probe, seen in (bench.log[name] for name in names)
        if not seen.limits_hit
    ]


def _words(reward: float | None) -> str:
    return "no reward" if reward is None else f"{reward:g}"
