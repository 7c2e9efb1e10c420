"""Many agents: pairs adjusted together, ranks that overlap where nothing is shown."""

from __future__ import annotations

import numpy as np

from adjudge.stats import Method, TrialTable, rank_agents
from adjudge.stats.pairs.many import Ranking

TASKS = list(range(12))
GOOD = TrialTable.of(TASKS, [1.0] * 12)
FAIR = TrialTable.of(TASKS, [1.0] * 11 + [0.5])
BAD = TrialTable.of(TASKS, [0.0] * 11 + [0.5])


def ranks(ranking: Ranking) -> dict[str, tuple[int | None, int | None]]:
    return {agent.agent: (agent.best_rank, agent.worst_rank) for agent in ranking.agents}


def test_ties_share_a_range_of_ranks() -> None:
    """good and fair differ on one task: p = 1. Each beats bad on 11 or 12 tasks: p = 2/2^12, times 3 or 2."""
    ranking = rank_agents({"bad": BAD, "fair": FAIR, "good": GOOD})
    assert [agent.agent for agent in ranking.agents] == ["good", "fair", "bad"]
    assert ranks(ranking) == {"good": (1, 2), "fair": (1, 2), "bad": (3, 3)}
    by_names = {(pair.a, pair.b): pair for pair in ranking.pairs}
    assert by_names["good", "fair"].better is None
    assert by_names["good", "fair"].p_adjusted == 1.0
    assert by_names["good", "bad"].better == "good"
    # 12 differences: 2/2^12 = 0.000488 is the smallest p of three, so times 3
    assert by_names["good", "bad"].p_adjusted == 3 * 2 / 2**12


def test_many_pairs_ask_for_more_evidence() -> None:
    """A p of 2/2^6 = 0.031 is a difference between two agents, and none among six."""
    better = TrialTable.of(range(6), [1.0] * 6)
    worse = TrialTable.of(range(6), [0.5] * 6)
    assert rank_agents({"a": better, "b": worse}).pairs[0].better == "a"
    crowd = {f"c{i}": worse for i in range(5)}
    assert all(pair.better is None for pair in rank_agents({"a": better, **crowd}).pairs)


def test_one_agent_and_none() -> None:
    alone = rank_agents({"only": GOOD})
    assert ranks(alone) == {"only": (1, 1)}
    assert alone.pairs == ()
    assert rank_agents({}).agents == ()


def test_an_agent_without_results_has_no_rank() -> None:
    """It stands last, unranked, and its pairs are undefined rather than lost."""
    ranking = rank_agents({"good": GOOD, "lost": TrialTable.of([1, 2], [0, 0], status=[2, 2])})
    assert ranks(ranking) == {"good": (1, 1), "lost": (None, None)}
    assert ranking.pairs[0].better is None
    assert ranking.pairs[0].p_adjusted is None


def test_equal_agents_are_listed_by_name() -> None:
    ranking = rank_agents({"b": FAIR, "a": FAIR})
    assert [agent.agent for agent in ranking.agents] == ["a", "b"]
    assert ranks(ranking) == {"a": (1, 2), "b": (1, 2)}


def test_no_false_claim_among_equal_agents() -> None:
    """Ten agents of the same skill, 40 tasks: Holm lets a false claim into one tournament in 20 at most."""
    rng = np.random.default_rng(5)
    false = 0
    for _ in range(20):
        skill = rng.random(40)
        agents = {
            f"agent{i}": TrialTable.of(range(40), (rng.random(40) < skill).astype(float)) for i in range(10)
        }
        false += any(pair.better for pair in rank_agents(agents, method=Method(resamples=999)).pairs)
    assert false <= 3  # P(Binomial(20, 0.05) > 3) = 0.016, and Holm is stricter than that
