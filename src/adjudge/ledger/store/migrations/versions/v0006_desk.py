"""What a server keeps for a while and changes: users, sessions, claims, drafts."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"

_TEXT = {"sqlite": "TEXT", "postgresql": 'TEXT COLLATE "C"'}
_FLOAT = {"sqlite": "FLOAT", "postgresql": "FLOAT(53)"}


def upgrade() -> None:
    """Add the table; its rows may be changed."""
    dialect = op.get_bind().dialect.name
    text, number = _TEXT[dialect], _FLOAT[dialect]
    op.execute(
        f"CREATE TABLE desk (kind {text} NOT NULL, key {text} NOT NULL, value TEXT NOT NULL, "
        f"expires {number}, PRIMARY KEY (kind, key))"
    )


def downgrade() -> None:
    """There is no way back: the ledger keeps what was written."""
    raise NotImplementedError("a ledger is never downgraded")
