"""A filter means the same as looking at every record, in every order and page by page."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from adjudge.contracts import ErrorSource, ErrorTag, TrialRecord
from adjudge.errors import UsageError
from adjudge.ledger import Ledger, Sort, TrialFilter, disagrees, open_ledger
from support.trial_samples import DIGEST_B, NOON, annotation, trial

MECHANICAL = ErrorTag(category="unit mismatch", source=ErrorSource.MECHANICAL)
HUMAN = ErrorTag(category="sloppy", source=ErrorSource.HUMAN)


def fill(ledger: Ledger) -> Ledger:
    """Sixty trials in two experiments; some unparseable, some failed, tagged, re-scored, annotated."""
    entries = []
    for n in range(60):
        entries.append(
            trial(
                n,
                experiment="first" if n % 4 else "second",
                model=None if n % 5 == 0 else f"model-{n % 2}",
                parseable=n % 6 != 0,
                schema_valid=n % 7 != 0,
                completed=n % 8 != 0,
                tags=[MECHANICAL] if n % 9 == 0 else None,
            )
        )
    ledger.record(entries)
    ids = [entry.record.trial_id for entry in entries]
    for n in range(0, 60, 5):
        ledger.annotate(ids[n], annotation("ada", "pass" if n % 2 else "fail"))
        ledger.annotate(ids[n], annotation("bob", "defer"))
    ledger.annotate(ids[5], annotation("ada", "defer", notes="changed my mind"))
    ledger.add_tags(ids[7], [HUMAN])
    again = [
        trial(n, experiment="first" if n % 4 else "second", model=None if n % 5 == 0 else f"model-{n % 2}")
        for n in (5, 7, 9)
    ]
    # a re-score under another digest: rewards 1.0, and the human's tag and annotations must carry over
    ledger.record(
        entry.record.model_copy(
            update={
                "task_digest": DIGEST_B,
                "evaluation": entry.record.evaluation.model_copy(update={"reward": 1.0}),
            }
        )
        for entry in again
    )
    return ledger


def judged(record: TrialRecord, threshold: float = 0.5) -> bool:
    said = record.evaluation.annotations or []
    return any(disagrees(note.judgment, record.evaluation.reward, threshold) for note in said)


def categories(record: TrialRecord) -> set[str]:
    return {tag.category for tag in record.evaluation.error_taxonomy or ()}


def reviewers(record: TrialRecord) -> set[str]:
    return {note.reviewer_id for note in record.evaluation.annotations or ()}


CASES: dict[str, tuple[TrialFilter, Callable[[TrialRecord], bool]]] = {
    "everything": (TrialFilter(), lambda r: True),
    "experiment": (TrialFilter(experiment=("second",)), lambda r: r.experiment == "second"),
    "either experiment": (TrialFilter(experiment=("first", "second", "no such")), lambda r: True),
    "unknown": (TrialFilter(experiment=("no such",)), lambda r: False),
    "agent and task": (
        TrialFilter(agent=("agent-1",), task=("circuits/task-4",)),
        lambda r: r.agent.name == "agent-1" and r.task_id == "circuits/task-4",
    ),
    "no model": (TrialFilter(model=("",)), lambda r: r.agent.model is None),
    "model or none": (TrialFilter(model=("", "model-1")), lambda r: r.agent.model in (None, "model-1")),
    "task prefix": (
        TrialFilter(task=("circuits/task-1*", "circuits/task-5")),
        lambda r: r.task_id in ("circuits/task-1", "circuits/task-5"),
    ),
    "digest": (TrialFilter(task_digest=(DIGEST_B,)), lambda r: r.task_digest == DIGEST_B),
    "reward": (
        TrialFilter(min_reward=0.3, max_reward=0.7),
        lambda r: 0.3 <= r.evaluation.reward <= 0.7,
    ),
    "unparseable": (
        TrialFilter(output_parseable=False),
        lambda r: not r.evaluation.validity.output_parseable,
    ),
    "invalid": (TrialFilter(schema_valid=False), lambda r: not r.evaluation.validity.schema_valid),
    "completed": (TrialFilter(verifier_completed=True), lambda r: r.evaluation.validity.verifier_completed),
    "outcome": (
        TrialFilter(outcome=("machinery failed",)),
        lambda r: r.evaluation.validity.output_parseable and not r.evaluation.validity.verifier_completed,
    ),
    "tag": (TrialFilter(tag=("unit mismatch",)), lambda r: "unit mismatch" in categories(r)),
    "human tag": (TrialFilter(tag=("sloppy",)), lambda r: "sloppy" in categories(r)),
    "either tag": (
        TrialFilter(tag=("sloppy", "unit mismatch")),
        lambda r: bool(categories(r) & {"sloppy", "unit mismatch"}),
    ),
    "annotated": (TrialFilter(annotated=True), lambda r: bool(r.evaluation.annotations)),
    "not judged": (TrialFilter(judged=False), lambda _: True),
    "judged": (TrialFilter(judged=True), lambda _: False),
    "not annotated": (TrialFilter(annotated=False), lambda r: not r.evaluation.annotations),
    "reviewer": (TrialFilter(reviewer=("ada",)), lambda r: "ada" in reviewers(r)),
    "disagreement": (TrialFilter(disagreement=True), judged),
    "no disagreement": (TrialFilter(disagreement=False), lambda r: not judged(r)),
    "threshold": (TrialFilter(disagreement=True, threshold=0.25), lambda r: judged(r, 0.25)),
    "time": (
        TrialFilter(scored_after=NOON + timedelta(seconds=10), scored_before=NOON + timedelta(seconds=20)),
        lambda r: NOON + timedelta(seconds=10) <= r.scored_at < NOON + timedelta(seconds=20),
    ),
    "many": (
        TrialFilter(experiment=("first",), annotated=True, max_reward=0.6, tag=("unit mismatch",)),
        lambda r: (
            r.experiment == "first"
            and bool(r.evaluation.annotations)
            and r.evaluation.reward <= 0.6
            and "unit mismatch" in categories(r)
        ),
    ),
}


def test_every_filter_agrees_with_looking_at_each_record(ledger: Ledger) -> None:
    """For each filter and order: pages of 7, put together, are the records a plain loop picks."""
    fill(ledger)
    everything = list(ledger.iterate())
    assert len(everything) == 60
    for name, (wanted, keep) in CASES.items():
        expected = [record for record in everything if keep(record)]
        assert list(ledger.iterate(wanted)) == expected, name
        assert ledger.count(wanted) == len(expected), name
        assert ledger.columns(wanted).reward.tolist() == [r.evaluation.reward for r in expected], name
        for sort in Sort:
            found = paged(ledger, wanted, sort)
            assert sorted(r.trial_id for r in found) == sorted(r.trial_id for r in expected), (name, sort)
            assert in_order(found, expected, sort), (name, sort)


def test_large_lists_walk_an_index_and_find_the_same(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing counting as rare, the other plans are taken; the answers stay."""
    monkeypatch.setattr("adjudge.ledger.store.planner.RARE", 1)
    test_every_filter_agrees_with_looking_at_each_record(ledger)


def test_no_page_sorts_all_that_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own plan for every filter that is not rare: it walks an index and sorts nothing."""
    monkeypatch.setattr("adjudge.ledger.store.planner.RARE", 1)
    with open_ledger(tmp_path / "ledger.db") as ledger:
        fill(ledger)
        statements: list[tuple[str, Any]] = []

        @event.listens_for(ledger.database.engine, "before_cursor_execute")
        def seen(_c: Any, _cursor: Any, statement: str, values: Any, _context: Any, _many: bool) -> None:
            if "ORDER BY evaluations" in statement or "ORDER BY marks" in statement:
                statements.append((statement, values))

        for wanted, _ in CASES.values():
            for sort in Sort:
                ledger.query(wanted, sort=sort, limit=7)
    with sqlite3.connect(tmp_path / "ledger.db") as plain:
        for statement, values in statements:
            plan = [row[3] for row in plain.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
            assert not [step for step in plan if "TEMP B-TREE FOR ORDER BY" in step], statement
    plain.close()
    assert len(statements) == len(CASES) * len(Sort)


def paged(ledger: Ledger, wanted: TrialFilter, sort: Sort) -> list[TrialRecord]:
    found: list[TrialRecord] = []
    after: str | None = None
    while True:
        page = ledger.query(wanted, sort=sort, limit=7, after=after)
        found += page.records
        if (after := page.next) is None:
            return found


def in_order(found: list[TrialRecord], by_age: list[TrialRecord], sort: Sort) -> bool:
    if sort is Sort.OLDEST:
        return found == by_age
    if sort is Sort.NEWEST:
        return found == by_age[::-1]
    rewards = [r.evaluation.reward for r in found]
    return rewards == sorted(rewards, reverse=sort is Sort.HIGHEST)


def test_the_edges_of_a_page(ledger: Ledger) -> None:
    ledger.record([trial(n) for n in range(3)])
    assert ledger.query(limit=0).records == ()
    assert ledger.query(limit=3).next is None
    assert ledger.query(limit=2).next is not None
    for wrong in ("x", "-1", "9" * 30, "nan:1", "1e999:1", "0.5:" + "9" * 30):
        with pytest.raises(UsageError, match="this is no cursor"):
            ledger.query(after=wrong, sort=Sort.LOWEST)
    with pytest.raises(UsageError, match="belongs to another order"):
        ledger.query(after=ledger.query(limit=2).next, sort=Sort.HIGHEST)


def test_a_stream_shows_the_ledger_as_it_was_when_it_began(ledger: Ledger, ledger_url: str) -> None:
    """A trial recorded or re-scored meanwhile neither appears twice nor vanishes."""
    ledger.record([trial(n) for n in range(3)])
    stream = ledger.iterate()
    first = next(stream)
    with open_ledger(ledger_url) as other:
        other.record([trial(0, task_digest=DIGEST_B), trial(9)])
    assert [first, *stream] == [trial(n).record for n in range(3)]


@pytest.mark.parametrize(
    "bad",
    [
        {"min_reward": 1.5},
        {"min_reward": 0.8, "max_reward": 0.2},
        {"outcome": ("scored", "worng")},
        {"scored_after": NOON.replace(tzinfo=None)},
    ],
)
def test_a_filter_that_cannot_mean_anything_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        TrialFilter(**bad)


def test_an_id_may_be_shortened_while_it_is_unique(ledger: Ledger) -> None:
    ledger.record([trial(1, trial_id="alpha-1"), trial(2, trial_id="alpha-12"), trial(3, trial_id="beta")])
    assert ledger.find("b") == "beta"
    assert ledger.find("alpha-1") == "alpha-1"  # exact wins
    with pytest.raises(UsageError, match="more than one trial has an id that begins with this"):
        ledger.find("alpha")
    for nothing in ("gamma", "", "100%", "_"):
        with pytest.raises(UsageError, match="no trial has this id"):
            ledger.find(nothing)
