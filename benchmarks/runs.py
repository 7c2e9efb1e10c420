"""How fast runs are: cached runs, ingest against bare parsing, Ray against local.

    python -m benchmarks.runs [--trials 20000] [--ray]

Ingest is held against a floor on the same files: walk, open and `json.loads` every file, keep nothing. No
two folders hold the same details. The two take turns and the best of three counts, wall clock; ingest uses
every core it may, the floor one. The load average is printed because on a busy machine the ratio says more
about the others.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from adjudge.ledger import open_ledger
from adjudge.runs import Tally, ingest_folders, local_executor, ray_executor, run
from adjudge.sandbox import choose_sandbox

SCRIPT = "#!/bin/bash\necho '{\"reward\": 1.0}' > /logs/verifier/reward.json\nsleep %s\n"


def timed(work: Callable[[], object]) -> float:
    """Seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def processor_time(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of processor that `work` takes in this process and in its children: less moved by others."""
    before = os.times()
    work()
    after = os.times()
    below = after.children_user + after.children_system - before.children_user - before.children_system
    return after.user + after.system - before.user - before.system, below


def task(folder: Path, *, sleep: str = "0", deterministic: bool = True) -> None:
    """A task whose verifier always gives 1.0."""
    (folder / "tests").mkdir(parents=True)
    (folder / "instruction.md").write_text("Write /workspace/answer.json\n")
    (folder / "tests/test.sh").write_text(SCRIPT % sleep)
    (folder / "task.toml").write_text(f"[verifier]\ndeterministic = {str(deterministic).lower()}\n")


def cached(home: Path, trials: int) -> None:
    """A run over an output that was scored before: read, look up, record; no verifier runs."""
    task(home / "tasks/t")
    (home / "answer.json").write_text('{"a": 1}')
    rows = (
        {"task": "tasks/t", "output": "answer.json", "agent": "a", "attempt": n + 1} for n in range(trials)
    )
    manifest = home / "manifest.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    execute = local_executor(choose_sandbox("auto"), 2)
    with open_ledger(str(home / "cached.db")) as ledger:
        first = home / "first.jsonl"
        first.write_text(manifest.read_text().splitlines()[0] + "\n")
        run(first, experiment="warm", ledger=ledger, executor=execute)
        again = partial(run, manifest, experiment="cached", ledger=ledger, executor=execute)
        tally = Tally()
        seconds = timed(lambda: again(tally=tally))
        assert tally.reused == trials, tally
        print(f"cached run          {trials / seconds:10.0f} trials/s recorded, {trials} reused")
        seconds = timed(again)
        print(f"resumed, all there  {trials / seconds:10.0f} trials/s looked up")


def ingest(home: Path, trials: int) -> None:
    """Artifact folders into the ledger, against reading and parsing the same files."""
    root = home / "artifacts"
    for number in range(trials):
        folder = root / f"agent/{number + 1}/task"
        folder.mkdir(parents=True)
        (folder / "reward.json").write_text(json.dumps({"reward": round(number % 7 / 7, 4)}))
        (folder / "details.json").write_text(
            json.dumps(
                {
                    f"f{k}": {
                        "score": number % 7 / 7,
                        "max_score": 1.0,
                        "evidence": hashlib.sha256(f"{number}/{k}".encode()).hexdigest()[:40],
                    }
                    for k in range(4)
                }
            )
        )

    def floor() -> None:
        for folder, _, names in os.walk(root):
            for name in names:
                with open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123 - the quickest way
                    json.loads(file.read())

    def take() -> None:
        with open_ledger(str(home / f"ingest{time.time_ns()}.db")) as ledger:
            tally = Tally()
            ingest_folders(ledger, root, "e", tally=tally, layout="{agent}/{attempt}/{task}")
            assert tally.scored == trials

    bare, ours = (min(times) for times in zip(*((timed(floor), timed(take)) for _ in range(3)), strict=True))
    print(f"ingest              {trials / ours:10.0f} folders/s = {bare / ours:.2f} of reading and parsing")
    for name, work in (("floor", floor), ("ingest", take)):
        here, below = (seconds / trials * 1e6 for seconds in processor_time(work))
        print(f"  processor time    {here:10.0f} µs a folder for the {name}, and {below:.0f} in workers")


def ray_against_local(home: Path, trials: int) -> None:
    """Verifiers of 50 ms on two workers each; the cluster is up before the clock starts."""
    import ray

    task(home / "tasks/slow", sleep="0.05", deterministic=False)
    (home / "slow.json").write_text("{}")
    manifest = home / "slow.jsonl"
    rows = (
        {"task": "tasks/slow", "output": "slow.json", "agent": "a", "attempt": n + 1} for n in range(trials)
    )
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    executors = {"local": local_executor(choose_sandbox("auto"), 2), "ray": ray_executor("auto", 2)}
    rates = {}
    for _ in range(2):  # the first round warms Ray's workers
        for name, execute in executors.items():
            with open_ledger(str(home / f"{name}{time.time_ns()}.db")) as ledger:
                scored = partial(run, manifest, experiment=name, ledger=ledger, executor=execute)
                seconds = timed(scored)
                rates[name] = trials / seconds
    print(f"ray                 {rates['ray']:10.1f} trials/s = {rates['ray'] / rates['local']:.2f} of local")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--ray", action="store_true")
    chosen = parser.parse_args()
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    print(f"load average        {load:10.1f} on {cores} cores")
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        cached(home, chosen.trials)
        ingest(home, chosen.trials)
        if chosen.ray:
            ray_against_local(home, 100)
    print(f"peak memory         {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:10.0f} MiB")


if __name__ == "__main__":
    main()
