"""Harbor jobs into the ledger: many trials, little memory, and nothing twice.

Folders are read, evaluated and compressed in processes of their own if there are many (`adjudge.runs`), while
this one records what they have made. No more than a few chunks are in memory at any time.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.contracts import Task
from adjudge.errors import UsageError
from adjudge.integrations.harbor.facts import Facts, read_facts
from adjudge.integrations.harbor.jobs import JobFolder, find_jobs
from adjudge.integrations.harbor.record import JobInfo, Options, make_entry, read_trial
from adjudge.integrations.harbor.recorder import ImportRecorder, ImportSummary
from adjudge.integrations.harbor.trial_files import read_trial_files
from adjudge.ledger import PreparedEntry, TrialEntry, prepare
from adjudge.runs import read_folders_ahead

if TYPE_CHECKING:
    from adjudge.ledger import Ledger  # which brings its database: the processes that read need none

HELD_BYTES = 16 << 20
"""A chunk ends early when it has so much."""


def import_jobs(
    ledger: Ledger,
    paths: Iterable[Path | str],
    *,
    experiment: str | None = None,
    tasks: Path | str | None = None,
    reward_key: str = "reward",
    workers: int | None = None,
    on_progress: Callable[[ImportSummary], None] = lambda _: None,
) -> ImportSummary:
    """Import jobs, folders of jobs, or single trials. The experiment is named after each job unless given.

    `tasks` is the folder of tasks; with it outputs go through the gates and can be scored again. `workers`
    is how many processes read, this one among them (None: as many as there are processors).
    """
    summary = ImportSummary()
    if tasks is not None:
        summary.notes += unreadable_tasks(tasks)
    count = len(os.sched_getaffinity(0)) if workers is None else workers
    for job in find_jobs([Path(path) for path in paths]):
        name = experiment or job.info.name
        reader = TrialReader(job.info, name, reward_key, None if tasks is None else str(tasks))
        recorder = ImportRecorder(ledger, name, summary)
        summary.jobs += 1
        summary.notes += _missing(job)
        folders = (f"{job.path}/{trial}" for trial in job.trials)
        for reading in read_folders_ahead(reader, folders, count):
            recorder.record(
                [(made, partial(reader.entry, folder)) for folder, made in reading],
                source_jobs=job.source_jobs,
            )
            on_progress(summary)
    ledger.sign_if_asked()
    return summary


class TrialReader(Struct, frozen=True, dict=True):
    """Makes trials of a job's folders, in whatever process it is sent to.

    Only its fields travel: each process loads the tasks for itself.
    """

    job: JobInfo
    experiment: str
    reward_key: str
    tasks: str | None

    def read(self, folders: Sequence[str]) -> list[PreparedEntry]:
        """What to record for each folder. Ends early if they hold very much.

        Step by step for all of them: `trial_files.py` says why.
        """
        facts, held = [], 0
        for folder in folders:
            facts.append(read_facts(folder))
            held += len(facts[-1].raw)
            if held >= HELD_BYTES:
                break
        files = []
        for one in facts:
            files.append(read_trial_files(one))
            held += files[-1].size
            if held >= HELD_BYTES:
                break
        entries = [
            make_entry(one, read, self.job, self._options) for one, read in zip(facts, files, strict=False)
        ]
        return [prepare(entry) for entry in entries]

    def entry(self, folder: str) -> TrialEntry:
        """One folder's trial."""
        return read_trial(folder, self.job, self._options)

    @cached_property
    def _options(self) -> Options:
        return Options(self.experiment, self.reward_key, task_finder(self.tasks) if self.tasks else _no_task)


def task_finder(root: Path | str) -> Callable[[Facts], Task | None]:
    """From a trial to its task below `root`: by the end of its path, else by a name that only one task has.

    Tasks that cannot be read are passed over; `unreadable_tasks` names them. UsageError if there is none.
    """
    from adjudge.tasks import load_tasks

    tasks = load_tasks(root)
    if not tasks and not tasks.problems:
        raise UsageError(
            "there is no task in this folder", file=root, remedy="Give --tasks the tasks' folder."
        )
    by_id = {task.id: task for task in tasks}
    names = Counter(_last(task.id) for task in tasks)
    by_name = {_last(task.id): task for task in tasks if names[_last(task.id)] == 1}

    def find(facts: Facts) -> Task | None:
        parts = (facts.task_path or "").strip("/").split("/")
        for start in range(len(parts)):
            if (task := by_id.get("/".join(parts[start:]))) is not None:
                return task
        name = facts.task_name or ""
        return by_id.get(name) or by_name.get(_last(name))

    return find


def unreadable_tasks(root: Path | str) -> list[str]:
    """A sentence for each task below `root` that cannot be read: its trials are kept without their task."""
    from adjudge.tasks import load_tasks

    return [
        f"the task {problem.id} cannot be read: {problem.message}" for problem in load_tasks(root).problems
    ]


def _missing(job: JobFolder) -> Iterator[str]:
    """What a reader of the ledger should know of a job beyond its trials."""
    if job.planned is not None and job.planned > len(job.trials):
        absent = job.planned - len(job.trials)
        yield f"{job.info.name}: {absent} of {job.planned} trials have no folder and are not in the ledger"
    if not job.finished:
        yield f"{job.info.name}: the job has not finished; import it again to add what comes"


def _no_task(_: Facts) -> None:
    return None


def _last(name: str) -> str:
    return name.rpartition("/")[2]
