"""Comparisons, gates and plans in Markdown."""

from __future__ import annotations

from adjudge.reports.models.comparison import Comparison, DataPlan, RegressionGate, SequentialGate
from adjudge.reports.rendering import wording
from adjudge.reports.rendering.comparison_sentences import (
    ALL_EQUAL,
    MOST_FIELDS,
    comparison_title,
    field_cells,
    field_heads,
    gate_sentences,
    gate_title,
    listed_pairs,
    measure,
    pair_cells,
    pair_sentences,
    pair_warnings,
    ranks,
    stands_on,
    task_cells,
    unlisted_pairs,
)
from adjudge.reports.rendering.markdown.text import name, table, text
from adjudge.reports.rendering.plan_sentences import curve_heads, curve_rows, plan_facts, plan_title
from adjudge.stats import GateOutcome


def render_comparison(found: Comparison) -> str:
    """The whole comparison in Markdown."""
    lines = [f"# {text(comparison_title(found))}", ""]
    lines += table(
        ["", "rank", measure(found.threshold), "stands on"],
        [[a.agent, ranks(a), f"**{wording.estimate(a.reward)}**", text(stands_on(a))] for a in found.ranking],
    )
    if len(found.pairs) == 1:
        lines += [f"- {text(sentence)}" for sentence in pair_sentences(found.pairs[0])] + [""]
    else:
        lines += table(
            ["", "difference", "p", "better", "could show"],
            [
                [f"{p.a} − {p.b}", cells[0], cells[1], name(cells[2]), cells[3]]
                for p in listed_pairs(found)
                for cells in [pair_cells(p)]
            ],
        )
        if left_out := unlisted_pairs(found):
            lines += [text(left_out), ""]
        if warnings := [f"- {text(warning)}" for warning in pair_warnings(found)]:
            lines += [*warnings, ""]
    if rows := task_cells(found):
        lines += ["## Tasks where they differ most", ""]
        lines += table(["", *(name(side) for side in found.sides), "difference"], rows)
    elif found.tasks:
        lines += [ALL_EQUAL, ""]
    if found.fields:
        lines += ["## Fields", ""]
        heads = field_heads(found)
        lines += table(heads, [[f.field, *field_cells(f)][: len(heads)] for f in found.fields[:MOST_FIELDS]])
    lines += [f"- {text(note)}" for note in found.notes]
    lines += ["", f"Seed {found.choices.seed}, data SHA-256 `{found.data_sha256}`."]
    return "\n".join(lines) + "\n"


def render_gate(found: RegressionGate | SequentialGate) -> str:
    """The verdict for a pull request."""
    if isinstance(found, SequentialGate):
        lines = [f"### adjudge {gate_title(found)}", ""]
        lines += [f"- {text(sentence)}" for sentence in gate_sentences(found)]
        return "\n".join(lines) + "\n"
    comparison = found.verdict.comparison
    sign = {GateOutcome.PASS: "✅", GateOutcome.REGRESSED: "❌", GateOutcome.UNDECIDED: "⚠️"}
    lines = [f"### {sign[found.verdict.outcome]} adjudge {gate_title(found)}", ""]
    lines += table(
        ["", f"{measure(found.threshold)} on shared tasks"],
        [
            [f"candidate {found.candidate}", wording.number(comparison.mean_a)],
            [f"baseline {found.baseline}", wording.number(comparison.mean_b)],
            ["difference", f"**{wording.estimate(comparison.difference, sign=True)}**"],
            ["margin", f"{found.verdict.margin:g}"],
        ],
    )
    lines += [f"- {text(sentence)}" for sentence in gate_sentences(found)]
    lines += [
        "",
        f"<sub>by {name(found.by)}, seed {found.choices.seed}, data SHA-256 `{found.data_sha256}`</sub>",
    ]
    return "\n".join(lines) + "\n"


def render_plan(found: DataPlan) -> str:
    """What it takes, then power by tasks and attempts."""
    title = plan_title(found)
    lines = [f"# {text(title[:1].upper() + title[1:])}", ""]
    lines += [f"- {text(sentence)}" for sentence in (*plan_facts(found), *found.notes)]
    if found.curve:
        lines += ["", "## Power by number of tasks", "", *table(curve_heads(found), curve_rows(found))]
    return "\n".join(lines).rstrip() + "\n"
