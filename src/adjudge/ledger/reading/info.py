"""What is in a ledger, at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from sqlalchemy import func, select, text

from adjudge.ledger.store.names import Names
from adjudge.ledger.store.schema import (
    alembic_version,
    annotation_table,
    attachments,
    blobs,
    certificates,
    evaluations,
    head,
    settings,
    tags,
    trials,
)
from adjudge.ledger.store.sql import is_current

if TYPE_CHECKING:
    from adjudge.ledger.store.blobs import BlobFiles
    from adjudge.ledger.store.database import Database


class LedgerInfo(Struct, frozen=True):
    """Counts, size and where the chain ends. `head` is what `adjudge ledger verify --expect` takes."""

    location: str
    database: str
    schema_version: str
    created_at: str | None
    head: str
    trials: int
    evaluations: int
    annotations: int
    tags: int
    certificates: int
    attachments: dict[str, int]
    """What is attached to trials or to the ledger, by kind: traces, judgements, calls, calibrations."""
    blobs: int
    blob_bytes: int
    """Of their contents, before compression."""
    blob_location: str | None
    size_bytes: int | None
    """Of the database; None if it cannot be asked."""
    experiments: dict[str, int]
    """Trials by experiment."""


def read_info(database: Database, files: BlobFiles, names: Names) -> LedgerInfo:
    """Count everything."""
    with database.reading() as connection:

        def count(table: object) -> int:
            return int(connection.execute(select(func.count()).select_from(table)).scalar_one())  # type: ignore[arg-type]

        end = connection.execute(select(head.c.seq, head.c.hash)).one()
        by_experiment = connection.execute(
            select(evaluations.c.experiment, func.count())
            .where(is_current())
            .group_by(evaluations.c.experiment)
        ).all()
        texts = names.texts(connection, [number for number, _ in by_experiment])
        size = (
            "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
            if database.dialect == "sqlite"
            else "SELECT pg_database_size(current_database())"
        )
        return LedgerInfo(
            location=database.location.shown,
            database=database.dialect,
            schema_version=str(connection.execute(select(alembic_version.c.version_num)).scalar()),
            created_at=connection.execute(
                select(settings.c.value).where(settings.c.key == "created_at")
            ).scalar(),
            head=f"{end.seq}:{bytes(end.hash).hex()}",
            trials=count(trials),
            evaluations=count(evaluations),
            annotations=count(annotation_table),
            tags=count(tags),
            certificates=count(certificates),
            attachments={
                str(row.kind): int(row.total)
                for row in connection.execute(
                    select(attachments.c.kind, func.count().label("total"))
                    .group_by(attachments.c.kind)
                    .order_by(attachments.c.kind)
                )
            },
            blobs=count(blobs),
            blob_bytes=int(connection.execute(select(func.coalesce(func.sum(blobs.c.size), 0))).scalar_one()),
            blob_location=files.shown,
            size_bytes=connection.execute(text(size)).scalar(),
            experiments={
                texts[number]: total for number, total in sorted(by_experiment, key=lambda r: texts[r[0]])
            },
        )
