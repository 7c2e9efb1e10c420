"""What `adjudge audit` learns from a ledger: the trials whose reward is contradicted, and by whom."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.audit import FieldTrial, JudgeOpinion
    from adjudge.contracts import Task
    from adjudge.ledger import Ledger


class Learned(StrEnum):
    """What a learned output is."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"


def contradicted_in(tasks: list[Task], ledger: str | None) -> list[FieldTrial]:
    """The trials of these tasks whose reward something in the ledger contradicts."""
    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as book:
        return [found for task in tasks for found in contradicted(book, task)]


def contradicted(book: Ledger, task: Task) -> list[FieldTrial]:
    """The trials of a task whose reward people, a judge, the breakdown or another attempt contradict.

    Each trial once: what people say comes first, then a calibrated judge, then the trials themselves.
    """
    from adjudge.audit import field_doubts, field_goldens, field_opinions

    opinions = field_opinions(book, task, _opinions(book, task))
    sources: tuple[list[FieldTrial], ...] = (
        [*field_goldens(book, task)],
        [one for one in opinions if one.opinion.calibrated],
        [*field_doubts(book, task)],
        [one for one in opinions if not one.opinion.calibrated],
    )
    found: dict[str, FieldTrial] = {}
    for trials in sources:
        for one in trials:
            found.setdefault(one.trial_id, one)
    return list(found.values())


def _opinions(book: Ledger, task: Task) -> dict[str, list[JudgeOpinion]]:
    """What each judge last said of each trial; abstentions and trials that speak to the judge say nothing."""
    from adjudge.audit import JudgeOpinion
    from adjudge.judges import has_judgements, is_calibrated, newest_calibrations, read_judgements
    from adjudge.ledger import TrialFilter

    if not has_judgements(book):
        return {}
    known = newest_calibrations(book)
    trials = [record.trial_id for record in book.iterate(TrialFilter(task=task.id), streams=False)]
    found: dict[str, list[JudgeOpinion]] = {}
    for trial_id, judgements in read_judgements(book, trials).items():
        newest = {made.judge: made for made in judgements}
        found[trial_id] = [
            JudgeOpinion(made.score, made.rubric, is_calibrated(made, known))
            for made in newest.values()
            if made.score is not None and not made.suspected
        ]
    return found


def learn_trial(tasks: list[Task], trial: str, kind: Learned | None, ledger: str | None) -> Path:
    """Keep a trial's output as a golden of its task, if that is among those named; where it stands now."""
    from adjudge.audit import learn
    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as book:
        record = book.get(book.find(trial))
        own = [task for task in tasks if task.id == record.task_id]
        own = own or [task for task in tasks if task.digest == record.task_digest]
        if len(own or tasks) != 1:
            raise UsageError(
                "--learn needs the trial's task", found=f"{len(tasks)} tasks", allowed=record.task_id
            )
        return learn(book, (own or tasks)[0], record.trial_id, None if kind is None else kind.value)


def ledger_options(ledger: str | None) -> list[str]:
    """The options that name this ledger in any folder; none if the environment names it everywhere."""
    asked = ledger or os.environ.get("ADJUDGE_LEDGER") or "adjudge.db"
    if "://" in asked:
        return [] if ledger is None else ["--ledger", ledger]
    return ["--ledger", str(Path(asked).resolve())]
