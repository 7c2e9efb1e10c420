"""A comparison as one HTML file, of the same look as a report; the section is also part of a report."""

from __future__ import annotations

from typing import Any

from adjudge._version import __version__
from adjudge.reports.models.comparison import Comparison
from adjudge.reports.rendering import wording
from adjudge.reports.rendering.comparison_sentences import (
    MOST_PAIRS,
    comparison_title,
    field_cells,
    field_heads,
    measure,
    named,
    pair_sentences,
    ranks,
    stands_on,
)
from adjudge.reports.rendering.html.axis import Axis, axis_around_zero
from adjudge.reports.rendering.html.page import environment, pack, parts, policy

STYLES = ("page.css", "tables.css", "charts.css", "drawer.css", "screens.css")
_SCRIPTS = ("base.js", "tables.js")


def render_comparison(found: Comparison) -> str:
    """The page."""
    style, script = parts(*STYLES), parts(*_SCRIPTS)
    page = environment().get_template("comparison.html.j2")
    return page.render(
        found=found,
        title=comparison_title(found),
        policy=policy(style, script),
        style=style,
        script=script,
        version=__version__,
        data=pack(found.model_dump(mode="json")),
        **section_names(found),
    )


def section_names(found: Comparison) -> dict[str, Any]:
    """What the section's template needs beside the comparison."""
    return {
        "across": difference_axis(found),
        "ranks": ranks,
        "rank_at": _rank_at,
        "measure": measure,
        "named": named,
        "stands_on": stands_on,
        "pair_sentences": pair_sentences,
        "field_heads": field_heads,
        "field_cells": field_cells,
        "most_pairs": MOST_PAIRS,
        "beats": _beats,
    }


def _beats(found: Comparison) -> list[dict[str, Any]]:
    """A row per side, by rank: against each other side, whether it is shown to be better or worse."""
    pairs = {name: pair for pair in found.pairs for name in ((pair.a, pair.b), (pair.b, pair.a))}
    order = [agent.agent for agent in found.ranking]

    def cell(row: str, column: str) -> dict[str, str]:
        if row == column:
            return {"sign": "", "tip": ""}
        pair = pairs[row, column]
        sign = "·" if pair.better is None else "+" if pair.better == row else "−"
        return {"sign": sign, "tip": f"{pair.a} minus {pair.b}: {wording.estimate(pair.shown, sign=True)}"}

    return [{"agent": row, "cells": [cell(row, column) for column in order]} for row in order]


def difference_axis(found: Comparison) -> Axis:
    """Holds every difference, interval and bound, and zero in its middle."""
    ends = [0.0]
    for pair in found.pairs:
        estimate = pair.shown
        ends += [] if estimate.value is None else [estimate.value]
        for span in (estimate.interval, estimate.bounds):
            ends += [] if span is None else [span.low, span.high]
    return axis_around_zero(max(map(abs, ends)))


def _rank_at(rank: int, sides: int) -> float:
    return round(4 + 92 * (rank - 1) / max(1, sides - 1), 3)
