"""Two runs and several annotators write to one ledger at once: nothing lost, nothing out of order."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

from adjudge.ledger import Sort, TrialFilter, open_ledger
from support.patience import HANG_SEC
from support.trial_samples import trial

RUN = """
import sys
import uuid
from adjudge.ledger import open_ledger
from support.trial_samples import trial
with open_ledger(sys.argv[1]) as ledger:
    for n in range(0, 300, 20):
        ledger.record([trial(m, experiment=sys.argv[2]) for m in range(n, n + 20)])
        ledger.record([trial(n)])  # and all of them fight for these
"""
ANNOTATE = """
import sys
import uuid
from adjudge.ledger import open_ledger
from support.trial_samples import NOON, annotation, trial
with open_ledger(sys.argv[1]) as ledger:
    for n in range(40):
        said = annotation(sys.argv[2], "pass" if n % 2 else "fail", notes=str(n))
        ledger.annotate(trial(0).record.trial_id, said)
"""


def test_many_writers(ledger_url: str) -> None:
    """Two runs of 300 with 15 trials in common, three annotators of 40 changes of mind each."""
    with open_ledger(ledger_url) as ledger:
        ledger.record([trial(0)])
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", script, ledger_url, name],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for script, name in [(RUN, "a"), (RUN, "b"), (ANNOTATE, "ada"), (ANNOTATE, "bob"), (ANNOTATE, "cy")]
    ]
    for writer in writers:
        _, complaints = writer.communicate(timeout=HANG_SEC)
        assert writer.returncode == 0, complaints
    with open_ledger(ledger_url) as ledger:
        assert ledger.verify().intact
        assert (
            ledger.count(TrialFilter(experiment=("a",)))
            == ledger.count(TrialFilter(experiment=("b",)))
            == 300
        )
        assert ledger.count(TrialFilter(experiment=("first",))) == 15
        said = ledger.annotations(trial(0).record.trial_id)
        for reviewer in ("ada", "bob", "cy"):
            own = [s for s in said if s.annotation.reviewer_id == reviewer]
            assert [s.annotation.notes for s in own] == [str(n) for n in range(40)]
            assert [s.current for s in own] == [False] * 39 + [True]
        assert len(list(ledger.iterate(sort=Sort.NEWEST))) == 615


def test_many_processes_may_make_the_ledger(ledger_url: str) -> None:
    """Whoever comes first makes the tables; the others find them."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    script = (
        "import sys\nfrom adjudge.ledger import open_ledger\nfrom support.trial_samples import trial\n"
        "open_ledger(sys.argv[1]).record([trial(int(sys.argv[2]))])"
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", script, ledger_url, str(n)],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(4)
    ]
    for writer in writers:
        _, complaints = writer.communicate(timeout=HANG_SEC)
        assert writer.returncode == 0, complaints
    with open_ledger(ledger_url) as ledger:
        assert ledger.count() == 4
        assert ledger.verify().intact


def test_threads_share_one_ledger(ledger_url: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with open_ledger(ledger_url) as ledger:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: ledger.record([trial(m) for m in range(n, n + 5)]), range(0, 100, 5)))
        assert ledger.count() == 100
        assert ledger.verify().intact


def test_a_log_is_written_back_apart_from_commits(tmp_path: Path) -> None:
    """What was recorded stands in the log alone, until somebody has it written back into the file."""
    path = tmp_path / "l.db"

    def in_the_file() -> int:
        copy = tmp_path / f"copy{uuid.uuid4().hex}.db"
        shutil.copy(path, copy)
        with open_ledger(copy, create=False) as found:
            return found.count()

    with open_ledger(path) as ledger:
        ledger.database.checkpoint_apart()
        ledger.database.checkpoint()
        ledger.record([trial(1)])
        assert in_the_file() == 0
        ledger.database.checkpoint()
        assert in_the_file() == 1
        assert ledger.verify().intact
