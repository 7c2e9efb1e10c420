"""What an audit costs: one 25 ms verifier whole, and the static check in tasks per second.

    python -m benchmarks.audit

Targets: a whole audit in under 10 s on two cores; `check` at 200 tasks per second or more.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from adjudge.audit import audit_task
from adjudge.gates import check_goldens
from adjudge.sandbox import choose_sandbox
from adjudge.scoring import score
from adjudge.tasks import check_tasks, load_task, load_tasks

EXAMPLES = Path(__file__).parents[1] / "examples" / "tasks"
COPIES = 40


def audit_one() -> None:
    task = load_task(EXAMPLES / "electrical" / "voltage-drop")
    sandbox = choose_sandbox()
    golden = task.folder / "goldens" / "pass" / "reference.md"
    single = []
    for _ in range(12):
        start = time.perf_counter()
        score(task, golden, sandbox=sandbox)
        single.append(time.perf_counter() - start)
    workers = len(os.sched_getaffinity(0))
    start = time.perf_counter()
    audit = audit_task(task, sandbox, workers=workers)
    spent = time.perf_counter() - start
    ordinary = statistics.median(single)
    print(f"one scoring           {ordinary * 1000:8.1f} ms  (gates, sandbox, verifier)")
    print(
        f"one audit             {spent:8.1f} s   ({len(audit.log)} probes on {workers} cores; target < 10 s)"
    )
    print(
        f"  beside its scorings {spent / (ordinary * len(audit.log)):8.2f} x   (1/{workers} is the "
        f"best possible)"
    )


def check_many() -> None:
    """The examples many times over, every test.sh another, so that nothing is remembered."""
    with tempfile.TemporaryDirectory() as place:
        for copy in range(COPIES):
            shutil.copytree(EXAMPLES, Path(place) / f"copy-{copy}")
        for number, script in enumerate(sorted(Path(place).rglob("test.sh"))):
            script.write_text(f"{script.read_text()}# {number}\n")
        start = time.perf_counter()
        tasks = load_tasks(place)
        loaded = time.perf_counter()
        findings = [*check_tasks(tasks), *check_goldens(tasks)]
        done = time.perf_counter()
    assert len(tasks) == 12 * COPIES
    assert findings == []
    rate = len(tasks) / (done - start)
    print(f"check                 {rate:8.0f} tasks/s  ({len(tasks)} tasks; target >= 200)")
    print(f"  of that, loading    {(loaded - start) / (done - start):8.0%}")


if __name__ == "__main__":
    audit_one()
    check_many()
