"""`verify` names the first row that was changed, removed, added or reordered."""

# ruff: noqa: S608 - the statements are the test's own
from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Table, UniqueConstraint, insert, select, text
from sqlalchemy.exc import DBAPIError

from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.errors import LedgerError, UsageError
from adjudge.ledger import Ledger, NewAttachment, open_ledger
from adjudge.ledger.store.schema import INSERT_ONLY, evaluations, guards
from support.trial_samples import DIGEST_B, annotation, trial


@pytest.fixture
def filled(ledger: Ledger) -> Ledger:
    return fill(ledger)


def fill(ledger: Ledger) -> Ledger:
    """Every kind of row. Names, then per trial its row and its evaluation's."""
    entries = [trial(n, tags=[ErrorTag(category="unit", source=ErrorSource.MECHANICAL)]) for n in range(5)]
    ledger.record(entries)
    ids = [entry.record.trial_id for entry in entries]
    ledger.annotate(ids[0], annotation("ada", "fail"))
    ledger.add_tags(ids[1], [ErrorTag(category="sign", source=ErrorSource.HUMAN)])
    ledger.attach([NewAttachment("trace", "k", {"turns": 2}, trial_id=ids[2])])
    ledger.add_certificate("a" * 64, {"goldens": "pass"}, deterministic=True)
    ledger.record([trial(0, task_digest=DIGEST_B)])
    assert ledger.verify().intact
    return ledger


def tamper(ledger: Ledger, *statements: str) -> None:
    """Do what somebody with the database's password could do: take the guards off, and put them back."""
    with ledger.database.writing() as connection:
        for table in INSERT_ONLY:
            if ledger.database.dialect == "sqlite":
                for event in ("update", "delete", "replace"):
                    connection.execute(text(f"DROP TRIGGER IF EXISTS {table.name}_no_{event}"))
            else:
                connection.execute(text(f"DROP TRIGGER IF EXISTS {table.name}_insert_only ON {table.name}"))
        for statement in statements:
            connection.execute(text(statement))
        for statement in guards(ledger.database.dialect):
            if statement.startswith("CREATE TRIGGER"):
                connection.exec_driver_sql(statement)


def row_of(ledger: Ledger, table: str) -> int:
    with ledger.database.reading() as connection:
        return int(connection.execute(text(f"SELECT min(seq) FROM {table}")).scalar_one())


@pytest.mark.parametrize("table", [table.name for table in INSERT_ONLY])
def test_the_database_itself_refuses_change_and_removal(filled: Ledger, table: str) -> None:
    column = next(t for t in INSERT_ONLY if t.name == table).columns.keys()[-1]
    statements = [f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"]
    if filled.database.dialect == "postgresql":
        statements.append(f"TRUNCATE {table}")
    for statement in statements:
        with pytest.raises(LedgerError, match="insert-only"), filled.database.writing() as connection:
            connection.execute(text(statement))
    assert filled.verify().intact


CHANGES = {
    "names": "UPDATE names SET text = 'other' WHERE seq = {seq}",
    "trials": "UPDATE trials SET document = replace(document, '0.25', '0.05') WHERE seq = {seq}",
    "evaluations": "UPDATE evaluations SET reward = 1.0 WHERE seq = {seq}",
    "annotations": "UPDATE annotations SET judgment = 'pass' WHERE seq = {seq}",
    "tags": "UPDATE tags SET evaluation = 1 WHERE seq = {seq}",
    "certificates": "UPDATE certificates SET deterministic = 0 WHERE seq = {seq}",
    "attachments": "UPDATE attachments SET kind = 'other' WHERE seq = {seq}",
}


@pytest.mark.parametrize("table", CHANGES)
def test_a_changed_row_is_named(filled: Ledger, table: str) -> None:
    seq = row_of(filled, table)
    tamper(filled, CHANGES[table].format(seq=seq))
    found = filled.verify()
    assert not found.intact
    assert found.rows == seq - 1
    assert f"row {seq} ({table}" in found.problems[0]
    assert "was changed" in found.problems[0]


def unique_keys(table: Table) -> set[tuple[str, ...]]:
    """The columns that no two rows of a table have in common, by its own definition."""
    sets = [table.primary_key.columns]
    sets += [c.columns for c in table.constraints if isinstance(c, UniqueConstraint)]
    sets += [index.columns for index in table.indexes if index.unique]
    return {tuple(column.name for column in columns) for columns in sets}


@pytest.mark.parametrize(
    ("table", "key"), [(table, key) for table in INSERT_ONLY for key in sorted(unique_keys(table))], ids=str
)
def test_sqlite_replaces_no_row_by_any_of_its_keys(
    tmp_path: Path, table: Table, key: tuple[str, ...]
) -> None:
    """INSERT OR REPLACE deletes whatever is in its way, without asking who refuses DELETE."""
    with open_ledger(tmp_path / "a.db") as ledger:
        fill(ledger).annotate(trial(0).record.trial_id, annotation("ada", "pass"))  # replaces the first
        everything = f"SELECT * FROM {table.name} ORDER BY 1, 2"
        with ledger.database.writing() as connection:
            before = connection.execute(text(everything)).all()
            row = connection.execute(select(table).where(table.c[key[0]].is_not(None)).limit(1)).one()
            others = {name for other in unique_keys(table) for name in other} - set(key)
            changed = dict(row._mapping) | {name: FRESH[type(row._mapping[name])] for name in others}
            statement = insert(table).prefix_with("OR REPLACE")
            if table.name == "blobs":
                connection.execute(statement, changed)
            else:
                with pytest.raises(DBAPIError, match="insert-only: REPLACE"):
                    connection.execute(statement, changed)
            assert connection.execute(text(everything)).all() == before
        assert ledger.verify().intact


FRESH = {int: 10_000, str: "fresh", bytes: b"fresh", type(None): None}


def test_a_row_that_was_replaced_behind_the_guards_is_named(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as ledger:
        ledger.record([trial(n) for n in range(5)])
        seq = row_of(ledger, "evaluations")
        columns = [column.name for column in evaluations.columns]
        values = ", ".join("1.0" if column == "reward" else column for column in columns)
        tamper(ledger, f"REPLACE INTO evaluations SELECT {values} FROM evaluations WHERE seq = {seq}")
        assert f"row {seq} (evaluations) was changed" in ledger.verify().problems[0]


def test_a_removed_row_is_named(filled: Ledger) -> None:
    seq = row_of(filled, "annotations")
    tamper(filled, "DELETE FROM annotations")
    assert filled.verify().problems == (f"row {seq} was removed",)


def test_a_tail_that_was_cut_off_is_named(filled: Ledger) -> None:
    """The head says where the chain ended."""
    end = int(filled.info().head.partition(":")[0])
    tamper(filled, f"DELETE FROM evaluations WHERE seq = {end}")
    assert filled.verify().problems == (
        f"the chain ends at row {end - 1}, but its head says row {end}: row {end} was removed",
    )


def test_two_rows_that_changed_places_are_named(filled: Ledger) -> None:
    """Rows 'a' and 'b' of one table swap their numbers; the first of the two is named."""
    with filled.database.reading() as connection:
        first, second = connection.execute(text("SELECT seq FROM trials ORDER BY seq LIMIT 2")).scalars()
    moves = [(first, -1), (second, first), (-1, second)]
    tamper(filled, *(f"UPDATE trials SET seq = {new} WHERE seq = {old}" for old, new in moves))
    assert f"row {first} (trials" in filled.verify().problems[0]


def test_a_forged_or_removed_mark_is_found(filled: Ledger) -> None:
    """Marks decide what filters find, so they are covered by the row that made them."""
    seq = row_of(filled, "annotations")
    tamper(filled, f"DELETE FROM marks WHERE origin = {seq}")
    assert f"row {seq} (annotations" in filled.verify().problems[0]


@pytest.mark.parametrize(("origin", "said"), [(1, "row 1 (names"), (10_000, "belongs to no row (10000)")])
def test_a_mark_of_nobody_is_found(filled: Ledger, origin: int, said: str) -> None:
    tamper(filled, f"INSERT INTO marks VALUES ('tag', 1, 1, {origin})")
    assert said in filled.verify().problems[0]


def test_a_row_after_the_head_is_found(filled: Ledger) -> None:
    end = int(filled.info().head.partition(":")[0])
    tamper(
        filled,
        f"INSERT INTO annotations SELECT {end + 1}, trial, reviewer, judgment, NULL, document, hash "
        "FROM annotations",
    )
    assert filled.verify().problems == (
        f"row {end + 1} (annotations) stands outside the chain: it was added",
    )


def test_a_rewritten_tail_is_found_by_a_head_kept_elsewhere(filled: Ledger) -> None:
    """A forger who also moves the head is invisible to the chain alone, and says so in the documentation."""
    kept = filled.info().head
    assert filled.verify(expect=kept).intact
    end, _, _ = kept.partition(":")
    with filled.database.reading() as connection:
        before = connection.execute(text("SELECT hash FROM certificates")).scalar_one()
    last = row_of(filled, "certificates")
    tamper(filled, f"DELETE FROM evaluations WHERE seq > {last}", f"DELETE FROM trials WHERE seq > {last}")
    tamper(filled, f"DELETE FROM names WHERE seq > {last}", f"DELETE FROM marks WHERE origin > {last}")
    with filled.database.writing() as connection:
        connection.execute(text("UPDATE head SET seq = :seq, hash = :hash"), {"seq": last, "hash": before})
    assert filled.verify().intact
    assert f"row {end} does not have the hash you kept" in filled.verify(expect=kept).problems[0]


def test_an_older_head_is_still_on_the_chain(filled: Ledger) -> None:
    kept = filled.info().head
    filled.record([trial(77)])
    assert filled.verify(expect=kept).intact


def test_who_may_only_read_may_verify(filled: Ledger, ledger_url: str, tmp_path: Path) -> None:
    """A PostgreSQL role with nothing but SELECT; a SQLite ledger opened for reading."""
    if filled.database.dialect == "postgresql":
        with filled.database.writing() as connection:
            connection.execute(text("CREATE ROLE auditor LOGIN"))
            connection.execute(text("GRANT SELECT ON ALL TABLES IN SCHEMA public TO auditor"))
        ledger_url = ledger_url.replace("adjudge@", "auditor@")
    with open_ledger(ledger_url, read_only=True) as reader:
        assert reader.verify().intact
        assert not any(reader.verify_blobs())
        assert reader.backup(tmp_path / "copy.db").intact


def test_what_is_no_head_is_refused(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="ROW:HASH"):
        ledger.verify(expect="17")


def test_an_empty_ledger_is_intact(ledger: Ledger) -> None:
    found = ledger.verify(None)
    assert (found.rows, found.intact) == (0, True)
