"""A backup is a whole ledger of its own, in either database."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sqlalchemy import text

from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.errors import LedgerError
from adjudge.ledger import Ledger, TrialEntry, TrialFilter, open_ledger
from support.postgres import Server
from support.trial_samples import DIGEST_B, annotation, trial

LARGE = os.urandom(30_000)


@pytest.fixture
def filled(ledger: Ledger) -> Ledger:
    tag = ErrorTag(category="unit", source=ErrorSource.MECHANICAL)
    ledger.record([trial(n, tags=[tag]) for n in range(30)])
    ledger.record([trial(3, task_digest=DIGEST_B)])
    ledger.annotate(trial(4).record.trial_id, annotation("ada", "pass"))
    ledger.add_certificate(DIGEST_B, {"a": 1}, deterministic=True)
    ledger.add_blob(LARGE)
    return ledger


def same(copy: Ledger, original: Ledger) -> None:
    assert list(copy.iterate()) == list(original.iterate())
    assert copy.info().head == original.info().head
    assert copy.count(TrialFilter(disagreement=True)) == original.count(TrialFilter(disagreement=True)) == 1
    assert copy.is_deterministic(DIGEST_B)
    assert [problem for problem in copy.verify_blobs() if problem] == []
    copy.record([trial(99)])  # and it goes on as a ledger
    copy.add_blob(b"another")
    assert copy.verify().intact


def test_a_backup_into_a_file_stands_alone(
    filled: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after the original, blobs and all, is gone; nothing else is left behind."""
    target = tmp_path / "copies"
    target.mkdir()
    assert filled.backup(target / "copy.db").intact
    assert sorted(p.name for p in target.iterdir()) == ["copy.db", "copy.db.blobs"]
    monkeypatch.delenv("ADJUDGE_BLOBS", raising=False)
    moved = tmp_path / "moved"
    target.rename(moved)
    with open_ledger(moved / "copy.db", create=False) as copy:
        same(copy, filled)


def test_a_backup_into_postgresql(
    filled: Ledger, postgres_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres_server.create_database()
    filled.backup(url, blobs=tmp_path / "copied")
    monkeypatch.delenv("ADJUDGE_BLOBS", raising=False)
    with open_ledger(url, create=False) as copy:
        same(copy, filled)
    with pytest.raises(LedgerError, match="not empty"):
        filled.backup(url, blobs=tmp_path / "copied")


def test_a_backup_overwrites_nothing(filled: Ledger, tmp_path: Path) -> None:
    (tmp_path / "there.db").write_text("mine")
    with pytest.raises(LedgerError, match="overwrites nothing"):
        filled.backup(tmp_path / "there.db")
    assert (tmp_path / "there.db").read_text() == "mine"


def test_a_backup_that_fails_leaves_no_half(filled: Ledger, tmp_path: Path) -> None:
    """No room for blobs stops it; no file appears under the name that was asked for."""
    (tmp_path / "taken").write_text("in the way")
    with pytest.raises(LedgerError, match="a blob cannot be written"):
        filled.backup(tmp_path / "copy.db", blobs=tmp_path / "taken")
    assert not list(tmp_path.glob("copy.db*"))


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_lost_blob_is_named_and_the_rest_is_copied(filled: Ledger, tmp_path: Path, damage: str) -> None:
    """The copy has none rather than a bad one, and takes it when it comes by again."""
    (file,) = Path(str(filled.files.where)).rglob("*.zst")
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-1])
    done = filled.backup(tmp_path / "copy.db", blobs=tmp_path / "copied")
    assert [str(file) in problem for problem in done.problems] == [True]
    assert not list((tmp_path / "copied").rglob("*.zst"))
    with open_ledger(tmp_path / "copy.db", create=False, blobs=tmp_path / "copied") as copy:
        assert list(copy.iterate()) == list(filled.iterate())
        copy.add_blob(LARGE)
        assert not any(copy.verify_blobs())


def test_a_damaged_row_is_left_out_and_can_be_recorded_again(filled: Ledger, tmp_path: Path) -> None:
    digest = filled.add_blob(b"small")
    with filled.database.writing() as connection:
        sqlite = filled.database.dialect == "sqlite"
        connection.execute(
            text("DROP TRIGGER blobs_no_update" if sqlite else "DROP TRIGGER blobs_insert_only ON blobs")
        )
        connection.execute(
            text("UPDATE blobs SET data = :bad WHERE digest = :digest"),
            {"bad": b"?", "digest": bytes.fromhex(digest)},
        )
    done = filled.backup(tmp_path / "copy.db", blobs=tmp_path / "copied")
    assert [digest in problem for problem in done.problems] == [True]
    with open_ledger(tmp_path / "copy.db", create=False, blobs=tmp_path / "copied") as copy:
        assert not copy.has_blob(digest)
        assert copy.blob(copy.add_blob(b"small")) == b"small"
        assert not any(copy.verify_blobs())


def test_where_a_copy_keeps_its_blobs_is_remembered(
    filled: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a relative place, and when the copy is opened from elsewhere."""
    monkeypatch.chdir(tmp_path)
    assert filled.backup("copy.db", blobs="copied").intact
    monkeypatch.delenv("ADJUDGE_BLOBS", raising=False)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    with open_ledger("../copy.db", create=False) as copy:
        assert not any(copy.verify_blobs())


def test_an_entry_without_bytes_is_backed_up_too(ledger: Ledger, tmp_path: Path) -> None:
    ledger.record([TrialEntry(trial(1).record)])
    assert ledger.backup(tmp_path / "copy.db").intact
