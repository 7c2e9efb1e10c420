"""Determinism: the same output gets the same reward and the same breakdown, whatever happens around it.

A right output is tried, a wrong one and one that is half right, as far as they are known, since a verifier
may be steady on some only. A difference is looked at again before it is believed: if an ordinary run differs
from an ordinary run, that is the finding, and no perturbation is blamed for it, unless the reward is always
the same at the same moment.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgspec.structs import replace

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench, BudgetSpent, Conditions, Files, Probe, Seen
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.steadiness.perturbations import (
    NO_PLACE,
    Perturbation,
    clock_probes,
    likely_clock_probes,
    other_files,
    perturbations,
    report_no_clock,
)
from adjudge.contracts import Limit, Severity

_HERE = Section.DETERMINISM
_CROWD = 4
_SURE = 10
"""Ordinary runs that must agree before a difference is put down to a perturbation."""
_ORDINARY = 6
_MORE = 12
"""Further ordinary runs if the reward is near one that decides something."""
_STILL = 4
"""Runs at each moment that must agree before a reward that changes by itself is put down to the clock."""
_CLOSE = 0.05
HALF = "half-right"
MOSTLY = "mostly-right"
NEARLY = ("nearly-right", "less-right")
_BY_ITSELF = frozenset({HALF, MOSTLY, *NEARLY})
"""Outputs that are tried only under what happens by itself."""
_COMPARED = ("reward.json", "reward.txt", "details.json")


def audit_determinism(
    bench: Bench,
    outputs: Sequence[tuple[str, Files]],
    result: SectionResult,
    thresholds: Sequence[float] = (0.5,),
) -> bool | None:
    """Try each output (its name and files) under every perturbation.

    A reward near one of the `thresholds` is looked at more often. None if no output gets a reward, and if the
    clock could not be shifted: then nobody knows.
    """
    bench.expect(lambda: determinism_probes(outputs))
    same = [_audit_output(bench, label, files, thresholds, result) for label, files in outputs]
    if not result.probes:
        result.reason = "no output was found to which the verifier gives any reward file"
        return None
    if False in same:
        return False
    return True if all(same) else None


def determinism_probes(outputs: Sequence[tuple[str, Files]]) -> list[Probe]:
    """Those that are run unless others show much amiss, but for ordinary ones."""
    found: list[Probe] = []
    for label, files in outputs:
        prefix = f"determinism/{label}"
        found += likely_clock_probes(prefix, label, files)
        found += [_ordinary(prefix, label, files, number) for number in range(1, _ORDINARY)]
        found += [probe for probe, _ in _perturbed(prefix, label, files)]
    return found


def _perturbed(prefix: str, label: str, files: Files) -> list[tuple[Probe, Perturbation]]:
    chosen = [p for p in perturbations() if label not in _BY_ITSELF or p.severity is Severity.HIGH]
    return [
        (Probe(f"{prefix}/{p.name}", f"the {label} answer, {p.what}", files, p.conditions), p) for p in chosen
    ]


def _audit_output(
    bench: Bench, label: str, files: Files, thresholds: Sequence[float], result: SectionResult
) -> bool | None:
    prefix = f"determinism/{label}"
    ordinary = [_ordinary(prefix, label, files, number) for number in range(_ORDINARY)]
    plain = bench.run(ordinary)
    if all(seen.claimed is None for seen in plain):
        return True  # nothing to compare: the other output decides
    perturbed = _perturbed(prefix, label, files)
    probes = [probe for probe, _ in perturbed]
    clocks = clock_probes(bench, prefix, label, files, result)
    others = other_files(bench.task, prefix, label, files) if label not in _BY_ITSELF else []
    changed = [*others, *clocks]
    seen = bench.run([*probes, *(probe for probe, _ in changed)])
    near = _near_threshold(plain[0].reward, thresholds)
    if near:
        more = [_ordinary(prefix, label, files, number) for number in range(_ORDINARY, _ORDINARY + _MORE)]
        ordinary, plain = [*ordinary, *more], [*plain, *bench.run(more)]
    crowd = [
        replace(_ordinary(prefix, label, files, 100 + number), name=f"{prefix}/load-{number + 1}")
        for number in range(_CROWD)
    ]
    load = bench.at_once(crowd)
    result.probes += [*ordinary, *probes, *(probe for probe, _ in changed), *crowd[:1]]
    if not _agree([*plain, *load]):
        odd = next(
            (p for p, s in zip([*ordinary, *crowd], [*plain, *load], strict=True) if not _same(plain[0], s))
        )
        if not _follows_the_clock(bench, clocks, result):
            _report_restless(bench, label, odd, [*plain, *load], result)
        return False
    steady = True
    shifted = any(perturbation.name.startswith("clock") for _, perturbation in changed)
    tried = [*perturbed, *changed]
    for (probe, perturbation), after in zip(tried, seen, strict=True):
        hung = Limit.WALL_TIME in after.limits_hit  # it waits until a time of day, years from now
        if perturbation.name.startswith("clock") and (hung or not after.clock_shifted):
            report_no_clock(bench, result, "it waited too long" if hung else NO_PLACE)
            result.probes.remove(probe)  # an ordinary run after all
            shifted = False
            continue
        if _same(plain[0], after):
            if not perturbation.name.startswith("clock") and not _same_bytes(plain[0], after):
                _report_bytes(bench, perturbation, probe, result)
            continue
        if (restless := _restless(bench, prefix, label, files, probe, plain[0])) is not None:
            if not _follows_the_clock(bench, clocks, result):
                _report_restless(bench, label, probe, restless, result)
            return False
        steady = False
        _report_difference(bench, perturbation, probe, plain[0], after, result)
    static = any(f.cause == Cause.NOT_TRIED for f in result.findings)
    return None if steady and (static or not shifted) else steady


def _near_threshold(reward: float, thresholds: Sequence[float]) -> bool:
    """Is the reward close to one that decides something, and not what every simple verifier gives?"""
    return 0 < reward < 1 and any(abs(reward - threshold) <= _CLOSE for threshold in thresholds)


def _ordinary(prefix: str, label: str, files: Files, number: int) -> Probe:
    what = (
        f"the {label} answer, run {number + 1}" if number < 100 else f"the {label} answer, {_CROWD} at once"
    )
    return Probe(f"{prefix}/run-{number + 1}", what, files, Conditions(round=number))


def _restless(
    bench: Bench, prefix: str, label: str, files: Files, probe: Probe, plain: Seen
) -> list[Seen] | None:
    """Runs that show the verifier to differ by itself; None if it is the perturbation."""
    more = [_ordinary(prefix, label, files, number) for number in range(_ORDINARY, _SURE)]
    again = replace(probe, conditions=replace(probe.conditions, round=probe.conditions.round + 50))
    *ordinary, repeated = bench.run([*more, again])
    if _agree([plain, *ordinary]) and not _same(plain, repeated):
        return None
    return [plain, *ordinary, repeated]


def _follows_the_clock(
    bench: Bench, clocks: Sequence[tuple[Probe, Perturbation]], result: SectionResult
) -> bool:
    """Is a reward that changes by itself always the same at the same moment? Then it is reported as such."""
    rounds = range(1, _STILL)
    probes = [
        replace(probe, name=f"{probe.name}/{n + 1}", conditions=replace(probe.conditions, round=n))
        for probe, _ in clocks
        for n in rounds
    ]
    try:
        again = iter(bench.run(probes))
    except BudgetSpent:  # the cause stays unknown, the finding does not
        return False
    runs = [[bench.log[probe.name][1], *(next(again) for _ in rounds)] for probe, _ in clocks]
    still = all(_agree(group) and all(seen.clock_shifted for seen in group) for group in runs)
    other = next((place for place, group in enumerate(runs) if not _same(runs[0][0], group[0])), None)
    if not still or other is None:
        return False
    probe, perturbation = clocks[other]
    _report_difference(bench, perturbation, probe, runs[0][0], runs[other][0], result)
    return True


def _agree(runs: Sequence[Seen]) -> bool:
    return all(_same(runs[0], other) for other in runs[1:])


def _same(one: Seen, other: Seen) -> bool:
    """The same reward and the same breakdown; the order of keys in a file is not a difference."""
    return one.claimed == other.claimed and one.breakdown == other.breakdown


def _same_bytes(one: Seen, other: Seen) -> bool:
    """The reward and the details byte for byte, which only matters to whoever compares files."""
    return all(one.artifacts.get(name) == other.artifacts.get(name) for name in _COMPARED)


def _report_bytes(bench: Bench, perturbation: Perturbation, probe: Probe, result: SectionResult) -> None:
    title = "the details are written in another order"
    if not any(finding.title == title for finding in result.findings):
        result.findings.append(
            bench.finding(
                Severity.INFO,
                _HERE,
                title,
                cause=Cause.ENVIRONMENT,
                seen=f"With {perturbation.what} the files differ in bytes, though not in values.",
                advice="Sort keys when writing, so that two runs can be compared as files.",
                probe=probe,
            )
        )


def _report_restless(
    bench: Bench, label: str, probe: Probe, runs: Sequence[Seen], result: SectionResult
) -> None:
    rewards = sorted({seen.reward for seen in runs})
    reward_differs = len(rewards) > 1 or len({seen.claimed is None for seen in runs}) > 1
    if reward_differs:
        seen = (
            f"{len(runs)} ordinary runs of the {label} answer gave "
            + ", ".join(f"{r:g}" for r in rewards)
            + "."
        )
    else:
        fields = sorted({name for run in runs for name in _differing(runs[0], run)})
        seen = f"The reward stays {rewards[0]:g}, but the breakdown differs in {', '.join(fields[:5])}."
    result.findings.append(
        bench.finding(
            Severity.HIGH if reward_differs else Severity.LOW,
            _HERE,
            "the reward changes from run to run"
            if reward_differs
            else "the breakdown changes from run to run",
            cause=Cause.RANDOM,
            seen=seen,
            advice="Take out random numbers, times, thread timing and the order of sets; seed what "
            "must be random.",
            probe=probe,
            before=runs[0].claimed,
        )
    )


def _report_difference(
    bench: Bench, perturbation: Perturbation, probe: Probe, before: Seen, after: Seen, result: SectionResult
) -> None:
    if before.claimed != after.claimed:
        severity = perturbation.severity
        title = f"the reward changes with {perturbation.what}"
        got = "no reward" if after.claimed is None else f"{after.claimed:g}"
        seen = f"{_words(before.claimed)} became {got}."
    else:
        severity = Severity.LOW
        title = f"the breakdown changes with {perturbation.what}"
        seen = (
            f"The reward stays {_words(before.claimed)}; these fields differ: "
            f"{', '.join(_differing(before, after)[:5])}."
        )
    result.findings.append(
        bench.finding(
            severity,
            _HERE,
            title,
            cause=Cause.CLOCK if perturbation.name.startswith("clock") else Cause.ENVIRONMENT,
            seen=seen,
            advice=perturbation.advice,
            probe=probe,
            before=before.claimed,
        )
    )


def _words(reward: float | None) -> str:
    return "no reward" if reward is None else f"{reward:g}"


def _differing(one: Seen, other: Seen) -> list[str]:
    """The fields of the breakdown that differ."""
    a, b = one.breakdown or {}, other.breakdown or {}
    names = [
        name
        for name in {**a, **b}
        if json.dumps(a.get(name), sort_keys=True) != json.dumps(b.get(name), sort_keys=True)
    ]
    return [name[:60] for name in names] or ["details.json"]
