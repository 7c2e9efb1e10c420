"""A number of the opposite sign that keeps its credit: is the sign ignored, or the size as well?

`abs(x - ref) / x <= tolerance` is below any tolerance for every x of the other sign. So whoever forgives the
sign is asked about ten times the value, too: then nothing has to be known, and the finding is worse.
"""

from __future__ import annotations

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Document, replaced, slug
from adjudge.audit.probes import Bench, Probe, scaled
from adjudge.audit.sections.lists import MakeProbe
from adjudge.audit.sections.measure import KEPT, FieldTrial, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_FREE = 0.95
"""From this share on, the sign cost nothing; what is scored by its likeness loses a little."""
_ALONE = 0.1
"""A field that is worth more than this, and stands in no list, is worth a finding of high severity."""


def weigh_sign(
    bench: Bench, trial: FieldTrial, make: MakeProbe, document: Document, result: SectionResult
) -> None:
    """Report a field that keeps its credit with the opposite sign, and with no other change."""
    name = trial.leaf.name
    far = scaled(-trial.leaf.number, 10)
    probe = make(
        f"{slug(trial.leaf.path)}/sign-times-10",
        f"{name}: the opposite sign, and ten times the value",
        replaced(document.value, [(trial.leaf.path, trial.leaf.with_number(far))]),
    )
    [seen] = bench.run([probe])
    result.probes.append(probe)
    if not seen.broke and share_kept(trial.base - seen.reward, trial.due) >= KEPT:
        alone = trial.stake >= _ALONE and trial.items == 1
        title = f"{name}: any number of the opposite sign keeps the credit"
        advice = "Divide by abs(reference), or multiply instead: a negative quotient is below any tolerance."
        severity = Severity.HIGH if alone else Severity.MEDIUM
        _report(bench, severity, Cause.BOUND, trial, title, advice, probe, result)
        return
    title = f"{name}: the sign makes no difference"
    advice = "Compare signed values; if both signs are right, say so in the task."
    severity = Severity.MEDIUM if trial.share_kept("sign") >= _FREE else Severity.LOW
    _report(bench, severity, Cause.SIGN, trial, title, advice, trial.probes["sign"], result)


def _report(
    bench: Bench,
    severity: Severity,
    cause: Cause,
    trial: FieldTrial,
    title: str,
    advice: str,
    probe: Probe,
    result: SectionResult,
) -> None:
    reward = bench.log[probe.name][1].reward
    result.findings.append(
        bench.finding(
            severity,
            Section.DISCRIMINATION,
            title,
            cause=cause,
            seen=f"{probe.what}: the reward is {reward:g}; the right value earns {trial.base:g}, "
            f"and the field is worth {trial.stake:.3g}.",
            advice=advice,
            probe=probe,
            before=trial.base,
        )
    )
