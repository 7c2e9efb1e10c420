"""What a run shows on its way where there is no terminal, and how it ends."""

from __future__ import annotations

import io
import re

import pytest

from adjudge.reports import run_progress as progress
from adjudge.reports.run_summary import leftover_lines, summary_lines
from adjudge.runs import Rescored, Tally


def test_a_plain_line_has_rate_rewards_failures_and_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """30 of 100 were there; 10 more in 5 s are 2 a second, so the 60 that are left take 30 s."""
    monkeypatch.setattr("adjudge.reports.run_progress.time.monotonic", iter([100.0, 102.0, 105.0]).__next__)
    tally = Tally(total=100, already=30)
    refresh = progress._plain(tally, "scoring")
    refresh()  # two seconds after the start: too soon for a line
    tally.scored, tally.reward_sum = 10, 7.5
    tally.outcomes.update({"scored": 9, "machinery failed": 1})
    refresh()
    assert capsys.readouterr().err == (
        "scoring: 40/100 · mean reward 0.750 · 30 already there · 1 machinery failed · 2.0/s · 0:00:30 left\n"
    )


@pytest.mark.parametrize(
    ("tally", "expected"),
    [
        (Tally(total=3040, already=3000, scored=8), (4.0, 8.0)),  # 32 left; the 3000 took no time
        (Tally(total=20, scored=4, reused=4, bad_rows=["m:1"] * 6), (4.0, 1.5)),  # 6 left
        (Tally(total=None, scored=8), (4.0, None)),
        (Tally(total=10, already=5), (0.0, None)),
        (Tally(total=4, scored=4), (2.0, 0.0)),
    ],
)
def test_the_rate_is_that_of_the_work_of_this_run(tally: Tally, expected: tuple[float, float | None]) -> None:
    """After two seconds."""
    assert progress.pace(tally, 2.0) == expected


def test_the_bar_shows_the_same_rate_as_the_plain_line(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setattr(progress, "pace", lambda tally, elapsed: (4.25, 3600.0))
    tally = Tally(total=3040, already=3000)
    with progress.run_progress(tally) as refresh:
        tally.scored, tally.reward_sum = 8, 4.0
        refresh()
    assert "3008/3040 4.2/s 1:00:00 mean reward 0.500" in re.sub(
        r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.getvalue()
    )


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00:00"), (59.6, "0:01:00"), (7325, "2:02:05")])
def test_a_duration_reads_like_a_clock(seconds: float, shown: str) -> None:
    assert progress.duration(seconds) == shown


def test_a_summary_names_repeated_and_bad_rows_and_keeps_escapes_from_the_terminal() -> None:
    tally = Tally(scored=1, reward_sum=1.0, repeated=["m.jsonl:2", "m.jsonl:3"], bad_rows=["m:4: \x1b[31m"])
    tally.outcomes["scored"] = 1
    lines = list(summary_lines(tally))
    assert lines[0] == r"bad row: m:4: \x1b[31m"
    assert lines[1] == "1 scored, 2 repeated, 1 bad row"
    assert lines[2].startswith("repeated: m.jsonl:2 and 1 more name a trial that stands further up")


def test_every_bad_row_is_named_and_the_counts_come_after_them() -> None:
    lines = list(summary_lines(Tally(bad_rows=[f"m:{n}: no" for n in range(1, 101)])))
    assert lines == [*(f"bad row: m:{n}: no" for n in range(1, 101)), "0 scored, 100 bad rows"]


def test_what_a_rescore_left_alone_is_named_with_its_reason() -> None:
    done = Rescored(unchanged_task=2, not_kept={"t1": "the output was not kept"})
    done.no_task["civil/mix"] = 3
    assert list(leftover_lines(done)) == [
        "2 left alone: their task is as it was when they were scored (--again)",
        "3 left alone: no task 'civil/mix' below the tasks root",
        "t1 left alone: the output was not kept",
    ]
    assert next(summary_lines(Tally(already=5), untouched="left alone")) == "0 scored, 5 left alone"
