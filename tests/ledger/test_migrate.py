"""An old ledger is migrated, and ends up exactly as a new one begins."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import inspect, text

from adjudge.errors import LedgerError
from adjudge.ledger import Ledger, migrate_ledger, open_ledger
from adjudge.ledger.store.database import Database
from adjudge.ledger.store.location import locate
from adjudge.ledger.store.migrate import revisions, upgrade
from adjudge.ledger.store.schema import VERSION
from support.trial_samples import DIGEST_A, DIGEST_B, annotation, trial


def condition(index: Any) -> str:
    """What an index asks of a row, where it does not hold them all."""
    options = index.get("dialect_options", {})
    return str(options.get("sqlite_where", options.get("postgresql_where", "")))


def shape(url: str) -> dict[str, Any]:
    """Everything that makes a schema: columns, keys, indexes, triggers, views, rows of the head."""
    database = Database(locate(url))
    try:
        with database.reading() as connection:
            found: dict[str, Any] = {}
            inspector = inspect(connection)
            for table in sorted(inspector.get_table_names()):
                columns = [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(table)]
                unique = sorted(tuple(u["column_names"]) for u in inspector.get_unique_constraints(table))
                indexes = sorted(
                    (i["name"] or "", tuple(i["column_names"]), bool(i["unique"]), condition(i))
                    for i in inspector.get_indexes(table)
                )
                key = inspector.get_pk_constraint(table)["constrained_columns"]
                if table != "alembic_version":  # Alembic's own spelling of its own table
                    found[table] = (columns, key, unique, indexes)
            found["views"] = sorted(inspector.get_view_names())
            triggers = (
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
                if database.dialect == "sqlite"
                else "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1"
            )
            found["triggers"] = [tuple(row) for row in connection.execute(text(triggers))]
            found["head"] = [
                (r.id, r.seq, bytes(r.hash)) for r in connection.execute(text("SELECT * FROM head"))
            ]
            return found
    finally:
        database.close()


def old(url: str, version: str = "0001") -> None:
    """A ledger as an earlier adjudge made it."""
    database = Database(locate(url))
    upgrade(database, version)
    database.close()


def test_migrating_from_the_first_schema_gives_todays(
    ledger_url: str, request: pytest.FixtureRequest
) -> None:
    old(ledger_url)
    with pytest.raises(LedgerError, match=r"older schema.*adjudge ledger migrate"):
        open_ledger(ledger_url)
    assert migrate_ledger(ledger_url) == ("0001", VERSION)
    assert migrate_ledger(ledger_url) == (VERSION, VERSION)
    migrated = shape(ledger_url)
    if locate(ledger_url).path is None:
        new_url = request.getfixturevalue("postgres_server").create_database()
    else:
        new_url = f"{ledger_url}.new"
    with open_ledger(new_url) as made:
        assert made.count() == 0
    assert migrated == shape(new_url)
    with open_ledger(ledger_url) as ledger:
        ledger.record([trial(1)])
        ledger.annotate(trial(1).record.trial_id, annotation())
        assert ledger.verify().intact


def head_of(ledger: Ledger) -> str:
    """The end of the chain, also of a ledger that is older than what `info` counts."""
    with ledger.database.reading() as connection:
        seq, digest = connection.execute(text("SELECT seq, hash FROM head")).one()
    return f"{seq}:{bytes(digest).hex()}"


@pytest.mark.parametrize("version", ["0001", "0002", "0003", "0004"])
def test_what_an_old_ledger_holds_is_there_after_migrating(
    ledger_url: str, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every record, scored again and annotated, and a chain that still meets the head kept before."""
    assert version in revisions()
    old(ledger_url, version)
    with monkeypatch.context() as then:
        then.setattr("adjudge.ledger.store.schema.VERSION", version)
        with open_ledger(ledger_url) as ledger:
            ledger.record([trial(n) for n in range(40)])
            ledger.record([trial(n, task_digest=DIGEST_B, completed=n != 7) for n in range(20)])
            ledger.annotate(trial(3).record.trial_id, annotation("ada", "pass"))
            before, head = list(ledger.iterate()), head_of(ledger)
    assert migrate_ledger(ledger_url) == (version, VERSION)
    with open_ledger(ledger_url) as ledger:
        assert ledger.verify(expect=head).intact
        assert list(ledger.iterate()) == before
        outputs = [str(trial(n).record.output.sha256) for n in range(40)]
        found = ledger.find_evaluations(DIGEST_B, outputs)
        assert found.keys() == set(outputs[:20]) - {outputs[7]}
        assert len(ledger.find_evaluations(DIGEST_A, outputs)) == 40
        ledger.record([trial(3, task_digest="c" * 64)])
        assert ledger.verify(expect=head).intact


def test_the_newest_revision_is_the_one_the_code_expects() -> None:
    assert revisions()[-1] == VERSION


def test_what_is_no_ledger_is_not_migrated(ledger_url: str) -> None:
    with pytest.raises(LedgerError, match="there is no ledger here"):
        migrate_ledger(ledger_url)


def test_the_view_shows_current_trials_in_plain_words(ledger_url: str) -> None:
    with open_ledger(ledger_url) as ledger:
        ledger.record([trial(1, model=None), trial(1, model=None, reward=0.75, task_digest=None)])
        with ledger.database.reading() as connection:
            rows = connection.execute(
                text(
                    "SELECT experiment, task, agent, model, reward, outcome, task_digest FROM current_trials"
                )
            ).all()
    assert [tuple(row) for row in rows] == [
        ("first", "circuits/task-1", "agent-1", None, 0.75, "scored", None)
    ]
