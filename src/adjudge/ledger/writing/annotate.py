"""What people and judges add to a trial later: annotations and tags. Neither ever changes a reward.

A reviewer who annotates the same trial again changes their mind: the new annotation replaces their own
earlier one, and both stay. A statement that is there already, timestamp and all, is not written again, so a
file may be imported twice. A tag set by a person belongs to the trial and survives a re-score; one set by a
judge or a program explains one evaluation and stays with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from sqlalchemy import bindparam, select

from adjudge.contracts import Annotation, ErrorSource, ErrorTag
from adjudge.ledger.store.chain import Appender, Mark
from adjudge.ledger.store.names import Names
from adjudge.ledger.store.schema import annotation_table, evaluations, marks, tags
from adjudge.ledger.store.sql import is_current, is_current_annotation, lock_head
from adjudge.ledger.writing.documents import document_of
from adjudge.ledger.writing.marks import annotation_marks, tag_marks
from adjudge.ledger.writing.record import flush

if TYPE_CHECKING:
    from sqlalchemy import Connection


_a, _e, _m = annotation_table.c, evaluations.c, marks.c
_OWN = select(_a.document, _a.seq).where(_a.trial == bindparam("wanted"), _a.reviewer == bindparam("who"))
_CURRENT = select(_e.seq, _e.reward).where(_e.trial == bindparam("wanted"), is_current())
_MARKED = select(_m.kind, _m.value).where(_m.evaluation == bindparam("wanted"))


class StoredAnnotation(Struct, frozen=True):
    """An annotation as the ledger keeps it; `current` is False if its reviewer changed their mind."""

    annotation: Annotation
    current: bool


def add_annotations(
    connection: Connection, names: Names, items: Sequence[tuple[int, Annotation]]
) -> list[bool]:
    """Add annotations to trials (by row); says for each whether it was written or was there already."""
    appender = Appender(*lock_head(connection))
    numbers = names.number(connection, appender, (annotation.reviewer_id for _, annotation in items))
    said: dict[tuple[int, int], dict[str, int]] = {}
    marked: dict[int, set[Mark]] = {}
    answers = []
    for trial, annotation in items:
        reviewer = numbers[annotation.reviewer_id]
        if (trial, reviewer) not in said:
            said[trial, reviewer] = _own(connection, trial, reviewer)
        before = said[trial, reviewer]
        document = document_of(annotation)
        answers.append(document not in before)
        if not answers[-1]:
            continue
        seq, reward = _current(connection, trial)
        made = annotation_marks(annotation.judgment.value, reviewer, reward, seq)
        row = {
            "trial": trial,
            "reviewer": reviewer,
            "judgment": annotation.judgment.value,
            "replaces": max(before.values(), default=None),
            "document": document,
        }
        number = appender.append("annotations", row, _fresh(connection, marked, seq, made))
        before[document] = number
    flush(connection, appender)
    return answers


def add_tags(connection: Connection, names: Names, items: Sequence[tuple[int, ErrorTag]]) -> list[bool]:
    """Add tags to trials (by row); says for each whether it was written or was there already."""
    appender = Appender(*lock_head(connection))
    numbers = names.number(connection, appender, (tag.category for _, tag in items))
    marked: dict[int, set[Mark]] = {}
    written: set[tuple[int, int | None, str]] = set()
    answers = []
    for trial, tag in items:
        seq, _ = _current(connection, trial)
        bound = None if tag.source is ErrorSource.HUMAN else seq
        document = document_of(tag)
        key = (trial, bound, document)
        if key in written or _has_tag(connection, trial, bound, document):
            answers.append(False)
            continue
        written.add(key)
        row = {"trial": trial, "evaluation": bound, "document": document}
        appender.append("tags", row, _fresh(connection, marked, seq, tag_marks([tag.category], numbers, seq)))
        answers.append(True)
    flush(connection, appender)
    return answers


def annotations_of(connection: Connection, trial: int) -> list[StoredAnnotation]:
    """Every annotation of a trial (by row), oldest first, also those that were replaced."""
    a = annotation_table.c
    rows = connection.execute(
        select(a.document, is_current_annotation().label("current")).where(a.trial == trial).order_by(a.seq)
    )
    return [StoredAnnotation(Annotation.model_validate_json(text), bool(current)) for text, current in rows]


def _own(connection: Connection, trial: int, reviewer: int) -> dict[str, int]:
    """All this reviewer has said of this trial: document -> row."""
    rows = connection.execute(_OWN, {"wanted": trial, "who": reviewer})
    return {row.document: row.seq for row in rows}


def _current(connection: Connection, trial: int) -> tuple[int, float]:
    row = connection.execute(_CURRENT, {"wanted": trial}).one()
    return row.seq, row.reward


def _has_tag(connection: Connection, trial: int, bound: int | None, document: str) -> bool:
    t = tags.c
    same = t.evaluation.is_(None) if bound is None else t.evaluation == bound
    statement = select(t.seq).where(t.trial == trial, same, t.document == document)
    return connection.execute(statement).first() is not None


def _fresh(
    connection: Connection, marked: dict[int, set[Mark]], evaluation: int, made: list[Mark]
) -> list[Mark]:
    """The marks that this evaluation lacks; a mark is written once, by the first row that makes it."""
    if evaluation not in marked:
        rows = connection.execute(_MARKED, {"wanted": evaluation})
        marked[evaluation] = {(row.kind, row.value, evaluation) for row in rows}
    new = [mark for mark in made if mark not in marked[evaluation]]
    marked[evaluation].update(new)
    return new
