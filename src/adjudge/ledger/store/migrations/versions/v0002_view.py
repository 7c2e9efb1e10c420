"""A view for people who ask with SQL: each trial with its current evaluation, names spelled out."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

_VIEW = """
CREATE VIEW current_trials AS
SELECT t.trial_id, x.text AS experiment, k.text AS task, a.text AS agent, m.text AS model, e.attempt,
  e.reward, o.text AS outcome, e.output_parseable, e.schema_valid, e.verifier_completed, e.duration_sec,
  e.cost_usd, d.text AS task_digest, e.seq AS evaluation,
  t.document AS trial_document, e.document AS evaluation_document
FROM evaluations e
JOIN trials t ON t.seq = e.trial
JOIN names x ON x.seq = e.experiment
JOIN names k ON k.seq = e.task
JOIN names a ON a.seq = e.agent
JOIN names o ON o.seq = e.outcome
LEFT JOIN names m ON m.seq = e.model
LEFT JOIN names d ON d.seq = e.task_digest
WHERE NOT EXISTS (SELECT 1 FROM evaluations newer WHERE newer.replaces = e.seq)
"""


def upgrade() -> None:
    """Add the view."""
    op.execute(_VIEW)


def downgrade() -> None:
    """There is no way back: the ledger keeps what was written."""
    raise NotImplementedError("a ledger is never downgraded")
