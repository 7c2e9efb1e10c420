"""A report in terminals wide and narrow, with and without colour and Unicode."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import Interval
from adjudge.ledger import open_ledger
from adjudge.reports import Report, read_report, report_lines, report_markdown
from adjudge.reports.report_terminal import forest
from adjudge.reports.terminal import Terminal, cells
from adjudge.stats import Estimate
from report_ledgers import TWO_AGENTS, make, make_full


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Report:
    with open_ledger(make_full(tmp_path_factory.mktemp("terminal") / "ledger.db")) as ledger:
        return read_report(ledger)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_line_is_too_wide_and_every_one_can_be_printed(full: Report, width: int, encoding: str) -> None:
    lines = list(report_lines(full, Terminal(width, encoding)))
    assert max(map(cells, lines)) <= width
    assert "\n".join(lines).encode(encoding)
    assert all(line.isprintable() for line in lines)


def test_colour_is_only_where_it_is_wanted(full: Report) -> None:
    assert "\x1b[1m" in "\n".join(report_lines(full, Terminal(80, colour=True)))
    assert "\x1b" not in "\n".join(report_lines(full, Terminal(80, colour=False)))


def test_names_and_notes_cannot_steer_the_terminal_or_the_markdown(full: Report) -> None:
    assert r"\x1b[31m" in "\n".join(report_lines(full, Terminal(400)))
    page = report_markdown(full)
    assert "\x1b" not in page
    assert "<script" not in page
    assert "<img" not in page


@pytest.mark.parametrize(
    ("value", "ends", "drawn"),
    [
        (0.5, (0.3, 0.7), "...--o--..."),
        (1.0, (0.9, 1.0), ".........-o"),
        (0.0, None, "o.........."),
        (None, None, "..........."),
    ],
)
def test_the_strip_shows_value_and_interval(
    value: float | None, ends: tuple[float, float] | None, drawn: str
) -> None:
    """Eleven cells: cell n stands for n/10."""
    interval = None if ends is None else Interval(low=ends[0], high=ends[1], level=0.95, method="by hand")
    found = Estimate(
        value=value, interval=interval, method="m", n=3, reason=None if interval else "no interval"
    )
    assert forest(found, 11, Terminal(encoding="ascii")) == drawn


def test_the_beginning_of_a_report(tmp_path: Path) -> None:
    with open_ledger(make(tmp_path / "two.db", TWO_AGENTS)) as ledger:
        lines = list(report_lines(read_report(ledger), Terminal(60, "ascii")))
    assert lines[:3] == [
        "16 trials | 4 tasks | 2 agents | experiment first",
        "",
        "mean reward, 95 % intervals (machinery failures count 0.0)",
    ]
    assert lines[3].startswith("ant  0.812 [")
    assert lines[4] == "    8 of 8 scored"
    assert lines[5].startswith("bee  0.312 [")
    assert lines[6:8] == ["    7 of 8 scored | 1 verifier failure | bounds [0.312,", "    0.438]"]
