"""The lottery: every trial has a chance, and what is recorded is how often it is drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.ledger import Coded, TrialFilter, open_ledger, read_selections
from adjudge.web.review.book import ReviewRound
from adjudge.web.review.draw import chance, count_kinds, lots, next_scale, tickets
from adjudge.web.review.pool import ReviewPool, chance_by_now, draw_next
from support.trial_samples import trial
from support.web_site import asking, settings

WEIGHTS = np.array([1.0] * 30 + [2.0] * 20 + [7.0] * 10)
NUMBERS = np.arange(1, 61)
NOTHING = np.zeros(60)


def pool_of(weights: np.ndarray, tasks: tuple[str, ...] = ("t",)) -> ReviewPool:
    """Trials 1, 2, … of tasks in turn."""
    codes = np.arange(len(weights)) % len(tasks)
    return ReviewPool(np.arange(1, len(weights) + 1), Coded(codes.astype(np.int32), tasks), weights)


def test_a_scale_draws_about_as_many_as_are_wanted() -> None:
    """12 of 60, then 12 more: the probabilities add up to 12 and to 24."""
    first = next_scale(WEIGHTS, NOTHING, 12)
    assert chance(first, WEIGHTS).sum() == pytest.approx(12)
    second = next_scale(WEIGHTS, NOTHING + first, 12)
    assert chance(second, WEIGHTS).sum() == pytest.approx(24)
    assert next_scale(WEIGHTS, NOTHING, 60) == 1.0
    assert next_scale(np.empty(0), np.empty(0), 5) == 0.0


def test_a_trial_is_drawn_as_often_as_its_probability_says() -> None:
    """4,000 lotteries: each share within five standard errors, sqrt(p (1 - p) / 4000)."""
    wanted = chance(next_scale(WEIGHTS, NOTHING, 12), WEIGHTS)
    seeds = np.random.default_rng(7).integers(0, 1 << 63, 4_000)
    drawn = sum((lots(int(seed), NUMBERS) < wanted).astype(float) for seed in seeds)
    assert wanted.min() > 0
    error = np.sqrt(wanted * (1 - wanted) / len(seeds))
    assert (np.abs(drawn / len(seeds) - wanted) <= 5 * error + 1e-9).all()


def test_lots_of_neighbours_have_nothing_to_do_with_each_other() -> None:
    """A correlation of 100,000 pairs has the standard error 1 / sqrt(100,000): five of them are 0.016."""
    found = lots(12345, np.arange(100_001))
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 0.016
    assert abs(found.mean() - 0.5) < 0.005
    assert 0 <= found.min() < found.max() < 1


def test_rounds_draw_more_of_one_lottery_until_all_are_drawn() -> None:
    pool, rounds = pool_of(WEIGHTS), list[ReviewRound]()
    drawn: dict[int, float] = {}
    while (made := draw_next(pool, rounds, drawn, seed=3, size=12)) is not None:
        assert not made.trials.keys() & drawn.keys()
        assert not rounds or made.scale > rounds[-1].scale
        drawn |= {number: weight for number, (_, weight) in made.trials.items()}
        rounds.append(ReviewRound(made.scale, made.newest, None, 3))
    assert drawn == dict(zip(NUMBERS.tolist(), WEIGHTS.tolist(), strict=True))
    assert [chance_by_now(rounds, 1, "t", w) for w in (1.0, 7.0)] == [1.0, 1.0]
    by_then = rounds[:2]
    assert chance_by_now(by_then, 1, "t", 1.0) == pytest.approx(by_then[1].scale)


def test_a_pool_that_is_no_larger_than_a_round_is_drawn_whole() -> None:
    made = draw_next(pool_of(np.array([1.0, 3.0])), [], {}, seed=1, size=5)
    assert made is not None
    assert list(made.trials) == [1, 2]
    assert chance_by_now([ReviewRound(made.scale, made.newest, None, 1)], 1, "t", 1.0) == 1.0
    assert draw_next(pool_of(np.empty(0)), [], {}, seed=1, size=5) is None


def test_a_round_for_some_tasks_leaves_the_others_their_chances() -> None:
    """Task b is drawn alone, then all: b's trials had two rounds, a's and those that came later one."""
    pool = pool_of(np.ones(40), ("a", "b"))
    made = draw_next(pool, [], {}, seed=5, size=5, tasks={"b"})
    assert made is not None
    assert {task for task, _ in made.trials.values()} == {"b"}
    assert made.pool == 20
    rounds = [ReviewRound(0.5, 40, frozenset({"b"}), 5), ReviewRound(0.25, 40, None, 5)]
    assert chance_by_now(rounds, 1, "b", 1.0) == 0.5
    assert chance_by_now(rounds, 1, "a", 1.0) == 0.25
    assert chance_by_now(rounds, 41, "b", 1.0) == 0.0


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
    """Reviewing the whole first round draws a second; then the chances of both are those by now."""
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n) for n in range(40)])
    with asking(tmp_path / "l.db", settings(round_size=10)) as (client, ledger):
        client.get("/review")
        first = read_selections(ledger)
        assert 0 < len(first) < 40
        for number in range(1, len(first) + 1):
            page = client.get(f"/review/{number}")
            assert page.status_code == 200
            token = client.cookies["adjudge-csrf"]
            body = {"judgment": "pass", "submission": f"submission-{number}"}
            assert client.post(f"/review/{number}", json=body).status_code == 403
            sent = client.post(f"/review/{number}", json=body, headers={"x-csrf-token": token})
            assert sent.status_code == 200
            following = client.get("/review/next", params={"after": number}).json()["number"]
            assert following == number + 1
        rounds = [row.document for row in ledger.attached("review round")]
        assert [found["round"] for found in rounds] == [1, 2]
        assert not set(rounds[0]["trials"]) & set(rounds[1]["trials"])
        assert rounds[0]["pool"] == 40
        chosen = read_selections(ledger)
        assert set(chosen) == set(rounds[0]["trials"]) | set(rounds[1]["trials"])
        for document in rounds:
            for trial_id, (_, _, weight) in document["trials"].items():
                assert chosen[trial_id][-1].probability == pytest.approx(min(1, rounds[1]["scale"] * weight))


@pytest.mark.parametrize("kinds", [1, 5, 100])
def test_kinds_of_tickets_are_counted_as_by_sorting(kinds: int) -> None:
    numbers = np.arange(1000) * 7919 % kinds
    values = numbers + 1j * (numbers % 3)
    found, counts = count_kinds(values)
    wanted, often = np.unique(values, return_counts=True)
    assert found.tolist() == wanted.tolist()
    assert counts.tolist() == often.tolist()
    assert count_kinds(values[:0])[0].tolist() == []
