"""What is attached to a trial, or to the ledger itself: traces, judgements, calibrations."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"

_TYPES = {
    "sqlite": {"seq": "INTEGER", "text": "TEXT", "bytes": "BLOB"},
    "postgresql": {"seq": "BIGINT", "text": 'TEXT COLLATE "C"', "bytes": "BYTEA"},
}
_TABLE = (
    "CREATE TABLE attachments (seq {seq} NOT NULL PRIMARY KEY, kind {text} NOT NULL, trial {seq} NOT NULL, "
    "key {text} NOT NULL, document TEXT NOT NULL, hash {bytes} NOT NULL, "
    "CONSTRAINT attachment_once UNIQUE (kind, trial, key))"
)
_TAKEN = "(seq = NEW.seq) OR (kind = NEW.kind AND trial = NEW.trial AND key = NEW.key)"
_REFUSED = "the ledger is insert-only:"


def upgrade() -> None:
    """Add the table, insert-only like the others."""
    connection = op.get_bind()
    dialect = connection.dialect.name
    op.execute(_TABLE.format(**_TYPES[dialect]))
    if dialect == "postgresql":
        connection.exec_driver_sql(
            "CREATE TRIGGER attachments_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON attachments "
            "FOR EACH STATEMENT EXECUTE FUNCTION adjudge_refuse()"
        )
        return
    for event in ("UPDATE", "DELETE"):
        connection.exec_driver_sql(
            f"CREATE TRIGGER attachments_no_{event.lower()} BEFORE {event} ON attachments "
            f"BEGIN SELECT RAISE(ABORT, '{_REFUSED} {event} on attachments is refused'); END"
        )
    found = f"SELECT 1 FROM attachments WHERE {_TAKEN}"  # noqa: S608 - our own words
    connection.exec_driver_sql(
        f"CREATE TRIGGER attachments_no_replace BEFORE INSERT ON attachments WHEN EXISTS ({found}) "
        f"BEGIN SELECT RAISE(FAIL, '{_REFUSED} REPLACE on attachments is refused'); END"
    )


def downgrade() -> None:
    """There is no way back: the ledger keeps what was written."""
    raise NotImplementedError("a ledger is never downgraded")
