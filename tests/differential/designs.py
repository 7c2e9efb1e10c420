"""Random designs, degenerate ones among them: agents, tasks, clusters, attempts, ties, gaps and failures.

A design is plain data. `store` writes it into a ledger; `plain.py` works every number out from it again,
without adjudge.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from adjudge.contracts import Cost
from adjudge.ledger import TrialEntry, open_ledger
from support.trial_samples import trial

SHAPES = ("0/1", "graded", "bimodal", "nearly all 1", "constant", "ties", "tiny", "opposite", "heavy")


@dataclass(frozen=True)
class Attempt:
    """One trial: what the verifier gave, or None if the machinery failed; and what it cost, if known."""

    reward: float | None
    parseable: bool
    cost: float | None


@dataclass(frozen=True)
class Design:
    """Agent -> task -> attempts; and the cluster of each task, if tasks come in clusters."""

    name: str
    agents: dict[str, dict[str, list[Attempt]]]
    clusters: dict[str, str] | None

    @property
    def trials(self) -> int:
        return sum(len(attempts) for tasks in self.agents.values() for attempts in tasks.values())


def draw(seed: int) -> Design:
    """The design of this seed, the same for ever."""
    rng = np.random.default_rng(seed)
    shape = str(rng.choice(SHAPES))
    count = int(rng.choice([1, 2, 2, 2, 3, 5, 12, 40], p=[0.05, 0.2, 0.2, 0.2, 0.15, 0.1, 0.07, 0.03]))
    tasks = int(rng.choice([1, 2, 3, 5, 8, 12, 20, 40] if count < 12 else [2, 5, 8]))
    most = int(rng.choice([1, 1, 2, 4, 9])) if count < 12 else 1
    failing = float(rng.choice([0, 0, 0.1, 0.5, 1], p=[0.4, 0.25, 0.2, 0.1, 0.05]))
    missing = float(rng.choice([0, 0, 0.2, 0.7]))
    unusable = float(rng.choice([0, 0, 0.2]))
    costs = str(rng.choice(["known", "none", "some", "heavy"]))
    base = rng.random(tasks).round(2)
    agents: dict[str, dict[str, list[Attempt]]] = {}
    for a in range(count):
        means = _means(rng, shape, base, a)
        found: dict[str, list[Attempt]] = {}
        for t, mean in enumerate(means.tolist()):
            if rng.random() < missing and not (a == 0 and t == 0):
                continue
            often = int(rng.integers(1, most + 1))
            found[f"area/{t:02d}"] = [
                Attempt(
                    None if rng.random() < failing else _reward(rng, shape, mean),
                    bool(rng.random() >= unusable),
                    _cost(rng, costs),
                )
                for _ in range(often)
            ]
        if found:
            agents[f"agent{a:02d}"] = found
    clusters = None
    if rng.random() < 0.4:
        sizes = int(rng.choice([1, 2, 4, 10]))
        clusters = {f"area/{t:02d}": f"c{0 if t < sizes else t // 2}" for t in range(tasks)}
    return Design(f"{seed}: {shape}, {count} agents, {tasks} tasks", agents, clusters)


def _means(rng: np.random.Generator, shape: str, base: np.ndarray, a: int) -> np.ndarray:
    if shape == "ties":
        return base
    if shape == "constant":
        return np.full(len(base), [0.5, 0.7, 0.2, 1.0, 0.0][a % 5])
    if shape == "opposite":
        return base if a % 2 else (1 - base).round(2)
    if shape == "tiny":
        return np.asarray((0.5 + 0.0001 * a + rng.normal(0, 0.00002, len(base))).round(6))
    return np.asarray((base + rng.normal(0.03 * (a % 7), 0.2, len(base))).clip(0, 1).round(3))


def _reward(rng: np.random.Generator, shape: str, mean: float) -> float:
    if shape == "0/1":
        return float(rng.random() < mean)
    if shape == "nearly all 1":
        return 1.0 if rng.random() < 0.93 else round(float(rng.random()), 3)
    if shape == "bimodal":
        return round(float(abs((rng.random() < mean) - 0.1 * rng.random())), 4)
    if shape == "heavy":
        return round(float(min(1.0, rng.pareto(1.5) * mean)), 6)
    if shape == "graded":
        return float(rng.binomial(10, mean)) / 10
    return mean


def _cost(rng: np.random.Generator, kind: str) -> float | None:
    if kind == "none" or (kind == "some" and rng.random() < 0.5):
        return None
    return round(float(rng.pareto(1.1) if kind == "heavy" else rng.random()), 5)


def store(design: Design, path: Path) -> Path:
    """A SQLite ledger with the trials of this design."""
    entries: list[TrialEntry] = []
    for agent, tasks in design.agents.items():
        for task, attempts in tasks.items():
            for number, one in enumerate(attempts, 1):
                failed = one.reward is None
                entries.append(
                    trial(
                        len(entries),
                        agent_name=agent,
                        model=None,
                        task_id=task,
                        attempt=number,
                        reward=0.0 if one.reward is None else one.reward,
                        completed=not failed,
                        parseable=failed or one.parseable,
                        cost=None if one.cost is None else Cost(usd=one.cost),
                        metadata={} if design.clusters is None else {"template": design.clusters[task]},
                        **({"breakdown": None} if failed or not one.parseable else {}),
                    )
                )
    with open_ledger(path) as ledger:
        ledger.record(entries)
    return path
