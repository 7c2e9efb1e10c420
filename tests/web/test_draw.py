"""The lottery: every trial has a chance, and what is recorded is how often it is drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.ledger import TrialFilter, open_ledger, read_selections
from adjudge.web.review.draw import draw_round, scale_for, tickets
from support.trial_samples import trial
from support.web_site import asking, settings

WEIGHTS = np.array([1.0] * 30 + [2.0] * 20 + [7.0] * 10)


def test_a_trial_is_drawn_as_often_as_its_probability_says() -> None:
    """4,000 rounds of 12 from 60: each share within five standard errors, sqrt(p (1 - p) / 4000)."""
    chance = np.random.default_rng(7)
    drawn = np.zeros(len(WEIGHTS))
    rounds = 4_000
    for _ in range(rounds):
        drawn[draw_round(WEIGHTS, 12, (), chance).rows] += 1
    wanted = np.minimum(1, scale_for(WEIGHTS, 12) * WEIGHTS)
    assert wanted.sum() == pytest.approx(12)
    assert wanted.min() > 0
    error = np.sqrt(wanted * (1 - wanted) / rounds)
    assert (np.abs(drawn / rounds - wanted) <= 5 * error + 1e-9).all()


def test_over_two_rounds_the_chances_to_be_passed_over_multiply() -> None:
    """With scales 0.1 and s a trial of weight 2 is drawn at all with 1 - (1 - 0.2)(1 - 2 s)."""
    found = draw_round(np.array([2.0, 2.0, 2.0, 2.0]), 2, (0.1,), np.random.default_rng(1))
    assert found.scale == pytest.approx(0.25)
    assert found.probabilities == pytest.approx(np.full(len(found.rows), 1 - 0.8 * 0.5))


def test_a_pool_that_is_no_larger_than_a_round_is_drawn_whole() -> None:
    found = draw_round(np.array([1.0, 3.0]), 5, (), np.random.default_rng(1))
    assert found.rows.tolist() == [0, 1]
    assert found.probabilities.tolist() == [1.0, 1.0]
    assert len(draw_round(np.empty(0), 5, (), np.random.default_rng(1)).rows) == 0


def test_what_helps_has_more_tickets_and_everything_has_one(tmp_path: Path) -> None:
    doubt = ErrorTag(category="verifier failure suspected", source=ErrorSource.MECHANICAL)
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(0, reward=1.0), trial(1, reward=0.5), trial(2, reward=0.5, tags=[doubt])])
        columns = ledger.columns(TrialFilter())
        numbers = columns.trial.tolist()
    plain = tickets(columns, seen=numbers)
    assert plain[0] == 1
    assert plain[0] < plain[1] < plain[2]
    assert (tickets(columns, contradicted=numbers[:1], seen=numbers) - plain).tolist() == [4.0, 0.0, 0.0]
    assert (tickets(columns) > plain).all()


def test_a_queue_draws_in_rounds_and_records_each_choice(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(40)])
    with asking(tmp_path / "l.db", settings(round_size=10)) as (client, ledger):
        client.get("/review")
        first = read_selections(ledger)
        assert 0 < len(first) < 40
        assert all(0 < s.probability < 1 for found in first.values() for s in found if s.probability)
        seen = set()
        for number in range(1, len(first) + 1):
            assert client.get(f"/review/{number}").status_code == 200
            seen.add(client.get(f"/review/{number}").text)
            body = {"judgment": "pass", "submission": f"submission-{number}"}
            answer = client.post(f"/review/{number}", json=body, headers={"cookie": ""})
            assert answer.status_code in (200, 403)
            if answer.status_code == 403:
                token = client.cookies["adjudge-csrf"]
                assert client.post(f"/review/{number}", json=body, headers={"x-csrf-token": token}).is_success
            client.get("/review/next", params={"after": number})
        rounds = [row.document for row in ledger.attached("review round")]
        assert [found["round"] for found in rounds] == [1, 2]
        assert not set(rounds[0]["trials"]) & set(rounds[1]["trials"])
        assert rounds[0]["pool"] == 40
