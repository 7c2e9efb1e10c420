"""What a person reads: terminal, Markdown, one-file HTML, JSON; comparisons, gates and tables of trials.

Four rooms: `models` (reports as data), `building` (from a ledger to a model), `rendering` (from a model to
text) and `export` (trials as tables). A renderer is found by its medium: `terminal.render_report`,
`markdown.render_report`, `html.render_report`. Names load on first use, because every command imports this
folder and few need numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.reports.building.baselines import read_baselines
    from adjudge.reports.building.comparison import compare_groups, compare_rescored
    from adjudge.reports.building.documents import read_documents
    from adjudge.reports.building.drilldown import Drilldown, read_drilldown
    from adjudge.reports.building.gate import build_gate
    from adjudge.reports.building.plan import plan_from_assumptions, plan_from_pilot
    from adjudge.reports.building.read import read_report
    from adjudge.reports.building.report import build_report
    from adjudge.reports.building.selection import read_columns_for
    from adjudge.reports.building.sequential import build_sequential_gate, watch_rewards
    from adjudge.reports.building.tags import read_tag_counts, read_tag_example
    from adjudge.reports.building.trial_page import TrialOrder, iterate_trials
    from adjudge.reports.export.write import export_table, frame, whole_file, write_text
    from adjudge.reports.models.choices import Choices
    from adjudge.reports.models.comparison import Comparison, RegressionGate, SequentialGate
    from adjudge.reports.models.report import Report
    from adjudge.reports.models.tables import Level, TableFormat
    from adjudge.reports.models.tags import tag_rows
    from adjudge.reports.rendering import html, markdown, terminal
    from adjudge.reports.rendering.terminal.canvas import UNBOUNDED, Terminal, cut, terminal_of
    from adjudge.reports.rendering.terminal.layout import safe

__all__ = [
    "UNBOUNDED",
    "Choices",
    "Comparison",
    "Drilldown",
    "Level",
    "RegressionGate",
    "Report",
    "SequentialGate",
    "TableFormat",
    "Terminal",
    "TrialOrder",
    "build_gate",
    "build_report",
    "build_sequential_gate",
    "compare_groups",
    "compare_rescored",
    "cut",
    "export_table",
    "frame",
    "html",
    "iterate_trials",
    "markdown",
    "plan_from_assumptions",
    "plan_from_pilot",
    "read_baselines",
    "read_columns_for",
    "read_documents",
    "read_drilldown",
    "read_report",
    "read_tag_counts",
    "read_tag_example",
    "safe",
    "tag_rows",
    "terminal",
    "terminal_of",
    "watch_rewards",
    "whole_file",
    "write_text",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "building.baselines": ("read_baselines",),
        "building.comparison": ("compare_groups", "compare_rescored"),
        "building.selection": ("read_columns_for",),
        "building.documents": ("read_documents",),
        "building.drilldown": ("Drilldown", "read_drilldown"),
        "building.gate": ("build_gate",),
        "building.plan": ("plan_from_assumptions", "plan_from_pilot"),
        "building.read": ("read_report",),
        "building.report": ("build_report",),
        "building.sequential": ("build_sequential_gate", "watch_rewards"),
        "building.tags": ("read_tag_counts", "read_tag_example"),
        "building.trial_page": ("TrialOrder", "iterate_trials"),
        "models.tables": ("Level", "TableFormat"),
        "export.write": ("export_table", "frame", "whole_file", "write_text"),
        "models.comparison": ("Comparison", "RegressionGate", "SequentialGate"),
        "models.choices": ("Choices",),
        "models.report": ("Report",),
        "models.tags": ("tag_rows",),
        "rendering": ("html", "markdown", "terminal"),
        "rendering.terminal.layout": ("safe",),
        "rendering.terminal.canvas": ("Terminal", "UNBOUNDED", "cut", "terminal_of"),
    },
)
