"""Text for a terminal of any width, with and without colour and Unicode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.reports.rendering.terminal.certificate import render_certificate, render_certificates
    from adjudge.reports.rendering.terminal.comparison import (
        render_comparison,
        render_gate,
        render_plan,
    )
    from adjudge.reports.rendering.terminal.doctor import render_diagnosis
    from adjudge.reports.rendering.terminal.judgements import render_judgements
    from adjudge.reports.rendering.terminal.report import render_report
    from adjudge.reports.rendering.terminal.result import render_result
    from adjudge.reports.rendering.terminal.run import render_rescore, render_run
    from adjudge.reports.rendering.terminal.tags import render_tags
    from adjudge.reports.rendering.terminal.tasks import render_findings, render_tasks
    from adjudge.reports.rendering.terminal.trace import render_trace
    from adjudge.reports.rendering.terminal.trial import render_history, render_trial
    from adjudge.reports.rendering.terminal.trials import render_trials

__all__ = [
    "render_certificate",
    "render_certificates",
    "render_comparison",
    "render_diagnosis",
    "render_findings",
    "render_gate",
    "render_history",
    "render_judgements",
    "render_plan",
    "render_report",
    "render_rescore",
    "render_result",
    "render_run",
    "render_tags",
    "render_tasks",
    "render_trace",
    "render_trial",
    "render_trials",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "certificate": (
            "render_certificate",
            "render_certificates",
        ),
        "comparison": ("render_comparison", "render_gate", "render_plan"),
        "doctor": ("render_diagnosis",),
        "judgements": ("render_judgements",),
        "report": ("render_report",),
        "result": ("render_result",),
        "run": (
            "render_rescore",
            "render_run",
        ),
        "tags": ("render_tags",),
        "tasks": (
            "render_findings",
            "render_tasks",
        ),
        "trace": ("render_trace",),
        "trial": (
            "render_history",
            "render_trial",
        ),
        "trials": ("render_trials",),
    },
)
