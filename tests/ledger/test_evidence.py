"""Evidence cannot vanish: a blob that a chained row mentions is missed, and so is a guard taken off."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from sqlalchemy import text

from adjudge.contracts import Cost
from adjudge.errors import UsageError
from adjudge.ledger import Ledger, TrialEntry, migrate_ledger, open_ledger
from adjudge.ledger.store.database import Database
from adjudge.ledger.store.location import locate
from adjudge.ledger.store.migrate import upgrade
from support.run_folders import echo_task, run_manifest, write_manifest
from support.task_folders import write_task
from support.trial_samples import trial


def problems(ledger: Ledger) -> list[str]:
    return [problem for problem in ledger.verify_blobs() if problem is not None]


def remove(ledger: Ledger, digest: str) -> None:
    """The blob's row and, if it has one, its file."""
    with ledger.database.writing() as connection:
        if ledger.database.dialect == "sqlite":
            connection.execute(text("DROP TRIGGER blobs_no_delete"))
        else:
            connection.execute(text("ALTER TABLE blobs DISABLE TRIGGER ALL"))
        connection.execute(
            text("DELETE FROM blobs WHERE digest = :digest"), {"digest": bytes.fromhex(digest)}
        )
    Path(ledger.files.path(digest)).unlink(missing_ok=True)


def workspace_run(ledger: Ledger, base: Path) -> str:
    """A trial with a folder as its output and a long stream; returns the digest of a file in the folder."""
    script = "#!/bin/bash\necho '{\"reward\": 1.0}' > /logs/verifier/reward.json\nseq 1000\n"
    write_task(base / "tasks/folder", script=script)
    (base / "work").mkdir()
    (base / "work/answer.json").write_text("{}")
    (base / "work/notes.txt").write_text("beside the answer")
    manifest = base / "m.jsonl"
    manifest.write_text('{"task": "tasks/folder", "output": "work", "agent": "a"}\n')
    assert run_manifest(ledger, manifest).scored == 1
    return hashlib.sha256(b"beside the answer").hexdigest()


@pytest.mark.parametrize("which", ["output", "file", "artifact", "stdout", "evidence"])
def test_a_blob_that_was_removed_is_missed(ledger: Ledger, tmp_path: Path, which: str) -> None:
    inner = workspace_run(ledger, tmp_path)
    evidence = ledger.add_blob(b"what the audit saw")
    ledger.add_certificate("a" * 64, {"findings": [{"evidence": evidence}]})
    [record] = ledger.iterate()
    stdout = hashlib.sha256(record.run.stdout.encode()).hexdigest()
    digest, said = {
        "output": (
            str(ledger.output_blob(record.trial_id)),
            f"the output of trial {record.trial_id} is gone",
        ),
        "file": (inner, f"a file of the output of trial {record.trial_id} is gone"),
        "artifact": (record.run.artifacts["reward.json"], "the artifact 'reward.json' of evaluation"),
        "stdout": (stdout, "stdout of evaluation"),
        "evidence": (evidence, "the evidence of certificate"),
    }[which]
    assert problems(ledger) == []
    remove(ledger, digest)
    [problem] = problems(ledger)
    assert problem.startswith(f"{digest}: {said}")


def test_a_record_without_its_bytes_says_so_and_is_no_loss(ledger: Ledger) -> None:
    entry = trial(1)
    assert entry.record.run.artifacts
    ledger.record(TrialEntry(entry.record))
    assert problems(ledger) == []
    assert ledger.verify().intact
    with ledger.database.writing() as connection:  # the mark is covered by the row's hash
        if ledger.database.dialect == "sqlite":
            connection.execute(text("DROP TRIGGER marks_no_delete"))
        else:
            connection.execute(text("ALTER TABLE marks DISABLE TRIGGER ALL"))
        connection.execute(text("DELETE FROM marks WHERE kind = 'bare'"))
    assert any("was changed" in problem for problem in ledger.verify().problems)


def test_artifacts_that_the_ledger_has_already_need_no_mark(ledger: Ledger) -> None:
    entry = trial(1)
    ledger.record(entry)
    ledger.record(TrialEntry(entry.record.model_copy(update={"trial_id": "again"})))
    remove(ledger, next(iter(entry.record.run.artifacts.values())))
    assert len(problems(ledger)) == 1


SQLITE = [
    ("DROP TRIGGER trials_no_update", "the trigger trials_no_update is gone"),
    ("DROP VIEW current_trials", "the view current_trials is gone"),
    ("DROP INDEX evaluation_agent", "the index evaluation_agent is gone"),
    (
        "CREATE TRIGGER sly AFTER INSERT ON evaluations BEGIN UPDATE head SET id = id; END",
        "the trigger sly was added",
    ),
]
POSTGRESQL = [
    ("DROP TRIGGER trials_insert_only ON trials", "the trigger trials_insert_only is gone"),
    (
        "ALTER TABLE trials DISABLE TRIGGER trials_insert_only",
        "the trigger trials_insert_only is switched off",
    ),
    (
        "CREATE OR REPLACE FUNCTION adjudge_refuse() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN RETURN NULL; END $$",
        "the trigger trials_insert_only is not as it was made",
    ),
    ("DROP VIEW current_trials", "the view current_trials is gone"),
    (
        "CREATE OR REPLACE VIEW current_trials AS SELECT t.trial_id, x.text AS experiment, k.text AS task, "
        "a.text AS agent, m.text AS model, e.attempt, 1.0::double precision AS reward, o.text AS outcome, "
        "e.output_parseable, e.schema_valid, e.verifier_completed, e.duration_sec, e.cost_usd, "
        "d.text AS task_digest, e.seq AS evaluation, t.document AS trial_document, "
        "e.document AS evaluation_document FROM evaluations e JOIN trials t ON t.seq = e.trial "
        "JOIN names x ON x.seq = e.experiment JOIN names k ON k.seq = e.task JOIN names a ON a.seq = e.agent "
        "JOIN names o ON o.seq = e.outcome LEFT JOIN names m ON m.seq = e.model "
        "LEFT JOIN names d ON d.seq = e.task_digest",
        "the view current_trials is not as it was made",
    ),
    ("DROP INDEX evaluation_agent", "the index evaluation_agent is gone"),
]


@pytest.mark.parametrize("number", range(max(len(SQLITE), len(POSTGRESQL))))
def test_a_schema_that_was_changed_is_named(ledger: Ledger, number: int) -> None:
    ledger.record([trial(1)])
    changes = SQLITE if ledger.database.dialect == "sqlite" else POSTGRESQL
    statement, said = changes[number % len(changes)]
    assert ledger.verify().intact
    with ledger.database.writing() as connection:
        connection.execute(text(statement))
    assert said in ledger.verify().problems


def test_a_migrated_ledger_has_the_schema_of_a_new_one(ledger_url: str) -> None:
    database = Database(locate(ledger_url))
    upgrade(database, "0001")
    database.close()
    migrate_ledger(ledger_url)
    with open_ledger(ledger_url) as ledger:
        assert ledger.verify().problems == ()


def test_a_number_that_no_export_could_hold_is_refused_at_the_door(ledger: Ledger) -> None:
    record = trial(1).record.model_copy(update={"cost": Cost(input_tokens=10**19)})
    with pytest.raises(UsageError, match="cost: input_tokens is too large to be kept"):
        ledger.record(record)
    assert ledger.count() == 0


def test_the_samples_are_whole(ledger: Ledger, tmp_path: Path) -> None:
    echo_task(tmp_path / "tasks/echo")
    run_manifest(ledger, write_manifest(tmp_path, 2))
    assert problems(ledger) == []
