"""The tables. Every row of a chained table is written once, in one global order, and never touched again.

One counter, `seq`, numbers the rows of all chained tables together: row 17 exists in exactly one of them.
Each row's `hash` covers its own content, the marks it made and the hash of row seq - 1 (`chain.py`).
Triggers refuse UPDATE and DELETE everywhere but in `head`, the one row that says where the chain ends.

names         every experiment, agent, model, task id, task digest and category, once; others refer by number
trials        who made which output for which task; `document` is its JSON
evaluations   what came of it; one row per (trial, task digest, retry). What filters and statistics
              need stands beside the JSON in plain columns, so neither ever has to be parsed for them
annotations   what people think of it
tags          failures classified after the fact
certificates  what an audit found out about a task digest
attachments   what else is known of a trial (its trace, what a judge said of it) or, with trial 0, of the
              ledger as a whole (a judge's calls, calibrations); one row per (kind, trial, key)
marks         "this evaluation has this tag / an annotation / a disagreement": what makes those filters an
              index look-up. Written with the row that caused them and covered by its hash
desk          what a server keeps for a while: users, sessions, claims, drafts; neither chained nor backed up
blobs         bytes by SHA-256; small ones here, large ones at the blob location (`data` is NULL)

Which evaluation is current is not stored twice: an evaluation is current if no other one `replaces` it.
The same holds for one reviewer's annotations.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

VERSION = "0006"
"""The newest migration: what a ledger's `alembic_version` says when it can be used as it is."""

metadata = MetaData()

_Seq = BigInteger().with_variant(Integer(), "sqlite")
_Bytes = Text(collation="C").with_variant(Text(), "sqlite")
"""Text that compares by code point in both databases, so that prefixes are ranges and order is one order."""


def _seq(*, key: bool = True) -> Column[int]:
    return Column("seq", _Seq, primary_key=key, autoincrement=False)


def _hash() -> Column[bytes]:
    return Column("hash", LargeBinary, nullable=False)


names = Table("names", metadata, _seq(), Column("text", _Bytes, nullable=False, unique=True), _hash())

trials = Table(
    "trials",
    metadata,
    _seq(),
    Column("trial_id", _Bytes, nullable=False, unique=True),
    Column("output_blob", LargeBinary),
    Column("document", Text, nullable=False),
    _hash(),
)

evaluations = Table(
    "evaluations",
    metadata,
    _seq(),
    Column("trial", _Seq, nullable=False),
    Column("task_digest", _Seq, nullable=False),
    Column("retry", Integer, nullable=False),
    Column("replaces", _Seq),
    Column("experiment", _Seq, nullable=False),
    Column("agent", _Seq, nullable=False),
    Column("model", _Seq, nullable=False),
    Column("task", _Seq, nullable=False),
    Column("attempt", BigInteger, nullable=False),
    Column("output_sha256", LargeBinary),
    Column("reward", Float(53), nullable=False),
    Column("output_parseable", SmallInteger, nullable=False),
    Column("schema_valid", SmallInteger, nullable=False),
    Column("verifier_completed", SmallInteger, nullable=False),
    Column("outcome", _Seq, nullable=False),
    Column("scored_at", Float(53), nullable=False),
    Column("duration_sec", Float(53)),
    Column("cost_usd", Float(53)),
    Column("stdout", LargeBinary),
    Column("stderr", LargeBinary),
    Column("document", Text, nullable=False),
    _hash(),
    UniqueConstraint("trial", "task_digest", "retry", name="evaluation_once"),
    Index("evaluation_experiment", "experiment", "seq"),
    Index("evaluation_experiment_reward", "experiment", "reward", "seq"),
    Index("evaluation_agent", "agent", "seq"),
    Index("evaluation_model", "model", "seq"),
    Index("evaluation_task", "task", "seq"),
    Index("evaluation_outcome", "outcome", "seq"),
    Index("evaluation_reward", "reward", "seq"),
)


Index("evaluation_replaces", evaluations.c.replaces, unique=True)
Index("evaluation_output", *(evaluations.c[name] for name in ("output_sha256", "task_digest", "seq")))
_CONDITIONS = {
    "evaluation_replaces": "replaces IS NOT NULL",
    "evaluation_output": "output_sha256 IS NOT NULL AND verifier_completed = 1",
}
"""Indexes that hold only the evaluations that fulfil a condition."""
Index(
    "evaluation_columns",
    *(
        evaluations.c[name]
        for name in (
            "seq",
            "trial",
            "task_digest",
            "experiment",
            "agent",
            "model",
            "task",
            "attempt",
            "reward",
            "output_parseable",
            "schema_valid",
            "verifier_completed",
            "outcome",
            "scored_at",
            "duration_sec",
            "cost_usd",
        )
    ),
).ddl_if(dialect="sqlite")
"""The plain columns without the documents: statistics read a part of the file. It grows at its end only."""

annotation_table = Table(
    "annotations",
    metadata,
    _seq(),
    Column("trial", _Seq, nullable=False),
    Column("reviewer", _Seq, nullable=False),
    Column("judgment", Text, nullable=False),
    Column("replaces", _Seq),
    Column("document", Text, nullable=False),
    _hash(),
    Index("annotation_trial", "trial", "reviewer", "seq"),
    Index("annotation_replaces", "replaces", unique=True),
)

tags = Table(
    "tags",
    metadata,
    _seq(),
    Column("trial", _Seq, nullable=False),
    Column("evaluation", _Seq),
    Column("document", Text, nullable=False),
    _hash(),
    Index("tag_trial", "trial", "seq"),
)

certificates = Table(
    "certificates",
    metadata,
    _seq(),
    Column("task_digest", _Seq, nullable=False),
    Column("deterministic", SmallInteger),
    Column("document", Text, nullable=False),
    _hash(),
    Index("certificate_task_digest", "task_digest", "seq"),
)

attachments = Table(
    "attachments",
    metadata,
    _seq(),
    Column("kind", _Bytes, nullable=False),
    Column("trial", _Seq, nullable=False),
    Column("key", _Bytes, nullable=False),
    Column("document", Text, nullable=False),
    _hash(),
    UniqueConstraint("kind", "trial", "key", name="attachment_once"),
)

marks = Table(
    "marks",
    metadata,
    Column("kind", _Bytes, primary_key=True),
    Column("value", _Seq, primary_key=True, autoincrement=False),
    Column("evaluation", _Seq, primary_key=True, autoincrement=False),
    Column("origin", _Seq, nullable=False),
    Index("mark_origin", "origin"),
    Index("mark_evaluation", "evaluation"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("number", _Seq, primary_key=True, autoincrement=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("size", BigInteger, nullable=False),
    Column("data", LargeBinary),
)

head = Table(
    "head",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("seq", _Seq, nullable=False),
    _hash(),
)

settings = Table(
    "settings", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False)
)

desk = Table(
    "desk",
    metadata,
    Column("kind", _Bytes, primary_key=True),
    Column("key", _Bytes, primary_key=True),
    Column("value", Text, nullable=False),
    Column("expires", Float(53)),
)
"""What a server keeps for a while and changes: users, sessions, claims, drafts. No part of the chain."""

alembic_version = Table("alembic_version", metadata, Column("version_num", Text, primary_key=True))

CHAINED = (names, trials, evaluations, annotation_table, tags, certificates, attachments)
INSERT_ONLY = (*CHAINED, marks, blobs)


def tables_for(dialect: str) -> MetaData:
    """The tables as a new ledger in this kind of database gets them.

    What only one kind has is added here: naming it above would load the parts for every kind of database,
    which each command would pay for.
    """
    for name, condition in _CONDITIONS.items():
        index = next(index for index in evaluations.indexes if index.name == name)
        index.dialect_kwargs[f"{dialect}_where"] = text(condition)
    if dialect == "sqlite":
        marks.dialect_kwargs["sqlite_with_rowid"] = False
    return metadata


MARK_TAG = "tag"
MARK_ANNOTATION = "annotation"
MARK_REVIEWER = "reviewer"
MARK_DISAGREEMENT = "disagreement"
MARK_BARE = "bare"
"""The bytes of this evaluation's artifacts were never given to the ledger."""


VIEW = """
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
"""For people who ask with SQL: each trial with its current evaluation, names spelled out."""


_KEYS = {
    "names": ("seq", "text"),
    "trials": ("seq", "trial_id"),
    "evaluations": ("seq", "trial task_digest retry", "replaces"),
    "annotations": ("seq", "replaces"),
    "tags": ("seq",),
    "certificates": ("seq",),
    "attachments": ("seq", "kind trial key"),
    "marks": ("kind value evaluation",),
    "blobs": ("number", "digest"),
}
"""What no two rows of a table have in common."""


def guards(dialect: str) -> list[str]:
    """The statements that make a table insert-only in this database."""
    if dialect == "sqlite":
        refused = [
            f"CREATE TRIGGER {table.name}_no_{event.lower()} BEFORE {event} ON {table.name} "
            f"BEGIN SELECT RAISE(ABORT, 'the ledger is insert-only: {event} on {table.name} is refused'); END"
            for table in INSERT_ONLY
            for event in ("UPDATE", "DELETE")
        ]
        return refused + [_no_replace(table.name) for table in INSERT_ONLY]
    refuse = (
        "CREATE FUNCTION adjudge_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION USING MESSAGE = 'the ledger is insert-only: ' || TG_OP || ' on ' || TG_TABLE_NAME "
        "|| ' is refused'; END $$"
    )
    return [
        refuse,
        *(
            f"CREATE TRIGGER {table.name}_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table.name} "
            "FOR EACH STATEMENT EXECUTE FUNCTION adjudge_refuse()"
            for table in INSERT_ONLY
        ),
    ]


def _no_replace(table: str) -> str:
    """SQLite's INSERT OR REPLACE deletes without asking a trigger, so the insertion has to be refused.

    A blob that is there already is passed over instead: its digest says that it is the same.

    FAIL and not ABORT, here as in `insert_rows`: to be able to undo one statement of many, SQLite would copy
    every page it touches, which takes twice as long as the insertion.
    """
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
