"""The tables, their indexes and the triggers that make them insert-only.

Frozen: written out instead of taken from `schema.py`, which moves on.
"""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None

_TABLES = {
    "names": "seq {seq} NOT NULL PRIMARY KEY, text {text} NOT NULL UNIQUE, hash {bytes} NOT NULL",
    "trials": (
        "seq {seq} NOT NULL PRIMARY KEY, trial_id {text} NOT NULL UNIQUE, output_blob {bytes}, "
        "document TEXT NOT NULL, hash {bytes} NOT NULL"
    ),
    "evaluations": (
        "seq {seq} NOT NULL PRIMARY KEY, trial {seq} NOT NULL, task_digest {seq} NOT NULL, "
        "retry INTEGER NOT NULL, "
        "replaces {seq}, experiment {seq} NOT NULL, agent {seq} NOT NULL, model {seq} NOT NULL, "
        "task {seq} NOT NULL, attempt BIGINT NOT NULL, output_sha256 {bytes}, reward {float} NOT NULL, "
        "output_parseable SMALLINT NOT NULL, schema_valid SMALLINT NOT NULL, "
        "verifier_completed SMALLINT NOT NULL, outcome {seq} NOT NULL, scored_at {float} NOT NULL, "
        "duration_sec {float}, cost_usd {float}, stdout {bytes}, stderr {bytes}, "
        "document TEXT NOT NULL, hash {bytes} NOT NULL, "
        "CONSTRAINT evaluation_once UNIQUE (trial, task_digest, retry)"
    ),
    "annotations": (
        "seq {seq} NOT NULL PRIMARY KEY, trial {seq} NOT NULL, reviewer {seq} NOT NULL, "
        "judgment TEXT NOT NULL, "
        "replaces {seq}, document TEXT NOT NULL, hash {bytes} NOT NULL"
    ),
    "tags": (
        "seq {seq} NOT NULL PRIMARY KEY, trial {seq} NOT NULL, evaluation {seq}, document TEXT NOT NULL, "
        "hash {bytes} NOT NULL"
    ),
    "certificates": (
        "seq {seq} NOT NULL PRIMARY KEY, task_digest {seq} NOT NULL, deterministic SMALLINT, "
        "document TEXT NOT NULL, hash {bytes} NOT NULL"
    ),
    "marks": (
        "kind {text} NOT NULL, value {seq} NOT NULL, evaluation {seq} NOT NULL, origin {seq} NOT NULL, "
        "PRIMARY KEY (kind, value, evaluation)"
    ),
    "blobs": "number {serial}, digest {bytes} NOT NULL UNIQUE, size BIGINT NOT NULL, data {bytes}",
    "head": "id SMALLINT NOT NULL PRIMARY KEY, seq {seq} NOT NULL, hash {bytes} NOT NULL",
    "settings": "key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL",
}
_INDEXES = {
    "evaluation_replaces": "UNIQUE evaluations (replaces)",
    "evaluation_experiment": "evaluations (experiment, seq)",
    "evaluation_experiment_reward": "evaluations (experiment, reward, seq)",
    "evaluation_agent": "evaluations (agent, seq)",
    "evaluation_model": "evaluations (model, seq)",
    "evaluation_task": "evaluations (task, seq)",
    "evaluation_outcome": "evaluations (outcome, seq)",
    "evaluation_reward": "evaluations (reward, seq)",
    "evaluation_output": "evaluations (output_sha256, task_digest)",
    "annotation_trial": "annotations (trial, reviewer, seq)",
    "annotation_replaces": "UNIQUE annotations (replaces)",
    "tag_trial": "tags (trial, seq)",
    "certificate_task_digest": "certificates (task_digest, seq)",
    "mark_origin": "marks (origin)",
    "mark_evaluation": "marks (evaluation)",
}
_INSERT_ONLY = ("names", "trials", "evaluations", "annotations", "tags", "certificates", "marks", "blobs")
_TYPES = {
    "sqlite": {
        "seq": "INTEGER",
        "text": "TEXT",
        "bytes": "BLOB",
        "float": "FLOAT",
        "serial": "INTEGER NOT NULL PRIMARY KEY",
    },
    "postgresql": {
        "seq": "BIGINT",
        "text": 'TEXT COLLATE "C"',
        "bytes": "BYTEA",
        "float": "FLOAT(53)",
        "serial": "BIGSERIAL NOT NULL PRIMARY KEY",
    },
}


def upgrade() -> None:
    """Make everything, and the head of an empty chain."""
    dialect = op.get_bind().dialect.name
    for name, columns in _TABLES.items():
        without = " WITHOUT ROWID" if (dialect, name) == ("sqlite", "marks") else ""
        op.execute(f"CREATE TABLE {name} ({columns.format(**_TYPES[dialect])}){without}")
    for name, target in _INDEXES.items():
        kind = "UNIQUE INDEX" if target.startswith("UNIQUE ") else "INDEX"
        op.execute(f"CREATE {kind} {name} ON {target.removeprefix('UNIQUE ')}")
    for statement in _guards(dialect):
        op.get_bind().exec_driver_sql(statement)
    zeros = "zeroblob(32)" if dialect == "sqlite" else "decode(repeat('00', 32), 'hex')"
    op.execute(f"INSERT INTO head (id, seq, hash) VALUES (1, 0, {zeros})")  # noqa: S608 - our own words


def downgrade() -> None:
    """There is no way back: the ledger keeps what was written."""
    raise NotImplementedError("a ledger is never downgraded")


def _guards(dialect: str) -> list[str]:
    if dialect == "sqlite":
        return [
            f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, 'the ledger is insert-only: {event} on {table} is refused'); END"
            for table in _INSERT_ONLY
            for event in ("UPDATE", "DELETE")
        ]
    return [
        "CREATE FUNCTION adjudge_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION USING MESSAGE = 'the ledger is insert-only: ' || TG_OP || ' on ' || TG_TABLE_NAME "
        "|| ' is refused'; END $$",
        *(
            f"CREATE TRIGGER {table}_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION adjudge_refuse()"
            for table in _INSERT_ONLY
        ),
    ]
