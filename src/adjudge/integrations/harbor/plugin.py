"""Harbor's trials in the ledger as they finish: `--plugin adjudge.integrations.harbor:LedgerPlugin`.

Options, given as `--pk name=value`: `ledger` (path or URL), `experiment` (default: the job's name),
`tasks` (the folder of tasks), `reward_key`, and `progress` (false: no line per trial).

Harbor calls at the end of each try, before it removes secrets from the trial's folder and, if it will try
again, just before it deletes that folder. So a folder is read only once Harbor has let go of it; a try
whose folder is gone by then is recorded from what Harbor said of it - exception type and times, no text -
and becomes an older evaluation of the trial. Retries therefore leave a trace here; in the
job's folder they leave none.

A plug-in must never end a job: what goes wrong here is logged, and the job's folder can still be imported.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

from harbor.job import Job
from harbor.models.job.plugin import BaseJobPlugin
from harbor.models.job.result import JobResult
from harbor.trial.hooks import TrialHookEvent

from adjudge.errors import AdjudgeError, printable
from adjudge.integrations.harbor.importer import import_jobs, task_finder
from adjudge.integrations.harbor.record import JobInfo, Options, read_trial
from adjudge.integrations.harbor.recorder import ImportRecorder
from adjudge.integrations.harbor.retried import earlier_try, retried_entry
from adjudge.integrations.harbor.serve import unserved_tasks
from adjudge.ledger import TrialEntry, open_ledger, prepare

logger = logging.getLogger("adjudge.harbor")


class LedgerPlugin(BaseJobPlugin):
    """Records each trial when it ends, and whatever is still missing when the job does."""

    def __init__(
        self,
        *,
        ledger: str | None = None,
        experiment: str | None = None,
        tasks: str | None = None,
        reward_key: str = "reward",
        progress: bool = True,
    ) -> None:
        self._location = ledger
        self._experiment = experiment
        self._tasks = tasks
        self._reward_key = reward_key
        self._progress = progress
        self._pending: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()
        self._given_up: dict[str, list[TrialEntry]] = {}
        """Tries that Harbor deleted, until the trial they belong to has ended."""

    async def on_job_start(self, job: Job) -> None:
        """Open the ledger, so that a wrong one stops the job before it has cost anything."""
        self._job_dir = Path(job.job_dir).resolve()
        self._total = len(job)
        experiment = self._experiment or self._job_dir.name
        self._ledger = open_ledger(self._location)
        finder = task_finder(self._tasks) if self._tasks else lambda _: None
        self._options = Options(str(experiment), self._reward_key, finder)
        self._info = JobInfo(self._job_dir.name, str(job.id), _harbor_version())
        self._recorder = ImportRecorder(self._ledger, str(experiment))
        for problem in unserved_tasks(job):
            self._say(f"adjudge: {problem}")
        job.on_trial_ended(self._on_trial_ended)

    async def _on_trial_ended(self, event: TrialHookEvent) -> None:
        retried = retried_entry(event.result.model_dump(mode="json"), self._info, self._options)
        folder = self._job_dir / event.trial_name

        async def record() -> None:
            await asyncio.sleep(0)  # Harbor goes on first: it removes secrets, or the folder
            gone = not (folder / "result.json").exists()
            if gone:
                self._given_up.setdefault(event.trial_name, []).append(retried)
                self._show(retried.record.task_id, retried.record.evaluation, retried=True)
                return
            try:
                entry = await asyncio.to_thread(read_trial, str(folder), self._info, self._options)
                earlier = self._given_up.pop(event.trial_name, [])
                async with self._lock:
                    for part in (*(earlier_try(old, entry) for old in earlier), entry):
                        await asyncio.to_thread(self._record, part)
                self._show(entry.record.task_id, entry.record.evaluation, retried=False)
            except AdjudgeError as error:
                logger.warning("adjudge could not record trial %s: %s", event.trial_name, error)

        task = asyncio.create_task(record())
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)

    async def on_job_end(self, job_result: JobResult) -> None:
        """Wait for what is on its way, then import the folder: trials of an earlier run of this job too."""
        await asyncio.gather(*self._pending)
        try:
            for entries in self._given_up.values():  # the job ended before these were tried again
                for entry in entries:
                    await asyncio.to_thread(self._record, entry)
            await asyncio.to_thread(
                import_jobs,
                self._ledger,
                [self._job_dir],
                experiment=self._options.experiment,
                tasks=self._tasks,
                reward_key=self._reward_key,
            )
        finally:
            self._ledger.close()

    def _record(self, entry: TrialEntry) -> None:
        self._recorder.record([(prepare(entry), lambda: entry)])

    def _show(self, task: str, evaluation: Any, *, retried: bool) -> None:
        summary = self._recorder.summary
        done = summary.trials + summary.already
        state = f"{evaluation.reward:.3f}" if evaluation.validity.verifier_completed else "no result"
        again = " (tried again)" if retried else ""
        failed = f"{summary.outcomes['machinery failed']} without a verifier result"
        self._say(f"adjudge: {done}/{self._total} recorded, {failed}; {task}: {state}{again}")

    def _say(self, line: str) -> None:
        if self._progress:
            print(printable(line), file=sys.stderr, flush=True)


def _harbor_version() -> str:
    from importlib.metadata import version

    return version("harbor")
