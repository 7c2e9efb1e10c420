"""Hold a candidate against its baseline: what `adjudge gate` decides."""

from __future__ import annotations

from adjudge.ledger import TrialColumns, TrialFilter
from adjudge.reports.building.comparison import pick_sides
from adjudge.reports.building.groups import group, trials_of
from adjudge.reports.building.provenance import data_digest, plain_filter
from adjudge.reports.building.ruler import ruler_notes, same_ruler
from adjudge.reports.building.selection import scope_notes
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.comparison import RegressionGate
from adjudge.reports.rendering.wording import count
from adjudge.stats import GateOutcome, gate

EXIT_CODES = {GateOutcome.PASS: 0, GateOutcome.REGRESSED: 3, GateOutcome.UNDECIDED: 4}


def build_gate(
    columns: TrialColumns,
    baseline: str,
    candidate: str,
    choices: Choices,
    *,
    margin: float,
    threshold: float | None = None,
    wanted: TrialFilter | None = None,
    any_verifier: bool = False,
) -> RegressionGate:
    """Hold a candidate against its baseline. UsageError where either name has no trials."""
    grouped = group(columns, choices.group_by)
    sides = pick_sides(grouped, columns, choices.group_by, (candidate, baseline))
    (a, code_a), (b, code_b) = sides.items()
    every = trials_of(columns, choices.cluster)
    counted, ruler = same_ruler(columns, grouped, sides, any_verifier=any_verifier)
    verdict = gate(
        every.rows(counted & (grouped.codes == code_a)),
        every.rows(counted & (grouped.codes == code_b)),
        margin=margin,
        threshold=threshold,
        method=choices.how,
        names=(a, b),
    )
    if ruler.differing and not any_verifier:
        why = (
            f"different versions of the verifier scored {count(ruler.differing, 'shared task')} for {a} and "
            f"{b}, so a difference there may be that of the verifiers"
        )
        verdict = verdict.model_copy(update={"outcome": GateOutcome.UNDECIDED, "reason": why})
    return RegressionGate(
        by=choices.group_by,
        baseline=b,
        candidate=a,
        threshold=threshold,
        choices=choices,
        verdict=verdict,
        ruler=ruler,
        notes=(*ruler_notes(ruler), *scope_notes(choices, wanted)),
        filter=plain_filter(wanted),
        exit_code=EXIT_CODES[verdict.outcome],
        data_sha256=data_digest(columns),
    )
