"""What is new in a ledger since a row: how a server keeps up without counting again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import bindparam, func, select

from adjudge.ledger.reading.query import last_row
from adjudge.ledger.store.names import Names
from adjudge.ledger.store.schema import annotation_table, attachments, evaluations, names, trials
from adjudge.ledger.writing.attachments import Attachment

if TYPE_CHECKING:
    from adjudge.ledger.ledger import Ledger


class NewEvaluations(Struct, frozen=True):
    """Evaluations of one experiment, task and outcome that were recorded since a row."""

    experiment: str
    task: str
    outcome: str
    count: int
    first_at: float
    last_at: float


class NewAnnotation(Struct, frozen=True):
    """An annotation. A later one of the same reviewer on the same trial replaces it."""

    row: int
    trial: int
    trial_id: str
    task: str
    reviewer: str
    judgment: str


def head_row(ledger: Ledger) -> int:
    """The number of the newest row of the chain; 0 for an empty ledger."""
    with ledger.database.reading() as connection:
        return last_row(connection)


def new_evaluations(ledger: Ledger, after: int, up_to: int) -> list[NewEvaluations]:
    """What was recorded after one row, up to another; grouped by the database."""
    e = evaluations.c
    statement = (
        select(e.experiment, e.task, e.outcome, func.count(), func.min(e.scored_at), func.max(e.scored_at))
        .where(e.seq > after, e.seq <= up_to)
        .group_by(e.experiment, e.task, e.outcome)
    )
    with ledger.database.reading() as connection:
        rows: Sequence[Any] = connection.execute(statement).all()
        texts = Names().texts(connection, {number for row in rows for number in row[:3]})
    return [NewEvaluations(texts[x], texts[t], texts[o], int(n), a, b) for x, t, o, n, a, b in rows]


def new_annotations(ledger: Ledger, after: int, up_to: int) -> list[NewAnnotation]:
    """The annotations after one row, up to another, oldest first."""
    with ledger.database.reading() as connection:
        rows = connection.execute(_annotations_between(), {"after": after, "up_to": up_to})
        return [NewAnnotation(*row) for row in rows]


@cache
def _annotations_between() -> Any:
    a, e, task = annotation_table.c, evaluations.c, names.alias("task")
    first = select(e.trial, e.task).where(e.replaces.is_(None)).subquery()
    return (
        select(a.seq, a.trial, trials.c.trial_id, task.c.text, names.c.text, a.judgment)
        .join(trials, trials.c.seq == a.trial)
        .join(first, first.c.trial == a.trial)
        .join(task, task.c.seq == first.c.task)
        .join(names, names.c.seq == a.reviewer)
        .where(a.seq > bindparam("after"), a.seq <= bindparam("up_to"))
        .order_by(a.seq)
    )


@cache
def _attachments_between() -> Any:
    a = attachments.c
    return (
        select(a.seq, a.kind, a.key, trials.c.trial_id, a.document)
        .select_from(attachments.outerjoin(trials, trials.c.seq == a.trial))
        .where(
            a.kind.in_(bindparam("kinds", expanding=True)),
            a.seq > bindparam("after"),
            a.seq <= bindparam("up_to"),
        )
        .order_by(a.seq)
    )


def new_attachments(ledger: Ledger, kinds: Sequence[str], after: int, up_to: int) -> list[Attachment]:
    """Attachments of these kinds after one row, up to another, oldest first."""
    given = {"kinds": list(kinds), "after": after, "up_to": up_to}
    with ledger.database.reading() as connection:
        rows = connection.execute(_attachments_between(), given).all()
    found = []
    for row in rows:
        whole = json.loads(row.document)
        found.append(Attachment(row.seq, row.kind, row.key, row.trial_id, whole["content"], whole["blobs"]))
    return found
