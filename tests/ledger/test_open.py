"""Opening: what is found, what is made, and what is refused clearly."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import OperationalError

from adjudge.errors import LedgerError, UsageError
from adjudge.ledger import Disconnected, Ledger, open_ledger
from adjudge.ledger.store.database import Database
from adjudge.ledger.store.location import locate
from adjudge.ledger.store.migrate import upgrade
from support.postgres import Server


def test_where_a_ledger_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option, else ADJUDGE_LEDGER, else ./adjudge.db; a URL or a path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADJUDGE_LEDGER", raising=False)
    assert locate(None).path == tmp_path / "adjudge.db"
    monkeypatch.setenv("ADJUDGE_LEDGER", "sqlite:///other.db")
    assert locate(None).path == tmp_path / "other.db"
    monkeypatch.setenv("ADJUDGE_LEDGER", "")
    assert locate(None).path == tmp_path / "adjudge.db"
    assert locate("sqlite:////abs/x.db").path == Path("/abs/x.db")
    assert locate("mine.db").path == tmp_path / "mine.db"
    assert locate("postgres://u:secret@h:5432/d").url == "postgresql+psycopg://u:secret@h:5432/d"
    assert locate("postgresql://u:secret@h/d").shown == "postgresql://u:…@h/d"
    assert locate("postgresql://u:se/cret@h/d").shown == "postgresql://u:…@h/d"
    assert locate("postgresql://h/d?password=secret&user=u").shown == "postgresql://h/d?password=…&user=u"
    for bad in ("", "sqlite://", "sqlite:///:memory:", "mysql://h/d"):
        with pytest.raises(UsageError):
            locate(bad)


def test_odd_names_are_only_names(tmp_path: Path) -> None:
    """Characters that mean something in URLs and SQL mean nothing in a path."""
    for name in ("a b?mode=ro#x%20.db", "ü'\";--.db"):
        with open_ledger(tmp_path / name) as ledger:
            assert ledger.count() == 0
        assert (tmp_path / name).is_file()


def test_what_is_no_ledger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="this is a directory"):
        open_ledger(tmp_path)
    (tmp_path / "text").write_text("hello " * 500)
    with pytest.raises(LedgerError, match="not a ledger"):
        open_ledger(tmp_path / "text")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE cats (name TEXT)")
    other.close()
    with pytest.raises(LedgerError, match=r"not a ledger; found 'cats'"):
        open_ledger(tmp_path / "other.db")
    with pytest.raises(LedgerError, match="the folder for the ledger does not exist"):
        open_ledger(tmp_path / "no" / "such.db")
    assert not (tmp_path / "no").exists()


def test_reading_makes_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no ledger here"):
        open_ledger(tmp_path / "typo.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_ledger(tmp_path: Path) -> None:
    (tmp_path / "new.db").touch()
    with open_ledger(tmp_path / "new.db") as ledger:
        assert ledger.count() == 0


def test_a_new_ledger_waits_for_another_process_that_makes_it_too(tmp_path: Path) -> None:
    """SQLite does not: who finds the file locked while it switches to its write-ahead log is told at once."""
    refused: list[str] = []

    def refuse(_c: Any, _cursor: Any, statement: str, _values: Any, _context: Any, _many: bool) -> None:
        if "journal_mode" in statement and len(refused) < 3:
            refused.append(statement)
            raise OperationalError(statement, None, sqlite3.OperationalError("database is locked"))

    event.listen(Engine, "before_cursor_execute", refuse)
    try:
        with open_ledger(tmp_path / "new.db") as ledger:
            assert ledger.count() == 0
    finally:
        event.remove(Engine, "before_cursor_execute", refuse)
    assert len(refused) == 3


def test_a_database_that_holds_other_things_is_left_alone(ledger_url: str) -> None:
    """The same refusal in both databases, by making a foreign table first."""
    with open_ledger(ledger_url) as ledger, ledger.database.writing() as connection:
        connection.execute(text("DROP TABLE alembic_version"))
    with pytest.raises(LedgerError, match=r"no ledger|not a ledger"):
        open_ledger(ledger_url)


def test_a_newer_schema_is_refused(ledger: Ledger, ledger_url: str) -> None:
    with ledger.database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(LedgerError, match=r"made by a newer adjudge; found '9999'"):
        open_ledger(ledger_url)


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="the database cannot be reached") as caught:
        open_ledger(f"postgresql://u:secret@/d?host={tmp_path}")
    assert "secret" not in str(caught.value)


def test_an_address_that_means_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="no address of a PostgreSQL database") as caught:
        open_ledger("postgresql://u:secret@h:port/d")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("part", "wrong"), [("/ledger", "/nobodys"), ("adjudge@", "nobody-here@")])
def test_a_server_that_refuses_says_why(postgres_server: Server, part: str, wrong: str) -> None:
    """Nothing that waiting would mend, so nothing is said of coming back."""
    url = postgres_server.create_database().replace(part, wrong)
    with pytest.raises(LedgerError, match=r"does not exist.*Check the user") as caught:
        open_ledger(url)
    assert not isinstance(caught.value, Disconnected)


def test_commands_to_paste_are_quoted(tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    with pytest.raises(LedgerError, match=f"mkdir -p '{folder}'"):
        open_ledger(folder / "a.db")
    folder.mkdir()
    database = Database(locate(folder / "a.db"))
    upgrade(database, "0001")
    database.close()
    with pytest.raises(LedgerError, match=f"migrate --ledger '{folder}/a.db'"):
        open_ledger(folder / "a.db")


def test_the_first_place_for_blobs_that_is_named_is_remembered(
    postgres_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A PostgreSQL ledger has no folder beside it: who reads it later should not have to know the place."""
    monkeypatch.delenv("ADJUDGE_BLOBS", raising=False)
    url = postgres_server.create_database()
    large = os.urandom(20_000)
    with (
        open_ledger(url) as ledger,
        pytest.raises(LedgerError, match=r"no place for large blobs.*ADJUDGE_BLOBS"),
    ):
        ledger.add_blob(large)
    with open_ledger(url, blobs=tmp_path / "first") as ledger:
        digest = ledger.add_blob(large)
    with open_ledger(url, blobs=tmp_path / "second"):
        pass
    with open_ledger(url, create=False) as ledger:
        assert ledger.blob(digest) == large
        assert ledger.info().blob_location == str(tmp_path / "first")
