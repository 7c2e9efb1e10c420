"""Trials of a ledger whose reward a judge contradicts.

Audits read no judgement themselves: the caller says what each judge made of each trial, and whether that
judge is calibrated. A calibrated judge contradicts a reward; an uncalibrated one only casts a doubt on it,
and is not heard at all beside a calibrated one. People come before judges: a trial that somebody rated is
theirs. Judges of one kind that disagree with each other prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.audit.answers.field import (
    MOST_LEARNED,
    PASSING,
    FieldDoubt,
    FieldGolden,
    Kind,
    files_of,
    said_by_people,
)
from adjudge.audit.probes import Files
from adjudge.contracts import Task
from adjudge.errors import LedgerError

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

_APART = 0.25
"""A reward of 0.45 beside a judge's 0.55 is no contradiction, though one fails and the other passes."""


class JudgeOpinion(Struct, frozen=True):
    """What one judge makes of a trial: its score from 0 to 1, by which rubric."""

    score: float
    rubric: str
    calibrated: bool


class FieldOpinion(Struct, frozen=True):
    """The output of a trial, and the judge that contradicts its reward."""

    trial_id: str
    kind: Kind
    files: Files
    was: float
    """The reward that the trial got."""
    opinion: JudgeOpinion


FieldTrial = FieldGolden | FieldDoubt | FieldOpinion
"""A trial of the field whose reward is contradicted, by whomever."""


def field_opinions(
    ledger: Ledger, task: Task, opinions: Mapping[str, Sequence[JudgeOpinion]]
) -> list[FieldOpinion]:
    """The trials of this task whose reward judges contradict, the newest last; at most forty.

    `opinions` are by trial, one per judge; trials without one are passed over.
    """
    return list(_contradicted(ledger, task, opinions))[-MOST_LEARNED:]


def _contradicted(
    ledger: Ledger, task: Task, opinions: Mapping[str, Sequence[JudgeOpinion]]
) -> Iterator[FieldOpinion]:
    from adjudge.ledger import TrialFilter

    for record in ledger.iterate(TrialFilter(task=task.id), streams=False):
        opinion = _against(record.evaluation.reward, opinions.get(record.trial_id, ()))
        completed = record.evaluation.validity.verifier_completed
        if opinion is None or not completed or said_by_people(ledger, record.trial_id) is not None:
            continue
        try:
            files = files_of(ledger, task, record.trial_id)
        except LedgerError:  # the output was not kept: nothing to try again
            continue
        kind: Kind = "pass" if opinion.score >= PASSING else "fail"
        yield FieldOpinion(record.trial_id, kind, files, record.evaluation.reward, opinion)


def _against(reward: float, opinions: Sequence[JudgeOpinion]) -> JudgeOpinion | None:
    """The opinion that contradicts a reward and that no judge of the same standing contradicts."""
    heard = [one for one in opinions if one.calibrated] or list(opinions)
    if not heard or len({one.score >= PASSING for one in heard}) > 1:
        return None
    nearest = min(heard, key=lambda one: abs(one.score - reward))
    return nearest if contradicts(nearest, reward) else None


def contradicts(opinion: JudgeOpinion, reward: float) -> bool:
    """Does one pass what the other fails, and not by a hair?"""
    return (opinion.score >= PASSING) is not (reward >= PASSING) and abs(opinion.score - reward) >= _APART
