"""A plan as one HTML file: what it takes, and power curves as a picture."""

from __future__ import annotations

from typing import Any

from adjudge._version import __version__
from adjudge.reports.models.comparison import DataPlan
from adjudge.reports.rendering.html.axis import axis_to
from adjudge.reports.rendering.html.comparison import STYLES
from adjudge.reports.rendering.html.page import environment, pack, parts, policy
from adjudge.reports.rendering.plan_sentences import (
    curve_attempts,
    curve_heads,
    curve_rows,
    plan_facts,
    plan_title,
)

_SCRIPTS = ("base.js", "tables.js")
_HEIGHT = 240


def render_plan(found: DataPlan) -> str:
    """The page."""
    style, script = parts(*STYLES), parts(*_SCRIPTS)
    page = environment().get_template("plan.html.j2")
    return page.render(
        found=found,
        title=plan_title(found),
        facts=list(plan_facts(found)),
        heads=curve_heads(found),
        rows=curve_rows(found),
        chart=_chart(found),
        policy=policy(style, script),
        style=style,
        script=script,
        version=__version__,
        data=pack(found.model_dump(mode="json")),
    )


def _chart(found: DataPlan) -> dict[str, Any] | None:
    """Lines of short pieces, in percent and pixels, since a picture without a viewBox has no polylines."""
    if not found.curve:
        return None
    across = axis_to(float(max(point.tasks for point in found.curve)))
    lines = []
    for attempts in curve_attempts(found):
        points = [
            (across.percent(point.tasks), round(_HEIGHT * (1 - point.power), 2), point)
            for point in found.curve
            if point.attempts == attempts
        ]
        lines.append({"attempts": attempts, "points": points})
    return {
        "height": _HEIGHT,
        "ticks": [(across.percent(tick), f"{tick:,.0f}") for tick in across.ticks],
        "lines": lines,
        "wanted": round(_HEIGHT * (1 - found.plan.power), 2),
    }
