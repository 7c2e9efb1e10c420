"""Goldens and the place they were scored in: what a place lacks is no fault of the verifier.

A verifier is blamed only for what it would do in its task's own place, with an answer that should pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench, Probe, Seen
from adjudge.audit.sections.place import lacks_program
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Limit, Severity
from adjudge.tasks import declared_table

_HERE = Section.GOLDENS
_FULL = 0.995
_OTHER_PLACE = " The task has an image of its own, and this is not it: what it needs may not be here."
_LESS_TIME = " An audit waits a minute at most for one run, and the task allows more."
_NO_SERVER = " A server that the verifier asks did not answer, and it may need what is not here."
_IMAGES = ("Dockerfile", "docker-compose.yaml", "docker-compose.yml", "compose.yaml")


def check_means(
    bench: Bench, probes: Sequence[Probe], empty: Probe, passing: str | None, result: SectionResult
) -> None:
    """A verifier that lacks something here, or never writes a reward, is told apart from a wrong golden.

    `probes` are the goldens and the solution's output, `empty` is the empty workspace, `passing` says where
    an answer with full marks came from.
    """
    seen = [bench.log[probe.name][1] for probe in probes or [empty]]
    missing = next((s.needs for s in seen if s.needs is not None and s.reward < _FULL), None)
    doubt = _OTHER_PLACE if elsewhere(bench) else _LESS_TIME if _cut_short(bench, seen) else None
    if doubt is not None:
        why = _known_reason(bench, seen)
        result.findings = [
            _doubted(f, doubt, passing, why) if f.severity is Severity.HIGH else f for f in result.findings
        ]
    if (unset := next((s.unset for s in seen if s.unset is not None), None)) is not None:
        _report_unset(bench, unset, [*probes, empty][0], result)
    elif missing is not None:
        follows = [f for f in result.findings if _should_pass(f)]
        result.findings = [
            f.model_copy(update={"severity": Severity.MEDIUM}) if f.severity is Severity.HIGH else f
            for f in result.findings
            if f not in follows
        ]
        told = "".join(f" So may this: {f.title}." for f in follows[:1])
        result.findings.append(
            bench.finding(
                Severity.MEDIUM,
                _HERE,
                f"the verifier needs {missing}, which the sandbox lacks",
                cause=Cause.LACKING,
                seen=f"It says so itself; what else it does may follow from that.{told}",
                advice="Give adjudge the task's own root folder or image: --rootfs, --image.",
                probe=[*probes, empty][0],
            )
        )
    elif all(s.claimed is None for s in (*seen, *(s for _, s in bench.log.values()))):
        _report_no_reward(bench, [*probes, empty][0], seen, result, proven=bool(probes) and doubt is None)


def _report_unset(bench: Bench, name: str, probe: Probe, result: SectionResult) -> None:
    """One finding, in place of those that follow from it: without the variable nothing was judged."""
    result.findings = [f for f in result.findings if f.cause not in (Cause.GOLDEN, Cause.SOLUTION)]
    result.findings.append(
        bench.finding(
            Severity.LOW,
            _HERE,
            f"the verifier needs the variable {name}, which it is not given",
            cause=Cause.LACKING,
            seen="It breaks without it, and no variable of this machine is passed on. If it leads to a model "
            "or another service, what an answer earns there is not known.",
            advice="Write the value into [verifier.env] of task.toml if it is no secret. What a model "
            "decides cannot be audited: keep as much as can be computed in checks of its own.",
            probe=probe,
        )
    )


def _report_no_reward(
    bench: Bench, probe: Probe, seen: Sequence[Seen], result: SectionResult, *, proven: bool
) -> None:
    """One finding, with the goldens that got none. If no answer that should pass was tried, it is a doubt."""
    written = any(name in s.artifacts for s in seen for name in ("reward.json", "reward.txt"))
    if written:  # other runners may read it: a reward under another name is a setting that is missing
        title, advice = "no reward can be read from what the verifier writes", "Write a number under the key"
        advice = f'{advice} "reward" to {bench.task.verifier.reward_path}, or name the key in task.toml.'
    else:
        title = "the verifier never writes a reward"
        advice = f"Write {bench.task.verifier.reward_path} for every output."
    result.findings = [
        f for f in result.findings if f.cause not in (Cause.GOLDEN, Cause.SOLUTION) or f.probe is None
    ]
    result.findings.append(
        bench.finding(
            Severity.HIGH if proven and not written else Severity.MEDIUM,
            _HERE,
            title,
            cause=Cause.NEVER_SCORES,
            seen=f"{(seen[0].problem or 'No reward was found').rstrip('.')}.",
            advice=advice,
            probe=probe,
        )
    )


def elsewhere(bench: Bench) -> bool:
    """Has the task an image of its own that this sandbox is not made from?"""
    sandbox = bench.place  # packages do not make it the task's place
    if sandbox.name != "bubblewrap" or getattr(sandbox, "rootfs", None) is not None:
        return False
    folder = bench.task.folder
    files = any((folder / part / name).is_file() for part in ("environment", "") for name in _IMAGES)
    return files or "docker_image" in declared_table(bench.task, "environment")


def _cut_short(bench: Bench, seen: Sequence[Seen]) -> bool:
    """Was any of these ended by an audit's patience, which may be shorter than the task's?"""
    allowed = bench.task.limits.wall_time_sec
    return any(Limit.WALL_TIME in s.limits_hit and s.duration_sec < 0.9 * allowed for s in seen)


def _known_reason(bench: Bench, seen: Sequence[Seen]) -> str | None:
    """Why nothing can pass here, if it is known: the program that the image is made for, or a server."""
    program = lacks_program(bench.task) if elsewhere(bench) else None
    if program is not None:
        return f" The task's image is made for {program}, which is not here."
    return _NO_SERVER if elsewhere(bench) and any(s.refused for s in seen) else None


def _should_pass(finding: Finding) -> bool:
    """Is it about an answer that should pass and does not?"""
    failing = (finding.probe or "").startswith("goldens/fail/")
    return finding.cause in (Cause.GOLDEN, Cause.SOLUTION) and finding.probe is not None and not failing


def _doubted(finding: Finding, doubt: str, passing: str | None, why: str | None = None) -> Finding:
    """What should pass and does not, in a place that may lack something, proves little.

    Nor does part of the reward: a runner that is missing may cost some of several checks. If another answer
    passes, the verifier has what it needs, and it is the solution that lacks something. It proves nothing
    if it is known what is lacking.
    """
    if not _should_pass(finding):
        return finding
    if why is not None and passing is None:
        return finding.model_copy(update={"severity": Severity.LOW, "seen": f"{finding.seen}{why}"})
    if finding.cause == Cause.SOLUTION and passing is not None:
        seen = f"{finding.seen} Another answer passes: {passing}.{doubt}"
        return finding.model_copy(update={"severity": Severity.LOW, "seen": seen})
    return finding.model_copy(update={"severity": Severity.MEDIUM, "seen": finding.seen + doubt})
