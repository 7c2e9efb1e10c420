"""Too little data gives a true sentence: never 0.0, never NaN, never an interval without width."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from adjudge.ledger import TrialFilter, open_ledger
from adjudge.reports import (
    Report,
    html,
    markdown,
    read_drilldown,
    read_report,
    terminal,
)
from adjudge.reports.rendering.terminal.canvas import Terminal
from support.report_ledgers import Rewards, make

CASES: dict[str, tuple[Rewards, str]] = {
    "no trials": ({}, "nothing to report"),
    "one trial": ({"ant": {"t/1": [0.5]}}, "one task has no standard error"),
    "one task": ({"ant": {"t/1": [0.5, 1.0, 0.0]}}, "one task has no standard error"),
    "all equal": ({"ant": {f"t/{n}": [1.0] for n in range(5)}}, "1.000 [0.566, 1.000]"),
    "all failed": ({"ant": {f"t/{n}": [None] for n in range(3)}}, "the machinery failed in all 3 trials"),
    "one failed": ({"ant": {"t/1": [None]}}, "the machinery failed in the only trial"),
    "unequal attempts": ({"ant": {"t/1": [1.0, 0.0, 0.5], "t/2": [1.0], "t/3": [0.5, 1.0]}}, "fewer than"),
    "missing tasks": (
        {"ant": {"t/1": [1.0], "t/2": [0.0]}, "bee": {"t/2": [1.0], "t/3": [0.5]}},
        "did not all try the same tasks",
    ),
}
"""All equal: five ones have Wilson's interval for 5 of 5: [5/(5 + 1.96²), 1] = [0.566, 1]."""


def read(path: Path) -> tuple[Report, dict[str, str]]:
    with open_ledger(path) as ledger:
        report = read_report(ledger)
        drilldown = read_drilldown(ledger, TrialFilter(), report)
    return report, {
        "terminal": terminal.render_report(report, Terminal(400)),
        "markdown": markdown.render_report(report),
        "html": html.render_report(report, drilldown),
        "json": report.model_dump_json(),
    }


@pytest.mark.parametrize("case", CASES)
def test_every_rendering_says_it_truly(tmp_path: Path, case: str) -> None:
    rewards, sentence = CASES[case]
    report, texts = read(make(tmp_path / "ledger.db", rewards))
    texts["html"] = re.sub(r"(?s)<(script|style).*?</\1>", "", texts["html"])
    plain = {name: re.sub(r"\\(.)", r"\1", text) for name, text in texts.items()}
    assert sentence in plain["terminal"]
    assert sentence in plain["markdown"]
    for name, text in texts.items():
        assert not re.search(r"(?i)\bnan\b|\binf(inity)?\b", text), name
    for group in json.loads(texts["json"])["groups"]:
        interval = group["reward"]["interval"]
        assert interval is None or interval["low"] < interval["high"]
    assert (report.trials == 0) == (case == "no trials")


@pytest.mark.parametrize("case", ["all failed", "one failed"])
def test_nothing_but_failures_is_undefined_and_not_zero(tmp_path: Path, case: str) -> None:
    report, texts = read(make(tmp_path / "ledger.db", CASES[case][0]))
    (group,) = report.groups
    assert group.reward.value is None
    assert group.reward.bounds is not None
    assert (group.reward.bounds.low, group.reward.bounds.high) == (0.0, 1.0)
    assert report.tasks[0].cells[0] is not None
    assert report.tasks[0].cells[0].mean is None
    assert "undefined" in texts["terminal"]
    assert "bounds [0.000, 1.000]" in texts["terminal"]


def test_a_task_nobody_of_a_group_tried_is_a_gap(tmp_path: Path) -> None:
    report, _ = read(make(tmp_path / "ledger.db", CASES["missing tasks"][0]))
    cells = {row.task: row.cells for row in report.tasks}
    names = [g.name for g in report.groups]
    assert cells["t/1"][names.index("bee")] is None


def test_an_empty_report_says_what_to_do(tmp_path: Path) -> None:
    _, texts = read(make(tmp_path / "ledger.db", {}))
    assert "adjudge run" in texts["terminal"]
    assert "adjudge run" in texts["html"]


def test_nothing_is_said_of_intervals_or_zeros_that_are_not_there(tmp_path: Path) -> None:
    """Two agents, every verifier failed: no interval overlaps, and no failure counts 0.0."""
    tasks: dict[str, list[float | None]] = {f"t/{n}": [None] for n in range(3)}
    with open_ledger(make(tmp_path / "f.db", {"ant": tasks, "bee": tasks})) as ledger:
        report = read_report(ledger)
    said = " ".join((*report.notes, *report.excluded))
    assert "verlapping" not in said
    assert "count 0.0" not in said
    assert "so there is no reward to count" in said


def test_what_may_make_a_mean_untrue_stands_beside_it_in_every_format(tmp_path: Path) -> None:
    """Three of the four agents have five tasks; said once, with whom it is about."""
    five = {f"t/{i}": [0.1 * i] for i in range(5)}
    many = {f"t/{i}": [0.05 * i] for i in range(20)}
    path = make(tmp_path / "c.db", {"ant": five, "bee": many, "cat": five, "dog": five})
    said = "ant; cat; dog: only 5 tasks: a kind that makes up 45 % of all tasks may be missing"
    _, texts = read(path)
    for form in ("terminal", "markdown", "html"):
        page = re.sub(r"<script.*?</script>", "", texts[form], flags=re.DOTALL)
        plain = " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).replace("\xa0", " ").split())
        assert plain.count(said) == 1, form


def test_a_cost_without_a_success_is_known(tmp_path: Path) -> None:
    _, texts = read(make(tmp_path / "s.db", {"ant": {"t/1": [1.0]}, "bee": {"t/1": [0.0]}}))
    assert all("no success" in texts[form] for form in ("terminal", "markdown", "html"))
