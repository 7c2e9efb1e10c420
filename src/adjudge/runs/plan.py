"""From rows to what has to be scored. Planning reads tasks, outputs and the ledger; it changes nothing.

Rows flow through in chunks of bounded size; of those that have gone by, only a few bytes each stay in memory.
For each row the output is read once, and its digest makes the trial's identity. What the ledger already holds
under today's task digest is left alone; a trial it holds under another digest gets a further evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge.contracts import Outcome, OutputInfo, Task, TrialIdentity
from adjudge.errors import MachineryError, TaskError
from adjudge.gates import AgentOutput, read_output
from adjudge.ledger import TrialState
from adjudge.runs.manifest import BadRow, ManifestRow
from adjudge.runs.seen import SeenTrials
from adjudge.runs.trial import FailedTrial, Trial, unexpected
from adjudge.tasks import load_task

CHUNK_ROWS = 1000
CHUNK_BYTES = 32 << 20

States = Callable[[Iterable[str]], Mapping[str, TrialState]]
"""How trials stand in the ledger, by id: `Ledger.states`."""


class Plan(Struct):
    """What a number of rows come to."""

    to_score: list[Trial] = field(default_factory=list)
    already: int = 0
    """Trials that the ledger has, and that are left alone."""
    bad_rows: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    """Where rows stand that name the very trial an earlier row of this run named."""
    failed: list[FailedTrial] = field(default_factory=list)
    """Trials whose output could not even be read, for a reason that nobody foresaw."""
    traced: list[Trial] = field(default_factory=list)
    """Of `already`: those whose row names a trace, which an earlier run may not have come to attach."""


def plan_rows(
    rows: Iterable[ManifestRow | BadRow],
    experiment: str,
    states: States,
    *,
    tasks_root: Path | None = None,
    output_path: str | None = None,
    retry_failed: bool = False,
) -> Iterator[Plan]:
    """The plan of up to a thousand rows at a time. No rows, no plan."""
    tasks: dict[str, Task | TaskError] = {}
    seen = SeenTrials()
    failed: dict[str, FailedTrial] = {}
    rest = iter(rows)
    while chunk := list(islice(rest, CHUNK_ROWS)):  # all are parsed before an output is read
        plan, size = Plan(), 0
        for last, row in enumerate(chunk, 1 - len(chunk)):
            found = _trial(row, experiment, tasks, tasks_root, output_path)
            trial = found.trial if isinstance(found, FailedTrial) else found
            if isinstance(trial, BadRow):
                plan.bad_rows.append(trial.message)
            elif not seen.add(_named(trial)):
                plan.repeated.append(trial.where)
            else:
                plan.to_score.append(trial)
                size += trial.size
                if isinstance(found, FailedTrial):
                    failed[trial.trial_id] = found
            if last == 0 or size >= CHUNK_BYTES:
                yield _told_apart(_compared(plan, states, retry_failed=retry_failed), failed)
                plan, size = Plan(), 0


def _named(trial: Trial) -> str:
    """What two rows have in common if they name the same trial."""
    return f"{trial.trial_id} {trial.identity.trial_id}" if trial.has_own_id else trial.trial_id


def _compared(plan: Plan, states: States, *, retry_failed: bool) -> Plan:
    """The plan without what the ledger holds under today's task digest.

    A trial under whose id the ledger has another one is a bad row: the ledger would refuse it in the same
    words, but only after it was scored.
    """
    known = states(trial.trial_id for trial in plan.to_score)
    left = Plan(bad_rows=plan.bad_rows, repeated=plan.repeated)
    for trial in plan.to_score:
        state = known.get(trial.trial_id)
        if state is None:
            left.to_score.append(trial)
        elif trial.has_own_id and (differs := state.identity.difference(trial.identity)):
            left.bad_rows.append(f"{trial.where}: trial {trial.trial_id} is in the ledger with {differs}")
        elif state.task_digest == trial.task.digest and not (
            retry_failed and state.outcome in (Outcome.MACHINERY_FAILED, Outcome.SUSPECTED)
        ):
            left.already += 1
            if trial.trace is not None:
                left.traced.append(trial)
        else:
            left.to_score.append(trial._replace(replaces=state.evaluation_id))
    return left


def _told_apart(plan: Plan, failed: dict[str, FailedTrial]) -> Plan:
    """The plan with those trials set aside that have failed already."""
    gone = [trial for trial in plan.to_score if trial.trial_id in failed]
    if gone:
        plan.failed = [replace(failed.pop(trial.trial_id), trial=trial) for trial in gone]
        plan.to_score = [trial for trial in plan.to_score if trial not in gone]
    return plan


def _trial(
    row: ManifestRow | BadRow,
    experiment: str,
    tasks: dict[str, Task | TaskError],
    root: Path | None,
    output_path: str | None,
) -> Trial | FailedTrial | BadRow:
    if isinstance(row, BadRow):
        return row
    task = _task(row.task, tasks, root, output_path)
    if isinstance(task, TaskError):
        return BadRow(f"{row.where}: {task}")
    try:
        output, why = read_output(task, row.output), None
    except MachineryError as error:  # it has no name yet: nothing is recorded that could be read again
        return BadRow(f"{row.where}: {error}. Run the same command again when there is room.")
    except Exception as error:
        why = unexpected(error)
        output = AgentOutput(OutputInfo(path=row.where, sha256=None, size_bytes=None), {}, None, why)
    identity = TrialIdentity(experiment, task.id, output.info.sha256, row.agent, row.model, row.attempt)
    usual = identity.trial_id
    trial = Trial(
        trial_id=row.trial_id or usual,
        identity=identity,
        task=task,
        output=output,
        where=row.where,
        has_own_id=row.trial_id not in (None, usual),
        cost=row.cost,
        metadata=_metadata(task, row),
        trace=row.trace,
    )
    return trial if why is None else FailedTrial(trial, why)


def _metadata(task: Task, row: ManifestRow) -> Mapping[str, Any]:
    """The row's metadata, and the cluster that the task declares in its own, unless the row names one."""
    declared = task.metadata.extra.get("cluster")
    return row.metadata if declared is None else {"cluster": declared, **row.metadata}


def _task(
    folder: str, tasks: dict[str, Task | TaskError], root: Path | None, output_path: str | None
) -> Task | TaskError:
    """Each task is loaded once in a run."""
    if folder not in tasks:
        try:
            tasks[folder] = load_task(Path(folder), root=root, output_path=output_path)
        except TaskError as error:
            tasks[folder] = error
        except Exception as error:
            tasks[folder] = TaskError(unexpected(error), file=folder)
    return tasks[folder]
