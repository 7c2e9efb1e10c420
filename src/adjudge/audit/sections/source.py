"""The verifier's source, read: what a careful reader would ask its author about.

Probes show what an agent gains; the source shows where, and also what no probe met: a task without a right
answer, a draw by lot, a sum that hides its parts. A remark is no proof, so it is never worse than medium; and
where probes of just that kind were run around a right answer and showed nothing, it is low. Slips that nobody
can have meant stay medium.
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


def audit_source(bench: Bench, result: SectionResult) -> list[Remark]:
    """Read the sources. What a remark is worth is known after the probes: `weighed_by_probes`."""
    result.read, remarks = read_sources(bench.task)
    if not result.read:
        result.reason = "the verifier has no Python or shell that could be read"
    return remarks


def weighed_by_probes(
    bench: Bench, remarks: Sequence[Remark], findings: Sequence[Finding], *, probed: bool
) -> list[Finding]:
    """A finding for each remark: low if wrong answers of all kinds were tried (`probed`) and none showed it.

    One cause becomes one finding later, so what a probe did show is told with the probe.
    """
    shown = {finding.cause for finding in findings if finding.severity is not Severity.INFO}
    made = []
    for remark in remarks:
        known = remark.cause in shown
        lower = probed and not known and not remark.certain and remark.cause not in _NOT_BY_PROBES
        made.append(_finding(bench, remark, Severity.LOW if lower else remark.severity, shown=known))
    return made


def _finding(bench: Bench, remark: Remark, severity: Severity, *, shown: bool) -> Finding:
    made = bench.finding(
        severity,
        Section.SOURCE,
        f"{remark.file} line {remark.line}: {remark.title}",
        cause=remark.cause,
        seen=f"tests/{remark.file}, line {remark.line}: `{remark.code}`.{'' if shown else _UNSHOWN}",
        advice=remark.advice,
    )
    command = ("adjudge", "audit", bench.task.id, "--section", Section.SOURCE.value, "--no-ledger")
    return made.model_copy(update={"reproduce": shlex.join(command)})
