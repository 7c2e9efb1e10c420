"""Hold a candidate against its baseline: what `adjudge gate` decides."""

from __future__ import annotations

from adjudge.ledger import TrialColumns
from adjudge.reports.building.comparison import pick_sides
from adjudge.reports.building.groups import group, trials_of
from adjudge.reports.building.provenance import data_digest
from adjudge.reports.models.comparison import RegressionGate
from adjudge.reports.models.report import Choices
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
) -> RegressionGate:
    """Hold a candidate against its baseline. UsageError where either name has no trials."""
    grouped = group(columns, choices.group_by)
    sides = pick_sides(grouped, columns, choices.group_by, (candidate, baseline))
    (a, code_a), (b, code_b) = sides.items()
    every = trials_of(columns, choices.cluster)
    verdict = gate(
        every.rows(grouped.codes == code_a),
        every.rows(grouped.codes == code_b),
        margin=margin,
        threshold=threshold,
        method=choices.how,
        names=(a, b),
    )
    return RegressionGate(
        by=choices.group_by,
        baseline=b,
        candidate=a,
        threshold=threshold,
        verdict=verdict,
        exit_code=EXIT_CODES[verdict.outcome],
        seed=choices.seed,
        data_sha256=data_digest(columns),
    )
