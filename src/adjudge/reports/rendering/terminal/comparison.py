"""Comparisons, gates and plans in a terminal or a log."""

from __future__ import annotations

from collections.abc import Iterator

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
    task_cells,
    unlisted_pairs,
)
from adjudge.reports.rendering.plan_sentences import curve_heads, curve_rows, plan_facts, plan_title
from adjudge.reports.rendering.terminal.canvas import Terminal, joined
from adjudge.reports.rendering.terminal.layout import sentence_lines, table_lines, title_lines
from adjudge.stats import GateOutcome

_COLOURS = {GateOutcome.PASS: "green", GateOutcome.REGRESSED: "red", GateOutcome.UNDECIDED: "yellow"}


@joined
def render_comparison(found: Comparison, terminal: Terminal) -> Iterator[str]:
    """The whole comparison for a terminal."""
    yield from title_lines(comparison_title(found), terminal, first=True)
    number = {agent.agent: f"{at}" for at, agent in enumerate(found.ranking, 1)}
    several = len(found.pairs) > 1
    rows = [
        [
            f"{number[a.agent]}. {a.agent}" if several else a.agent,
            ranks(a),
            wording.estimate(a.reward),
            wording.scored(a.reward.coverage),
        ]
        for a in found.ranking
    ]
    yield from table_lines(["", "rank", measure(found.threshold), "usable"], rows, terminal)
    for agent in found.ranking:
        if beside := wording.beside(agent.reward)[1:]:
            yield from sentence_lines(f"{agent.agent}: {' · '.join(beside)}", terminal, "yellow")
    if not several:
        yield ""
        for sentence in pair_sentences(found.pairs[0]):
            yield from sentence_lines(sentence, terminal)
    else:
        yield from title_lines("pairs, with Holm's p over all of them", terminal)
        rows = [
            [
                f"{number[p.a]} minus {number[p.b]}",
                cells[0],
                cells[1],
                number.get(cells[2], cells[2]),
                cells[3],
            ]
            for p in listed_pairs(found)
            for cells in [pair_cells(p)]
        ]
        yield from table_lines(["", "difference", "p", "better", "could show"], rows, terminal)
        if left_out := unlisted_pairs(found):
            yield from sentence_lines(left_out, terminal, "dim")
        for warning in pair_warnings(found):
            yield from sentence_lines(warning, terminal)
    if rows := task_cells(found):
        yield from title_lines("tasks where they differ most", terminal)
        yield from table_lines(["", *found.sides, "difference"], rows, terminal, elastic=(1, 2))
    elif found.tasks:
        yield ""
        yield from sentence_lines(ALL_EQUAL, terminal, "dim")
    if found.fields:
        heads = field_heads(found)
        order = "smallest p first (Benjamini-Hochberg)" if len(heads) == 4 else "largest difference first"
        yield from title_lines(f"fields, {order}", terminal)
        rows = [[f.field, *field_cells(f)][: len(heads)] for f in found.fields[:MOST_FIELDS]]
        yield from table_lines(heads, rows, terminal)
    elif found.fields_reason:
        yield ""
        yield from sentence_lines(f"Fields: {found.fields_reason}.", terminal, "dim")
    for note in found.notes:
        yield from sentence_lines(note, terminal, "yellow")
    yield ""
    yield from sentence_lines(
        f"seed {found.choices.seed}, data sha256 {found.data_sha256[:16]}", terminal, "dim"
    )


@joined
def render_gate(found: RegressionGate | SequentialGate, terminal: Terminal) -> Iterator[str]:
    """The verdict for a terminal or a log."""
    outcome = found.verdict.outcome
    yield terminal.paint(gate_title(found), "bold", _COLOURS[outcome])
    for sentence in gate_sentences(found):
        yield from sentence_lines(sentence, terminal)


@joined
def render_plan(found: DataPlan, terminal: Terminal) -> Iterator[str]:
    """What it takes, then power by tasks and attempts."""
    yield from title_lines(plan_title(found), terminal, first=True)
    for sentence in plan_facts(found):
        yield from sentence_lines(sentence, terminal)
    for note in found.notes:
        yield from sentence_lines(note, terminal, "yellow")
    if found.curve:
        yield from title_lines("power by number of tasks", terminal)
        heads, *rows = [curve_heads(found), *curve_rows(found)]
        yield from table_lines(["", *heads[1:]], [[f"{row[0]} tasks", *row[1:]] for row in rows], terminal)
