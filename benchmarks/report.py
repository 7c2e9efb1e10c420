"""How long a report takes over many trials, and how much memory: `python -m benchmarks.report [TRIALS...]`.

Each size gets a ledger of its own: 20 agents, tasks by the size, three attempts, a tag on every tenth trial.
The first 20,000 trials are recorded through the ledger; the rest are copies of their rows inside the
database, because what is measured is reading. The report runs in a process of its own, started like a user
starts it, so the numbers hold the interpreter's start and every import. Prints one JSON object a size.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from adjudge.contracts import (
    Agent,
    Cost,
    ErrorSource,
    ErrorTag,
    EvaluationResult,
    OutputInfo,
    TrialRecord,
    ValidityCheck,
    VerifierRun,
)
from adjudge.ledger import open_ledger

AGENTS, ATTEMPTS, RECORDED = 20, 3, 20_000
TABLES = ("trials", "evaluations", "marks")


def records(count: int) -> Iterator[TrialRecord]:
    """Trials whose rewards, failures and tags vary, the same in every run."""
    for number in range(count):
        agent, attempt, task = number % AGENTS, number // AGENTS % ATTEMPTS, number // (AGENTS * ATTEMPTS)
        draw = (number * 2_654_435_761) % 1_000
        parses, completed = draw >= 20, draw % 50 != 7
        reward = round(min(1.0, draw / 800), 4) if parses and completed else 0.0
        tag = ErrorTag(category=f"kind {draw % 7}", source=ErrorSource.MECHANICAL)
        yield TrialRecord(
            trial_id=f"b{number:024d}",
            experiment="benchmark",
            attempt=attempt + 1,
            task_id=f"folder-{task % 40}/task-{task}",
            task_digest=f"{task % 4096:064x}",
            agent=Agent(name=f"agent-{agent}", model=f"model-{agent % 5}"),
            output=OutputInfo(path="out.json", sha256=f"{number:064x}", size_bytes=200),
            evaluation=EvaluationResult(
                reward=reward,
                validity=ValidityCheck(
                    output_parseable=parses, schema_valid=parses, verifier_completed=completed
                ),
                breakdown={"a": {"score": reward, "max_score": 1.0, "evidence": "as drawn"}},
                error_taxonomy=[tag] if draw % 10 == 3 else None,
            ),
            run=VerifierRun(backend="bubblewrap", exit_code=0, duration_sec=0.03 + draw / 50_000),
            cost=Cost(usd=draw / 1_000),
            scored_at=datetime(2026, 1, 1, tzinfo=UTC),
            adjudge_version="0.1.0",
        )


def make_ledger(path: Path, count: int) -> None:
    """Fill a ledger with `count` trials."""
    with open_ledger(path) as ledger:
        made = records(min(count, RECORDED))
        while batch := list(islice(made, 1000)):
            ledger.record(batch)
    if count > RECORDED:
        _copy(path, count)


def _copy(path: Path, count: int) -> None:
    """Copy the recorded rows under new numbers and new tasks; the hashes are copied, and wrong."""
    database = sqlite3.connect(path)
    columns = {table: [row[1] for row in database.execute(f"PRAGMA table_info({table})")] for table in TABLES}
    highest = database.execute("SELECT max(seq) FROM evaluations").fetchone()[0]
    tasks = [row[0] for row in database.execute("SELECT DISTINCT task FROM evaluations")]
    database.execute("PRAGMA synchronous = OFF")
    for copy in range(1, -(-count // RECORDED)):
        shift = copy * (highest + 1) * 2
        database.executemany(
            "INSERT INTO names SELECT seq + ?, text || '~' || ?, hash FROM names WHERE seq = ?",
            [(shift, copy, task) for task in tasks],
        )
        numbers = {"seq", "trial", "evaluation", "origin", "task", "replaces"}
        for table in TABLES:
            values = []
            for name in columns[table]:
                if name == "trial_id":
                    values.append(f"'c{copy}-' || trial_id")
                else:
                    values.append(f"{name} + {shift}" if name in numbers else name)
            chosen = f"SELECT {', '.join(values)} FROM {table} WHERE {_first(table, highest)}"  # noqa: S608 - ours
            database.execute(f"INSERT INTO {table} {chosen}")
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def _first(table: str, highest: int) -> str:
    return f"{'evaluation' if table == 'marks' else 'seq'} <= {highest}"


def measure(path: Path, *options: str) -> dict[str, float]:
    """Wall time and peak memory of one `adjudge report`."""
    command = [sys.executable, "-m", "adjudge", "report", "--ledger", str(path), *options]
    start = time.perf_counter()
    done = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode:
        raise SystemExit(f"{command} ended with {done.returncode}")
    return {
        "seconds": round(time.perf_counter() - start, 2),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_mib": round(usage.ru_maxrss / 1024),
    }


def main(sizes: list[int]) -> None:
    """Measure each size and print it."""
    with tempfile.TemporaryDirectory(prefix="adjudge-benchmark-") as folder:
        for size in sizes:
            path = Path(folder) / f"{size}.db"
            make_ledger(path, size)
            print(json.dumps({"trials": size, "terminal": measure(path)}), flush=True)


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [20_000, 200_000, 1_000_000])
