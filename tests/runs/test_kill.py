"""A run killed at any moment loses no recorded trial, duplicates none, and resumes to the same ledger.

The killed process is forked from one that has everything imported, so that the kills fall into the run
itself and not into its start. One worker and early kills let a run of 500 trials last for about 200 kills.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

from adjudge.ledger import open_ledger
from support.run_folders import echo_task, here, run_manifest, write_manifest

TRIALS = 500
KILLS = 200


def killed_run(url: str, manifest: Path, after: float) -> None:
    """One run in a process of its own, killed `after` seconds unless it ends by itself."""
    child = os.fork()
    if child == 0:
        try:
            with open_ledger(url) as ledger:
                run_manifest(ledger, manifest, here(1))
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_two_hundred_kills_lose_and_duplicate_nothing(tmp_path: Path, ledger_url: str) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, TRIALS)
    with open_ledger(ledger_url):
        pass
    moments = random.Random(20260101)  # noqa: S311 - moments to kill at, not secrets
    seen = 0
    for kill in range(KILLS):
        killed_run(ledger_url, manifest, moments.uniform(0.0, 0.36))
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
    assert survived > 0, "no kill came late enough to leave anything behind"
    assert rewards == {number + 1: (number % 11) / 10 for number in range(TRIALS)}
    assert histories == [1] * TRIALS
    assert walk.intact, walk.problems
    assert broken == []
