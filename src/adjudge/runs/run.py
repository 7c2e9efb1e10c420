"""Score many: read the manifest, leave out what is done, score the rest, record as it finishes.

Rows flow through in chunks of bounded size; of those that have gone by, only their ids stay in memory. For
each row the output is read once, and its digest makes the trial's identity. What the ledger already holds
under today's task digest is left alone; a trial it holds under another digest gets a further evaluation.
Finished trials are recorded in batches, one transaction each: a kill between two batches costs work, never
a record.

An output that a deterministic verifier has answered is not shown to it again; one that it is looking at just
now is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.contracts import Task, TrialRecord, trial_id_for
from adjudge.errors import TaskError
from adjudge.gates import read_output
from adjudge.ledger import TrialEntry, Written
from adjudge.runs.entries import first_entry, is_reusable, machinery_failure, reused
from adjudge.runs.label import check_name
from adjudge.runs.manifest import BadRow, PlannedTrial
from adjudge.runs.progress import Tally
from adjudge.runs.ticket import Question, Ticket
from adjudge.runs.work import Executor, Finished, Job
from adjudge.scoring import Outcome, Scored, outcome_of
from adjudge.tasks import load_task

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

CHUNK_ROWS = 500
CHUNK_BYTES = 32 << 20


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
        self._asked: dict[Question, tuple[Ticket, list[Ticket]]] = {}
        """Questions that a deterministic verifier works on just now, and who else waits for the answer."""
        self._unanswered: list[Ticket] = []
        """Those who waited in vain."""

    def execute(
        self, rows: Iterable[PlannedTrial | BadRow], executor: Executor, should_stop: Callable[[], bool]
    ) -> None:
        """Score every row that needs it. Asked to stop, it finishes and records what is in flight."""
        self._perform(self._jobs(rows, should_stop), executor, should_stop)
        if self._unanswered:
            self._perform(self._unanswered_jobs(), executor, should_stop)
        self.tally.interrupted = should_stop()

    def _perform(self, jobs: Iterable[Job], executor: Executor, should_stop: Callable[[], bool]) -> None:
        for batch in executor(jobs, should_stop):
            self._record([(finished.job.key, _scored(finished)) for finished in batch])
            for finished in batch:
                if finished.failure is not None:
                    self.tally.machinery[finished.failure] += 1
            self.on_change()

    def _jobs(self, rows: Iterable[PlannedTrial | BadRow], should_stop: Callable[[], bool]) -> Iterator[Job]:
        """The jobs that are left when everything done or reusable has been taken out."""
        for chunk in self._chunks(rows):
            if should_stop():
                return
            yield from map(_job, self._reuse(self._unfinished(chunk)))
            yield from self._unanswered_jobs()
            self.on_change()

    def _unanswered_jobs(self) -> Iterator[Job]:
        while self._unanswered:
            yield _job(self._unanswered.pop())

    def _chunks(self, rows: Iterable[PlannedTrial | BadRow]) -> Iterator[list[Ticket]]:
        chunk: list[Ticket] = []
        size = 0
        for row in rows:
            ticket = self._ticket(row)
            if isinstance(ticket, BadRow):
                self.tally.bad_rows.append(ticket.message)
                continue
            named = f"{ticket.trial_id} {ticket.identity}" if ticket.planned.trial_id else ticket.identity
            if named in self._seen:
                self.tally.repeated.append(ticket.planned.where)
                continue
            self._seen.add(named)
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
        identity = trial_id_for(
            experiment=self.experiment,
            task_id=task.id,
            output_sha256=output.info.sha256,
            agent=row.agent,
            model=row.model,
            attempt=row.attempt,
        )
        return Ticket(row, row.trial_id or identity, identity, task, output)

    def _task(self, folder: Path) -> Task | TaskError:
        if folder not in self._tasks:
            try:
                self._tasks[folder] = load_task(folder, root=self.tasks_root)
            except TaskError as error:
                self._tasks[folder] = error
        return self._tasks[folder]

    def _unfinished(self, chunk: list[Ticket]) -> list[Ticket]:
        """Those the ledger does not hold under today's task digest. An id it has for another trial is bad."""
        states = self.ledger.states(ticket.trial_id for ticket in chunk)
        left: list[Ticket] = []
        for ticket in chunk:
            state = states.get(ticket.trial_id)
            if state is not None and (why := ticket.conflict(self.experiment, state)):
                self.tally.bad_rows.append(f"{ticket.planned.where}: {why}")
                continue
            if state is not None and state.task_digest == ticket.task.digest:
                failed = state.outcome == Outcome.MACHINERY_FAILED
                if not (self.retry_failed and failed):
                    self.tally.already += 1
                    continue
            left.append(replace(ticket, state=state))
        return left

    def _reuse(self, chunk: list[Ticket]) -> list[Ticket]:
        """Record what a deterministic verifier has already answered; returns what it is to be asked."""
        if not self.cache:
            return chunk
        by_task: dict[str, list[str]] = {}
        for ticket in chunk:
            if self._is_repeatable(ticket):
                by_task.setdefault(ticket.task.digest, []).append(str(ticket.output.info.sha256))
        answers: dict[Question, tuple[str, TrialRecord]] = {
            (digest, output): hit
            for digest, outputs in by_task.items()
            for output, hit in self.ledger.find_evaluations(digest, outputs).items()
            if is_reusable(hit[1].evaluation, hit[1].run)
        }
        answered: list[tuple[Ticket, Scored]] = []
        left: list[Ticket] = []
        for ticket in chunk:
            if hit := answers.get(ticket.question):
                answered.append((ticket, reused(hit[1].evaluation, hit[1].run, hit[0], ticket.output)))
            elif not self._waits(ticket):
                left.append(ticket)
        self._record(answered)
        return left

    def _waits(self, ticket: Ticket) -> bool:
        """Is a deterministic verifier looking at this very output? Then its answer will do for both."""
        if not self._is_repeatable(ticket):
            return False
        if ticket.question not in self._asked:
            self._asked[ticket.question] = ticket, []
            return False
        asked, waiting = self._asked[ticket.question]
        if len(waiting) >= CHUNK_ROWS:  # who waits is held in memory
            return False
        held = asked.output  # the same bytes, and it is enough to hold them once
        output = replace(ticket.output, files=held.files, answer=held.answer)
        waiting.append(replace(ticket, output=output))
        return True

    def _is_repeatable(self, ticket: Ticket) -> bool:
        return ticket.output.info.sha256 is not None and self._is_deterministic(ticket.task)

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
        passed_on: list[tuple[Ticket, Scored]] = []
        for (ticket, scored), answer in zip(scores, self.ledger.record(entries), strict=True):
            self._count(ticket, scored, answer.written, answer.conflict)
            _, waiting = self._asked.pop(ticket.question, (ticket, []))
            if answer.evaluation_id and is_reusable(scored.result, scored.run):
                passed_on += [
                    (other, reused(scored.result, scored.run, answer.evaluation_id, other.output))
                    for other in waiting
                ]
            else:
                self._unanswered += waiting
        if passed_on:
            self._record(passed_on)

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


def _job(ticket: Ticket) -> Job:
    return Job(ticket, ticket.task, ticket.output)


def _scored(finished: Finished) -> Scored:
    if finished.scored is not None:
        return finished.scored
    return machinery_failure(finished.job.task, finished.job.output, finished.failure or "")
