"""Score many: read the manifest, leave out what is done, score the rest, record as it finishes.

Rows flow through in chunks of bounded size, so memory does not grow with the manifest. For each row the
output is read once, and its digest makes the trial's identity. What the ledger already holds under today's
task digest is left alone; a trial it holds under another digest gets a further evaluation. Finished trials
are recorded in batches, one transaction each: a kill between two batches costs work, never a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.contracts import Task, trial_id_for
from adjudge.errors import TaskError
from adjudge.gates import AgentOutput, read_output
from adjudge.ledger import TrialEntry, TrialState, Written
from adjudge.runs.entries import first_entry, machinery_failure, reused
from adjudge.runs.label import check_name
from adjudge.runs.manifest import BadRow, PlannedTrial
from adjudge.runs.progress import Tally
from adjudge.runs.work import Executor, Finished, Job
from adjudge.scoring import Outcome, Scored, outcome_of
from adjudge.tasks import load_task

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

CHUNK_ROWS = 500
CHUNK_BYTES = 32 << 20


@dataclass(frozen=True)
class Ticket:
    """A trial on its way through a run: what was planned, its id, and how it stands in the ledger."""

    planned: PlannedTrial
    trial_id: str
    task: Task
    output: AgentOutput
    state: TrialState | None = None


class Run:
    """One pass over a manifest. `tally` counts what the ledger holds, and is the only thing to watch."""

    def __init__(
        self,
        ledger: Ledger,
        experiment: str,
        *,
        tally: Tally,
        tasks_root: Path | None = None,
        cache: bool = True,
        retry_failed: bool = False,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        check_name("--experiment", experiment)
        self.ledger = ledger
        self.experiment = experiment
        self.tally = tally
        self.tasks_root = tasks_root
        self.cache = cache
        self.retry_failed = retry_failed
        self.on_change = on_change
        self._tasks: dict[Path, Task | TaskError] = {}
        self._deterministic: dict[str, bool] = {}
        self._seen: set[str] = set()

    def execute(
        self, rows: Iterable[PlannedTrial | BadRow], executor: Executor, should_stop: Callable[[], bool]
    ) -> None:
        """Score every row that needs it. Asked to stop, it finishes and records what is in flight."""
        for batch in executor(self._jobs(rows, should_stop), should_stop):
            self._record([(finished.job.key, _scored(finished)) for finished in batch])
            for finished in batch:
                if finished.failure is not None:
                    self.tally.machinery[finished.failure] += 1
            self.on_change()
        self.tally.interrupted = should_stop()

    def _jobs(self, rows: Iterable[PlannedTrial | BadRow], should_stop: Callable[[], bool]) -> Iterator[Job]:
        """The jobs that are left when everything done or reusable has been taken out."""
        for chunk in self._chunks(rows):
            if should_stop():
                return
            for ticket in self._reuse(self._unfinished(chunk)):
                yield Job(ticket, ticket.task, ticket.output)
            self.on_change()

    def _chunks(self, rows: Iterable[PlannedTrial | BadRow]) -> Iterator[list[Ticket]]:
        chunk: list[Ticket] = []
        size = 0
        for row in rows:
            ticket = self._ticket(row)
            if isinstance(ticket, BadRow):
                self.tally.bad_rows.append(ticket.message)
                continue
            if ticket.planned.trial_id is None and ticket.trial_id in self._seen:
                self.tally.repeated.append(ticket.planned.where)
                continue
            self._seen.add(ticket.trial_id)
            chunk.append(ticket)
            size += sum(len(file.data) for file in ticket.output.files.values())
            if len(chunk) >= CHUNK_ROWS or size >= CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
        if chunk:
            yield chunk

    def _ticket(self, row: PlannedTrial | BadRow) -> Ticket | BadRow:
        if isinstance(row, BadRow):
            return row
        task = self._task(row.task)
        if isinstance(task, TaskError):
            return BadRow(f"{row.where}: {task}")
        output = read_output(task, row.output)
        trial_id = row.trial_id or trial_id_for(
            experiment=self.experiment,
            task_id=task.id,
            output_sha256=output.info.sha256,
            agent=row.agent,
            model=row.model,
            attempt=row.attempt,
        )
        return Ticket(row, trial_id, task, output)

    def _task(self, folder: Path) -> Task | TaskError:
        if folder not in self._tasks:
            try:
                self._tasks[folder] = load_task(folder, root=self.tasks_root)
            except TaskError as error:
                self._tasks[folder] = error
        return self._tasks[folder]

    def _unfinished(self, chunk: list[Ticket]) -> list[Ticket]:
        """Those the ledger does not hold under today's task digest."""
        states = self.ledger.states(ticket.trial_id for ticket in chunk)
        left: list[Ticket] = []
        for ticket in chunk:
            state = states.get(ticket.trial_id)
            if state is not None and state.task_digest == ticket.task.digest:
                failed = state.outcome == Outcome.MACHINERY_FAILED
                if not (self.retry_failed and failed):
                    self.tally.already += 1
                    continue
            left.append(Ticket(ticket.planned, ticket.trial_id, ticket.task, ticket.output, state))
        return left

    def _reuse(self, chunk: list[Ticket]) -> list[Ticket]:
        """Record what a deterministic verifier has already answered; returns the rest."""
        if not self.cache:
            return chunk
        by_task: dict[str, list[Ticket]] = {}
        for ticket in chunk:
            if ticket.output.info.sha256 is not None and self._is_deterministic(ticket.task):
                by_task.setdefault(ticket.task.digest, []).append(ticket)
        answered: dict[str, Scored] = {}
        for digest, tickets in by_task.items():
            found = self.ledger.find_evaluations(digest, [str(t.output.info.sha256) for t in tickets])
            for ticket in tickets:
                if hit := found.get(str(ticket.output.info.sha256)):
                    answered[ticket.trial_id] = reused(hit[1], hit[0], ticket.output)
        self._record([(t, answered[t.trial_id]) for t in chunk if t.trial_id in answered])
        return [ticket for ticket in chunk if ticket.trial_id not in answered]

    def _is_deterministic(self, task: Task) -> bool:
        if task.digest not in self._deterministic:
            self._deterministic[task.digest] = task.deterministic or self.ledger.is_deterministic(task.digest)
        return self._deterministic[task.digest]

    def _record(self, scores: list[tuple[Ticket, Scored]]) -> None:
        entries: list[TrialEntry] = []
        for ticket, scored in scores:
            replaces = ticket.state.evaluation_id if ticket.state else None
            entries.append(
                first_entry(
                    ticket.planned,
                    ticket.task,
                    scored,
                    trial_id=ticket.trial_id,
                    experiment=self.experiment,
                    replaces=replaces,
                )
            )
        for (ticket, scored), answer in zip(scores, self.ledger.record(entries), strict=True):
            self._count(ticket, scored, answer.written, answer.conflict)

    def _count(self, ticket: Ticket, scored: Scored, written: Written, conflict: str | None) -> None:
        if written is Written.CONFLICT:
            self.tally.bad_rows.append(f"{ticket.planned.where}: {conflict}")
            return
        if written is Written.NOTHING:  # another run was faster
            self.tally.already += 1
            return
        if scored.run.reused_from:
            self.tally.reused += 1
        else:
            self.tally.scored += 1
        self.tally.rescored += written is Written.EVALUATION
        self.tally.reward_sum += scored.result.reward
        self.tally.outcomes[outcome_of(scored.result).value] += 1


def _scored(finished: Finished) -> Scored:
    if finished.scored is not None:
        return finished.scored
    return machinery_failure(finished.job.task, finished.job.output, finished.failure or "")
