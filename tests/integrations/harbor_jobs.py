"""The recorded jobs, and short ways to import them."""

from __future__ import annotations

import shutil
from pathlib import Path

from adjudge.contracts import TrialRecord
from adjudge.integrations.harbor import import_jobs
from adjudge.integrations.harbor.recorder import ImportSummary
from adjudge.ledger import Ledger, open_ledger

FIXTURES = Path(__file__).parent / "fixtures" / "harbor"
EXAMPLES = Path(__file__).parents[2] / "examples" / "tasks"


def copy_job(name: str, target: Path) -> Path:
    """A job of one's own to change."""
    return Path(shutil.copytree(FIXTURES / name, target / name, symlinks=True))


def trial_of(job: Path, task: str) -> Path:
    """The folder of a task's first trial."""
    return sorted(job.glob(f"{task}__*"))[0]


def imported(path: Path, folder: Path, **options: str) -> dict[str, TrialRecord]:
    """Import into a fresh ledger; the records by task (the first attempt of each)."""
    with open_ledger(folder / "ledger.db") as ledger:
        import_jobs(ledger, [path], experiment="test", **options)  # type: ignore[arg-type]
        records = list(ledger.iterate())
    return {record.task_id: record for record in reversed(records)}


def bring(ledger: Ledger, *names: str) -> ImportSummary:
    """Import recorded jobs into an open ledger."""
    return import_jobs(ledger, [FIXTURES / name for name in names], experiment="test")


def tags_of(record: TrialRecord) -> set[str]:
    return {tag.category for tag in record.evaluation.error_taxonomy or ()}
