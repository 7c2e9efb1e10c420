"""How many verifiers one ledger can keep up with: a simulation of the queue before its single writer.

    python -m benchmarks.scale

The cost of a row is measured here, on this machine; the rest is arithmetic on queues. Workers finish trials
at random moments, at a mean rate of cores / seconds per trial. The writer takes what waits, at most a
thousand at once, in one transaction: `overhead` seconds (some eight round trips) and the time of its rows.
If more than `MOST_HELD` wait, workers wait too (`runs/recorder.py`). What is printed: the rate that is
recorded, and which share of their time cores and writer are at work.
"""

from __future__ import annotations

import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from adjudge.contracts import (
    Agent,
    EvaluationResult,
    OutputInfo,
    TrialRecord,
    ValidityCheck,
    VerifierRun,
)
from adjudge.ledger import TrialEntry, open_ledger, prepare

BATCH, MOST_HELD = 1000, 4000
ROWS = 4000


class Simulated(NamedTuple):
    """What became of a run."""

    per_second: float
    cores_busy: float
    writer_busy: float


def simulate(
    cores: int, seconds: float, *, row: float, overhead: float, lasts: float = 600.0, seed: int = 0
) -> Simulated:
    """A run on `cores` of verifiers that take `seconds`, into a ledger that takes `row` seconds per row."""
    drawn = np.random.default_rng(seed)
    now, writing, waiting, recorded, finished = 0.0, 0.0, 0, 0, 0
    wanted = cores / seconds
    while now < lasts:
        batch = min(waiting, BATCH)
        took = overhead + batch * row  # without a batch it looks again after as long
        room = MOST_HELD - (waiting - batch)
        new = min(int(drawn.poisson(wanted * took)), room)
        waiting += new - batch
        finished += new
        recorded += batch
        writing += took if batch else 0.0
        now += took
    return Simulated(recorded / now, min(1.0, finished / (wanted * now)), writing / now)


def measured_row() -> tuple[float, float]:
    """Seconds of processor that recording one prepared trial takes, and the bytes that it takes in SQLite."""
    entries = [
        prepare(
            TrialEntry(
                TrialRecord(
                    trial_id=f"s{number:023d}",
                    experiment="scale",
                    attempt=number + 1,
                    task_id="task",
                    task_digest=f"{1:064x}",
                    agent=Agent(name="agent"),
                    output=OutputInfo(path="out.json", sha256=f"{number:064x}", size_bytes=200),
                    evaluation=EvaluationResult(
                        reward=number % 7 / 7,
                        validity=ValidityCheck(
                            output_parseable=True, schema_valid=True, verifier_completed=True
                        ),
                        breakdown={f"field_{k}": {"score": 0.5, "max_score": 1.0} for k in range(4)},
                    ),
                    run=VerifierRun(backend="bubblewrap", exit_code=0, duration_sec=0.02),
                    scored_at=datetime.now(UTC),
                    adjudge_version="0",
                )
            )
        )
        for number in range(ROWS)
    ]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "scale.db"
        with open_ledger(path) as ledger:
            start = time.process_time()
            for at in range(0, ROWS, BATCH):
                ledger.record_prepared(entries[at : at + BATCH])
            taken = time.process_time() - start
        return taken / ROWS, path.stat().st_size / ROWS


def main() -> None:
    row, size = measured_row()
    print(f"recording takes {row * 1e6:.0f} µs of processor and {size:,.0f} bytes per trial in SQLite")
    print(f"one writer: at most {1 / row:,.0f} trials per second; 100 million take {1e8 * row / 3600:.1f} h")
    heads = ("cores", "s per trial", "overhead s", "recorded/s", "cores busy", "writer busy")
    print("\n" + "".join(f"{head:>13}" for head in heads))
    for cores in (2, 100, 1000, 10_000):
        for seconds in (0.02, 1.0, 60.0):
            for overhead in (0.001, 0.01, 0.4):
                found = simulate(cores, seconds, row=row, overhead=overhead)
                busy = f"{found.cores_busy:13.0%}{found.writer_busy:13.0%}"
                print(f"{cores:13}{seconds:13}{overhead:13}{found.per_second:13,.0f}{busy}")


if __name__ == "__main__":
    main()
