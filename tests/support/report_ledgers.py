"""Ledgers to report on: small enough to work every number out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.ledger import TrialEntry, open_ledger
from support.trial_samples import DIGEST_B, annotation, trial

Rewards = Mapping[str, Mapping[str, Sequence[float | None]]]
"""Agent -> task -> the reward of each attempt; None is a machinery failure."""

HOSTILE = (
    "<script>window.pwned=1</script></script><!--<script><img src=x onerror=window.pwned=1>"
    '" onmouseover="window.pwned=1" \'`&\x1b[31mred\x1b[0m\u202egnp'
)
"""What an output, a name or a note may hold: nothing of it may run or steer anything."""


def entries(rewards: Rewards, **changes: Any) -> list[TrialEntry]:
    """A trial for each attempt."""
    found = []
    number = 0
    for agent, tasks in rewards.items():
        for task, attempts in tasks.items():
            for attempt, reward in enumerate(attempts, 1):
                number += 1
                common: dict[str, Any] = {
                    "agent_name": agent,
                    "model": None,
                    "task_id": task,
                    "attempt": attempt,
                }
                if reward is None:
                    common |= {"reward": 0.0, "completed": False, "breakdown": None}
                else:
                    common["reward"] = reward
                found.append(trial(number, **(common | changes)))
    return found


def make(path: Path, rewards: Rewards, **changes: Any) -> Path:
    """A SQLite ledger with these trials."""
    with open_ledger(path) as ledger:
        ledger.record(entries(rewards, **changes))
    return path


TWO_AGENTS: Rewards = {
    "ant": {"a/1": [1.0, 0.5], "a/2": [1.0, 1.0], "b/3": [0.25, 0.75], "b/4": [1.0, 1.0]},
    "bee": {"a/1": [0.5, 0.5], "a/2": [1.0, 0.0], "b/3": [0.0, 0.0], "b/4": [None, 0.5]},
}
"""By task, ant: 0.75, 1, 0.5, 1 -> mean 0.8125. bee: 0.5, 0.5, 0, 0.25 -> mean 0.3125 (failure = 0)."""


def make_full(path: Path) -> Path:
    """Two agents, with a re-score, reviews, and hostile text wherever text can be."""
    make(path, TWO_AGENTS)
    with open_ledger(path) as ledger:
        first, second, third = (record.trial_id for record in list(ledger.iterate())[:3])
        ledger.record([_again(ledger.get(first).trial_id, path)])
        ledger.annotate_all(
            [
                (first, annotation("ada", "fail", notes=HOSTILE)),
                (first, annotation("bob", "pass")),
                (second, annotation("ada", "pass")),
                (third, annotation("ada", "pass")),
                (third, annotation("bob", "defer")),
            ]
        )
        ledger.record(
            [
                trial(
                    900,
                    agent_name=HOSTILE,
                    model=None,
                    task_id=f"a/{HOSTILE}",
                    output=HOSTILE.encode(),
                    reward=0.5,
                    stdout=HOSTILE,
                    stderr=HOSTILE,
                    breakdown={HOSTILE: {"score": 0.5, "max_score": 1.0, "evidence": HOSTILE}},
                    metadata={HOSTILE: HOSTILE},
                    experiment=HOSTILE,
                )
            ]
        )
    return path


def _again(trial_id: str, path: Path) -> TrialEntry:
    """The first trial, scored again by another version of its task: 1.0 became 0.875."""
    with open_ledger(path) as ledger:
        record = ledger.get(trial_id)
    moved = record.evaluation.model_copy(
        update={
            "reward": 0.875,
            "breakdown": {"value": {"score": 0.875, "max_score": 1.0, "evidence": "again"}},
        }
    )
    return TrialEntry(record.model_copy(update={"evaluation": moved, "task_digest": DIGEST_B}))
