"""The verifier's source, read: what a careful reader would ask its author about.

Probes show what an agent gains; the source shows where, and also what no probe met: a task without a right
answer, a draw by lot, a sum that hides its parts. A remark is no proof, so it is never worse than medium; and
where probes of just that kind were run around a right answer and showed nothing, it is low.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench
from adjudge.audit.reading import Remark, read_sources
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_UNSHOWN = " No probe showed it."
_NOT_BY_PROBES = frozenset(
    {
        *(Cause.RANDOM, Cause.CLOCK, Cause.AGREES, Cause.CANCELS, Cause.CLAMPED, Cause.PASSES_BROKEN),
        *(Cause.ENVIRONMENT, Cause.CODE, Cause.SIDE_FILE),
    }
)
"""What probes meet only by luck: that they showed nothing says little."""


def audit_source(bench: Bench, result: SectionResult) -> None:
    """Read the sources; each remark is a finding of its own, and one cause becomes one finding later."""
    result.read, remarks = read_sources(bench.task)
    if not result.read:
        result.reason = "the verifier has no Python or shell that could be read"
    result.findings += [_finding(bench, remark) for remark in remarks]


def _finding(bench: Bench, remark: Remark) -> Finding:
    made = bench.finding(
        remark.severity,
        Section.SOURCE,
        f"{remark.file} line {remark.line}: {remark.title}",
        cause=remark.cause,
        seen=f"tests/{remark.file}, line {remark.line}: `{remark.code}`.",
        advice=remark.advice,
    )
    command = ("adjudge", "audit", bench.task.id, "--section", Section.SOURCE.value, "--no-ledger")
    return made.model_copy(update={"reproduce": shlex.join(command)})


def weighed_by_probes(findings: Sequence[Finding], *, probed: bool) -> list[Finding]:
    """Remarks that no probe bears out are low, if wrong answers of all kinds were tried (`probed`)."""
    shown = {f.cause for f in findings if f.section is not Section.SOURCE and f.severity is not Severity.INFO}
    made = []
    for finding in findings:
        unshown = finding.section is Section.SOURCE and finding.cause not in shown
        lower = probed and finding.cause not in _NOT_BY_PROBES
        severity = Severity.LOW if lower else finding.severity
        update = {"severity": severity, "seen": finding.seen + _UNSHOWN} if unshown else {}
        made.append(finding.model_copy(update=update))
    return made
