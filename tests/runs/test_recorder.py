"""Recording goes on beside the scoring: slow databases hold nobody up, and nothing finished is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from adjudge.errors import LedgerError
from adjudge.ledger import Ledger, PreparedEntry, Recorded
from adjudge.runs import Executor, Workers
from support.run_folders import echo_task, here, run_manifest, write_manifest


def counting(started: list[str], enough: threading.Event, at: int) -> Executor:
    """The real executor; `enough` is set when so many trials have been started."""

    @contextmanager
    def ready() -> Iterator[Workers[object]]:
        with here(1)() as workers:
            start = workers.start

            def counted(trial: object) -> None:
                start(trial)  # type: ignore[arg-type]
                started.append("one")
                if len(started) >= at:
                    enough.set()

            workers.start = counted  # type: ignore[method-assign]
            yield workers

    return ready


def test_a_slow_database_does_not_keep_workers_from_their_next_trial(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first batch is not written before every trial was handed out: with one thread that is for ever."""
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 40)
    all_started = threading.Event()
    record = ledger.record_prepared

    def slow(entries: Sequence[PreparedEntry]) -> list[Recorded]:
        assert all_started.wait(60)
        return record(entries)

    monkeypatch.setattr(ledger, "record_prepared", slow)
    tally = run_manifest(ledger, manifest, counting([], all_started, 40))
    assert tally.scored == ledger.count() == 40


def test_a_database_that_fails_ends_the_run_with_its_words_and_a_resume_does_the_rest(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 30)
    record = ledger.record_prepared
    calls = []

    def fails_later(entries: Sequence[PreparedEntry]) -> list[Recorded]:
        calls.append(len(entries))
        if len(calls) == 2:
            raise LedgerError("the disk is full")
        return record(entries)

    monkeypatch.setattr("adjudge.runs.conduct.MOST_IN_BATCH", 5)
    with monkeypatch.context() as broken:
        broken.setattr(ledger, "record_prepared", fails_later)
        with pytest.raises(LedgerError, match="the disk is full"):
            run_manifest(ledger, manifest)
    assert len(calls) == 2, "nothing is written after a failure"
    assert ledger.count() == calls[0]
    again = run_manifest(ledger, manifest)
    assert (again.already, again.scored) == (calls[0], 30 - calls[0])
    assert ledger.verify().intact
