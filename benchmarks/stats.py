"""How long the statistics take, beside a plain loop over the same rows: `python -m benchmarks.stats [ROWS]`.

Ratios within one run, because seconds differ from machine to machine. The loop is what most tools do: a
dictionary of lists, one pass over the rows.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from statistics import fmean
from typing import Any

import numpy as np

from adjudge.stats import TrialTable, mean_reward, paired_difference, pass_at_k, rank_agents, split

AGENTS = 20


def made_up(rows: int, tasks: int) -> dict[str, Any]:
    """Columns of made-up trials: agents, tasks, rewards in steps of 0.001, one in a hundred failed."""
    rng = np.random.default_rng(0)
    return {
        "agent": rng.integers(0, AGENTS, rows),
        "task": rng.integers(0, tasks, rows),
        "reward": np.round(rng.random(rows), 3),
        "status": rng.choice(3, rows, p=[0.97, 0.02, 0.01]),
    }


def summarise(columns: dict[str, Any]) -> dict[Any, Any]:
    """Mean reward with interval, coverage and bounds for each agent."""
    trials = TrialTable.of(columns["task"], columns["reward"], status=columns["status"])
    return {agent: mean_reward(rows) for agent, rows in split(trials, columns["agent"]).items()}


def plain_loop(columns: dict[str, Any]) -> dict[int, float]:
    """The means alone, in Python."""
    rewards: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    lists = (columns[name].tolist() for name in ("agent", "task", "reward", "status"))
    for agent, task, reward, status in zip(*lists, strict=True):
        rewards[agent][task].append(reward if status == 0 else 0.0)
    return {agent: fmean(fmean(attempts) for attempts in tasks.values()) for agent, tasks in rewards.items()}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> int:
    """Measure and print one JSON object; fail where the two disagree about a mean."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    columns = made_up(rows, tasks=max(2, rows // (5 * AGENTS)))
    timed(lambda: summarise(made_up(1000, 10)))  # loads scipy
    ours, estimates = timed(lambda: summarise(columns))
    loop, means = timed(lambda: plain_loop(columns))
    assert all(abs(estimates[agent].value - mean) < 1e-12 for agent, mean in means.items())
    small = made_up(200 * AGENTS, 200)
    few = split(TrialTable.of(small["task"], small["reward"], status=small["status"]), small["agent"])
    ranking, _ = timed(lambda: rank_agents({str(agent): trials for agent, trials in few.items()}))
    trials = TrialTable.of(columns["task"], columns["reward"], status=columns["status"])
    groups = split(trials, columns["agent"])
    compared, _ = timed(lambda: paired_difference(groups[0], groups[1]))
    passed, _ = timed(lambda: [pass_at_k(group, 2, threshold=0.5) for group in groups.values()])
    found = {
        "rows": rows,
        "agents": AGENTS,
        "summary_seconds": round(ours, 3),
        "plain_loop_seconds": round(loop, 3),
        "summary_over_plain_loop": round(ours / loop, 2),
        "paired_difference_seconds": round(compared, 3),
        "pass_at_2_of_every_agent_seconds": round(passed, 3),
        "ranking_of_20_agents_on_200_tasks_seconds": round(ranking, 3),
    }
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
