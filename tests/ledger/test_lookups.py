"""What a run asks in its middle walks an index in both databases, so that it costs the same in any ledger."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event, text

from adjudge.ledger import Ledger
from support.trial_samples import DIGEST_A, DIGEST_B, trial

RECORDS = [trial(n).record for n in range(30)]
IDS = [record.trial_id for record in RECORDS]
LOOKUPS: dict[str, tuple[Callable[[Ledger], object], str]] = {
    "reuse": (
        lambda ledger: ledger.find_evaluations(DIGEST_A, [str(r.output.sha256) for r in RECORDS]),
        "evaluation_output",
    ),
    "states": (lambda ledger: ledger.states(IDS), "evaluation_replaces"),
    "artifacts": (lambda ledger: ledger.artifacts(IDS), "evaluation_replaces"),
    "record": (lambda ledger: ledger.record(RECORDS), "evaluation"),
    "history": (lambda ledger: ledger.history(IDS[0]), "evaluation"),
}


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_a_lookup_walks_an_index(ledger: Ledger, lookup: str) -> None:
    """A small table is quicker to scan, so PostgreSQL is asked what it would do if it could not."""
    ledger.record([trial(n) for n in range(30)])
    ledger.record([trial(n, task_digest=DIGEST_B) for n in range(20)])
    ask, index = LOOKUPS[lookup]
    asked: list[tuple[str, Any]] = []

    def note(_: object, __: object, statement: str, values: Any, *___: object) -> None:
        if statement.lstrip().startswith(("SELECT", "WITH")):
            asked.append((statement, values))

    event.listen(ledger.database.engine, "before_cursor_execute", note)
    ask(ledger)
    event.remove(ledger.database.engine, "before_cursor_execute", note)
    plans = explain(ledger, asked)
    assert index in plans
    for table in ("evaluations", "e", "newer", "trials", "annotations", "tags"):
        assert not re.search(rf"(SCAN|Seq Scan on) {table}\b", plans)


def explain(ledger: Ledger, asked: list[tuple[str, Any]]) -> str:
    sqlite = ledger.database.dialect == "sqlite"
    with ledger.database.reading() as connection:
        if not sqlite:
            connection.execute(text("SET LOCAL enable_seqscan = off"))
        raw: Any = connection.connection.driver_connection
        plans = [
            row[-1]
            for statement, values in asked
            for row in raw.execute(f"EXPLAIN {'QUERY PLAN ' if sqlite else ''}{statement}", values).fetchall()
        ]
    return "\n".join(plans)
