"""Exploits found in the field: trials of a ledger in which people and the verifier disagree become goldens.

A trial that people failed and the verifier passed is an exploit, one that people passed and the verifier
failed is a right answer lost. Both are tried again by the verifier of today. Where nobody has looked, or
where reviewers disagree, a trial proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

from adjudge.audit.probes import Files
from adjudge.contracts import Judgment, Task
from adjudge.errors import LedgerError, UsageError

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

Kind = Literal["pass", "fail"]
_PASSING = 0.5
MOST_LEARNED = 40


@dataclass(frozen=True)
class FieldGolden:
    """The output of a trial, and what people say it is worth."""

    trial_id: str
    kind: Kind
    files: Files
    was: float
    """The reward that the trial got."""


def field_goldens(ledger: Ledger, task: Task) -> list[FieldGolden]:
    """The trials of this task whose reward people disagree with, the newest last; at most forty."""
    return list(_disagreements(ledger, task))[-MOST_LEARNED:]


def _disagreements(ledger: Ledger, task: Task) -> Iterator[FieldGolden]:
    from adjudge.ledger import TrialFilter

    for record in ledger.iterate(TrialFilter(task=task.id), streams=False):
        said = said_by_people(ledger, record.trial_id)
        passed = record.evaluation.reward >= _PASSING
        if said is None or (said == "pass") is passed:
            continue
        try:
            files = _files(ledger, task, record.trial_id)
        except LedgerError:  # the output was not kept: nothing to try again
            continue
        yield FieldGolden(record.trial_id, said, files, record.evaluation.reward)


def said_by_people(ledger: Ledger, trial_id: str) -> Kind | None:
    """What people say of a trial; None if nobody did, or if they do not agree."""
    said = {entry.annotation.judgment for entry in ledger.annotations(trial_id) if entry.current}
    said.discard(Judgment.DEFER)
    if len(said) != 1:
        return None
    return "pass" if said == {Judgment.PASS} else "fail"


def learn(ledger: Ledger, task: Task, trial: str, kind: Kind | None) -> Path:
    """Keep a trial's output as a golden of its task: below goldens/pass or goldens/fail, as people say.

    UsageError if nobody says which, and if the trial belongs to another task.
    """
    trial_id = ledger.find(trial)
    record = ledger.get(trial_id)
    if record.task_id != task.id:
        raise UsageError("the trial belongs to another task", found=record.task_id, allowed=task.id)
    chosen = kind or said_by_people(ledger, trial_id)
    if chosen is None:
        raise UsageError(
            "nobody says whether this trial is right",
            found=trial_id,
            remedy="Annotate it, or say --as pass or --as fail.",
        )
    files = _files(ledger, task, trial_id)
    answer = PurePosixPath(task.verifier.expected_output_path)
    place = task.folder / "goldens" / chosen / f"field-{trial_id[:12]}"
    place.parent.mkdir(parents=True, exist_ok=True)
    if len(files) == 1:
        place = place.with_name(place.name + answer.suffix)
        place.write_bytes(files[0][1].data)
        return place
    for path, file in files:
        target = place / PurePosixPath(path).relative_to(answer.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.data)
    return place


def _files(ledger: Ledger, task: Task, trial_id: str) -> Files:
    from adjudge.runs import restore_output

    output = restore_output(ledger, ledger.get(trial_id), task)
    return tuple(output.files.items())
