"""Turn rows into records: the two halves of the document, long streams, annotations and later tags.

What belongs to many records is fetched for all at once: a page costs four statements, not four each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from adjudge.contracts import Annotation, ErrorTag, TrialRecord
from adjudge.errors import LedgerError
from adjudge.ledger.store.blobs import BlobFiles, read_blobs
from adjudge.ledger.store.schema import annotation_table, evaluations, tags, trials
from adjudge.ledger.store.sql import chunks, is_current_annotation
from adjudge.ledger.writing.documents import join

if TYPE_CHECKING:
    from sqlalchemy import Connection

COLUMNS = (
    evaluations.c.seq,
    evaluations.c.trial,
    evaluations.c.reward,
    evaluations.c.stdout,
    evaluations.c.stderr,
    trials.c.document.label("trial_document"),
    evaluations.c.document,
)
_NUMBERS: Any = bindparam("numbers", expanding=True)
_SAID = (
    select(annotation_table.c.trial, annotation_table.c.document)
    .where(annotation_table.c.trial.in_(_NUMBERS), is_current_annotation())
    .order_by(annotation_table.c.seq)
)
_TAGGED = (
    select(tags.c.trial, tags.c.evaluation, tags.c.document)
    .where(tags.c.trial.in_(_NUMBERS))
    .order_by(tags.c.seq)
)


def assemble(
    connection: Connection, files: BlobFiles, rows: Sequence[Any], *, streams: bool, lost: dict[bytes, str]
) -> Iterator[TrialRecord]:
    """The records of rows that have `COLUMNS`, in their order.

    A verifier stream that is gone or damaged must not take its trial along: it reads as the sentence that
    says so, which is also added to `lost`, by digest.
    """
    if not rows:
        return
    numbers = {row.trial for row in rows}
    said = current_annotations(connection, numbers)
    later = later_tags(connection, numbers)
    texts: dict[bytes, str] = {}
    if streams:
        wanted = {bytes(d) for row in rows for d in (row.stdout, row.stderr) if d is not None}
        texts = _streams(connection, files, wanted, lost)
    for row in rows:
        yield join(
            row.trial_document,
            row.document,
            stdout=texts.get(row.stdout),
            stderr=texts.get(row.stderr),
            annotations=said.get(row.trial, ()),
            tags=[tag for evaluation, tag in later.get(row.trial, ()) if evaluation in (None, row.seq)],
        )


def _streams(
    connection: Connection, files: BlobFiles, wanted: set[bytes], lost: dict[bytes, str]
) -> dict[bytes, str]:
    """The text of each stream by its digest."""
    try:
        found = read_blobs(connection, files, wanted)
    except LedgerError:
        found = {}
        for digest in wanted:
            try:
                found |= read_blobs(connection, files, [digest])
            except LedgerError as error:
                lost[digest] = str(error)
    for digest in wanted - found.keys() - lost.keys():
        lost[digest] = f"{digest.hex()}: this stream was lost before this copy of the ledger was made"
    return {
        **{digest: data.decode("utf-8") for digest, data in found.items()},
        **{digest: f"[{words}]" for digest, words in lost.items()},
    }


def current_annotations(connection: Connection, numbers: set[int]) -> dict[int, list[Annotation]]:
    """What each reviewer thinks now of each trial (by row), oldest first."""
    found: dict[int, list[Annotation]] = defaultdict(list)
    for some in chunks(numbers):
        for trial, document in connection.execute(_SAID, {"numbers": some}):
            found[trial].append(Annotation.model_validate_json(document))
    return found


def later_tags(connection: Connection, numbers: set[int]) -> dict[int, list[tuple[int | None, ErrorTag]]]:
    """Tags added after the fact to each trial (by row), with the evaluation each is bound to."""
    found: dict[int, list[tuple[int | None, ErrorTag]]] = defaultdict(list)
    for some in chunks(numbers):
        for trial, evaluation, document in connection.execute(_TAGGED, {"numbers": some}):
            found[trial].append((evaluation, ErrorTag.model_validate_json(document)))
    return found
