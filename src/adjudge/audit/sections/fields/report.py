"""How a field that keeps or loses its credit by mistake is told."""

from __future__ import annotations

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench
from adjudge.audit.sections.measure import FieldTrial
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity


def report_field(
    bench: Bench,
    severity: Severity,
    trial: FieldTrial,
    change: str,
    title: str,
    advice: str,
    cause: Cause,
    result: SectionResult,
) -> None:
    probe = trial.probes[change]
    reward = bench.log[probe.name][1].reward
    result.findings.append(
        bench.finding(
            severity,
            Section.DISCRIMINATION,
            title,
            cause=cause,
            seen=f"{probe.what}: the reward is {reward:g}; the right value earns {trial.base:g}, "
            f"and the field is worth "
            f"{trial.stake:.3g}.",
            advice=advice,
            probe=probe,
            before=trial.base,
        )
    )
