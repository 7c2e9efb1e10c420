"""What a person reads: terminal, Markdown, one-file HTML, JSON; comparisons, gates and tables of trials.

`read_report` reads a ledger into a `Report`; `report_html`, `report_markdown` and `report_lines` show it.
Names load on first use, because every command imports this folder and few need numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.reports.build import build_report
    from adjudge.reports.comparison import Comparison, compare_groups, compare_rescored, read_columns_for
    from adjudge.reports.documents import read_documents
    from adjudge.reports.drilldown import read_drilldown
    from adjudge.reports.export import export_table, frame
    from adjudge.reports.gate_view import GateReport, build_gate
    from adjudge.reports.model import Choices, Report
    from adjudge.reports.read import read_report
    from adjudge.reports.report_html import report_html
    from adjudge.reports.report_markdown import report_markdown
    from adjudge.reports.report_terminal import report_lines

__all__ = [
    "Choices",
    "Comparison",
    "GateReport",
    "Report",
    "build_gate",
    "build_report",
    "compare_groups",
    "compare_rescored",
    "export_table",
    "frame",
    "read_columns_for",
    "read_documents",
    "read_drilldown",
    "read_report",
    "report_html",
    "report_lines",
    "report_markdown",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "build": ("build_report",),
        "comparison": ("Comparison", "compare_groups", "compare_rescored", "read_columns_for"),
        "documents": ("read_documents",),
        "drilldown": ("read_drilldown",),
        "export": ("export_table", "frame"),
        "gate_view": ("GateReport", "build_gate"),
        "model": ("Choices", "Report"),
        "read": ("read_report",),
        "report_html": ("report_html",),
        "report_markdown": ("report_markdown",),
        "report_terminal": ("report_lines",),
    },
)
