"""A report as one HTML file: no network, no server, nothing that an agent wrote can run.

The page is complete without scripts: every chart is SVG and every table is there. Scripts add sorting,
filtering, tooltips and the trials behind the numbers. Every text goes through Jinja's escaping or, in
the browser, through `textContent`. The Content-Security-Policy allows the page's own script and style, by
their hashes, and nothing else: no request, no image, no form, no inline handler, no inline style.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adjudge.reports.building.drilldown import Drilldown
from adjudge.reports.models.report import REWARD_BINS, Group, Report, Spend
from adjudge.reports.rendering import wording
from adjudge.reports.rendering.html.axis import UNIT, Axis, axis_to, axis_within
from adjudge.reports.rendering.html.comparison import STYLES, section_names
from adjudge.reports.rendering.html.page import environment, pack, parts, policy
from adjudge.reports.rendering.sentences import (
    REVIEWER_HEADS,
    SPEND_HEADS,
    agreement_sentences,
    pass_notes,
    reviewer_rows,
    reward_notes,
    spend_cells,
    trend_notes,
    trend_rows,
)
from adjudge.reports.rendering.terminal.layout import short_names
from adjudge.scoring import Outcome

_SCRIPTS = ("base.js", "tables.js", "trial.js", "trials.js")
LONGEST_NAME = 32
"""Characters of a name that fit beside a plot."""
_STEPS = 10
"""How many shades a heat map has."""


def render_report(report: Report, drilldown: Drilldown) -> str:
    """The page. A report without trials is a page that says so and what to do."""
    style, script = parts(*STYLES), parts(*_SCRIPTS)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            drilldown=drilldown,
            policy=policy(style, script),
            style=style,
            script=script,
            data=pack(report.model_dump(mode="json")),
            **report_names(report),
        )
    )


def report_names(report: Report) -> dict[str, Any]:
    """What the templates of a report and its charts need."""
    return {
        "report": report,
        "outcomes": [o.value for o in Outcome],
        "bins": REWARD_BINS,
        "tallest": max((n for g in report.groups for n in g.distribution), default=1) or 1,
        "agreement_sentences": list(agreement_sentences(report)),
        "pass_notes": pass_notes(report),
        "reward_notes": reward_notes(report),
        "trend_rows": trend_rows(report),
        "trend_notes": trend_notes(report),
        "reviewer_heads": REVIEWER_HEADS,
        "reviewer_rows": reviewer_rows(report),
        "scatters": _scatters(report),
        "short": short_names([g.name for g in report.groups]),
        "title": _title(report),
        "unit": reward_axis(report),
        "spend_cells": spend_cells,
        "spend_heads": SPEND_HEADS,
        "shade": shade,
        "letter": letter,
        "middle": middle,
        "pass_tip": pass_tip,
        **(section_names(report.comparison) if report.comparison else {"across": None}),
    }


def _title(report: Report) -> str:
    names = ", ".join(report.experiments[:3]) or "no trials"
    return f"{names}, {len(report.experiments) - 3} more" if len(report.experiments) > 3 else names


def letter(at: int) -> str:
    """A, B, …, Z, A1, …: what points are called in charts. A number would look like a rank."""
    return chr(65 + at % 26) + (str(at // 26) if at >= 26 else "")


def middle(name: str) -> str:
    """A long name without its middle: those of one family often differ at their end alone."""
    return name if len(name) <= LONGEST_NAME else f"{name[:16]}…{name[-14:]}"


def pass_tip(name: str) -> str:
    """What a pass rate means, for people who have never met one."""
    if name.startswith("pass@"):
        return f"The chance that at least one of {name[5:]} attempts at a task succeeds."
    if name.startswith("pass^"):
        return f"The chance that all of {name[5:]} attempts at a task succeed."
    return "The share of attempts that succeed, averaged by task and then over tasks."


def reward_axis(report: Report) -> Axis:
    """Over what there is: every mean, interval and bound, rounded outwards, within 0 and 1."""
    ends: list[float] = []
    over_time = (e for row in (report.trend.rewards if report.trend else ()) for e in row if e is not None)
    for found in (*(group.reward for group in report.groups), *over_time):
        ends += [] if found.value is None else [found.value]
        ends += [] if found.interval is None else [found.interval.low, found.interval.high]
        ends += [] if found.bounds is None else [found.bounds.low, found.bounds.high]
    return axis_within(min(ends, default=0.0), max(ends, default=1.0))


def shade(value: float | None) -> str:
    """The class of a heat-map cell."""
    return "none" if value is None else f"h{round(value * _STEPS)}"


def _scatters(report: Report) -> list[dict[str, Any]]:
    """Reward against cost, the agent's time and the verifier's, one point a group; charts without data go."""
    kinds: tuple[tuple[str, str, Callable[[float], str], Callable[[Group], Spend | None]], ...] = (
        ("Reward against cost", "cost per trial", wording.money, lambda g: g.cost_usd),
        ("Reward against the agent's time", "agent's time per trial", wording.seconds, lambda g: g.agent_sec),
        ("Reward against the verifier's time", "verifier's time per trial", wording.seconds, _verifier_sec),
    )
    charts = []
    for title, label, write, spent in kinds:
        points = []
        for at, group in enumerate(report.groups):
            found = spent(group)
            if found is not None and found.per_trial is not None and group.reward.value is not None:
                points.append((at, group, found.per_trial))
        if points:
            charts.append(_scatter(title, label, write, points))
    return charts


def _verifier_sec(group: Group) -> Spend:
    return group.verifier_sec


def _scatter(
    title: str, label: str, write: Callable[[float], str], points: list[tuple[int, Group, float]]
) -> dict[str, Any]:
    across: Axis = axis_to(max(x for _, _, x in points))
    return {
        "title": title,
        "label": label,
        "ticks": [(across.percent(t), write(t)) for t in across.ticks],
        "points": [
            {
                "name": g.name,
                "number": letter(at),
                "x": across.percent(x),
                "y": 100 - UNIT.percent(g.reward.value or 0.0),
                "low": None if g.reward.interval is None else 100 - UNIT.percent(g.reward.interval.low),
                "high": None if g.reward.interval is None else 100 - UNIT.percent(g.reward.interval.high),
                "tip": f"{g.name}\n{wording.estimate(g.reward)}\n{label}: {write(x)}",
            }
            for at, g, x in points
        ],
    }
