"""The newest scoring of an output is one look-up however often it was scored; NULLs leave two indexes."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the two indexes anew."""
    op.execute("DROP INDEX evaluation_output")
    op.execute(
        "CREATE INDEX evaluation_output ON evaluations (output_sha256, task_digest, seq) "
        "WHERE output_sha256 IS NOT NULL AND verifier_completed = 1"
    )
    op.execute("DROP INDEX evaluation_replaces")
    op.execute("CREATE UNIQUE INDEX evaluation_replaces ON evaluations (replaces) WHERE replaces IS NOT NULL")


def downgrade() -> None:
    """There is no way back: the ledger keeps what was written."""
    raise NotImplementedError("a ledger is never downgraded")
