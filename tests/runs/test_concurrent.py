"""Runs and annotators write to one ledger at the same time: nothing is lost or out of order."""

from __future__ import annotations

import multiprocessing
import time
from datetime import UTC, datetime
from pathlib import Path

from adjudge.contracts import Annotation, Judgment
from adjudge.ledger import open_ledger
from adjudge.runs import run
from support.run_folders import echo_task, here, write_manifest

TRIALS = 40
NOTES = 10


def run_under(name: str, url: str, manifest: Path) -> None:
    with open_ledger(url) as ledger:
        run(manifest, experiment=name, ledger=ledger, executor=here(1))


def annotate(reviewer: str, url: str) -> None:
    with open_ledger(url) as ledger:
        while not (page := ledger.query(limit=1).records):
            time.sleep(0.02)
        for number in range(NOTES):
            note = Annotation(
                reviewer_id=reviewer,
                timestamp=datetime.now(UTC),
                judgment=Judgment.PASS if number % 2 else Judgment.FAIL,
                notes=f"note {number}",
            )
            assert ledger.annotate(page[0].trial_id, note)


def test_runs_and_annotators_share_one_ledger(tmp_path: Path, ledger_url: str) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, TRIALS)
    with open_ledger(ledger_url):
        pass
    fork = multiprocessing.get_context("fork")
    workers = [
        *(
            fork.Process(target=run_under, args=(name, ledger_url, manifest))
            for name in ("one", "two", "two")
        ),
        *(fork.Process(target=annotate, args=(f"r{n}", ledger_url)) for n in range(3)),
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0] * len(workers)
    with open_ledger(ledger_url) as ledger:
        trials = list(ledger.iterate())
        assert len(trials) == 2 * TRIALS  # the second run of "two" found every trial there, or came second
        assert all(len(ledger.history(trial.trial_id)) == 1 for trial in trials)
        notes = [note for trial in trials for note in ledger.annotations(trial.trial_id)]
        assert len(notes) == 3 * NOTES
        assert ledger.verify().intact
