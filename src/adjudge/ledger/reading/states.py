"""What a run asks before it works: which trials are there, and is there a result to reuse?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from adjudge.contracts import TrialIdentity, TrialRecord
from adjudge.ledger.entry import TrialState, evaluation_id
from adjudge.ledger.reading.load import COLUMNS
from adjudge.ledger.reading.query import LedgerReader
from adjudge.ledger.store.names import Names, is_storable
from adjudge.ledger.store.schema import evaluations, trials
from adjudge.ledger.store.sql import chunks, is_current, trials_by_id

if TYPE_CHECKING:
    from sqlalchemy import Connection

_NAMED = ("experiment", "task", "agent", "model", "task_digest", "outcome")
"""Columns that hold the number of a name."""


def read_states(connection: Connection, names: Names, trial_ids: Iterable[str]) -> dict[str, TrialState]:
    """How each trial stands that is in the ledger; the others are left out."""
    e, t = evaluations.c, trials.c
    found: list[Any] = []
    there = [trial_id for (trial_id,) in trials_by_id(connection, "trial_id", filter(is_storable, trial_ids))]
    for some in chunks(there):
        statement = (
            select(t.trial_id, e.seq, e.attempt, e.output_sha256, e.reward, *(e[name] for name in _NAMED))
            .select_from(trials.join(evaluations, e.trial == t.seq))
            .where(t.trial_id.in_(some), is_current())
        )
        found += connection.execute(statement).all()
    texts = names.texts(connection, {number for row in found for number in row[-len(_NAMED) :]})
    return {
        row.trial_id: TrialState(
            trial_id=row.trial_id,
            identity=TrialIdentity(
                experiment=texts[row.experiment],
                task_id=texts[row.task],
                output_sha256=None if row.output_sha256 is None else bytes(row.output_sha256).hex(),
                agent=texts[row.agent],
                model=texts.get(row.model),
                attempt=row.attempt,
            ),
            evaluation_id=evaluation_id(row.trial_id, row.seq),
            task_digest=texts.get(row.task_digest),
            reward=row.reward,
            outcome=texts[row.outcome],
        )
        for row in found
    }


def read_artifacts(connection: Connection, trial_ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """What each trial's verifier left behind (name -> digest), by its current evaluation."""
    e, t = evaluations.c, trials.c
    found: dict[str, dict[str, str]] = {}
    for some in chunks(trial_ids):
        statement = (
            select(t.trial_id, e.document)
            .select_from(trials.join(evaluations, e.trial == t.seq))
            .where(t.trial_id.in_(some), is_current())
        )
        for trial_id, document in connection.execute(statement):
            found[trial_id] = json.loads(document)["run"]["artifacts"]
    return found


def find_evaluations(
    reader: LedgerReader, task_digest: str, output_digests: Iterable[str]
) -> dict[str, tuple[str, TrialRecord]]:
    """Output digest -> (evaluation id, record): its newest finished scoring by that verifier."""
    e = evaluations.c
    number = reader.names.find(reader.connection, [task_digest]).get(task_digest)
    found: dict[str, tuple[str, TrialRecord]] = {}
    if number is None:
        return found
    for some in chunks({bytes.fromhex(digest) for digest in output_digests}):
        newest = _newest_scorings(reader.connection, number, some)
        rows = reader.connection.execute(
            select(*COLUMNS)
            .select_from(evaluations.join(trials, trials.c.seq == e.trial))
            .where(e.seq.in_(newest))
        ).all()
        for row, record in zip(rows, reader.records(rows), strict=True):
            if row.stdout in reader.lost or row.stderr in reader.lost:
                continue  # to score it again is the way to get the stream back
            found[str(record.output.sha256)] = evaluation_id(record.trial_id, row.seq), record
    return found


def _newest_scorings(connection: Connection, task_digest: int, outputs: list[bytes]) -> list[int]:
    """The row of the newest finished scoring of each output that has one.

    Asked output by output: to group them would read every scoring that an output ever had.
    """
    place = "?" if connection.dialect.name == "sqlite" else "%s"
    statement = f"""
        WITH wanted(output) AS (VALUES {", ".join([f"({place})"] * len(outputs))})
        SELECT (
          SELECT e.seq FROM evaluations e
          WHERE e.output_sha256 = wanted.output AND e.task_digest = {place} AND e.verifier_completed = 1
          ORDER BY e.seq DESC LIMIT 1
        ) FROM wanted
    """  # noqa: S608 - our own words
    rows = connection.exec_driver_sql(statement, (*outputs, task_digest))
    return [seq for (seq,) in rows if seq is not None]
