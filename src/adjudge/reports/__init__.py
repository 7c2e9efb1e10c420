"""What a person reads: terminal, Markdown, one-file HTML, JSON; comparisons, gates and tables of trials.

`read_report` reads a ledger into a `Report`; `report_html`, `report_markdown` and `report_lines` show it.
Names load on first use, because every command imports this folder and few need numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.reports.build import build_report
    from adjudge.reports.comparison import Comparison, compare_groups, compare_rescored
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
    "read_drilldown",
    "read_report",
    "report_html",
    "report_lines",
    "report_markdown",
]

_LATE = {
    "Choices": "model",
    "Comparison": "comparison",
    "GateReport": "gate_view",
    "Report": "model",
    "build_gate": "gate_view",
    "build_report": "build",
    "compare_groups": "comparison",
    "compare_rescored": "comparison",
    "export_table": "export",
    "frame": "export",
    "read_drilldown": "drilldown",
    "read_report": "read",
    "report_html": "report_html",
    "report_lines": "report_terminal",
    "report_markdown": "report_markdown",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'adjudge.reports' has no attribute {name!r}")
    value = getattr(import_module(f"adjudge.reports.{_LATE[name]}"), name)
    globals()[name] = value  # a submodule of the same name must not take its place
    return value
