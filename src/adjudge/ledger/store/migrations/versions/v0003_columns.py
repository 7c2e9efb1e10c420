"""SQLite: the plain columns of evaluations in an index, so that statistics skip the documents."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the index; PostgreSQL reads its tables well enough without."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE INDEX evaluation_columns ON evaluations (seq, trial, task_digest, experiment, agent, "
            "model, task, attempt, reward, output_parseable, schema_valid, verifier_completed, "
            "outcome, scored_at, duration_sec, cost_usd)"
        )


def downgrade() -> None:
    """There is no way back: the ledger keeps what was written."""
    raise NotImplementedError("a ledger is never downgraded")
