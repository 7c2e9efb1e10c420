"""Determinism: the same output gets the same reward and the same breakdown, whatever happens around it.

Two outputs are tried, a right one and a wrong one if there are both, since a verifier may be steady on one
only. A difference is looked at again before it is believed: if an ordinary run differs from an ordinary run,
that is the finding, and no perturbation is blamed for it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import HOURS_SEC, YEARS, Bench, Conditions, Files, Probe, Seen, shifted_clock
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity, Task
from adjudge.gates import OutputFile, workspace_of

_HERE = Section.DETERMINISM
_CROWD = 4
_SURE = 10
"""Ordinary runs that must agree before a difference is put down to a perturbation."""
_ORDINARY = 6
_COMPARED = ("reward.json", "reward.txt", "details.json")


@dataclass(frozen=True)
class Perturbation:
    """A change around the verifier that must change nothing, and what to do where it does."""

    name: str
    what: str
    conditions: Conditions
    severity: Severity
    advice: str


def _perturbations(task: Task) -> list[Perturbation]:
    seeds = [Conditions(env=(("PYTHONHASHSEED", seed),)) for seed in ("1", "4242")]
    hash_advice = "Sort sets and dictionaries before their order matters; do not use hash()."
    return [
        Perturbation("hash-seed", "another hash seed", seeds[0], Severity.HIGH, hash_advice),
        Perturbation("hash-seed-2", "a third hash seed", seeds[1], Severity.HIGH, hash_advice),
        Perturbation(
            "locale",
            "the locale C",
            Conditions(env=(("LC_ALL", "C"), ("LANG", "C"))),
            Severity.MEDIUM,
            "Name the encoding when opening files, and set LC_ALL=C.UTF-8 at the top of test.sh.",
        ),
        Perturbation(
            "time-zone",
            "a time zone 13:45 hours ahead",
            Conditions(env=(("TZ", "XST-13:45"),)),
            Severity.MEDIUM,
            "Use UTC, or better: no time at all.",
        ),
        Perturbation(
            "clock",
            f"a clock {YEARS} years ahead",
            shifted_clock(),
            Severity.HIGH,
            "A reward must not depend on the date: replace the current time by a date stated in the task.",
        ),
        *(
            Perturbation(
                f"clock-{8 * times}-hours",
                f"a clock {8 * times} hours ahead",
                shifted_clock(times * HOURS_SEC),
                Severity.HIGH,
                "A reward must not depend on the time of day.",
            )
            for times in (1, 2)  # with the hour of the audit itself, a third of a day apart
        ),
        Perturbation(
            "working-directory",
            "another working directory",
            Conditions(workdir="/var/tmp/elsewhere"),  # noqa: S108 - inside the sandbox
            Severity.MEDIUM,
            "Use absolute paths for the output and for everything in /tests.",
        ),
        Perturbation(
            "user",
            "another user",
            Conditions(uid=12321),
            Severity.MEDIUM,
            "Do not depend on the user's id, name or home folder.",
        ),
        Perturbation(
            "one-core",
            "one core",
            Conditions(cpus=1),
            Severity.HIGH,
            "Do not let the number of cores or the timing of threads decide a reward.",
        ),
    ]


def audit_determinism(
    bench: Bench, outputs: Sequence[tuple[str, Files]]
) -> tuple[SectionResult, bool | None]:
    """Try each output (its name and files) under every perturbation.

    None if no output gets a reward, and if the clock could not be shifted: then nobody knows.
    """
    result = SectionResult()
    same = [_audit_output(bench, label, files, result) for label, files in outputs]
    if not result.probes:
        result.reason = "no output was found to which the verifier gives any reward file"
        return result, None
    if False in same:
        return result, False
    return result, True if all(same) else None


def _audit_output(bench: Bench, label: str, files: Files, result: SectionResult) -> bool | None:
    prefix = f"determinism/{label}"
    ordinary = [_ordinary(prefix, label, files, number) for number in range(_ORDINARY)]
    plain = bench.run(ordinary)
    if all(seen.claimed is None for seen in plain):
        return True  # nothing to compare: the other output decides
    chosen = _perturbations(bench.task)
    probes = [
        Probe(f"{prefix}/{p.name}", f"the {label} answer, {p.what}", files, p.conditions) for p in chosen
    ]
    changed = _other_files(bench.task, prefix, label, files)
    seen = bench.run([*probes, *(probe for probe, _ in changed)])
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
        _report_restless(bench, label, odd, [*plain, *load], result)
        return False
    steady: bool | None = True
    shifted = True
    tried = [*zip(probes, chosen, strict=True), *changed]
    for (probe, perturbation), after in zip(tried, seen, strict=True):
        if perturbation.name.startswith("clock") and not after.clock_shifted:
            _report_no_clock(bench, result)
            result.probes.remove(probe)  # an ordinary run after all
            shifted = False
            continue
        if _same(plain[0], after):
            if not perturbation.name.startswith("clock") and not _same_bytes(plain[0], after):
                _report_bytes(bench, perturbation, probe, result)
            continue
        if not _confirmed(bench, prefix, label, files, probe, plain[0], result):
            return False
        steady = False
        _report_difference(bench, perturbation, probe, plain[0], after, result)
    return None if steady and not shifted else steady


def _ordinary(prefix: str, label: str, files: Files, number: int) -> Probe:
    what = (
        f"the {label} answer, run {number + 1}" if number < 100 else f"the {label} answer, {_CROWD} at once"
    )
    return Probe(f"{prefix}/run-{number + 1}", what, files, Conditions(round=number))


def _other_files(task: Task, prefix: str, label: str, files: Files) -> list[tuple[Probe, Perturbation]]:
    """Files in another order, and a stranger's notes beside the answer, before it and after it."""
    folder = workspace_of(task)
    note = OutputFile(b"notes of no consequence\n")
    advice = "Open the output by its full path; sort what you list, and look at nothing else."
    cases = [
        (
            "other-files",
            "other files beside it",
            ((f"{folder}/.aaa", note), *files, (f"{folder}/zzz.txt", note)),
        )
    ]
    if len(files) > 1:
        cases.append(("file-order", "its files created in the opposite order", tuple(reversed(files))))
    return [
        (
            Probe(f"{prefix}/{name}", f"the {label} answer, {what}", placed),
            Perturbation(name, what, Conditions(), Severity.MEDIUM, advice),
        )
        for name, what, placed in cases
    ]


def _confirmed(
    bench: Bench, prefix: str, label: str, files: Files, probe: Probe, plain: Seen, result: SectionResult
) -> bool:
    """Is it the perturbation, or does the verifier differ by itself? Says so in the second case."""
    more = [_ordinary(prefix, label, files, number) for number in range(_ORDINARY, _SURE)]
    again = replace(probe, conditions=replace(probe.conditions, round=probe.conditions.round + 50))
    *ordinary, repeated = bench.run([*more, again])
    if _agree([plain, *ordinary]) and not _same(plain, repeated):
        return True
    _report_restless(bench, label, more[0], [plain, *ordinary, repeated], result)
    return False


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


def _report_no_clock(bench: Bench, result: SectionResult) -> None:
    title = "the clock could not be shifted"
    if any(finding.title == title for finding in result.findings):
        return
    result.findings.append(
        bench.finding(
            Severity.INFO,
            _HERE,
            title,
            cause=Cause.NOT_TRIED,
            seen="It starts no Python from the PATH and asks no `date`: nothing could stand between it and "
            "the clock. So nobody knows whether it is deterministic.",
            advice="Make sure by reading it that no date and no time takes part in a reward.",
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
