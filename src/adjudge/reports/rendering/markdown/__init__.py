"""Text for pull requests, wikis and release notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.reports.rendering.markdown.certificate import (
        page_name,
        render_certificate,
        render_certificates,
    )
    from adjudge.reports.rendering.markdown.comparison import (
        render_comparison,
        render_gate,
        render_plan,
    )
    from adjudge.reports.rendering.markdown.report import render_report

__all__ = [
    "page_name",
    "render_certificate",
    "render_certificates",
    "render_comparison",
    "render_gate",
    "render_plan",
    "render_report",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "certificate": (
            "page_name",
            "render_certificate",
            "render_certificates",
        ),
        "comparison": ("render_comparison", "render_gate", "render_plan"),
        "report": ("render_report",),
    },
)
