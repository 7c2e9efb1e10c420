"""A calibration as one HTML file: judges against people, criterion by criterion, in the look of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge._version import __version__
from adjudge.reports.rendering.html.axis import UNIT
from adjudge.reports.rendering.html.comparison import STYLES
from adjudge.reports.rendering.html.page import environment, pack, parts, policy

_SCRIPTS = ("base.js", "tables.js")
_WORDS = {"kappa": "kappa", "alpha": "Krippendorff's alpha", "ac1": "Gwet's AC1"}


def render_calibration(rubric: str, found: Sequence[Mapping[str, Any]]) -> str:
    """The page, from what `adjudge calibrate --json` prints."""
    style, script = parts(*STYLES), parts(*_SCRIPTS)
    return (
        environment()
        .get_template("calibration.html.j2")
        .render(
            title=f"Calibration of {rubric}",
            judges=[calibration_view(one) for one in found],
            policy=policy(style, script),
            style=style,
            script=script,
            version=__version__,
            data=pack([dict(one) for one in found]),
        )
    )


def calibration_view(found: Mapping[str, Any]) -> dict[str, Any]:
    """One criterion of one judge as the page shows it: sentences, bars and a table; no numbers of its own."""
    rows = [(_WORDS[name], estimate) for name, estimate in found["agreement"].items()]
    rows += [(name, found[name]) for name in ("sensitivity", "specificity") if name in found]
    lenient = found["leniency"]
    gaps = [(f"{name} outputs", lenient[name]) for name in ("all", "shorter", "longer")]
    gaps += sorted(lenient["by_agent"].items())
    verdicts = list(dict.fromkeys(_word(people) for people, _, _ in found["confusion"] or ()))
    counts = {(_word(a), _word(b)): n for a, b, n in found["confusion"] or ()}
    return {
        "criterion": found["criterion"],
        "calibrated": found["calibrated"],
        "why_not": found["why_not"],
        "who": ", ".join(found["models"]) + (f" × {found['samples']}" if found["samples"] > 1 else ""),
        "judge": found["judge"],
        "items": found["items"],
        "threshold": found["threshold"],
        "looks": found["looks"],
        "level": found["level"],
        "key": found.get("calibration"),
        "rows": [(name, number(one), _bar(one)) for name, one in rows],
        "limit": UNIT.percent(found["threshold"]),
        "gaps": [(name, number(one), one["n"]) for name, one in gaps],
        "verdicts": verdicts,
        "confusion": [(people, [counts[people, judge] for judge in verdicts]) for people in verdicts],
        "estimates": [
            (name.replace("_", " "), one if isinstance(one, str) else number(one))
            for name, one in found["estimates"].items()
        ],
        "drift": found["drift"],
    }


def number(estimate: Mapping[str, Any]) -> str:
    """A value with its interval, or why there is none."""
    if estimate["value"] is None:
        return f"undefined{': ' + estimate['reason'] if estimate.get('reason') else ''}"
    ends = estimate["interval"]
    return f"{estimate['value']:.3f}" + (f" [{ends['low']:.3f}, {ends['high']:.3f}]" if ends else "")


def _bar(estimate: Mapping[str, Any]) -> dict[str, float] | None:
    """The interval between 0 and 1 as percent; agreement below chance is drawn at 0."""
    if estimate["value"] is None:
        return None
    ends = estimate["interval"] or {"low": estimate["value"], "high": estimate["value"]}
    low, at, high = (
        UNIT.percent(min(1.0, max(0.0, v))) for v in (ends["low"], estimate["value"], ends["high"])
    )
    return {"low": low, "at": at, "high": high}


def _word(verdict: object) -> str:
    return {True: "yes", False: "no"}[verdict] if isinstance(verdict, bool) else str(verdict)
