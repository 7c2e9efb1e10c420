"""What an audit found out about a task digest. The newest certificate of a digest counts; older ones stay."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from adjudge.contracts import check_json
from adjudge.errors import UsageError
from adjudge.ledger.store.chain import Appender
from adjudge.ledger.store.names import Names
from adjudge.ledger.store.schema import certificates
from adjudge.ledger.store.sql import lock_head
from adjudge.ledger.writing.record import flush

if TYPE_CHECKING:
    from sqlalchemy import Connection


def add_certificate(
    connection: Connection,
    names: Names,
    task_digest: str,
    document: dict[str, Any],
    deterministic: bool | None,
) -> None:
    """Store a certificate; one that says the same as the newest is not stored again."""
    try:
        check_json(document)
    except ValueError as error:
        raise UsageError(f"a certificate must be plain JSON: {error}") from None
    text = json.dumps(document, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    flag = None if deterministic is None else int(deterministic)
    appender = Appender(*lock_head(connection))
    number = names.number(connection, appender, [task_digest])[task_digest]
    if _newest(connection, number) != (text, flag):
        appender.append("certificates", {"task_digest": number, "deterministic": flag, "document": text})
    flush(connection, appender)


def find_certificate(
    connection: Connection, names: Names, task_digest: str
) -> tuple[dict[str, Any], bool | None] | None:
    """The newest certificate of a task digest, and whether it says deterministic; None: never audited."""
    number = names.find(connection, [task_digest]).get(task_digest)
    if number is None or (found := _newest(connection, number)) is None:
        return None
    text, flag = found
    return json.loads(text), None if flag is None else bool(flag)


def _newest(connection: Connection, number: int) -> tuple[str, int | None] | None:
    c = certificates.c
    row = connection.execute(
        select(c.document, c.deterministic).where(c.task_digest == number).order_by(c.seq.desc()).limit(1)
    ).first()
    return None if row is None else (row.document, row.deterministic)
