"""Small runs for tests: a task whose verifier reads the reward off the output, and a manifest over it."""

from __future__ import annotations

import json
from pathlib import Path

from adjudge.ledger import Ledger
from adjudge.runs import Executor, Tally, local_executor, run
from adjudge.sandbox import choose_sandbox
from support.task_folders import write_task

ECHO = """#!/bin/bash
reward=$(sed 's/[^0-9.]//g' /workspace/answer.json)
echo "{\\"reward\\": $reward}" > /logs/verifier/reward.json
echo "{\\"value\\": {\\"score\\": $reward, \\"max_score\\": 1.0}}" > /logs/verifier/details.json
echo "saw $reward"
"""
HALVED = ECHO.replace(
    "[^0-9.]//g' /workspace/answer.json)", "[^0-9.]//g' /workspace/answer.json); reward=0.5"
)


def echo_task(folder: Path, script: str = ECHO, toml: str = "") -> Path:
    """A task that gives the reward the output asks for: `{"r": 0.25}` earns 0.25."""
    return write_task(folder, script=script, toml=toml)


def write_manifest(base: Path, count: int, *, task: str = "tasks/echo") -> Path:
    """`count` outputs by three agents, with rewards 0.0, 0.1, … 1.0 in turn; returns the manifest."""
    rows = []
    for number in range(count):
        output = base / "outputs" / f"{number}.json"
        output.parent.mkdir(exist_ok=True)
        output.write_text(json.dumps({"r": (number % 11) / 10}))
        rows.append(
            {
                "task": task,
                "output": f"outputs/{number}.json",
                "agent": f"a{number % 3}",
                "attempt": number + 1,
            }
        )
    manifest = base / "manifest.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return manifest


def here(workers: int = 2) -> Executor:
    """The real executor over the real sandbox."""
    return local_executor(choose_sandbox("auto"), workers)


def run_manifest(
    ledger: Ledger,
    manifest: Path,
    executor: Executor | None = None,
    *,
    cache: bool = True,
    retry_failed: bool = False,
) -> Tally:
    """One pass over a manifest, as `adjudge run` makes it."""
    return run(
        manifest,
        experiment="trial-run",
        ledger=ledger,
        executor=executor or here(),
        cache=cache,
        retry_failed=retry_failed,
    )
