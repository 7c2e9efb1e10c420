"""Harbor jobs into the ledger: many trials, little memory, and nothing twice.

Trials go through in chunks. A chunk of folders is read into entries, by other processes where there are
many, and recorded as one batch. No more than a few chunks are in memory at any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from adjudge.contracts import Task
from adjudge.errors import UsageError
from adjudge.integrations.harbor.facts import Facts
from adjudge.integrations.harbor.jobs import JobFolder, find_jobs
from adjudge.integrations.harbor.record import JobInfo, Options, read_trial
from adjudge.integrations.harbor.recorder import ImportSummary, Recorder
from adjudge.ledger import Ledger, TrialEntry

CHUNK = 250
ENOUGH_FOR_WORKERS = 5000
"""Trials of one job from which on starting other processes is worth it."""


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
    is how many processes read beside this one (None: as many as there are processors, less one).
    """
    summary = ImportSummary()
    finder = task_finder(tasks) if tasks is not None else _no_task
    for job in find_jobs([Path(path) for path in paths]):
        name = experiment or job.info.name
        recorder = Recorder(ledger, name, summary)
        summary.jobs += 1
        summary.notes += _missing(job)
        for entries in _entries(job, Options(name, reward_key, finder), tasks, workers):
            recorder.record(entries, source_jobs=job.source_jobs)
            on_progress(summary)
    return summary


def task_finder(root: Path | str) -> Callable[[Facts], Task | None]:
    """From a trial to its task below `root`: by the end of its path, else by a name that only one task has.

    Raises UsageError where `root` holds no task at all.
    """
    from adjudge.tasks import load_tasks

    tasks = load_tasks(root)
    if not tasks:
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


def read_chunk(path: str, names: list[str], info: JobInfo, options: Options) -> list[TrialEntry]:
    """The entries of some trials of a job."""
    return [read_trial(f"{path}/{name}", info, options) for name in names]


def _entries(
    job: JobFolder, options: Options, tasks: Path | str | None, workers: int | None
) -> Iterator[list[TrialEntry]]:
    chunks = [list(job.trials[start : start + CHUNK]) for start in range(0, len(job.trials), CHUNK)]
    if len(job.trials) >= ENOUGH_FOR_WORKERS:
        from adjudge.integrations.harbor.workers import read_in_processes, spare_processors

        count = spare_processors() if workers is None else workers
        if count > 0:
            yield from read_in_processes(job, chunks, options, tasks, count)
            return
    for chunk in chunks:
        yield read_chunk(job.path, chunk, job.info, options)


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
