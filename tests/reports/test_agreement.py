"""Verifier, judges and people, with the counts worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import ConfidenceMetadata, ScoredBy
from adjudge.ledger import TrialEntry, open_ledger
from adjudge.reports import read_report
from support.report_ledgers import make
from support.trial_samples import DIGEST_B, annotation


@pytest.fixture
def reviewed(tmp_path: Path) -> Path:
    """Ten trials of one agent: rewards 1 six times, 0 four times; ada agrees but for one of each."""
    path = make(tmp_path / "r.db", {"ant": {f"t/{n}": [1.0 if n < 6 else 0.0] for n in range(10)}})
    with open_ledger(path) as ledger:
        said = []
        for n, record in enumerate(ledger.iterate()):
            good = record.evaluation.reward == 1.0
            wrong = n in (0, 9)
            said.append((record.trial_id, annotation("ada", "pass" if good != wrong else "fail")))
            if n < 5:
                said.append((record.trial_id, annotation("bob", "defer" if n == 4 else "pass")))
        ledger.annotate_all(said)
    return path


def test_verifier_against_people(reviewed: Path) -> None:
    """Trial 0: ada fails it, bob passes it: a tie, so people say nothing. Left: 5 + 3 agree, 1 does not.

    The verifier failed trial 9 and ada passes it. po = 8/9; verifier passes 5/9, people 6/9;
    pe = 5/9 * 6/9 + 4/9 * 3/9 = 42/81; kappa = (72/81 - 42/81)/(39/81) = 30/39.
    """
    with open_ledger(reviewed) as ledger:
        found = read_report(ledger).agreement
    assert found is not None
    assert (found.reviewers, found.annotated, found.annotations, found.deferred) == (2, 10, 15, 1)
    (pair,) = found.pairs
    assert (pair.both_pass, pair.only_a, pair.only_b, pair.both_fail) == (5, 0, 1, 3)
    assert pair.kappa.value == pytest.approx(30 / 39, abs=1e-9)
    assert pair.ac1.interval is not None


def test_disagreements_are_listed_even_where_reviewers_tie(reviewed: Path) -> None:
    with open_ledger(reviewed) as ledger:
        found = read_report(ledger).agreement
    assert found is not None
    assert [(d.task, d.reward) for d in found.disagreements] == [("t/0", 1.0), ("t/9", 0.0)]


def test_the_group_carries_confidence(reviewed: Path) -> None:
    """`ConfidenceMetadata` of an aggregate: its interval, its size, who judged it and how they agree."""
    with open_ledger(reviewed) as ledger:
        report = read_report(ledger)
    (group,) = report.groups
    assert group.confidence.interval == group.reward.interval
    assert group.confidence.sample_count == 10
    assert group.confidence.annotator_count == 2
    assert report.agreement is not None
    assert group.confidence.agreement == report.agreement.pairs[0].ac1.value


def test_a_judge_is_held_against_the_verifier_before_it(tmp_path: Path) -> None:
    path = make(tmp_path / "j.db", {"ant": {f"t/{n}": [1.0] for n in range(4)}})
    with open_ledger(path) as ledger:
        for n, record in enumerate(list(ledger.iterate())):
            judged = record.model_copy(
                update={
                    "task_digest": DIGEST_B,
                    "run": record.run.model_copy(update={"scored_by": ScoredBy.JUDGE}),
                    "evaluation": record.evaluation.model_copy(
                        update={
                            "reward": 0.0 if n == 0 else 1.0,
                            "confidence": ConfidenceMetadata(sample_count=1),
                        }
                    ),
                }
            )
            ledger.record([TrialEntry(judged)])
        found = read_report(ledger).agreement
    assert found is not None
    (pair,) = found.pairs
    assert (pair.a, pair.b) == ("verifier", "judge")
    assert (pair.both_pass, pair.only_a) == (3, 1)
    assert pair.kappa.value is None  # the verifier passed everything: chance and skill cannot be told apart
    assert pair.kappa.reason


def test_nobody_reviewed_is_said(tmp_path: Path) -> None:
    with open_ledger(make(tmp_path / "n.db", {"ant": {"t/1": [1.0]}})) as ledger:
        report = read_report(ledger)
    assert report.agreement is None
    assert report.agreement_reason is not None
    assert "adjudge annotate" in report.agreement_reason
