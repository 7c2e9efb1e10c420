"""How trials were chosen for review stands beside annotations, and is written once."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from adjudge.contracts import ChosenBy, ReviewSelection
from adjudge.errors import UsageError
from adjudge.ledger import Ledger, read_selections, record_selection, record_selections
from support.trial_samples import NOON, chosen, trial

IDS = [trial(n).record.trial_id for n in range(3)]


def test_a_choice_is_kept_once_and_read_back(ledger: Ledger) -> None:
    ledger.record([trial(n) for n in range(3)])
    by_lot, doubtful = chosen("ada", "random", 0.1), chosen(None, "disagreement")
    assert record_selections(ledger, [(IDS[0], by_lot), (IDS[1], doubtful)]) == [True, True]
    assert not record_selection(ledger, IDS[0], by_lot)
    assert record_selection(ledger, IDS[0], chosen("ada", "random", 0.2))
    assert read_selections(ledger) == {
        IDS[0]: [by_lot, chosen("ada", "random", 0.2)],
        IDS[1]: [doubtful],
    }
    assert read_selections(ledger, [IDS[1], IDS[2]]) == {IDS[1]: [doubtful]}
    assert ledger.get(IDS[0]).evaluation.annotations is None
    assert ledger.verify().intact


def test_a_trial_that_is_not_there_is_named(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="no trial has this id"):
        record_selection(ledger, "nobody", chosen("ada", "random", 0.1))


@pytest.mark.parametrize(
    ("method", "probability", "problem"),
    [
        (ChosenBy.RANDOM, None, "has a probability of being chosen"),
        (ChosenBy.UNKNOWN, 0.5, "has no known probability"),
        (ChosenBy.RANDOM, 0.0, "greater than 0"),
        (ChosenBy.LOW_REWARD, 1.1, "less than or equal to 1"),
        (ChosenBy.RANDOM, float("nan"), "finite"),
    ],
)
def test_a_choice_says_what_is_known(method: ChosenBy, probability: float | None, problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        ReviewSelection(method=method, probability=probability, timestamp=NOON)
