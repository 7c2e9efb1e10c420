"""The disk fills, the ledger is read-only, the server goes away: clear words, nothing lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from adjudge.errors import LedgerError
from adjudge.ledger import Disconnected, Ledger, open_ledger
from support.postgres import Server, running_server
from support.trial_samples import record_many, trial


def test_a_full_disk_is_said_and_what_was_recorded_stays(tmp_path: Path) -> None:
    """SQLite's own page limit fails as a full disk does, and needs no file system of its own."""
    with open_ledger(tmp_path / "a.db") as ledger:
        ledger.record([trial(n) for n in range(50)])
        with ledger.database.reading() as connection:
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
    with open_ledger(tmp_path / "a.db") as ledger:
        from sqlalchemy import event

        @event.listens_for(ledger.database.engine, "begin")
        def limit(connection: object) -> None:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 5}")  # type: ignore[attr-defined]

        with pytest.raises(LedgerError, match=r"the disk is full.*run the same command again"):
            record_many(ledger, (trial(n) for n in range(5000)))
        kept = ledger.count()
    with open_ledger(tmp_path / "a.db") as ledger:
        assert ledger.verify().intact
        assert kept == ledger.count() >= 50
        record_many(ledger, (trial(n) for n in range(700)))
        assert ledger.count() == 700


def test_no_room_for_a_new_ledger_or_a_backup_is_said(tmp_path: Path) -> None:
    """A limit on the size of files, set in a process of its own, stands for a full disk."""
    with open_ledger(tmp_path / "a.db") as ledger:
        ledger.record([trial(1)])
    script = (
        "import resource\nfrom adjudge.errors import LedgerError\nfrom adjudge.ledger import open_ledger\n"
        "with open_ledger('a.db') as ledger:\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "    for work in (lambda: open_ledger('new.db'), lambda: ledger.backup('copy.db')):\n"
        "        try:\n            work()\n        except LedgerError as error:\n            print(error)\n"
    )
    # Without byte code: half of a file of it would break every process that comes later.
    done = subprocess.run(
        [sys.executable, "-B", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    said = done.stdout.splitlines()
    assert len(said) == 2
    assert all("full" in line and "run the same command again" in line for line in said)
    with open_ledger(tmp_path / "new.db") as ledger:  # when there is room
        ledger.record([trial(1)])
        assert ledger.verify().intact


def test_a_ledger_that_may_only_be_read_is_read(tmp_path: Path) -> None:
    """As a user who may not write: reading works, writing says why not."""
    folder = tmp_path / "shared"
    folder.mkdir()
    with open_ledger(folder / "a.db") as ledger:
        ledger.record([trial(1)])
    # all that is imported late must be imported now: the child may not read the interpreter's own files
    _read_and_write(folder / "a.db")
    with open_ledger(folder / "a.db") as ledger, ledger.database.reading() as connection:
        with pytest.raises(LedgerError):
            _refused(ledger)
        kept = connection.execute(text("SELECT count(*) FROM trials")).scalar_one()
    (folder / "a.db").chmod(0o444)
    folder.chmod(0o555)
    _let_others_look(tmp_path)
    said = _as_nobody(lambda: _read_and_write(folder / "a.db"))
    folder.chmod(0o755)
    first, second = said.splitlines()
    assert first == f"{kept} True"
    assert "the ledger is read-only here" in second


def _read_and_write(path: Path) -> str:
    with open_ledger(path, create=False) as ledger:
        said = f"{ledger.count()} {ledger.verify().intact}\n"
        try:
            ledger.record([trial(3)])
        except LedgerError as error:
            said += str(error)
        return said


def _refused(ledger: Ledger) -> None:
    with ledger.database.writing() as connection:
        connection.execute(text("DELETE FROM trials"))


def _as_nobody(work: Callable[[], str]) -> str:
    """What `work` returns in a child without root's rights; what it imports is loaded already."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        try:
            said = work()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def _let_others_look(folder: Path) -> None:
    while folder != Path("/tmp") and folder.parent != folder and folder.stat().st_uid == os.geteuid():
        folder.chmod(folder.stat().st_mode | 0o055)
        folder = folder.parent


def test_a_writer_waits_for_another_and_says_so_when_it_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.ledger.store.database.BUSY_TIMEOUT_SEC", 0.2)
    with open_ledger(tmp_path / "a.db") as holder, open_ledger(tmp_path / "a.db") as other:
        with holder.database.writing():
            with pytest.raises(LedgerError, match="another process held the ledger"):
                other.record([trial(1)])
            assert other.count() == 0  # reading never waits
        other.record([trial(1)])
        assert other.count() == 1


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as ledger:
        record_many(ledger, (trial(n) for n in range(300)))
    with (tmp_path / "a.db").open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(200_000))
    with pytest.raises(LedgerError, match=r"damaged|refused"), open_ledger(tmp_path / "a.db") as ledger:
        list(ledger.iterate())


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server of this test's own, because it is stopped in the middle."""
    with running_server() as server:
        yield server


def test_a_server_that_restarts_is_waited_for(own_server: Server, tmp_path: Path) -> None:
    """The server dies between batches and comes back: the run goes on, nothing is lost or doubled."""
    url = own_server.create_database()
    with open_ledger(url, blobs=tmp_path / "blobs") as ledger:
        ledger.record([trial(0)])
        own_server.stop()
        back = threading.Timer(0.6, own_server.start)
        back.start()
        ledger.record([trial(n) for n in range(1, 50)])
        back.join()
        assert ledger.count() == 50
        own_server.stop()
        back = threading.Timer(0.6, own_server.start)
        back.start()
        # what a run asks in the middle waits as well
        assert len(ledger.states(entry.record.trial_id for entry in map(trial, range(50)))) == 50
        back.join()
        assert ledger.verify().intact


def test_a_server_that_stays_away_is_named(
    own_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.ledger.store.database.WAITS_SEC", (0.05,))
    url = own_server.create_database()
    with open_ledger(url, blobs=tmp_path / "blobs") as ledger:
        ledger.record([trial(0)])
        own_server.stop()
        with pytest.raises(Disconnected, match=r"cannot be reached.*run the same command again"):
            ledger.record([trial(1)])
        own_server.start()
        ledger.record([trial(1)])
        assert ledger.count() == 2


def test_a_kill_at_any_moment_leaves_whole_batches(ledger_url: str, tmp_path: Path) -> None:
    """A writer is killed six times in the middle and started again: every trial once, every blob there."""
    script = (
        "import sys\nfrom adjudge.ledger import open_ledger\nfrom support.trial_samples import trial\n"
        "ledger = open_ledger(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "for n in range(0, 2000, 10):\n    ledger.record([trial(m) for m in range(n, n + 10)])\n"
        "    print(n, flush=True)\n"
    )
    open_ledger(ledger_url).close()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    for round_ in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", script, ledger_url], stdout=subprocess.PIPE, text=True, env=environment
        ) as writer:
            assert writer.stdout is not None
            for _ in range(2 + 3 * round_):
                writer.stdout.readline()
            time.sleep(0.0007 * round_)
            writer.kill()
        with open_ledger(ledger_url) as ledger:
            assert ledger.verify().intact
            records = list(ledger.iterate())
            assert len({r.trial_id for r in records}) == len(records)
            assert len(records) % 10 == 0
            for record in records[-20:]:
                assert ledger.blob(str(record.output.sha256))
    assert len(records) >= 10


def test_the_space_for_a_ledger_can_be_moved(ledger: Ledger, tmp_path: Path) -> None:
    """A SQLite ledger is a file and a folder: both moved together are the same ledger."""
    if ledger.database.dialect != "sqlite":
        ledger.record([trial(1)])
        assert ledger.verify().intact
        return
    ledger.record([trial(1)])
    digest = ledger.add_blob(os.urandom(20_000))
    ledger.close()
    (tmp_path / "moved").mkdir()
    for part in tmp_path.glob("ledger.db*"):
        shutil.move(part, tmp_path / "moved" / part.name)
    with open_ledger(tmp_path / "moved" / "ledger.db", create=False) as moved:
        assert moved.count() == 1
        assert len(moved.blob(digest)) == 20_000
