"""A number of the opposite sign that keeps its credit: is the sign ignored, or the size as well?

`abs(x - ref) / x <= tolerance` is below any tolerance for every x of the other sign. So whoever forgives the
sign is asked about ten times the value, too: then nothing has to be known, and the finding is worse.
"""

from __future__ import annotations

import re

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, replaced, sign_is_free, slug
from adjudge.audit.probes import Bench, scaled
from adjudge.audit.sections.fields.report import report_field
from adjudge.audit.sections.lists import MakeProbe
from adjudge.audit.sections.measure import KEPT, FieldTrial, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_PUNCTUATION = re.compile(r"\bpunctuation\b", re.I)
"""In a text whose punctuation does not matter, as the task says, a dash is no sign."""
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
        trial.probes["sign-times-10"] = probe
        report_field(bench, severity, trial, "sign-times-10", title, advice, Cause.BOUND, result)
        return
    if sign_is_free(bench.task.instruction):
        return
    title = f"{name}: the sign makes no difference"
    advice = "Compare signed values; if both signs are right, say so in the task."
    loose = not document.structured and _PUNCTUATION.search(bench.task.instruction)
    severity = Severity.MEDIUM if trial.share_kept("sign") >= _FREE and not loose else Severity.LOW
    report_field(bench, severity, trial, "sign", title, advice, Cause.SIGN, result)
