"""A plan in Markdown."""

from __future__ import annotations

from adjudge.reports.models.plan import DataPlan
from adjudge.reports.rendering.markdown.text import table, text
from adjudge.reports.rendering.plan_sentences import curve_heads, curve_rows, plan_facts, plan_title


def render_plan(found: DataPlan) -> str:
    """What it takes, then power by tasks and attempts."""
    lines = [f"# {text(plan_title(found).capitalize())}", ""]
    lines += [f"- {text(sentence)}" for sentence in (*plan_facts(found), *found.notes)]
    if found.curve:
        lines += ["", "## Power by number of tasks", "", *table(curve_heads(found), curve_rows(found))]
    return "\n".join(lines).rstrip() + "\n"
