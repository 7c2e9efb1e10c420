"""What people would say of all trials: weighted by how those they saw were chosen, or not said at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from adjudge.contracts import ReviewSelection
from adjudge.ledger import open_ledger, record_selections
from adjudge.reports import read_report
from adjudge.reports.models.report import Agreement
from support.command_line import run_adjudge
from support.report_ledgers import make
from support.trial_samples import annotation, chosen


def reviewed(path: Path, made: Sequence[tuple[int, str, ReviewSelection | None]]) -> Path:
    """40 trials of one agent, rewards 1 (the first 30) and 0; (number, what ada says, how it was chosen)."""
    make(path, {"ant": {f"t/{n:02}": [1.0 if n < 30 else 0.0] for n in range(40)}})
    with open_ledger(path) as ledger:
        ids = {record.task_id: record.trial_id for record in ledger.iterate()}
        ledger.annotate_all([(ids[f"t/{n:02}"], annotation("ada", said)) for n, said, _ in made])
        record_selections(ledger, [(ids[f"t/{n:02}"], how) for n, _, how in made if how is not None])
    return path


def agreement(path: Path) -> Agreement:
    with open_ledger(path) as ledger:
        found = read_report(ledger).agreement
    assert found is not None
    return found


def test_a_plain_random_sample(tmp_path: Path) -> None:
    """Ten of 40 by lot; ada passes six: a share of 0.6."""
    lot = chosen("ada", "random", 0.25)
    made = [(n, "pass" if n < 24 else "fail", lot) for n in range(0, 40, 4)]
    alone, corrected, powered = agreement(reviewed(tmp_path / "r.db", made)).people
    assert alone.estimate.value == pytest.approx(0.6)
    assert alone.estimate.interval is not None
    assert alone.estimate.interval.low < 0.6 < alone.estimate.interval.high
    assert corrected.estimate.value is not None
    assert powered.estimate.value is not None


def test_what_was_picked_counts_by_its_chance(tmp_path: Path) -> None:
    """All ten zeros (ada passes five of them) and a tenth of the 30 ones (she passes those).

    Plain: 8/13. Weighted: (3 * 10 + 5)/(3 * 10 + 10) = 35/40.
    """
    low, lot = chosen("ada", "low-reward", 1.0), chosen("ada", "random", 0.1)
    made = [(n, "pass" if n < 35 else "fail", low) for n in range(30, 40)]
    made += [(n, "pass", lot) for n in (3, 13, 23)]
    alone = agreement(reviewed(tmp_path / "r.db", made)).people[0].estimate
    assert alone.value == pytest.approx(35 / 40)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (None, "nobody recorded how the reviewed trials were chosen"),
        (chosen("ada", "disagreement"), "nobody recorded how the reviewed trials were chosen"),
        (chosen("ada", "disagreement", 1.0), "stand, by their probabilities, for 10 of 40 trials"),
    ],
)
def test_picked_reviews_give_no_estimate_in_any_format(
    tmp_path: Path, how: ReviewSelection | None, says: str
) -> None:
    path = reviewed(tmp_path / "r.db", [(n, "pass", how) for n in range(10)])
    assert all(named.estimate.value is None for named in agreement(path).people)
    for form in ("terminal", "md", "html", "json"):
        text = run_adjudge("report", "--ledger", path, "--format", form, COLUMNS="300").stdout
        assert says in text
        assert "from their reviews alone: 1.000" not in text


def test_reviews_nobody_accounts_for_and_verdicts_still_missing_are_said(tmp_path: Path) -> None:
    lot = chosen("ada", "random", 0.25)
    made = [(n, "defer" if n == 0 else "pass", lot) for n in range(0, 40, 4)] + [(1, "fail", None)]
    found = agreement(reviewed(tmp_path / "r.db", made)).people[0].estimate
    assert found.value == 1.0
    assert "1 of 10 trials chosen for review have no verdict yet: the others speak for them" in found.caveats
    assert "1 review left out" in found.caveats[-1]


def test_each_reviewer_is_held_against_the_verifier_and_the_others(tmp_path: Path) -> None:
    """ada and bob judge trials 28 to 31; ada passes all, bob as the verifier does: two of four apart."""
    path = reviewed(tmp_path / "r.db", [(n, "pass", None) for n in range(28, 32)])
    with open_ledger(path) as ledger:
        for record in list(ledger.iterate()):
            if record.task_id in ("t/28", "t/29", "t/30", "t/31"):
                good = record.evaluation.reward == 1.0
                ledger.annotate(record.trial_id, annotation("bob", "pass" if good else "fail"))
    found = {(pair.a, pair.b): pair for pair in agreement(path).by_reviewer}
    assert list(found) == [("ada", "verifier"), ("bob", "verifier"), ("ada", "bob")]
    counts = {
        names: (pair.both_pass, pair.only_a, pair.only_b, pair.both_fail) for names, pair in found.items()
    }
    assert counts["ada", "verifier"] == counts["ada", "bob"] == (2, 2, 0, 0)
    assert counts["bob", "verifier"] == (2, 0, 0, 2)
    assert found["bob", "verifier"].kappa.value == 1.0
    for form in ("terminal", "md", "html"):
        text = run_adjudge("report", "--ledger", path, "--format", form, COLUMNS="300").stdout
        assert "ada and bob" in text


def test_attempts_at_one_task_are_agreed_about_together(tmp_path: Path) -> None:
    path = make(tmp_path / "r.db", {"ant": {f"t/{n}": [1.0, 1.0, 0.0, 0.0] for n in range(8)}})
    with open_ledger(path) as ledger:
        for n, record in enumerate(list(ledger.iterate())):
            good = (record.evaluation.reward == 1.0) != (n < 8)
            ledger.annotate(record.trial_id, annotation("ada", "pass" if good else "fail"))
    (pair,) = agreement(path).by_reviewer
    assert pair.ac1.clusters == 8


def test_nobody_contradicts_a_machinery_failure(tmp_path: Path) -> None:
    path = make(tmp_path / "r.db", {"ant": {"t/1": [None], "t/2": [0.0]}})
    with open_ledger(path) as ledger:
        for record in list(ledger.iterate()):
            ledger.annotate(record.trial_id, annotation("ada", "pass"))
    found = agreement(path)
    assert [d.task for d in found.disagreements] == ["t/2"]
