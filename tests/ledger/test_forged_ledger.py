"""Somebody who has the file and knows SQL tries to change what readers see, and `verify` to stay silent."""

# ruff: noqa: S608 - the statements are the test's own
from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from adjudge.errors import LedgerError
from adjudge.ledger import Ledger, forged_ledger, open_ledger
from adjudge.ledger.store.schema import guards
from support.command_line import run_adjudge
from support.trial_samples import trial


def forged(path: Path, attack: Callable[[sqlite3.Connection], None]) -> tuple[str, ...]:
    """What `verify` says of a ledger after somebody took its guards off, did something, and put them back."""
    with open_ledger(path) as ledger:
        ledger.record([trial(number) for number in range(6)])
        assert ledger.verify().intact
    connection = sqlite3.connect(path, isolation_level=None)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("PRAGMA writable_schema = ON")
    attack(connection)
    for statement in guards("sqlite"):
        connection.execute(statement)
    connection.close()
    with open_ledger(path, read_only=True) as ledger:
        return ledger.verify().problems


def test_an_index_that_hides_rows_under_its_old_words_is_found(tmp_path: Path) -> None:
    """Whoever asks for the agent's evaluations would get none, and the chain is as it was."""

    def attack(connection: sqlite3.Connection) -> None:
        (words,) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'evaluation_agent'"
        ).fetchone()
        connection.execute("DROP INDEX evaluation_agent")
        connection.execute(f"{words} WHERE seq > 1000000")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'evaluation_agent'", (words,))

    problems = forged(tmp_path / "a.db", attack)
    assert any("missing from index evaluation_agent" in problem for problem in problems), problems


def rebuilt(connection: sqlite3.Connection, table: str, old: str, new: str) -> None:
    """Make a table again with other words, and with the rows it had."""
    (words,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    indexes = connection.execute(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", (table,)
    ).fetchall()
    other = re.sub(r"\s+", " ", words).replace(old, new)
    assert new in other
    connection.execute(f"CREATE TABLE kept AS SELECT * FROM {table}")
    connection.execute(f"DROP TABLE {table}")
    connection.execute(other)
    shown = connection.execute(f"PRAGMA table_xinfo({table})")
    names = ", ".join(name for _, name, *_, hidden in shown if not hidden)
    connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM kept")
    connection.execute("DROP TABLE kept")
    for (index,) in indexes:
        connection.execute(index)


REWRITES = {
    "compares without case": ("names", "text TEXT NOT NULL", "text TEXT COLLATE NOCASE NOT NULL"),
    "allows a trial twice": ("trials", "UNIQUE (trial_id)", "CHECK (1)"),
    "has a default": ("evaluations", "reward FLOAT NOT NULL", "reward FLOAT DEFAULT 1 NOT NULL"),
    "makes a reward up": (
        "evaluations",
        "reward FLOAT NOT NULL",
        "reward FLOAT NOT NULL GENERATED ALWAYS AS (1.0) VIRTUAL",
    ),
}


@pytest.mark.parametrize("what", REWRITES)
def test_a_table_that_is_made_otherwise_is_found(tmp_path: Path, what: str) -> None:
    table, *words = REWRITES[what]
    problems = forged(tmp_path / "a.db", lambda connection: rebuilt(connection, table, *words))
    assert f"the table {table} is not as it was made" in problems


def test_bytes_in_place_of_the_text_that_spells_them_are_found(tmp_path: Path) -> None:
    """A hash covers bytes as hexadecimal text, so that the two have one hash."""

    def attack(connection: sqlite3.Connection) -> None:
        number, name = connection.execute(
            "SELECT seq, text FROM names WHERE length(text) = 64 AND text NOT GLOB '*[^0-9a-f]*'"
        ).fetchone()
        connection.execute("UPDATE names SET text = ? WHERE seq = ?", (bytes.fromhex(name), number))

    assert any("(names" in problem for problem in forged(tmp_path / "a.db", attack))


@pytest.mark.parametrize(("table", "column"), [("names", "text"), ("evaluations", "document")])
def test_text_that_is_no_text_is_named(tmp_path: Path, table: str, column: str) -> None:
    def attack(connection: sqlite3.Connection) -> None:
        number = connection.execute(f"SELECT max(seq) FROM {table}").fetchone()[0]
        connection.execute(f"UPDATE {table} SET {column} = CAST(x'ff80' AS TEXT) || seq WHERE seq = {number}")

    with pytest.raises(LedgerError, match="UTF-8"):
        forged(tmp_path / "a.db", attack)


CELLS = [
    ("evaluations", "reward", "9e999"),
    ("evaluations", "attempt", "9e999"),
    ("evaluations", "task", "x'fffe'"),
    ("evaluations", "trial", "'null'"),
    ("evaluations", "document", "'null'"),
    ("trials", "document", "'{}'"),
    ("trials", "document", "replace(hex(zeroblob(3000)), '00', '{\"a\":')"),
    ("names", "text", "4611686018427387904"),
    ("head", "hash", "1000000000000000"),
    ("head", "seq", "'x'"),
    ("head", "id", "7"),
]


@pytest.mark.parametrize(("table", "column", "value"), CELLS)
def test_whatever_a_cell_holds_the_change_is_named_and_no_bug(
    tmp_path: Path, table: str, column: str, value: str
) -> None:
    """By `verify`, which goes on to the blobs; and by commands that cannot make sense of what they read."""
    path = tmp_path / "a.db"

    def attack(connection: sqlite3.Connection) -> None:
        (last,) = connection.execute(f"SELECT max(rowid) FROM {table}").fetchone()
        connection.execute(f"UPDATE {table} SET {column} = {value} WHERE rowid = {last}")

    problems = forged(path, attack)
    assert any("changed" in problem for problem in problems), problems
    for command in (("ledger", "verify", "--blobs"), ("trials",), ("report",)):
        done = run_adjudge(*command, "--ledger", path)
        assert "This is a bug" not in done.stderr, done.stderr
        assert done.code == 0 or command[0] != "ledger" or "NOT intact" in done.stdout, done


@pytest.mark.parametrize(("column", "value"), [("size", 1 << 62), ("size", -1), ("size", "x"), ("data", 5)])
def test_a_blob_whose_row_was_changed_is_named(tmp_path: Path, column: str, value: object) -> None:
    path = tmp_path / "a.db"

    def attack(connection: sqlite3.Connection) -> None:
        connection.execute(f"UPDATE blobs SET {column} = ?", (value,))

    forged(path, attack)
    with open_ledger(path, read_only=True) as ledger:
        problems = list(ledger.verify_blobs())
    assert problems
    assert None not in problems


def test_a_failure_over_a_ledger_that_is_whole_stays_a_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    with open_ledger(path) as ledger:
        ledger.record([trial(1)])
    monkeypatch.setattr(Ledger, "info", lambda _: 1 // 0)
    done = run_adjudge("ledger", "info", "--ledger", path)
    assert "This is a bug" in done.stderr


def test_a_second_head_is_found(tmp_path: Path) -> None:
    def attack(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO head SELECT 2, seq, hash FROM head")

    assert forged(tmp_path / "a.db", attack)[0] == "the chain has two heads"


def test_a_table_behind_a_view_of_its_name_is_found(tmp_path: Path) -> None:
    def attack(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA legacy_alter_table = ON")
        connection.execute("ALTER TABLE evaluations RENAME TO real_evaluations")
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(real_evaluations)")]
        shown = ", ".join("1.0 AS reward" if name == "reward" else name for name in columns)
        connection.execute(f"CREATE VIEW evaluations AS SELECT {shown} FROM real_evaluations")

    path = tmp_path / "a.db"
    with pytest.raises(sqlite3.OperationalError):  # no guard can stand before a view
        forged(path, attack)
    with open_ledger(path, read_only=True) as ledger:
        assert "the table evaluations is gone" in ledger.verify().problems


POSTGRESQL = {
    "CREATE RULE sly AS ON INSERT TO evaluations DO ALSO NOTHING": "the rule sly was added",
    "ALTER TABLE evaluations ENABLE ROW LEVEL SECURITY": (
        "the table evaluations shows some of its rows to some only"
    ),
    "CREATE TABLE below () INHERITS (evaluations)": "the table below was added below one of the ledger's",
    "ALTER TABLE evaluations ALTER COLUMN retry TYPE text": (
        "the column evaluations.retry is not as it was made"
    ),
}


@pytest.mark.parametrize("statement", POSTGRESQL)
@pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)
def test_what_hides_or_adds_rows_on_a_server_is_named(ledger: Ledger, statement: str) -> None:
    ledger.record([trial(1)])
    assert ledger.verify().intact
    with ledger.database.writing() as connection:
        if "TYPE text" in statement:
            connection.execute(text("DROP VIEW current_trials"))
        connection.execute(text(statement))
    assert POSTGRESQL[statement] in ledger.verify().problems


@pytest.mark.parametrize("content", [None, b"no database" * 100], ids=["gone", "another file"])
def test_a_ledger_that_went_away_is_told_and_hides_no_other_failure(
    tmp_path: Path, content: bytes | None
) -> None:
    """This is asked when a command fails in a way that nobody foresaw: it must not fail itself."""
    path = tmp_path / "a.db"
    with open_ledger(path) as ledger:
        ledger.record([trial(1)])
    assert forged_ledger() is None
    for file in tmp_path.iterdir():
        if file.is_file():
            file.unlink()
    if content is not None:
        path.write_bytes(content)
    assert str(path) in str(forged_ledger())
