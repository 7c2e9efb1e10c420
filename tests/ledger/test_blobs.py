"""Blobs: written once, verified on read, small ones in the database and large ones beside it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]  # it ships no types
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from adjudge.errors import LedgerError, UsageError
from adjudge.ledger import Ledger, TrialEntry, Written, open_ledger
from adjudge.ledger.store.blobs import BlobFiles, fetch, pack
from support.trial_samples import DIGEST_A, sha, trial

LARGE = os.urandom(40_000)  # does not compress, so it cannot stay in the database


def files_of(ledger: Ledger) -> list[Path]:
    return [p for p in Path(str(ledger.files.where)).rglob("*") if p.is_file()]


def test_small_and_large_blobs_come_back(ledger: Ledger) -> None:
    for data in (b"", b"small", b"x" * 1_000_000, LARGE):
        assert ledger.blob(ledger.add_blob(data)) == data
    assert len(files_of(ledger)) == 1  # a million equal bytes are small


def test_a_blob_is_written_once(ledger: Ledger) -> None:
    ledger.add_blob(LARGE)
    (file,) = files_of(ledger)
    before = file.stat()
    ledger.add_blob(LARGE)
    ledger.record([TrialEntry(trial(n).record, blobs={sha(LARGE): LARGE}) for n in range(3)])
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert ledger.info().blobs == 1


def test_the_output_of_a_trial_can_be_fetched(ledger: Ledger) -> None:
    entry = trial(1)
    ledger.record([entry, TrialEntry(trial(2).record)])
    digest = ledger.output_blob(entry.record.trial_id)
    assert digest == entry.record.output.sha256
    assert ledger.blob(str(digest)) == b'{"answer": 1}'
    assert ledger.output_blob(trial(2).record.trial_id) is None  # its bytes were not handed in


def test_a_corrupt_file_is_named_and_the_rest_stays_readable(ledger: Ledger) -> None:
    digest = ledger.add_blob(LARGE)
    entry = trial(1)
    ledger.record([entry])
    (file,) = files_of(ledger)
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(LedgerError, match=digest):
        ledger.blob(digest)
    problems = [problem for problem in ledger.verify_blobs() if problem is not None]
    assert len(problems) == 1
    assert digest in problems[0]
    assert ledger.get(entry.record.trial_id) == entry.record
    file.unlink()
    with pytest.raises(LedgerError, match="cannot be read"):
        ledger.blob(digest)


@pytest.mark.parametrize("left", [0, 100, 39_000])
def test_a_damaged_file_is_replaced_when_its_bytes_are_recorded_again(ledger: Ledger, left: int) -> None:
    """Also by a trial that is there already, for which nothing else is written."""
    entry = TrialEntry(trial(1).record, blobs={sha(LARGE): LARGE})
    ledger.record([entry])
    (file,) = files_of(ledger)
    file.write_bytes(file.read_bytes()[:left])
    (again,) = ledger.record([entry])
    assert again.written is Written.NOTHING
    assert ledger.blob(sha(LARGE)) == LARGE
    file.unlink()
    ledger.add_blob(LARGE)
    assert ledger.blob(sha(LARGE)) == LARGE
    assert files_of(ledger) == [file]


def test_a_file_that_another_zstd_packed_is_left_alone(ledger: Ledger) -> None:
    """Same bytes, another size: what is there is sound, and written once."""
    digest = ledger.add_blob(LARGE)
    (file,) = files_of(ledger)
    other = zstandard.ZstdCompressor(write_checksum=True).compress(LARGE)
    assert len(other) != file.stat().st_size
    file.write_bytes(other)
    ledger.add_blob(LARGE)
    assert file.read_bytes() == other
    assert ledger.blob(digest) == LARGE


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "far too large"])
def test_what_stands_in_place_of_a_blobs_file_is_named_and_not_waited_for(ledger: Ledger, kind: str) -> None:
    digest = ledger.add_blob(LARGE)
    (file,) = files_of(ledger)
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        with file.open("wb") as sparse:
            sparse.truncate(1 << 40)
    (problem,) = [problem for problem in ledger.verify_blobs() if problem is not None]
    assert digest in problem


def test_a_corrupt_blob_says_how_to_mend_it(ledger: Ledger) -> None:
    """A file: which one. A row: that a copy leaves it out."""
    ledger.add_blob(LARGE)
    ledger.add_blob(b"small")
    (file,) = files_of(ledger)
    file.write_bytes(b"?")
    spoil_rows(ledger, b"?")
    row, in_file = sorted((str(p) for p in ledger.verify_blobs()), key=lambda said: str(file) in said)
    assert "record the same output again" in in_file
    assert "adjudge ledger backup DEST" in row
    file.unlink()
    (gone,) = (p for p in ledger.verify_blobs() if p and str(file) in p)
    assert "ADJUDGE_BLOBS" in gone
    assert "record the same output again" in gone


def test_large_blobs_are_in_place_before_the_ledger_is_locked(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow disk or object store must not keep other writers waiting."""
    found: list[int] = []
    writing = ledger.database.writing

    def watched() -> Any:
        found.append(len(files_of(ledger)))
        return writing()

    monkeypatch.setattr(ledger.database, "writing", watched)
    ledger.record([TrialEntry(trial(1).record, blobs={sha(LARGE): LARGE})])
    assert found == [1]


def spoil_rows(ledger: Ledger, data: bytes) -> None:
    with ledger.database.writing() as connection:
        drop = "DROP TRIGGER blobs_no_update" if ledger.database.dialect == "sqlite" else ""
        connection.execute(text(drop or "DROP TRIGGER blobs_insert_only ON blobs"))
        connection.execute(text("UPDATE blobs SET data = :data WHERE data IS NOT NULL"), {"data": data})


def test_a_corrupt_row_is_named(ledger: Ledger) -> None:
    """Also one that would unfold into more than it should."""
    digest = ledger.add_blob(b"small")
    spoil_rows(ledger, zstandard.ZstdCompressor().compress(bytes(10_000_000)))
    with pytest.raises(LedgerError, match=digest):
        ledger.blob(digest)


def test_a_long_stream_is_a_blob_and_a_corrupt_one_takes_no_trial_along(ledger: Ledger) -> None:
    """What is left is read; in the place of the stream stands what happened to it."""
    noise, other = os.urandom(20_000).hex(), os.urandom(20_000).hex()
    entry = trial(1, stdout=noise, stderr=other)
    ledger.record([entry, trial(2)])
    assert ledger.get(entry.record.trial_id) == entry.record
    spoil(ledger, noise)
    found = ledger.get(entry.record.trial_id)
    assert sha(noise.encode()) in found.run.stdout
    assert "a blob is corrupt" in found.run.stdout
    assert found.run.stderr == other
    assert found.evaluation == entry.record.evaluation
    assert list(ledger.iterate()) == [found, trial(2).record]
    assert ledger.query(streams=False).records[1].run.stdout == ""


def test_a_scoring_that_lost_a_stream_is_not_reused(ledger: Ledger) -> None:
    """Else the sentence in its place would be recorded as what the verifier said. Scoring again mends it."""
    noise = os.urandom(20_000).hex()
    entry, sound = trial(1, stdout=noise), trial(2, stdout="short")
    ledger.record([entry, sound])
    digests = [str(e.record.output.sha256) for e in (entry, sound)]
    assert set(ledger.find_evaluations(DIGEST_A, digests)) == set(digests)
    spoil(ledger, noise)
    assert list(ledger.find_evaluations(DIGEST_A, digests)) == digests[1:]
    ledger.record([trial(1, stdout=noise, experiment="again")])
    assert set(ledger.find_evaluations(DIGEST_A, digests)) == set(digests)


def spoil(ledger: Ledger, stream: str) -> None:
    digest = sha(stream.encode())
    Path(ledger.files.path(digest)).write_bytes(b"?")


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "a" * 63, "g" * 64])
def test_what_is_no_digest_is_refused(ledger: Ledger, digest: str) -> None:
    with pytest.raises(UsageError, match="not a blob's digest"):
        ledger.blob(digest)


def test_an_unknown_blob_is_named(ledger: Ledger) -> None:
    assert not ledger.has_blob("d" * 64)
    with pytest.raises(UsageError, match="no such blob"):
        ledger.blob("d" * 64)


def test_the_place_for_blobs_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given when the ledger is made, by path or URL; a later opening needs no option."""
    monkeypatch.delenv("ADJUDGE_BLOBS", raising=False)
    monkeypatch.chdir(tmp_path)
    with open_ledger("a.db", blobs="elsewhere") as ledger:
        digest = ledger.add_blob(LARGE)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    with open_ledger("../a.db") as ledger:
        assert ledger.blob(digest) == LARGE
    assert len(list((tmp_path / "elsewhere").rglob("*.zst"))) == 1


def test_any_fsspec_location_holds_blobs(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db", blobs="memory://adjudge-test/blobs") as ledger:
        digest = ledger.add_blob(LARGE)
        ledger.add_blob(LARGE)
        assert ledger.blob(digest) == LARGE
    with open_ledger(tmp_path / "a.db") as ledger:
        assert ledger.files.where == "memory://adjudge-test/blobs"
        assert ledger.blob(digest) == LARGE
        (file,) = fsspec.filesystem("memory").find("/adjudge-test/blobs")
        fsspec.filesystem("memory").pipe_file(file, b"cut")
        ledger.add_blob(LARGE)
        assert ledger.blob(digest) == LARGE


def test_a_file_url_is_a_folder(tmp_path: Path) -> None:
    """Written whole and flushed as in any folder, which fsspec itself would not do."""
    with open_ledger(tmp_path / "a.db", blobs=f"file://{tmp_path}/blobs") as ledger:
        digest = ledger.add_blob(LARGE)
        assert [len(file.name) for file in files_of(ledger)] == [len(f"{digest[2:]}.zst")]
    with open_ledger(tmp_path / "a.db") as ledger:
        assert ledger.blob(digest) == LARGE


def test_a_place_that_cannot_be_written_is_named_and_nothing_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with open_ledger(tmp_path / "a.db", blobs=tmp_path / "file") as ledger:
        entry = TrialEntry(trial(1).record, blobs={sha(LARGE): LARGE})
        with pytest.raises(LedgerError, match="a blob cannot be written"):
            ledger.record([entry])
        assert ledger.count() == 0
    with open_ledger(tmp_path / "a.db", blobs=tmp_path / "room") as ledger:
        ledger.record([entry])
        assert ledger.blob(sha(LARGE)) == LARGE


@given(st.binary(max_size=80))
def test_a_blob_of_few_bytes_is_a_zstd_frame_like_any_other(data: bytes) -> None:
    """Few bytes are framed without zstd's help; every zstd reads them."""
    digest = hashlib.sha256(data).hexdigest()
    ((size, packed),) = pack({digest: data}).values()
    assert zstandard.ZstdDecompressor().decompress(packed, max_output_size=100) == data
    assert fetch(BlobFiles(None), digest, size, packed) == (packed, data)
