"""Columns are the records, transposed."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import event

from adjudge.contracts import Cost
from adjudge.ledger import Coded, Ledger, TrialFilter, Written, open_ledger
from adjudge.scoring import outcome_of
from support.trial_samples import DIGEST_B, trial


def decoded(column: Coded) -> list[str | None]:
    return [None if code < 0 else column.categories[code] for code in column.codes]


def test_columns_agree_with_the_records(ledger: Ledger) -> None:
    entries = [
        trial(
            n,
            model=None if n % 3 == 0 else "m",
            task_digest=None if n % 4 == 0 else DIGEST_B,
            parseable=n % 5 != 0,
            cost=None if n % 2 else Cost(usd=0.5),
            attempt=1 + n % 3,
            metadata={"template": f"t{n % 4}"} if n % 6 else {"template": ["a", n]},
        )
        for n in range(40)
    ]
    ledger.record(entries)
    (answer,) = ledger.record([trial(2, model="m", attempt=3, task_digest="e" * 64)])  # its cost stays 0.5
    assert answer.written is Written.EVALUATION
    columns = ledger.columns(metadata=("template", "absent"))
    records = list(ledger.iterate())
    assert len(columns) == len(records) == 40
    assert decoded(columns.task) == [r.task_id for r in records]
    assert decoded(columns.agent) == [r.agent.name for r in records]
    assert decoded(columns.model) == [r.agent.model for r in records]
    assert decoded(columns.experiment) == [r.experiment for r in records]
    assert decoded(columns.task_digest) == [r.task_digest for r in records]
    assert decoded(columns.outcome) == [outcome_of(r.evaluation).value for r in records]
    assert columns.attempt.tolist() == [r.attempt for r in records]
    assert columns.reward.tolist() == [r.evaluation.reward for r in records]
    assert columns.output_parseable.tolist() == [r.evaluation.validity.output_parseable for r in records]
    assert columns.duration_sec.tolist() == [0.5] * len(records)
    costs = [r.cost.usd if r.cost else None for r in records]
    assert [None if math.isnan(c) else c for c in columns.cost_usd.tolist()] == costs
    ids = ledger.trial_ids(columns.trial.tolist())
    assert [ids[row] for row in columns.trial.tolist()] == [r.trial_id for r in records]
    templates = [r.metadata.get("template") for r in records]
    assert decoded(columns.metadata["template"]) == [
        t if isinstance(t, str | None) else f'["a", {t[1]}]' for t in templates
    ]
    assert decoded(columns.metadata["absent"]) == [None] * len(records)
    assert columns.agent.categories == tuple(sorted(columns.agent.categories))


def test_no_match_gives_empty_columns(ledger: Ledger) -> None:
    columns = ledger.columns(TrialFilter(agent=("nobody",)), metadata=("x",))
    assert len(columns) == 0
    assert columns.task.codes.tolist() == []
    assert columns.metadata["x"].categories == ()
    assert columns.reward.dtype.kind == "f"


def test_states_and_reusable_evaluations(ledger: Ledger) -> None:
    """What a run asks before it works."""
    done, failed = trial(1), trial(2, completed=False, reward=0.0)
    ledger.record([done, failed, trial(3, task_digest=None)])
    states = ledger.states([done.record.trial_id, failed.record.trial_id, trial(3).record.trial_id, "absent"])
    assert len(states) == 3
    assert states[failed.record.trial_id].outcome == "machinery failed"
    assert states[trial(3).record.trial_id].task_digest is None
    digest = str(done.record.task_digest)
    output = str(done.record.output.sha256)
    assert ledger.find_evaluation(digest, output) == (states[done.record.trial_id].evaluation_id, done.record)
    assert ledger.find_evaluation(digest, str(failed.record.output.sha256)) is None  # nothing to reuse
    assert ledger.find_evaluation(DIGEST_B, output) is None
    assert ledger.find_evaluations(digest, []) == {}


def test_the_newest_of_many_scorings_is_one_look_up(tmp_path: Path) -> None:
    """An answer that everybody gives was scored ten thousand times; asking for it must not read them all."""
    with open_ledger(tmp_path / "ledger.db") as ledger:
        entries = [trial(number, output=b"the same", attempt=number + 1) for number in range(50)]
        ledger.record(entries)
        newest = entries[-1].record
        statements: list[tuple[str, Any]] = []

        @event.listens_for(ledger.database.engine, "before_cursor_execute")
        def seen(_c: Any, _cursor: Any, statement: str, values: Any, _context: Any, _many: bool) -> None:
            statements.append((statement, values))

        found = ledger.find_evaluation(str(newest.task_digest), str(newest.output.sha256))
        assert found is not None
        assert found[1] == newest
    with sqlite3.connect(tmp_path / "ledger.db") as plain:
        plans = [
            row[3]
            for statement, values in statements
            if "LIMIT 1" in statement
            for row in plain.execute(f"EXPLAIN QUERY PLAN {statement}", values)
        ]
    plain.close()
    assert "SEARCH e USING INDEX evaluation_output (output_sha256=? AND task_digest=?)" in plans
    assert not any("ORDER BY" in plan for plan in plans)
