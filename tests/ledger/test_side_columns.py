"""Tags and replaced evaluations as arrays, in both databases."""

from __future__ import annotations

from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.ledger import Ledger, TrialEntry, TrialFilter
from support.trial_samples import DIGEST_B, trial


def tag(category: str) -> ErrorTag:
    return ErrorTag(category=category, source=ErrorSource.MECHANICAL)


def test_a_trial_and_category_is_one_row_however_often_it_was_set(ledger: Ledger) -> None:
    ledger.record([trial(1, tags=[tag("b"), tag("a"), tag("a")]), trial(2), trial(3, tags=[tag("b")])])
    found = ledger.tag_columns()
    ids = ledger.trial_ids(found.trial.tolist())
    rows = {
        (ids[number], found.category.categories[code])
        for number, code in zip(found.trial.tolist(), found.category.codes.tolist(), strict=True)
    }
    one, three = trial(1).record.trial_id, trial(3).record.trial_id
    assert rows == {(one, "a"), (one, "b"), (three, "b")}
    assert len(found) == 3
    assert len(ledger.tag_columns(TrialFilter(task=("circuits/task-3",)))) == 1


def test_the_evaluation_before_the_current_one(ledger: Ledger) -> None:
    ledger.record([trial(1, reward=1.0), trial(2, reward=0.5)])
    assert len(ledger.replaced_columns()) == 0
    first = trial(1, reward=1.0).record
    lower = first.evaluation.model_copy(update={"reward": 0.25})
    ledger.record([TrialEntry(first.model_copy(update={"evaluation": lower, "task_digest": DIGEST_B}))])
    found = ledger.replaced_columns()
    assert found.reward.tolist() == [1.0]
    assert ledger.trial_ids(found.trial.tolist()) == {found.trial[0]: first.trial_id}
    assert found.task_digest.categories == (first.task_digest,)
    assert ledger.columns(TrialFilter(task=(first.task_id,))).reward.tolist() == [0.25]
