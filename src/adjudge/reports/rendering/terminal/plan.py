"""A plan in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.reports.models.plan import DataPlan
from adjudge.reports.rendering.plan_sentences import curve_heads, curve_rows, plan_facts, plan_title
from adjudge.reports.rendering.terminal.canvas import Terminal, joined
from adjudge.reports.rendering.terminal.layout import sentence_lines, table_lines, title_lines


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
