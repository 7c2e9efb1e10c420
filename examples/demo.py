"""`make demo`: check every golden, score every example output in the sandbox, and report who did how well."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import adjudge
from adjudge.ledger import migrate_ledger

ROOT = Path(__file__).resolve().parent.parent


def score_all(pairs: list[tuple[adjudge.Task, Path]], what: str) -> list[adjudge.EvaluationResult]:
    """Score (task, output) pairs, a verifier a core at a time; results in the order of the pairs."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = []
        for result in pool.map(lambda pair: adjudge.score(*pair), pairs):
            results.append(result)
            if sys.stdout.isatty():
                print(f"\r{what} {len(results)} of {len(pairs)}", end="", flush=True)
    if sys.stdout.isatty():
        print("\r\x1b[K", end="")
    return results


def bold(text: str) -> str:
    """The text as a terminal shows what is typed; plain where nobody looks."""
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text


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
    results = score_all([(task, golden) for task, golden, _ in goldens], "golden outputs:")
    wrong = 0
    for (task, golden, stated), result in zip(goldens, results, strict=True):
        if result.reward != stated:
            wrong += 1
            print(f"{task.id} {golden.name}: reward {result.reward}, stated {stated}")
    print(f"{len(goldens) - wrong} of {len(goldens)} golden outputs score as their tasks state\n")
    return wrong


def adjudge_command(*arguments: str) -> None:
    """Run the real command line, showing what is typed. A failure ends the demo with its exit code."""
    print(bold(f"$ adjudge {shlex.join(arguments)}"), flush=True)
    code = subprocess.run([sys.executable, "-m", "adjudge", *arguments], cwd=ROOT).returncode
    if code:
        sys.exit(code)
    print()


def main() -> int:
    started = time.monotonic()
    (ROOT / "demo").mkdir(exist_ok=True)
    tasks = adjudge.load_tasks(ROOT / "examples/tasks")
    try:
        wrong = check_goldens(tasks)
    except adjudge.MachineryError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if (ROOT / "demo/adjudge.db").exists():  # of an earlier demo, perhaps by an earlier adjudge
        migrate_ledger(ROOT / "demo/adjudge.db")
    ledger = ("--ledger", "demo/adjudge.db")
    adjudge_command("run", "examples/outputs/manifest.jsonl", "--experiment", "demo", *ledger)
    rubric = ("--rubric", "examples/judge.toml", "--model", "offline")
    adjudge_command("judge", *rubric, "--task", "electrical/voltage-drop", *ledger)
    adjudge_command("report", *ledger)
    adjudge_command("report", *ledger, "--tasks", "examples/tasks", "-o", "demo/report.html")
    drop = "examples/tasks/electrical/voltage-drop"
    print(f"done in {time.monotonic() - started:.0f} s; the report is demo/report.html. Try next:")
    print(f"  .venv/bin/adjudge score {drop} {drop}/goldens/fail/fraction-for-percent.md")
    print("  .venv/bin/adjudge trials --ledger demo/adjudge.db --max-reward 0.5")
    print("  .venv/bin/adjudge compare slide-rule nomogram --ledger demo/adjudge.db")
    print("To look around and review in the browser, with a small queue ready:")
    print("  .venv/bin/adjudge serve --ledger demo/adjudge.db --tasks examples/tasks --round 20")
    return 1 if wrong or tasks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
