"""Trials go in once and come out as they went in."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.contracts import ErrorSource, ErrorTag, TrialRecord
from adjudge.errors import UsageError
from adjudge.ledger import Ledger, TrialEntry, Written, open_ledger
from support import contract_strategies
from support.trial_samples import DIGEST_A, DIGEST_B, annotation, record_many, sha, trial


def test_a_record_comes_back_as_it_went_in(ledger: Ledger) -> None:
    """Every field survives, also what text columns cannot hold: U+0000, emoji, long streams, no digest."""
    odd = trial(
        3,
        experiment="exp\0eriment 🧪",
        model=None,
        task_digest=None,
        breakdown={"a\0b": {"score": 0.1 + 0.2, "evidence": "\u202eevil\x1b[31m"}},
        stdout="x" * 5000 + "\0é",
        stderr="short",
        tags=[ErrorTag(category="unit\0mismatch", source=ErrorSource.MECHANICAL)],
        metadata={"seed": 2**60, "nested": [1, None, {"é": True}]},
    )
    (answer,) = ledger.record([odd])
    assert answer.written is Written.TRIAL
    assert ledger.get(odd.record.trial_id) == odd.record


def test_no_model_and_a_model_without_a_name_are_two_things(ledger: Ledger) -> None:
    entries = [trial(1, model=None), trial(2, model="")]
    ledger.record(entries)
    assert [ledger.get(entry.record.trial_id).agent.model for entry in entries] == [None, ""]


NUMBERS = count()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(contract_strategies.trials, min_size=1, max_size=3))
def test_any_record_comes_back_as_it_went_in(ledger: Ledger, records: list[TrialRecord]) -> None:
    """Whatever the contracts allow, in one batch; the chain holds, and the columns agree."""
    fresh = [record.model_copy(update={"trial_id": f"p{next(NUMBERS)}"}) for record in records]
    assert {answer.written for answer in ledger.record(fresh)} == {Written.TRIAL}
    for record in fresh:
        bare = record.evaluation.model_copy(update={"annotations": None})
        assert ledger.get(record.trial_id) == record.model_copy(update={"evaluation": bare})
    assert ledger.columns().reward.tolist()[-len(fresh) :] == [r.evaluation.reward for r in fresh]
    assert ledger.verify().intact


def test_an_attempt_beyond_what_a_column_holds(ledger: Ledger) -> None:
    ledger.record([trial(1, attempt=2**70)])
    assert ledger.query().records[0].attempt == 2**70


def test_recording_again_writes_nothing(ledger: Ledger) -> None:
    """The same batch twice, and once more after reopening: the chain does not grow."""
    batch = [trial(n) for n in range(20)]
    assert {a.written for a in ledger.record(batch)} == {Written.TRIAL}
    before = ledger.info()
    again = ledger.record(batch)
    assert {a.written for a in again} == {Written.NOTHING}
    assert all(a.evaluation_id for a in again)
    assert ledger.info() == before
    assert before.trials == before.evaluations == 20


def test_the_same_trial_twice_in_one_batch_is_written_once(ledger: Ledger) -> None:
    answers = ledger.record([trial(1), trial(1)])
    assert [a.written for a in answers] == [Written.TRIAL, Written.NOTHING]
    assert answers[0].evaluation_id == answers[1].evaluation_id
    assert ledger.count() == 1


def test_a_new_digest_adds_an_evaluation_and_the_newest_is_current(ledger: Ledger) -> None:
    first, second = trial(1, reward=0.2), trial(1, reward=0.9, task_digest=DIGEST_B)
    ledger.record([first])
    (answer,) = ledger.record([second])
    assert answer.written is Written.EVALUATION
    assert ledger.get(first.record.trial_id) == second.record
    assert ledger.history(first.record.trial_id) == [second.record, first.record]
    assert ledger.count() == 1
    assert ledger.columns().reward.tolist() == [0.9]


def test_running_again_under_the_same_digest_must_name_what_it_replaces(ledger: Ledger) -> None:
    """A verifier that failed may be run again; the failure stays in the history, and only one retry wins."""
    failed = trial(1, reward=0.0, completed=False)
    (was,) = ledger.record([failed])
    mended = trial(1, reward=1.0)
    assert ledger.record([mended])[0].written is Written.NOTHING  # not asked for
    retry = TrialEntry(mended.record, blobs=mended.blobs, replaces=was.evaluation_id)
    (answer,) = ledger.record([retry])
    assert answer.written is Written.EVALUATION
    assert ledger.record([retry])[0].written is Written.NOTHING  # the failure is no longer current
    assert [r.evaluation.reward for r in ledger.history(failed.record.trial_id)] == [1.0, 0.0]
    assert ledger.states([failed.record.trial_id])[failed.record.trial_id].outcome == "scored"


def test_going_back_to_an_earlier_verifier_is_possible(ledger: Ledger) -> None:
    """A, then B, then A again: three evaluations, the last is current and stands under digest A."""
    ledger.record([trial(1, reward=0.1)])
    (second,) = ledger.record([trial(1, reward=0.2, task_digest=DIGEST_B)])
    ledger.record([trial(1, reward=0.3, replaces=second.evaluation_id)])
    records = ledger.history(trial(1).record.trial_id)
    assert [(r.evaluation.reward, r.task_digest) for r in records] == [
        (0.3, DIGEST_A),
        (0.2, DIGEST_B),
        (0.1, DIGEST_A),
    ]


def test_an_id_that_stands_for_another_trial_is_a_conflict_and_the_rest_goes_in(ledger: Ledger) -> None:
    ledger.record([trial(1, trial_id="mine")])
    answers = ledger.record([trial(2), trial(3, trial_id="mine"), trial(4)])
    assert [a.written for a in answers] == [Written.TRIAL, Written.CONFLICT, Written.TRIAL]
    assert answers[1].conflict is not None
    assert "mine is in the ledger with task 'circuits/task-1', not 'circuits/task-3'" in answers[1].conflict


def test_a_batch_is_all_or_nothing(ledger: Ledger) -> None:
    """A blob under a wrong name refuses the whole batch, and the head does not move."""
    before = ledger.info().head
    wrong = TrialEntry(trial(2).record, blobs={sha(b"this"): b"that"})
    with pytest.raises(UsageError, match="a blob is not what its digest says"):
        ledger.record([trial(1), wrong])
    assert ledger.count() == 0
    assert ledger.info().head == before


def test_half_a_surrogate_pair_is_refused_by_name(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="half of a surrogate pair"):
        ledger.record([trial(1, stdout="\ud800")])
    with pytest.raises(UsageError, match="half of a surrogate pair"):
        ledger.record([trial(1, stderr="\ud800" * 2000)])


def test_any_number_of_trials_in_batches(ledger: Ledger) -> None:
    """2,001 trials are three batches; all are there afterwards, in order."""
    answers = record_many(ledger, (trial(n) for n in range(2001)))
    assert [a.trial_id for a in answers] == [r.trial_id for r in ledger.iterate()]
    assert len(answers) == ledger.count() == len(ledger.columns()) == 2001
    assert ledger.verify().intact


def test_one_trial_is_recorded_as_it_is_or_with_its_bytes(ledger: Ledger) -> None:
    bare = ledger.record(trial(1).record)
    assert (bare.trial_id, bare.written) == (trial(1).record.trial_id, Written.TRIAL)
    assert ledger.record(trial(1)).written is Written.NOTHING
    assert ledger.record(trial(2)).written is Written.TRIAL
    assert ledger.count() == 2


def test_annotations_on_an_incoming_record_are_not_part_of_it(ledger: Ledger) -> None:
    """They are written by `annotate` only, so that each has one row of its own."""
    entry = trial(1)
    evaluation = entry.record.evaluation.model_copy(update={"annotations": [annotation()]})
    ledger.record([entry.record.model_copy(update={"evaluation": evaluation})])
    assert ledger.get(entry.record.trial_id).evaluation.annotations is None


def test_two_ledgers_of_one_file_see_each_other(ledger: Ledger, ledger_url: str) -> None:
    ledger.record([trial(1)])
    with open_ledger(ledger_url, create=False) as other:
        assert other.get(trial(1).record.trial_id) == trial(1).record
        other.record([trial(2)])
    assert ledger.count() == 2
    assert ledger.verify().intact
