"""A run killed at any moment loses no recorded trial, duplicates none, and resumes to the same ledger.

The killed process is forked from one that has everything imported, so that the kills fall into the run
itself and not into its start. One worker and early kills let a run of 500 trials last for about 200 kills.
The first kill waits until something is recorded; where the others fall is chance, and any place will do.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from adjudge.ledger import open_ledger
from support.patience import wait_until
from support.run_folders import echo_task, here, run_manifest, write_manifest

TRIALS = 500
KILLS = 200


def killed_run(url: str, manifest: Path, wait: Callable[[], None]) -> None:
    """One run in a process of its own, killed after the wait unless it ends by itself."""
    child = os.fork()
    if child == 0:
        try:
            with open_ledger(url) as ledger:
                run_manifest(ledger, manifest, here(1))
        finally:
            os._exit(0)
    wait()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_two_hundred_kills_lose_and_duplicate_nothing(tmp_path: Path, ledger_url: str) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, TRIALS)

    def something_recorded() -> None:
        with open_ledger(ledger_url) as ledger:
            assert wait_until(lambda: ledger.count() > 0)

    with open_ledger(ledger_url):
        pass
    moments = random.Random(20260101)  # noqa: S311 - moments to kill at, not secrets
    seen = 0
    for kill in range(KILLS):
        moment = moments.uniform(0.0, 0.36)
        killed_run(ledger_url, manifest, partial(time.sleep, moment) if kill else something_recorded)
        if kill % 20 == 0:
            with open_ledger(ledger_url) as ledger:
                count = ledger.count()
            assert count >= seen, "a recorded trial was lost"
            seen = count
    with open_ledger(ledger_url) as ledger:
        survived = ledger.count()
        last = run_manifest(ledger, manifest)
        assert last.already == survived
        rewards = {record.attempt: record.evaluation.reward for record in ledger.iterate()}
        histories = [len(ledger.history(record.trial_id)) for record in ledger.iterate()]
        walk = ledger.verify()
        broken = [problem for problem in ledger.verify_blobs() if problem]
    assert survived > 0
    assert rewards == {number + 1: (number % 11) / 10 for number in range(TRIALS)}
    assert histories == [1] * TRIALS
    assert walk.intact, walk.problems
    assert broken == []
