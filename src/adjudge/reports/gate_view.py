"""The gate's verdict in words: a line for the log, a summary for the pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from adjudge.contracts import StrictModel
from adjudge.ledger import TrialColumns
from adjudge.reports import wording
from adjudge.reports.comparison import pick_sides
from adjudge.reports.comparison_view import measure, plan_sentences
from adjudge.reports.groups import group, trials_of
from adjudge.reports.layout import sentence_lines
from adjudge.reports.markdown_text import name, table, text
from adjudge.reports.model import Choices
from adjudge.reports.provenance import data_digest
from adjudge.reports.terminal import Terminal
from adjudge.stats import GateOutcome, GateVerdict, gate

EXIT_CODES = {GateOutcome.PASS: 0, GateOutcome.REGRESSED: 3, GateOutcome.UNDECIDED: 4}
_COLOURS = {GateOutcome.PASS: "green", GateOutcome.REGRESSED: "red", GateOutcome.UNDECIDED: "yellow"}
_TITLES = {
    GateOutcome.PASS: "gate passed",
    GateOutcome.REGRESSED: "gate failed: the candidate regressed",
    GateOutcome.UNDECIDED: "gate undecided",
}


class GateReport(StrictModel):
    """A verdict, and what was held against what."""

    kind: Literal["adjudge gate"] = "adjudge gate"
    by: str
    baseline: str
    candidate: str
    threshold: float | None
    verdict: GateVerdict
    exit_code: int
    seed: int
    data_sha256: str


def build_gate(
    columns: TrialColumns,
    baseline: str,
    candidate: str,
    choices: Choices,
    *,
    margin: float,
    threshold: float | None = None,
) -> GateReport:
    """Judge a candidate against its baseline. UsageError where either name has no trials."""
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
    return GateReport(
        by=choices.group_by,
        baseline=b,
        candidate=a,
        threshold=threshold,
        verdict=verdict,
        exit_code=EXIT_CODES[verdict.outcome],
        seed=choices.seed,
        data_sha256=data_digest(columns),
    )


def gate_lines(found: GateReport, terminal: Terminal) -> Iterator[str]:
    """The verdict for a terminal or a log."""
    outcome = found.verdict.outcome
    yield terminal.paint(_TITLES[outcome], "bold", _COLOURS[outcome])
    for sentence in _sentences(found):
        yield from sentence_lines(sentence, terminal)


def gate_markdown(found: GateReport) -> str:
    """The verdict for a pull request."""
    comparison = found.verdict.comparison
    sign = {GateOutcome.PASS: "✅", GateOutcome.REGRESSED: "❌", GateOutcome.UNDECIDED: "⚠️"}
    lines = [f"### {sign[found.verdict.outcome]} adjudge {_TITLES[found.verdict.outcome]}", ""]
    lines += table(
        ["", f"{measure(found.threshold)} on shared tasks"],
        [
            [f"candidate {found.candidate}", wording.number(comparison.mean_a)],
            [f"baseline {found.baseline}", wording.number(comparison.mean_b)],
            ["difference", f"**{wording.estimate(comparison.difference, sign=True)}**"],
            ["margin", f"{found.verdict.margin:g}"],
        ],
    )
    lines += [f"- {text(sentence)}" for sentence in _sentences(found)]
    lines += ["", f"<sub>by {name(found.by)}, seed {found.seed}, data SHA-256 `{found.data_sha256}`</sub>"]
    return "\n".join(lines) + "\n"


def _sentences(found: GateReport) -> Iterator[str]:
    comparison, difference = found.verdict.comparison, found.verdict.comparison.difference
    yield f"{found.verdict.reason[:1].upper()}{found.verdict.reason[1:]}."
    yield (
        f"{found.candidate} minus {found.baseline}: {wording.estimate(difference, sign=True)} on "
        f"{wording.count(comparison.shared, 'shared task')}; higher on {comparison.wins:,}, lower on "
        f"{comparison.losses:,}, equal on {comparison.ties:,}."
    )
    if difference.coverage is not None:
        yield f"Trials of both: {', '.join(wording.coverage(difference.coverage))}."
    yield from (f"{note[:1].upper()}{note[1:]}." for note in (*difference.caveats, *difference.notes))
    if found.verdict.outcome is GateOutcome.UNDECIDED:
        yield from plan_sentences(found.verdict.plan)
