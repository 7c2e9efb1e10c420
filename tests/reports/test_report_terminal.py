"""A report in terminals wide and narrow, with and without colour and Unicode."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import Interval
from adjudge.ledger import open_ledger
from adjudge.reports import Report, markdown, read_report, terminal
from adjudge.reports.rendering.terminal.canvas import Terminal, cells
from adjudge.reports.rendering.terminal.layout import short_names, table_lines
from adjudge.reports.rendering.terminal.report import forest
from adjudge.stats import Estimate
from support.report_ledgers import TWO_AGENTS, make, make_full


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Report:
    with open_ledger(make_full(tmp_path_factory.mktemp("terminal") / "ledger.db")) as ledger:
        return read_report(ledger)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_line_is_too_wide_and_every_one_can_be_printed(full: Report, width: int, encoding: str) -> None:
    lines = terminal.render_report(full, Terminal(width, encoding)).splitlines()
    assert max(map(cells, lines)) <= width
    assert "\n".join(lines).encode(encoding)
    assert all(line.isprintable() for line in lines)


def test_colour_is_only_where_it_is_wanted(full: Report) -> None:
    assert "\x1b[1m" in terminal.render_report(full, Terminal(80, colour=True))
    assert "\x1b" not in terminal.render_report(full, Terminal(80, colour=False))


def test_names_and_notes_cannot_steer_the_terminal_or_the_markdown(full: Report) -> None:
    assert r"\x1b[31m" in terminal.render_report(full, Terminal(400))
    page = markdown.render_report(full)
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
        lines = terminal.render_report(read_report(ledger), Terminal(60, "ascii")).splitlines()
    assert lines[:3] == [
        "16 trials | 4 tasks | 2 agents | experiment first",
        "",
        "mean reward, 95 % intervals (machinery failures count 0.0)",
    ]
    assert lines[3].split() == ["usable", "0", "1"]
    assert lines[4].startswith("ant  0.812 [")
    assert "  8 of 8  .." in lines[4]
    assert lines[5].startswith("bee  0.312 [")
    assert lines[6] == "    1 verifier failure | bounds [0.312, 0.438]"


def test_a_wide_terminal_has_it_all_on_one_line(tmp_path: Path) -> None:
    with open_ledger(make(tmp_path / "two.db", TWO_AGENTS)) as ledger:
        lines = terminal.render_report(read_report(ledger), Terminal(140, "ascii")).splitlines()
    assert lines[4].endswith("o" + lines[4].rpartition("o")[2])  # nothing beside what was all scored
    assert lines[5].endswith("  1 verifier failure | bounds [0.312, 0.438]")


def test_columns_of_nothing_but_zeros_are_left_out(tmp_path: Path) -> None:
    """ant earned something 8 times. bee was wrong 3 times (0.0) and failed once in the machinery."""
    with open_ledger(make(tmp_path / "two.db", TWO_AGENTS)) as ledger:
        report = read_report(ledger)
    lines = terminal.render_report(report, Terminal(80)).splitlines()
    at = lines.index("what became of the trials (scored: a reward above 0)")
    assert [line.split() for line in lines[at + 1 : at + 4]] == [
        ["scored", "wrong", "machinery", "failed"],
        ["ant", "8", "0", "0"],
        ["bee", "4", "3", "1"],
    ]


def test_what_does_not_fit_side_by_side_is_a_paragraph_without_zeros() -> None:
    """3 + 5 + 6 cells and two gaps are 18."""
    assert list(table_lines(["", "wrong", "failed"], [["ant", "3", "0"]], Terminal(16))) == [
        "ant",
        "    wrong 3",
    ]


TABLE = (["", "cost a trial", "n"], [["ant (long-model-name)", "$0.10", "1,000"], ["bee (other)", "$2", "0"]])


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            70,
            [
                "                       cost a trial      n",
                "ant (long-model-name)  $0.10         1,000",
                "bee (other)            $2                0",
            ],
        ),
        (
            40,
            [
                "                       cost a",
                "                       trial       n",
                "ant (long-model-name)  $0.10   1,000",
                "bee (other)            $2          0",
            ],
        ),
    ],
)
def test_tables_fit(width: int, expected: list[str]) -> None:
    """Heads take two lines before a name is cut."""
    assert list(table_lines(*TABLE, Terminal(width))) == expected


def test_names_lose_their_model_only_where_they_stay_different() -> None:
    assert short_names(["ant (one)", "bee (two)"]) == ["ant", "bee"]
    assert short_names(["ant (one)", "ant (two)"]) == ["ant (one)", "ant (two)"]
