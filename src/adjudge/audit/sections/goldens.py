"""Goldens: what should pass passes, and what should fail fails."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.audit.answers import (
    FieldDoubt,
    FieldGolden,
    FieldOpinion,
    FieldTrial,
    RightAnswer,
    Solved,
    golden_files,
)
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench, BudgetSpent, Probe
from adjudge.audit.sections.doubts import check_doubts, check_opinions
from adjudge.audit.sections.means import check_means, elsewhere
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity
from adjudge.tasks import GoldenSettings, golden_paths

_HERE = Section.GOLDENS


def audit_goldens(
    bench: Bench,
    settings: GoldenSettings,
    solved: Solved | None,
    right: RightAnswer | None,
    learned: Sequence[FieldTrial],
    result: SectionResult,
) -> None:
    """Score every golden and the solution's output."""
    for problem in settings.problems:
        result.findings.append(
            bench.finding(
                Severity.LOW,
                _HERE,
                "task.toml says something odd about goldens",
                cause=Cause.GOLDEN_SETTINGS,
                seen=problem,
                advice="Correct it; the default was used.",
            )
        )
    passing = _golden_probes(bench, "pass", result)
    failing = _golden_probes(bench, "fail", result)
    empty = Probe("goldens/empty-workspace", "an empty workspace", ())  # what it earns: see trivial agents
    probes = [*passing, *failing]
    if solved is not None and solved.files is not None:
        probes.append(Probe("goldens/solution", "what the reference solution writes", solved.files))
    seen = dict(zip([probe.name for probe in probes], bench.run(probes), strict=True))
    result.probes += probes
    spent = _run_empty(bench, empty, result, len(passing) + len(failing))
    for probe in passing:
        _check_pass(bench, settings, probe, seen[probe.name].claimed, result)
    for probe in failing:
        _check_fail(bench, settings, probe, seen[probe.name].counted, result)
    if solved is not None:
        _check_solution(bench, settings, solved, result)
    _check_learned(bench, settings, [one for one in learned if isinstance(one, FieldGolden)], result)
    check_doubts(bench, [one for one in learned if isinstance(one, FieldDoubt)], result)
    check_opinions(bench, [one for one in learned if isinstance(one, FieldOpinion)], result)
    source = right.source if right is not None and right.reward >= settings.pass_at_least else None
    check_means(bench, probes, empty, source, result)
    if not passing and solved is None:
        taken = f"; what the audit takes for right: {right.source}" if right else ""
        result.findings.append(
            bench.finding(
                Severity.INFO,
                _HERE,
                "no golden that passes and no reference solution",
                cause=Cause.NOT_TRIED,
                seen=f"Nothing in the task shows what a right answer looks like{taken}.",
                advice="Add goldens/pass/ with one right output, or solution/solve.sh, so that "
                "every probe can be run.",
            )
        )
    if spent is not None:
        raise spent


def _run_empty(bench: Bench, empty: Probe, result: SectionResult, place: int) -> BudgetSpent | None:
    """Goldens that hang may leave no time for it, and tell enough by themselves."""
    try:
        bench.run([empty])
    except BudgetSpent as event:
        if not result.probes:
            raise
        return event
    result.probes.insert(place, empty)
    return None


def _check_learned(
    bench: Bench, settings: GoldenSettings, learned: Sequence[FieldGolden], result: SectionResult
) -> None:
    """Outputs of the field that people and the verifier disagree about: does it still?"""
    probes = [
        Probe(f"goldens/field/{golden.trial_id[:12]}", f"the trial {golden.trial_id[:12]}", golden.files)
        for golden in learned
    ]
    for golden, probe, seen in zip(learned, probes, bench.run(probes), strict=True):
        result.probes.insert(0, probe)
        passes = (
            seen.counted >= settings.fail_below
            if golden.kind == "fail"
            else seen.reward < settings.pass_at_least
        )
        if passes:
            people = (
                "fail, and the verifier passes"
                if golden.kind == "fail"
                else "pass, and the verifier does not"
            )
            result.findings.append(
                bench.finding(
                    Severity.HIGH,
                    _HERE,
                    f"{probe.what} is an output that people {people}",
                    cause=Cause.PEOPLE,
                    seen=f"It got {golden.was:g} when it was run, and gets {seen.reward:g} today.",
                    advice="Mend the verifier, or ask the reviewers again; --learn keeps it as a golden.",
                    probe=probe,
                    before=golden.was,
                )
            )


def _golden_probes(bench: Bench, kind: str, result: SectionResult) -> list[Probe]:
    probes = []
    for golden in golden_paths(bench.task, kind):
        files = golden_files(bench.task, golden)
        if isinstance(files, str) and kind == "pass":
            result.findings.append(
                bench.finding(
                    Severity.MEDIUM,
                    _HERE,
                    f"the golden pass/{golden.name} cannot be read",
                    cause=Cause.GOLDEN_SETTINGS,
                    seen=files,
                    advice="Put a file, or a folder that holds the output at its expected path.",
                )
            )
        elif not isinstance(files, str):
            probes.append(Probe(f"goldens/{kind}/{golden.name}", f"the golden {kind}/{golden.name}", files))
    return probes


def _check_pass(
    bench: Bench, settings: GoldenSettings, probe: Probe, reward: float | None, result: SectionResult
) -> None:
    stated = settings.rewards.get(probe.name.removeprefix("goldens/"))
    got = "no reward" if reward is None else f"{reward:g}"
    if stated is None and (reward or 0.0) < settings.pass_at_least - 1e-9:
        result.findings.append(
            bench.finding(
                Severity.HIGH,
                _HERE,
                f"{probe.what} does not pass",
                cause=Cause.GOLDEN,
                seen=f"It should reach {settings.pass_at_least:g} and gets {got}.",
                advice="Mend the verifier or the golden: one of them is wrong.",
                probe=probe,
                before=settings.pass_at_least,
            )
        )
    _check_stated(bench, stated, reward, probe, result)


def _check_fail(
    bench: Bench, settings: GoldenSettings, probe: Probe, reward: float, result: SectionResult
) -> None:
    stated = settings.rewards.get(probe.name.removeprefix("goldens/"))
    if reward >= settings.fail_below:
        result.findings.append(
            bench.finding(
                Severity.HIGH,
                _HERE,
                f"{probe.what} passes",
                cause=Cause.GOLDEN,
                seen=f"It should stay below {settings.fail_below:g} and gets {reward:g}.",
                advice="Mend the verifier or the golden: one of them is wrong.",
                probe=probe,
                before=settings.fail_below,
            )
        )
    _check_stated(bench, stated, reward, probe, result)


def _check_stated(
    bench: Bench, stated: float | None, reward: float | None, probe: Probe, result: SectionResult
) -> None:
    if stated is not None and abs((reward or 0.0) - stated) > 5e-5:
        result.findings.append(
            bench.finding(
                Severity.MEDIUM,
                _HERE,
                f"{probe.what} does not score what task.toml says",
                cause=Cause.GOLDEN,
                seen=f"[goldens.rewards] says {stated:g}, the verifier "
                f"{'nothing' if reward is None else f'{reward:g}'}.",
                advice="Correct whichever is wrong.",
                probe=probe,
                before=stated,
            )
        )


def _check_solution(bench: Bench, settings: GoldenSettings, solved: Solved, result: SectionResult) -> None:
    if solved.files is None:
        result.findings.append(_not_run(bench, solved.problem))
        return
    last = next(probe for probe in result.probes if probe.name == "goldens/solution")
    reward = bench.log[last.name][1].claimed
    if (reward or 0.0) < settings.pass_at_least - 1e-9:
        if solved.lacks is not None and elsewhere(bench):
            result.findings.append(_not_run(bench, f"It says: {solved.lacks}"))
            return
        result.findings.append(
            bench.finding(
                Severity.HIGH,
                _HERE,
                "the reference solution does not pass",
                cause=Cause.SOLUTION,
                seen=f"Its output gets {'no reward' if reward is None else f'{reward:g}'}; "
                f"it should reach {settings.pass_at_least:g}.",
                advice="Mend the verifier or the solution: one of them is wrong.",
                probe=last,
                before=settings.pass_at_least,
            )
        )


def _not_run(bench: Bench, why: str | None) -> Finding:
    return bench.finding(
        Severity.LOW,
        _HERE,
        "the reference solution does not run here",
        cause=Cause.SOLUTION,
        seen=f"{why}.",
        advice="If it needs more than the sandbox has, give adjudge the task's image or root folder.",
    )
