"""A run killed at any moment loses no recorded trial, duplicates none, and resumes to the same ledger.

The killed process is forked from one that has everything imported, and kills itself: at the start of a
trial, before a batch is recorded, within its transaction, and after it. So every kill hits, however busy
the machine is.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from adjudge.ledger import Ledger, open_ledger
from adjudge.runs import Executor, Workers, conduct
from support.run_folders import echo_task, here, run_manifest, write_manifest

TRIALS = 150
KILLS = 40
MOMENTS = ("a trial starts", "before recording", "in the transaction", "after recording")


def killing_at(moment: str, count: int, ledger: Ledger) -> Executor:
    """The real executor, in a process that kills itself when this moment has come so many times."""
    left = iter(range(count))

    def reached(now: str) -> None:
        if now == moment and next(left, None) == count - 1:
            os.kill(os.getpid(), signal.SIGKILL)

    record, writing = ledger.record_prepared, ledger.database.writing

    def watched_record(entries: Any) -> Any:
        reached("before recording")
        answers = record(entries)
        reached("after recording")
        return answers

    @contextmanager
    def watched_writing() -> Iterator[Connection]:
        with writing() as connection:
            yield connection
            reached("in the transaction")

    @contextmanager
    def ready() -> Iterator[Workers[Any]]:
        with here(1)() as workers:
            start: Callable[[Any], None] = workers.start

            def watched_start(trial: Any) -> None:
                reached("a trial starts")
                start(trial)

            workers.start = watched_start  # type: ignore[method-assign]
            yield workers

    ledger.record_prepared = watched_record  # type: ignore[method-assign, assignment]
    ledger.database.writing = watched_writing  # type: ignore[method-assign]
    return ready


def killed_run(url: str, manifest: Path, moment: str, count: int) -> bool:
    """One run in a process of its own; was it killed?"""
    child = os.fork()
    if child == 0:
        try:
            conduct.MOST_IN_BATCH = 3
            with open_ledger(url) as ledger:
                run_manifest(ledger, manifest, killing_at(moment, count, ledger))
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.parametrize("kills", [len(MOMENTS) * 3, pytest.param(KILLS, marks=pytest.mark.journey)])
def test_kills_lose_and_duplicate_nothing(tmp_path: Path, ledger_url: str, kills: int) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, TRIALS)
    with open_ledger(ledger_url):
        pass
    seen = 0
    for kill in range(kills):
        moment = MOMENTS[kill % len(MOMENTS)]
        assert killed_run(ledger_url, manifest, moment, 1 + kill % 3), moment
        with open_ledger(ledger_url) as ledger:
            count = ledger.count()
        assert count >= seen + (moment == "after recording"), "a recorded trial was lost"
        seen = count
    with open_ledger(ledger_url) as ledger:
        last = run_manifest(ledger, manifest)
        assert (last.already, last.scored) == (seen, TRIALS - seen)
        rewards = {record.attempt: record.evaluation.reward for record in ledger.iterate()}
        histories = [len(ledger.history(record.trial_id)) for record in ledger.iterate()]
        walk = ledger.verify()
        broken = [problem for problem in ledger.verify_blobs() if problem]
    assert rewards == {number + 1: (number % 11) / 10 for number in range(TRIALS)}
    assert histories == [1] * TRIALS
    assert walk.intact, walk.problems
    assert broken == []
