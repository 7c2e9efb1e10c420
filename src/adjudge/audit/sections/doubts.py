"""Trials that contradict themselves, each other or a judge: does the verifier of today still do that?"""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.audit.answers import FieldDoubt, FieldOpinion, contradicts
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench, Probe, Seen
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import REWARD_DISAGREES, Severity


def check_doubts(bench: Bench, doubts: Sequence[FieldDoubt], result: SectionResult) -> None:
    """Run each doubtful output again, and the one it is compared with."""
    for doubt in doubts:
        name = f"goldens/field/{doubt.trial_id[:12]}"
        probe = Probe(name, f"the trial {doubt.trial_id[:12]}", doubt.files)
        probes = [probe]
        if doubt.other is not None:
            probes.append(Probe(f"{name}/other", "the attempt that it is compared with", doubt.other))
        seen = bench.run(probes)
        result.probes += probes
        if (finding := _weighed(bench, doubt, probe, seen)) is not None:
            result.findings.append(finding)


def _weighed(bench: Bench, doubt: FieldDoubt, probe: Probe, seen: Sequence[Seen]) -> Finding | None:
    """What is left of the doubt today; None if the verifier has been mended since."""
    now = seen[0].reward
    then = f"It got {doubt.was:g} when it was run, and gets {now:g} today."
    if doubt.kind == "same output":
        return bench.finding(
            Severity.HIGH,
            Section.GOLDENS,
            f"{probe.what} and another attempt gave the same output and got different rewards",
            cause=Cause.RANDOM,
            seen=f"{doubt.was:g} and {doubt.other_was or 0:g}, by the same version of the verifier. {then}",
            advice="Take out random numbers, times, thread timing and the order of sets.",
            probe=probe,
            before=doubt.other_was,
        )
    if doubt.kind == "same values" and seen[0].claimed != seen[1].claimed:
        return bench.finding(
            Severity.MEDIUM,
            Section.GOLDENS,
            f"{probe.what} and another attempt gave the same values and got different rewards",
            cause=Cause.LAYOUT,
            seen=f"{now:g} and {seen[1].reward:g}: they differ in layout alone. {then}",
            advice="Read the answer with adjudge_kit's read_answer, which accepts either.",
            probe=probe,
            before=seen[1].claimed,
        )
    if doubt.kind == "breakdown" and REWARD_DISAGREES in seen[0].categories:
        return bench.finding(
            Severity.MEDIUM,
            Section.GOLDENS,
            f"{probe.what} has a reward that its breakdown does not give",
            cause=Cause.CONTRADICTS,
            seen=then,
            advice="Work out the reward from the scores that details.json shows, or show all of them.",
            probe=probe,
            before=doubt.was,
        )
    return None


def check_opinions(bench: Bench, learned: Sequence[FieldOpinion], result: SectionResult) -> None:
    """Run each output again that a judge contradicts: a calibrated one counts, another is a doubt."""
    probes = [
        Probe(f"goldens/field/{one.trial_id[:12]}", f"the trial {one.trial_id[:12]}", one.files)
        for one in learned
    ]
    result.probes += probes
    for one, probe, seen in zip(learned, probes, bench.run(probes), strict=True):
        if not contradicts(one.opinion, seen.reward):
            continue  # mended since
        trusted = one.opinion.calibrated
        judge = "a calibrated judge" if trusted else "an uncalibrated judge"
        does = "fails, and the verifier passes" if one.kind == "fail" else "passes, and the verifier does not"
        result.findings.append(
            bench.finding(
                Severity.MEDIUM if trusted else Severity.LOW,
                Section.GOLDENS,
                f"{probe.what} is an output that {judge} {does}",
                cause=Cause.JUDGES,
                seen=f"By the rubric {one.opinion.rubric} it is worth {one.opinion.score:g}; it got "
                f"{one.was:g} when it was run, and gets {seen.reward:g} today.",
                advice="Ask a reviewer: then mend the verifier or the rubric, or --learn it as a golden.",
                probe=probe,
                before=one.was,
            )
        )
