"""Write trials: one batch is one transaction, and writing the same thing again changes nothing.

A trial is written once by its id. An evaluation is written once per (trial, task digest); one under another
digest is added, and replaces the one that was current. Running a verifier again under the same digest (it
had failed, or the task went back to an earlier version) is asked for by naming the evaluation it
`replaces`: if that one is no longer current, somebody else was faster, and nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct
from sqlalchemy import bindparam, select, update

from adjudge.contracts import TrialIdentity
from adjudge.ledger.entry import Recorded, Written, evaluation_id, evaluation_row
from adjudge.ledger.store.blobs import insert_blobs
from adjudge.ledger.store.chain import Appender, Mark
from adjudge.ledger.store.names import NO_NAME, Names
from adjudge.ledger.store.schema import (
    CHAINED,
    MARK_BARE,
    MARK_TAG,
    annotation_table,
    blobs,
    evaluations,
    head,
    marks,
    tags,
)
from adjudge.ledger.store.sql import chunks, insert_rows, is_current_annotation, lock_head, trials_by_id
from adjudge.ledger.writing.marks import annotation_marks, tag_marks
from adjudge.ledger.writing.prepared import PreparedEntry

if TYPE_CHECKING:
    from sqlalchemy import Connection

_MOVE_HEAD = update(head).where(head.c.id == 1).values(seq=bindparam("last"), hash=bindparam("end"))


class _Known(Struct):
    """A trial in the ledger: its row and document, its evaluations by (digest, retry), the current one."""

    seq: int
    document: str
    evaluations: dict[tuple[int, int], int]
    current: int | None


def record_batch(connection: Connection, names: Names, batch: Sequence[PreparedEntry]) -> list[Recorded]:
    """Write a batch inside a write transaction; the answers are in its order. Its blob files are in place."""
    appender = Appender(*lock_head(connection))
    known = _known_trials(connection, [item.trial_id for item in batch])
    answers: list[Recorded] = []
    needed: dict[str, tuple[int, bytes]] = {}
    kept = _kept_before(connection, batch)
    numbers: dict[str | None, int] | None = None
    for item in batch:
        trial = known.get(item.trial_id)
        if trial is not None and (why := _conflict(trial, item)):
            answers.append(Recorded(item.trial_id, Written.CONFLICT, None, why))
            continue
        if numbers is None:
            numbers = _numbers(connection, appender, names, batch)
        digest = numbers[item.named["task_digest"]]
        retry = _retry(trial, item, digest)
        if retry is None:
            answers.append(_unchanged(item.trial_id, trial))
            continue
        written = Written.TRIAL if trial is None else Written.EVALUATION
        if trial is None:
            trial = known[item.trial_id] = _Known(_append_trial(appender, item), item.trial, {}, None)
        carried = _carried(connection, appender, names, trial, item) if trial.current is not None else []
        if not kept.issuperset(item.lacking) and item.lacking - kept - needed.keys():
            carried = [*carried, (MARK_BARE, NO_NAME, appender.next_seq)]
        seq = _append_evaluation(appender, trial, item, numbers=numbers, retry=retry, carried=carried)
        trial.evaluations[digest, retry] = trial.current = seq
        needed.update(item.packed)
        answers.append(Recorded(item.trial_id, written, evaluation_id(item.trial_id, seq)))
    insert_blobs(connection, needed)
    flush(connection, appender)
    return answers


def _kept_before(connection: Connection, batch: Sequence[PreparedEntry]) -> set[str]:
    """Which artifacts that were not given with their evaluations the ledger has nevertheless."""
    found: set[str] = set()
    for some in chunks(map(bytes.fromhex, set().union(*(item.lacking for item in batch)))):
        rows = connection.execute(select(blobs.c.digest).where(blobs.c.digest.in_(some)))
        found.update(bytes(raw).hex() for (raw,) in rows)
    return found


def _numbers(
    connection: Connection, appender: Appender, names: Names, batch: Sequence[PreparedEntry]
) -> dict[str | None, int]:
    """The number of every name that the rows of a batch will refer to."""
    wanted = dict.fromkeys(chain.from_iterable(chain(item.named.values(), item.categories) for item in batch))
    numbers: dict[str | None, int] = {None: NO_NAME}
    numbers.update(names.number(connection, appender, (name for name in wanted if name is not None)))
    return numbers


def flush(connection: Connection, appender: Appender) -> None:
    """Insert what was appended and move the head. Nothing appended: nothing is written."""
    if not appender.rows:
        return
    for table in CHAINED:
        if rows := appender.rows.get(table.name):
            insert_rows(connection, table, rows)
    if appender.marks:
        insert_rows(connection, marks, appender.marks)
    connection.execute(_MOVE_HEAD, {"last": appender.seq, "end": appender.head})


def _known_trials(connection: Connection, ids: Sequence[str]) -> dict[str, _Known]:
    known: dict[str, _Known] = {}
    by_seq: dict[int, _Known] = {}
    for seq, trial_id, document in trials_by_id(connection, "seq, trial_id, document", ids):
        known[trial_id] = by_seq[seq] = _Known(seq, document, {}, None)
    e = evaluations.c
    for numbers in chunks(by_seq):
        found = connection.execute(
            select(e.seq, e.trial, e.task_digest, e.retry).where(e.trial.in_(numbers)).order_by(e.seq)
        )
        for seq, trial, digest, retry in found:
            by_seq[trial].evaluations[digest, retry] = seq
            by_seq[trial].current = seq
    return known


def _conflict(trial: _Known, item: PreparedEntry) -> str | None:
    """Why this id cannot stand for this trial; None if it is the same one."""
    if trial.document == item.trial:
        return None
    differs = _identity(trial.document).difference(_identity(item.trial))
    return differs and f"trial {item.trial_id} is in the ledger with {differs}"


def _identity(document: str) -> TrialIdentity:
    """Of the trial that the first half of a record describes."""
    facts = json.loads(document)
    return TrialIdentity(
        facts["experiment"],
        facts["task_id"],
        facts["output"]["sha256"],
        facts["agent"]["name"],
        facts["agent"]["model"],
        facts["attempt"],
    )


def _retry(trial: _Known | None, item: PreparedEntry, digest: int) -> int | None:
    """Which try under this digest this one is; None if it must not be written."""
    if trial is None:
        return 0
    earlier = [retry for d, retry in trial.evaluations if d == digest]
    if item.replaces is not None:
        return len(earlier) if evaluation_row(item.replaces) == trial.current else None
    return None if earlier else 0


def _unchanged(trial_id: str, trial: _Known | None) -> Recorded:
    current = evaluation_id(trial_id, trial.current) if trial and trial.current else None
    return Recorded(trial_id, Written.NOTHING, current)


def _append_trial(appender: Appender, item: PreparedEntry) -> int:
    row = {"trial_id": item.trial_id, "output_blob": item.output_blob, "document": item.trial}
    return appender.append("trials", row)


def _append_evaluation(
    appender: Appender,
    trial: _Known,
    item: PreparedEntry,
    *,
    numbers: Mapping[str | None, int],
    retry: int,
    carried: list[Mark],
) -> int:
    row = dict(item.columns)
    for column, name in item.named.items():
        row[column] = numbers[name]
    row["trial"] = trial.seq
    row["retry"] = retry
    row["replaces"] = trial.current
    row["document"] = item.evaluation
    if trial.current is not None:
        # what belongs to the trial comes from the trial: a re-score may know less, or something else
        cost = json.loads(trial.document)["cost"]
        row["cost_usd"] = cost.get("usd") if cost else None
    if item.categories:
        carried = [*tag_marks(item.categories, numbers, appender.next_seq), *carried]
    return appender.append("evaluations", row, carried)


def _carried(
    connection: Connection, appender: Appender, names: Names, trial: _Known, item: PreparedEntry
) -> list[Mark]:
    """The marks of what people have said of this trial, for the evaluation about to be appended."""
    evaluation, reward = appender.next_seq, item.reward
    said = connection.execute(
        select(annotation_table.c.judgment, annotation_table.c.reviewer).where(
            annotation_table.c.trial == trial.seq, is_current_annotation()
        )
    )
    made = [mark for row in said for mark in annotation_marks(row.judgment, row.reviewer, reward, evaluation)]
    later = connection.execute(
        select(tags.c.document).where(tags.c.trial == trial.seq, tags.c.evaluation.is_(None))
    )
    categories = [document["category"] for (text,) in later if (document := json.loads(text))]
    return made + [(MARK_TAG, number, evaluation) for number in names.find(connection, categories).values()]
