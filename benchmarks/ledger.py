"""What does keeping every trial cost, and does it grow with the ledger?

    python -m benchmarks.ledger [--sizes 1000,10000,100000] [--ledger URL] [--plot FILE.svg]

Recording is held against a floor measured in the same process on the same bytes: `sqlite3.executemany` of
one row a trial with the same documents and blobs, no hash, no index, no check. Each trial has three blobs of
its own. Look-ups and pages are the best of fifteen at each size; the question is not how fast they are but
whether the last size takes longer than the first. Numbers of one run compare; those of two machines do not.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from adjudge.ledger import Ledger, Sort, TrialEntry, TrialFilter, open_ledger
from benchmarks.plot import log_log
from support.trial_samples import DIGEST_B, annotation, sha, trial


def entry(number: int) -> TrialEntry:
    """A trial with three blobs of its own: output, details and a stream."""
    made = trial(number, breakdown={f"field {n}": {"score": 1.0, "max_score": 1.0} for n in range(4)})
    extra = f'{{"details": {number}, "evidence": "{"within 2 percent " * 20}"}}'.encode()
    return TrialEntry(made.record, blobs={**made.blobs, sha(extra): extra})


def prepared(start: int, stop: int) -> Iterator[list[TrialEntry]]:
    """Batches made beforehand, so that only recording is timed."""
    for first in range(start, stop, 1000):
        yield [entry(number) for number in range(first, min(first + 1000, stop))]


def record(ledger: Ledger, start: int, stop: int) -> float:
    """Trials a second."""
    spent = 0.0
    for batch in prepared(start, stop):
        began = time.perf_counter()
        ledger.record(batch)
        spent += time.perf_counter() - began
    return (stop - start) / spent


def floor(folder: Path, count: int) -> float:
    """Trials a second, written the barest way: the same JSON and the same bytes, compressed by nobody."""
    connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE trials (id TEXT PRIMARY KEY, document TEXT)")
    connection.execute("CREATE TABLE blobs (digest TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID")
    spent = 0.0
    for batch in prepared(0, count):
        began = time.perf_counter()
        connection.execute("BEGIN")
        rows = [(e.record.trial_id, e.record.model_dump_json()) for e in batch]
        connection.executemany("INSERT OR IGNORE INTO trials VALUES (?, ?)", rows)
        blobs = [pair for e in batch for pair in e.blobs.items()]
        connection.executemany("INSERT OR IGNORE INTO blobs VALUES (?, ?)", blobs)
        connection.execute("COMMIT")
        spent += time.perf_counter() - began
    connection.close()
    return count / spent


def best_ms(work: Callable[[], object], times: int = 15) -> float:
    """The best of a few runs, in milliseconds: what others do on this machine only adds."""
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        spent.append(time.perf_counter() - began)
    return min(spent) * 1000


def look_ups(ledger: Ledger, size: int) -> dict[str, float]:
    """One trial, and the first page of several filtered lists."""
    wanted = entry(size // 2).record.trial_id
    pages = {
        "page of all": (TrialFilter(), Sort.NEWEST),
        "page of one agent and model": (TrialFilter(agent=("agent-1",), model=("model-1",)), Sort.NEWEST),
        "page of a reward range": (TrialFilter(min_reward=0.45, max_reward=0.55), Sort.NEWEST),
        "page by reward": (TrialFilter(experiment=("first",)), Sort.LOWEST),
        "page of task prefix": (TrialFilter(task=("circuits/task-3*",)), Sort.NEWEST),
        "page of disagreement": (TrialFilter(disagreement=True), Sort.NEWEST),
    }
    times = {"one trial": best_ms(lambda: ledger.get(wanted))}
    for name, (chosen, sort) in pages.items():
        times[name] = best_ms(lambda c=chosen, s=sort: ledger.query(c, sort=s, limit=50))  # type: ignore[misc]
    return times


def measure(sizes: list[int], url: str | None) -> dict[str, Any]:
    """Grow one ledger through the sizes and measure at each."""
    report: dict[str, Any] = {"sizes": sizes, "steps": []}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("ADJUDGE_BLOBS", f"{folder}/blobs")
        report["floor_per_s"] = round(floor(Path(folder), min(sizes[-1], 20_000)))
        with open_ledger(url or f"{folder}/ledger.db") as ledger:
            before = 0
            for size in sizes:
                rate = record(ledger, before, size)
                if (
                    before == 0
                ):  # twenty disagreements and a re-score among them, however large the rest grows
                    for number in range(4, 224, 11):
                        ledger.annotate(entry(number).record.trial_id, annotation("ada", "pass"))
                    ledger.record([trial(1, task_digest=DIGEST_B)])
                before = size
                began = time.perf_counter()
                columns = ledger.columns()
                columns_s = time.perf_counter() - began
                began = time.perf_counter()
                found = ledger.verify()
                verify_s = time.perf_counter() - began
                assert found.intact
                assert len(columns) == size
                step = {
                    "trials": size,
                    "recorded_per_s": round(rate),
                    "ratio_to_floor": round(rate / report["floor_per_s"], 3),
                    "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                    "columns_s": round(columns_s, 3),
                    "verified_rows_per_s": round(found.rows / verify_s),
                    "ms": {name: round(ms, 2) for name, ms in look_ups(ledger, size).items()},
                }
                report["steps"].append(step)
                print(json.dumps(step), file=sys.stderr, flush=True)
    first, last = report["steps"][0]["ms"], report["steps"][-1]["ms"]
    report["growth"] = {name: round(last[name] / first[name], 2) for name in first}
    return report


def plot(report: dict[str, Any]) -> str:
    """Times against size."""
    steps, growth = report["steps"], report["growth"]
    lines = {
        f"{name} (×{growth[name]:g})": [(step["trials"], step["ms"][name]) for step in steps]
        for name in growth
    }
    return log_log("Look-up time as the ledger grows", lines, "ms")


def main() -> None:
    """Measure, print JSON, and plot where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--ledger", help="an empty PostgreSQL database instead of a SQLite file")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    report = measure([int(size) for size in options.sizes.split(",")], options.ledger)
    print(json.dumps(report, indent=2))
    if options.plot:
        options.plot.write_text(plot(report), encoding="utf-8")


if __name__ == "__main__":
    main()
