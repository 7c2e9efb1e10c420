"""What a run shows on its way where there is no terminal, and how it ends."""

from __future__ import annotations

import io
import threading

import pytest

from adjudge.cli.shared import progress
from adjudge.reports import Terminal, terminal
from adjudge.runs import Rescored, Tally


def shown(monkeypatch: pytest.MonkeyPatch, tally: Tally, *, tty: bool, elapsed: float) -> str:
    """What stderr shows of a run that has gone on for so long; the line is drawn at once."""
    written, drawn = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline=""), threading.Event()
    monkeypatch.setattr(written, "isatty", lambda: tty)
    monkeypatch.setattr("sys.stderr", written)
    monkeypatch.setenv("COLUMNS", "120")
    for pause in ("FIRST_AFTER", "PLAIN_FIRST_AFTER"):
        monkeypatch.setattr(progress, pause, 0.0)
    clock = iter([100.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock, 100.0 + elapsed))
    real = progress._write

    def write(text: str) -> None:
        real(text)
        drawn.set()

    monkeypatch.setattr(progress, "_write", write)
    with progress.run_progress(tally):
        assert drawn.wait(30)
    written.seek(0)
    return written.read()


@pytest.mark.parametrize("tty", [True, False])
def test_a_run_shows_rate_rewards_failures_and_time_left(monkeypatch: pytest.MonkeyPatch, tty: bool) -> None:
    """30 of 100 were there; 10 more in 5 s are 2 per second, so the 60 that are left take 30 s."""
    tally = Tally(total=100, already=30, scored=10, reward_sum=7.5)
    tally.outcomes.update({"scored": 9, "machinery failed": 1})
    text = shown(monkeypatch, tally, tty=tty, elapsed=5.0)
    assert (
        "scoring [########------------]  40/100 · mean reward 0.750 · 30 already there · 1 machinery failed"
        " · 2.0 per second"
    ) in text
    assert ("0:00:30 left\n" in text) is not tty
    assert ("\r" in text) is tty


def test_a_wait_elsewhere_than_on_a_terminal_is_not_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = threading.Event()
    monkeypatch.setattr(progress, "PLAIN_FIRST_AFTER", 0.0)
    real = progress._write

    def write(text: str) -> None:
        real(text)
        drawn.set()

    monkeypatch.setattr(progress, "_write", write)
    with progress.waiting("verifying a/b"):
        assert drawn.wait(30)
    assert capsys.readouterr().err == "verifying a/b  0:00:00\n"


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


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00:00"), (59.6, "0:01:00"), (7325, "2:02:05")])
def test_a_duration_reads_like_a_clock(seconds: float, shown: str) -> None:
    assert progress.duration(seconds) == shown


def test_a_summary_names_repeated_and_bad_rows_and_keeps_escapes_from_the_terminal() -> None:
    tally = Tally(scored=1, reward_sum=1.0, repeated=["m.jsonl:2", "m.jsonl:3"], bad_rows=["m:4: \x1b[31m"])
    tally.outcomes["scored"] = 1
    lines = terminal.render_run(tally).splitlines()
    assert lines[0] == r"bad row: m:4: \x1b[31m"
    assert lines[1] == "1 verified, 2 repeated, 1 bad row"
    assert lines[2].startswith("repeated: m.jsonl:2 and 1 more name a trial that stands further up")


def test_every_bad_row_is_named_and_the_counts_come_after_them() -> None:
    lines = terminal.render_run(Tally(bad_rows=[f"m:{n}: no" for n in range(1, 101)])).splitlines()
    assert lines == [*(f"bad row: m:{n}: no" for n in range(1, 101)), "0 verified, 100 bad rows"]


def test_what_a_rescore_left_alone_is_named_with_its_reason() -> None:
    done = Rescored(unchanged_task=2, not_kept={"t1": "the output was not kept"})
    done.no_task["civil/mix"] = 3
    assert terminal.render_rescore(done, Terminal(100)).splitlines() == [
        "2 left alone: their task has not changed since (--again scores them, too)",
        "3 left alone: no task 'civil/mix' below the tasks root",
        "t1 left alone: the output was not kept",
    ]
    assert terminal.render_run(Tally(already=5), untouched="left alone") == "0 verified, 5 left alone\n"
