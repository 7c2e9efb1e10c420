"""Commands with and without a process that stands by, in turns: `python -m benchmarks.standby [--rounds 15]`.

The floor of `adjudge score` is `bash tests/test.sh` of the same task as it is, that of all others
`python -c pass`. Processor time is that of all processes that work for a command, the resident one included,
if the system counts it for us (`processor_time.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.processor_time import processor_clock
from benchmarks.side_by_side import BARE, RIGHT, write_task

_SETTLES_SEC = 0.03
"""The processes around a command end a moment after it."""


def measure(
    contenders: Mapping[str, tuple[Sequence[str], Mapping[str, str]]], rounds: int
) -> dict[str, tuple[float, float]]:
    """Median wall and processor time in milliseconds of commands that take turns."""
    clock, _ = processor_clock()
    wall: dict[str, list[float]] = {name: [] for name in contenders}
    cpu: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, (command, environment) in contenders.items():
            before, start = clock(), time.perf_counter()
            subprocess.run(command, env=environment, check=True, capture_output=True)
            taken = time.perf_counter() - start
            time.sleep(_SETTLES_SEC)
            if number:  # the first round warms up
                wall[name].append(taken * 1000)
                cpu[name].append((clock() - before) * 1000)
    return {name: (statistics.median(wall[name]), statistics.median(cpu[name])) for name in contenders}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    processor_clock()
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        compare(home, rounds)


def compare(home: Path, rounds: int) -> None:
    """Print a row for each command."""
    program = str(Path(sys.executable).parent / "adjudge")
    with_it = {name: value for name, value in os.environ.items() if name != "ADJUDGE_STANDBY"}
    with_it["XDG_RUNTIME_DIR"] = str(home)
    without = {**with_it, "ADJUDGE_STANDBY": "0"}
    task = write_task(home / "task")
    output, manifest, ledger = home / "answer.json", home / "manifest.jsonl", str(home / "bench.db")
    output.write_text(json.dumps(RIGHT))
    rows = (
        f'{{"task": "{task}", "output": "{output}", "agent": "a{n % 3}", "attempt": {n}}}'
        for n in range(1, 61)
    )
    manifest.write_text("\n".join(rows))
    subprocess.run(
        [program, "run", str(manifest), "-e", "bench", "--ledger", ledger],
        env=without, check=True, capture_output=True,
    )  # fmt: skip
    logs = home / "logs"
    logs.mkdir()
    bare = ["bash", str(task / "bare.sh"), str(output), str(logs)]
    commands = {
        "score": ["score", str(task), str(output)],
        "trials": ["trials", "--ledger", ledger],
        "ledger info": ["ledger", "info", "--ledger", ledger],
        "report": ["report", "--ledger", ledger],
        "check": ["check", str(task)],
        "tasks": ["tasks", str(home)],
        "trials --help": ["trials", "--help"],
        "--help": ["--help"],
    }
    subprocess.run([program, "standby"], env=with_it, check=True, capture_output=True)
    try:
        print("milliseconds: floor, without, with, ratio of these two; the same of processor time")
        for name, words in commands.items():
            floor = (bare, BARE) if name == "score" else ([sys.executable, "-c", "pass"], without)
            found = measure(
                {
                    "floor": floor,
                    "without": ([program, *words], without),
                    "with": ([program, *words], with_it),
                },
                rounds,
            )
            shown = name.ljust(16)
            for floor_ms, without_ms, with_ms in zip(*found.values(), strict=True):
                shown += f"{floor_ms:9.1f}{without_ms:9.1f}{with_ms:9.1f}{with_ms / without_ms:7.2f}"
            print(shown, flush=True)
    finally:
        subprocess.run([program, "standby", "--stop"], env=with_it, check=False, capture_output=True)


if __name__ == "__main__":
    main()
