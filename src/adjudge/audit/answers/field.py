"""Exploits found in the field: trials of a ledger whose reward is contradicted become probes and goldens.

Three can contradict a reward, and judges too (`opinions`). People: a trial that they failed and the verifier
passed is an exploit, one that they passed and the verifier failed is a right answer lost. The breakdown, if
it does not give that reward. And another attempt: with the very same output, or the same values in another
layout, and another reward. All of them are tried again by the verifier of today. A trial about which
reviewers disagree proves nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from adjudge.audit.documents import open_document
from adjudge.audit.probes import Files, answer_of
from adjudge.contracts import REWARD_DISAGREES, Judgment, Task
from adjudge.errors import LedgerError, UsageError

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

Kind = Literal["pass", "fail"]
Doubt = Literal["breakdown", "same output", "same values"]
PASSING = 0.5
MOST_LEARNED = 40


class FieldGolden(Struct, frozen=True):
    """The output of a trial, and what people say it is worth."""

    trial_id: str
    kind: Kind
    files: Files
    was: float
    """The reward that the trial got."""


class FieldDoubt(Struct, frozen=True):
    """The output of a trial whose reward the trial itself, or another attempt, contradicts."""

    trial_id: str
    kind: Doubt
    files: Files
    was: float
    other: Files | None = None
    """The output of the other attempt."""
    other_was: float | None = None


def field_doubts(ledger: Ledger, task: Task) -> list[FieldDoubt]:
    """The trials that contradict themselves or another attempt; at most forty, the newest last."""
    from adjudge.ledger import TrialFilter

    found: list[FieldDoubt] = []
    by_output: dict[str, tuple[str, float]] = {}
    by_values: dict[str, tuple[str, float]] = {}
    for record in ledger.iterate(TrialFilter(task=task.id), streams=False):
        reward, digest = record.evaluation.reward, record.output.sha256
        if not record.evaluation.validity.verifier_completed or digest is None:
            continue
        tags = {tag.category for tag in record.evaluation.error_taxonomy or ()}
        first = by_output.setdefault(f"{record.task_digest} {digest}", (record.trial_id, reward))
        contradicted = REWARD_DISAGREES in tags
        if first[1] == reward and first[0] != record.trial_id and not contradicted:
            continue  # one more attempt with an output that was seen, and the same reward
        try:
            files = files_of(ledger, task, record.trial_id)
            values = _values(task, files)
            alike = by_values.setdefault(f"{record.task_digest} {values}", (record.trial_id, reward))
            of_today = record.task_digest == task.digest
            kind, other = _doubt(first, alike, reward, contradicted=contradicted, of_today=of_today)
            if kind is not None:
                against = None if other is None else files_of(ledger, task, other[0])
                found.append(
                    FieldDoubt(
                        record.trial_id, kind, files, reward, against, None if other is None else other[1]
                    )
                )
        except LedgerError:  # an output was not kept: nothing to try again
            continue
    return found[-MOST_LEARNED:]


def _doubt(
    same_output: tuple[str, float],
    same_values: tuple[str, float],
    reward: float,
    *,
    contradicted: bool,
    of_today: bool,
) -> tuple[Doubt | None, tuple[str, float] | None]:
    if same_output[1] != reward and of_today:  # of an older verifier it is no news: it may have been mended
        return "same output", same_output
    if same_values[1] != reward:
        return "same values", same_values
    return ("breakdown", None) if contradicted else (None, None)


def _values(task: Task, files: Files) -> str:
    """The values of an answer in one spelling; its bytes if it has none."""
    answer = answer_of(task, files) or b""
    document = open_document(answer, task.output.format)
    if document is None or not document.structured:
        return hashlib.sha256(answer).hexdigest()
    return json.dumps(document.value, sort_keys=True)


def field_goldens(ledger: Ledger, task: Task) -> list[FieldGolden]:
    """The trials of this task whose reward people disagree with, the newest last; at most forty."""
    return list(_disagreements(ledger, task))[-MOST_LEARNED:]


def _disagreements(ledger: Ledger, task: Task) -> Iterator[FieldGolden]:
    from adjudge.ledger import TrialFilter

    for record in ledger.iterate(TrialFilter(task=task.id), streams=False):
        said = said_by_people(ledger, record.trial_id)
        passed = record.evaluation.reward >= PASSING
        if said is None or (said == "pass") is passed:
            continue
        try:
            files = files_of(ledger, task, record.trial_id)
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
    if record.task_id != task.id and record.task_digest != task.digest:
        raise UsageError(
            "the trial belongs to another task",
            found=record.task_id,
            allowed=task.id,
            remedy="Name the root folder of the tasks if this task had another id when the trial was run.",
        )
    chosen = kind or said_by_people(ledger, trial_id)
    if chosen is None:
        raise UsageError(
            "nobody says whether this trial is right",
            found=trial_id,
            remedy="Annotate it, or say --as pass or --as fail.",
        )
    files = files_of(ledger, task, trial_id)
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


def files_of(ledger: Ledger, task: Task, trial_id: str) -> Files:
    """The output of a trial as a probe has it. LedgerError if it was not kept."""
    from adjudge.runs import restore_output

    output = restore_output(ledger, ledger.get(trial_id), task)
    return tuple(output.files.items())
