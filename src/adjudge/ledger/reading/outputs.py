"""The outputs that a ledger kept, which are blobs, found by the trials that they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlalchemy import select

from adjudge.ledger.store.blobs import BlobFiles, read_blobs
from adjudge.ledger.store.schema import blobs, trials
from adjudge.ledger.store.sql import chunks

if TYPE_CHECKING:
    from sqlalchemy import Connection


def has_blob(connection: Connection, digest: bytes) -> bool:
    """Does the ledger know this blob?"""
    return connection.execute(select(blobs.c.number).where(blobs.c.digest == digest)).first() is not None


def output_blob(connection: Connection, row: int) -> str | None:
    """The digest of the blob that holds a trial's output; None if the output was not kept."""
    found = connection.execute(select(trials.c.output_blob).where(trials.c.seq == row)).scalar()
    return None if found is None else bytes(found).hex()


def read_outputs(connection: Connection, files: BlobFiles, rows: Iterable[int]) -> dict[int, bytes]:
    """The kept outputs of trials, verified, by their rows. One that was not kept is left out."""
    digests: dict[int, bytes] = {}
    for some in chunks(rows):
        statement = select(trials.c.seq, trials.c.output_blob).where(trials.c.seq.in_(some))
        digests |= {row: bytes(d) for row, d in connection.execute(statement) if d is not None}
    found = read_blobs(connection, files, digests.values())
    return {row: found[digest] for row, digest in digests.items() if digest in found}
