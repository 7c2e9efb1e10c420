"""Pages of one file each that work offline and that nothing an agent wrote can take over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.reports.rendering.html.calibration import calibration_view, render_calibration
    from adjudge.reports.rendering.html.certificate import render_badge, render_certificates
    from adjudge.reports.rendering.html.comparison import STYLES, render_comparison, section_names
    from adjudge.reports.rendering.html.page import environment, parts
    from adjudge.reports.rendering.html.plan import render_plan
    from adjudge.reports.rendering.html.report import render_report, report_names
    from adjudge.reports.rendering.html.structure import render_structure, structure_sentence

__all__ = [
    "STYLES",
    "calibration_view",
    "environment",
    "parts",
    "render_badge",
    "render_calibration",
    "render_certificates",
    "render_comparison",
    "render_plan",
    "render_report",
    "render_structure",
    "report_names",
    "section_names",
    "structure_sentence",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "calibration": ("calibration_view", "render_calibration"),
        "certificate": ("render_badge", "render_certificates"),
        "comparison": ("STYLES", "render_comparison", "section_names"),
        "page": ("environment", "parts"),
        "plan": ("render_plan",),
        "report": ("render_report", "report_names"),
        "structure": ("render_structure", "structure_sentence"),
    },
)
