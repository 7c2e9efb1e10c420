"""The newest scoring of an output is one look-up however often it was scored; SQLite replaces no row."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"

_KEYS = {
    "names": ("seq", "text"),
    "trials": ("seq", "trial_id"),
    "evaluations": ("seq", "trial task_digest retry", "replaces"),
    "annotations": ("seq", "replaces"),
    "tags": ("seq",),
    "certificates": ("seq",),
    "marks": ("kind value evaluation",),
    "blobs": ("number", "digest"),
}


def upgrade() -> None:
    """Make two indexes anew, without their NULLs, and guard SQLite against INSERT OR REPLACE."""
    op.execute("DROP INDEX evaluation_output")
    op.execute(
        "CREATE INDEX evaluation_output ON evaluations (output_sha256, task_digest, seq) "
        "WHERE output_sha256 IS NOT NULL AND verifier_completed = 1"
    )
    op.execute("DROP INDEX evaluation_replaces")
    op.execute("CREATE UNIQUE INDEX evaluation_replaces ON evaluations (replaces) WHERE replaces IS NOT NULL")
    if op.get_bind().dialect.name == "sqlite":
        for table in _KEYS:
            op.get_bind().exec_driver_sql(_no_replace(table))


def downgrade() -> None:
    """There is no way back: the ledger keeps what was written."""
    raise NotImplementedError("a ledger is never downgraded")


def _no_replace(table: str) -> str:
    taken = " OR ".join(
        "(" + " AND ".join(f"{column} = NEW.{column}" for column in key.split()) + ")" for key in _KEYS[table]
    )
    answer = (
        "IGNORE" if table == "blobs" else f"FAIL, 'the ledger is insert-only: REPLACE on {table} is refused'"
    )
    found = f"SELECT 1 FROM {table} WHERE {taken}"  # noqa: S608 - our own words
    return (
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
        f"WHEN EXISTS ({found}) BEGIN SELECT RAISE({answer}); END"
    )
