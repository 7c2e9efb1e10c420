"""Spending, latencies and trends of a report again, by plain code from the trials: to the last digit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from adjudge.contracts import Cost
from adjudge.ledger import TrialEntry, open_ledger
from support.command_line import run_adjudge
from support.trial_samples import trial

Row = dict[str, Any]


def drawn(rng: np.random.Generator) -> list[Row]:
    """Two agents in three experiments; costs known for one agent alone, some failures, unequal attempts."""
    rows: list[Row] = []
    for experiment in ("beta", "alpha", "gamma"):
        for agent in ("ant", "bee"):
            for task in rng.permutation(8)[: int(rng.integers(1, 9))].tolist():
                rows += [
                    {
                        "experiment": experiment,
                        "agent": agent,
                        "task": f"t/{task}",
                        "attempt": attempt,
                        "reward": float(rng.choice([0.0, 0.3, 1.0, 1.0])),
                        "failed": bool(rng.random() < 0.15),
                        "usd": round(float(rng.random()), 6)
                        if agent == "ant" or rng.random() < 0.9
                        else None,
                        "seconds": round(float(rng.pareto(1.2)), 5),
                        "tokens": int(rng.integers(0, 5000)),
                    }
                    for attempt in range(1, int(rng.integers(2, 5)))
                ]
    return rows


def entry(number: int, row: Row) -> TrialEntry:
    made = trial(
        number,
        experiment=row["experiment"],
        agent_name=row["agent"],
        model=None,
        task_id=row["task"],
        attempt=row["attempt"],
        reward=0.0 if row["failed"] else row["reward"],
        completed=not row["failed"],
        cost=Cost(usd=row["usd"], input_tokens=row["tokens"]),
        **({"breakdown": None} if row["failed"] else {}),
    )
    run = made.record.run.model_copy(update={"duration_sec": row["seconds"]})
    return replace(made, record=made.record.model_copy(update={"run": run}))


def at_or_below(values: list[float], share: Fraction) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    return min(v for v in values if Fraction(sum(x <= v for x in values), len(values)) >= share)


@pytest.mark.parametrize("seed", range(4))
def test_spending_latencies_and_trends(seed: int, tmp_path: Path) -> None:
    rows = drawn(np.random.default_rng(seed))
    path = tmp_path / "l.db"
    with open_ledger(path) as ledger:
        ledger.record([entry(number, row) for number, row in enumerate(rows)])
    report = json.loads(run_adjudge("report", "--ledger", path, "--format", "json").stdout)
    keys: dict[str, Callable[[Row], float | None]] = {
        "cost_usd": lambda row: row["usd"],
        "verifier_sec": lambda row: row["seconds"],
        "input_tokens": lambda row: row["tokens"],
    }
    for group in report["groups"]:
        mine = [row for row in rows if row["agent"] == group["name"]]
        for name, value in keys.items():
            known = [float(x) for x in map(value, mine) if x is not None]
            spent = group[name]
            assert spent["known"] == len(known)
            assert spent["total"] == math.fsum(known)
            assert spent["per_trial"] == math.fsum(known) / len(known)
            assert spent["median"] == at_or_below(known, Fraction(1, 2))
            assert spent["p95"] == at_or_below(known, Fraction(19, 20))
        wins = sum(row["reward"] == 1 and not row["failed"] for row in mine)
        costs = [row["usd"] for row in mine]
        known_all = wins and None not in costs
        assert group["cost_per_success"] == (math.fsum(costs) / wins if known_all else None)
    trend = report["trend"]
    assert trend["experiments"] == list(dict.fromkeys(row["experiment"] for row in rows))
    for agent, line in zip(trend["groups"], trend["rewards"], strict=True):
        for experiment, found in zip(trend["experiments"], line, strict=True):
            tasks: dict[str, list[Fraction]] = {}
            failed = 0
            for row in rows:
                if (row["agent"], row["experiment"]) == (agent, experiment):
                    worth = 0.0 if row["failed"] else row["reward"]
                    tasks.setdefault(row["task"], []).append(Fraction(worth))
                    failed += row["failed"]
            if not tasks:
                assert found is None
                continue
            if failed == sum(map(len, tasks.values())):
                assert found["value"] is None
                continue
            means = np.array([float(sum(x) / len(x)) for x in tasks.values()])
            assert found["value"] == pytest.approx(means.mean(), abs=1e-14)
            assert found["coverage"]["verifier_failed"] == failed
            if len(means) > 1 and means.std() > 0:
                error = means.std(ddof=1) / math.sqrt(len(means))
                assert found["standard_error"] == pytest.approx(error, rel=1e-12)
