"""`adjudge ledger`: info, verify, backup, migrate."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from adjudge.ledger.store.database import Database
from adjudge.ledger.store.location import locate
from adjudge.ledger.store.migrate import upgrade
from support.command_line import run_adjudge
from support.trial_samples import annotation, trial


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with open_ledger(path) as opened:
        opened.record([trial(n) for n in range(5)])
        opened.annotate(trial(1).record.trial_id, annotation())
        opened.add_blob(os.urandom(20_000))
    return path


def test_info(ledger: Path) -> None:
    found = json.loads(run_adjudge("ledger", "info", "--json", "--ledger", ledger).stdout)
    assert (found["trials"], found["evaluations"], found["annotations"]) == (5, 5, 1)
    assert found["experiments"] == {"first": 5}
    text = run_adjudge("ledger", "info", ADJUDGE_LEDGER=str(ledger)).stdout
    assert found["head"] in text
    assert "first" in text


def test_verify(ledger: Path) -> None:
    done = run_adjudge("ledger", "verify", "--blobs", "--ledger", ledger)
    assert done.code == 0
    assert done.stdout.startswith("intact: ")
    assert "blobs read" in done.stdout
    with sqlite3.connect(ledger) as forger:
        forger.execute("DROP TRIGGER evaluations_no_update")
        forger.execute("UPDATE evaluations SET reward = 1.0 WHERE seq = (SELECT max(seq) FROM evaluations)")
        (row,) = forger.execute("SELECT max(seq) FROM evaluations").fetchone()
    forger.close()
    done = run_adjudge("ledger", "verify", "--ledger", ledger)
    assert done.code == 1
    assert f"row {row} (evaluations) was changed" in done.stderr
    report = json.loads(run_adjudge("ledger", "verify", "--json", "--ledger", ledger).stdout)
    assert report["intact"] is False
    assert len(report["problems"]) == 2
    assert "the trigger evaluations_no_update is gone" in report["problems"]


def test_a_corrupt_blob_is_named_left_out_of_a_backup_and_mended(ledger: Path, tmp_path: Path) -> None:
    (file,) = Path(f"{ledger}.blobs").rglob("*.zst")
    whole = file.read_bytes()
    file.write_bytes(b"?")
    done = run_adjudge("ledger", "verify", "--blobs", "--ledger", ledger)
    assert done.code == 1
    assert f"{file}: " in done.stderr
    assert "a blob is corrupt" in done.stderr
    assert "Put the file back from a backup" in done.stderr
    copied = run_adjudge("ledger", "backup", tmp_path / "copy.db", "--ledger", ledger)
    assert copied.code == 1
    assert str(file) in copied.stderr
    assert copied.stdout.startswith("NOT whole: ")
    assert run_adjudge("ledger", "verify", "--ledger", tmp_path / "copy.db").code == 0
    file.write_bytes(whole)
    assert run_adjudge("ledger", "verify", "--blobs", "--ledger", ledger).code == 0


def test_verify_against_a_head_kept_elsewhere(ledger: Path) -> None:
    head = json.loads(run_adjudge("ledger", "info", "--json", "--ledger", ledger).stdout)["head"]
    assert run_adjudge("ledger", "verify", "--expect", head, "--ledger", ledger).code == 0
    wrong = head[:-1] + ("0" if head[-1] != "0" else "1")
    assert run_adjudge("ledger", "verify", "--expect", wrong, "--ledger", ledger).code == 1
    assert run_adjudge("ledger", "verify", "--expect", "x", "--ledger", ledger).code == 2


def test_backup(ledger: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    done = run_adjudge("ledger", "backup", copy, "--ledger", ledger)
    assert done.code == 0
    assert "rows copied and verified" in done.stdout
    assert run_adjudge("ledger", "verify", "--blobs", "--ledger", copy).code == 0
    again = run_adjudge("ledger", "backup", copy, "--ledger", ledger)
    assert again.code == 1
    assert "overwrites nothing" in again.stderr


def test_migrate(tmp_path: Path, ledger: Path) -> None:
    assert run_adjudge("ledger", "migrate", "--ledger", ledger).stdout == "schema 0006, nothing to do\n"
    old = tmp_path / "old.db"
    database = Database(locate(old))
    upgrade(database, "0001")
    database.close()
    refused = run_adjudge("trials", "--ledger", old)
    assert refused.code == 1
    assert f"adjudge ledger migrate --ledger {old}" in refused.stderr
    assert run_adjudge("ledger", "migrate", "--ledger", old).stdout == "schema 0001 migrated to 0006\n"
    assert run_adjudge("trials", "--ledger", old).code == 0


def test_a_place_without_a_ledger(tmp_path: Path) -> None:
    for command in (["info"], ["verify"], ["migrate"], ["backup", tmp_path / "copy.db"]):
        done = run_adjudge("ledger", *command, "--ledger", tmp_path / "none.db")
        assert done.code == 1
        assert "there is no ledger here" in done.stderr
    assert list(tmp_path.iterdir()) == []
