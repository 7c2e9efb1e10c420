"""What stands beside the trials of a filter, as arrays: their tags, and the evaluations that were replaced.

Both name a trial by its number, as `TrialColumns.trial` does, so that a report can join them to its columns
without reading a document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import select

from adjudge.ledger.filters import TrialFilter
from adjudge.ledger.reading.columns import Coded, coded
from adjudge.ledger.reading.selection import select_by
from adjudge.ledger.store.names import Names
from adjudge.ledger.store.schema import MARK_TAG, evaluations, marks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

_CHUNK = 20_000


class TagColumns(Struct, frozen=True):
    """One row for each trial and category of its tags, whoever set them. Perhaps none."""

    trial: NDArray[np.int64]
    category: Coded

    def __len__(self) -> int:
        return len(self.trial)


class ReplacedColumns(Struct, frozen=True):
    """One row for each trial that was scored again: the evaluation just before the current one."""

    trial: NDArray[np.int64]
    task_digest: Coded
    reward: NDArray[np.float64]
    output_parseable: NDArray[np.bool_]
    verifier_completed: NDArray[np.bool_]
    outcome: Coded

    def __len__(self) -> int:
        return len(self.trial)


def read_tags(connection: Connection, known: Names, wanted: TrialFilter) -> TagColumns:
    """The tag categories of the current evaluations that match."""
    chosen = select_by(connection, known, wanted)
    statement = (
        select(evaluations.c.trial, marks.c.value)
        .select_from(marks.join(evaluations, evaluations.c.seq == marks.c.evaluation))
        .where(marks.c.kind == MARK_TAG, chosen.where())
        .order_by(evaluations.c.seq, marks.c.value)
    )
    trial, value = _arrays(connection, statement, ("int64", "int64"))
    return TagColumns(trial, coded(connection, known, value))


def read_replaced(connection: Connection, known: Names, wanted: TrialFilter) -> ReplacedColumns:
    """What the matching trials had before they were scored again; trials scored once are left out."""
    before = evaluations.alias("before")
    chosen = select_by(connection, known, wanted)
    statement = (
        select(
            evaluations.c.trial,
            before.c.task_digest,
            before.c.reward,
            before.c.output_parseable,
            before.c.verifier_completed,
            before.c.outcome,
        )
        .select_from(evaluations.join(before, before.c.seq == evaluations.c.replaces))
        .where(chosen.where())
        .order_by(evaluations.c.seq)
    )
    trial, digest, reward, parseable, completed, outcome = _arrays(
        connection, statement, ("int64", "int64", "float64", "bool", "bool", "int64")
    )
    digests, outcomes = coded(connection, known, digest), coded(connection, known, outcome)
    return ReplacedColumns(trial, digests, reward, parseable, completed, outcomes)


def _arrays(connection: Connection, statement: Any, types: tuple[str, ...]) -> list[NDArray[Any]]:
    import numpy as np

    parts: list[list[NDArray[Any]]] = [[np.empty(0, kind)] for kind in types]
    for rows in connection.execute(statement, execution_options={"yield_per": _CHUNK}).partitions():
        for part, kind, values in zip(parts, types, zip(*rows, strict=True), strict=True):
            part.append(np.array(values, dtype=kind))
    return [np.concatenate(part) for part in parts]
