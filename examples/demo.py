"""`make demo`: score every golden and every example output in the sandbox, and show who did how well."""

from __future__ import annotations

import json
import os
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.progress import track
from rich.table import Table

import adjudge
from adjudge.scoring import outcome_of

HERE = Path(__file__).resolve().parent
TASKS, OUTPUTS = HERE / "tasks", HERE / "outputs"
CONSOLE = Console()


def score_all(pairs: list[tuple[adjudge.Task, Path]], what: str) -> list[adjudge.EvaluationResult]:
    """Score (task, output) pairs, a verifier a core at a time; results in the order of the pairs."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda pair: adjudge.score(*pair), pairs)
        return list(track(results, what, total=len(pairs), console=CONSOLE))


def stated_rewards(task: adjudge.Task) -> Iterable[tuple[Path, float]]:
    """Each golden output of a task and the reward its task.toml states for it; a passing one states 1."""
    settings = tomllib.loads((task.folder / "task.toml").read_text(encoding="utf-8"))
    rewards = settings.get("goldens", {}).get("rewards", {})
    for golden in sorted((task.folder / "goldens").glob("*/*")):
        name = f"{golden.parent.name}/{golden.name}"
        yield golden, rewards.get(name, 1.0)


def check_goldens(tasks: Iterable[adjudge.Task]) -> int:
    """How many goldens do not score as stated; each is printed."""
    goldens = [(task, golden, stated) for task in tasks for golden, stated in stated_rewards(task)]
    results = score_all([(task, golden) for task, golden, _ in goldens], "golden outputs ")
    wrong = 0
    for (task, golden, stated), result in zip(goldens, results, strict=True):
        if result.reward != stated:
            wrong += 1
            CONSOLE.print(f"{task.id} {golden.name}: reward {result.reward}, stated {stated}", style="red")
    CONSOLE.print(f"{len(goldens) - wrong} of {len(goldens)} golden outputs score as their tasks state\n")
    return wrong


def compare_agents(tasks: dict[str, adjudge.Task]) -> None:
    """Score what the imagined agents left behind; print the mean reward by task and agent."""
    lines = (OUTPUTS / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    ids = [(OUTPUTS / row["task"]).resolve().relative_to(TASKS).as_posix() for row in rows]
    pairs = [(tasks[task], OUTPUTS / row["output"]) for task, row in zip(ids, rows, strict=True)]
    results = score_all(pairs, "agents' outputs")
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    scored = list(zip(ids, rows, results, strict=True))

    def mean(agent: str, task: str | None = None) -> str:
        return f"{fmean(s.reward for t, r, s in scored if r['agent'] == agent and task in (None, t)):.2f}"

    table = Table("task", *agents, title="mean reward of all attempts")
    for task in tasks:
        table.add_row(task, *(mean(agent, task) for agent in agents))
    table.add_section()
    table.add_row("all tasks", *(mean(agent) for agent in agents), style="bold")
    CONSOLE.print(table)
    kinds = Counter(outcome_of(result).value for result in results)
    CONSOLE.print(
        f"{len(rows)} outputs: " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()) + "\n"
    )


def main() -> int:
    started = time.monotonic()
    tasks = adjudge.load_tasks(TASKS)
    try:
        wrong = check_goldens(tasks)
        compare_agents({task.id: task for task in tasks})
    except adjudge.MachineryError as error:
        CONSOLE.print(f"error: {error}", style="red", markup=False)
        return 1
    drop = "examples/tasks/electrical/voltage-drop"
    print(f"done in {time.monotonic() - started:.1f} s. Try next:")
    print(f"  .venv/bin/adjudge score {drop} {drop}/goldens/fail/fraction-for-percent.md")
    print("  .venv/bin/adjudge tasks examples/tasks")
    return 1 if wrong or tasks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
