"""Does a trial cost the same in a million as in a thousand? Processor time and peak memory of whole commands.

    python -m benchmarks.growth [--sizes 1000,10000,100000,1000000] [--folders 100000] [--minutes 15]
        [--json F] [--plots FOLDER]

For each size there are two new ledgers. One is filled by `adjudge run` over that many trials of known
outputs of deterministic verifiers, so no verifier runs: what is measured is planning, looking up and
recording. On it run `report`, `ledger verify` and `export trials`. The other is filled by `adjudge ingest`
from artifact folders that all differ, up to `--folders`: making more takes longer than reading them. Beyond
`DIFFERENT` the files of a folder are links to those of an earlier one. Sizes come in order. One that would
take longer than the minutes that are left, going by the one before, is not begun, and is named.

Commands run in processes of their own, as users start them. Processor time counts them and their children,
and is what to compare: on a machine that others use, wall time says more about the others.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path

from adjudge._version import __version__
from benchmarks.plot import log_log
from benchmarks.side_by_side import artifact_folder

DIFFERENT = 100_000
TASKS, OUTPUTS = 10, 4
VERIFIER = """\
#!/bin/bash
read -r text < /workspace/answer.json
echo "{\\"reward\\": 0.${text//[^0-9]/}}" > /logs/verifier/reward.json
"""


@dataclass(frozen=True)
class Measured:
    """One command over one number of trials."""

    command: str
    trials: int
    cpu_sec: float
    wall_sec: float
    peak_mib: float


def measure(name: str, trials: int, *arguments: str | Path) -> Measured:
    """Run `adjudge` with these arguments to its end; SystemExit if it fails."""
    command = [sys.executable, "-m", "adjudge", *map(str, arguments)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    taken = time.perf_counter() - start
    cpu = usage.ru_utime + usage.ru_stime
    measured = Measured(name, trials, round(cpu, 2), round(taken, 2), round(usage.ru_maxrss / 1024, 1))
    each = cpu / trials * 1e6
    print(f"{name:14}{trials:10,}{each:10.0f} µs each{cpu:9.1f} s{measured.peak_mib:9.0f} MiB", flush=True)
    return measured


def write_tasks(home: Path) -> list[dict[str, str]]:
    """Tasks whose verifiers are deterministic, and outputs for each: the rows that every manifest repeats."""
    for number in range(OUTPUTS):
        (home / f"{number}.json").write_text(f'{{"answer": {number * 2 + 1}}}\n')
    for number in range(TASKS):
        tests = home / f"tasks/{number}/tests"
        tests.mkdir(parents=True)
        (tests / "test.sh").write_text(VERIFIER)
        (tests.parent / "instruction.md").write_text(f"Write `/workspace/answer.json`, number {number}.\n")
        (tests.parent / "task.toml").write_text("[verifier]\ndeterministic = true\n")
    return [
        {"task": f"tasks/{task}", "output": f"{output}.json"}
        for task in range(TASKS)
        for output in range(OUTPUTS)
    ]


def write_manifest(path: Path, rows: list[dict[str, str]], trials: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(islice(cycle(rows), trials)):
            whose = {"agent": f"agent-{number % 3}", "attempt": number // len(rows) + 1}
            file.write(json.dumps({**row, **whose}) + "\n")
    return path


def write_folder(root: Path, number: int) -> None:
    """An artifact folder; a late one has the files of an early one, since writing each takes too long."""
    if number < DIFFERENT:
        artifact_folder(root, number)
        return
    early, late = (f"{root}/agent/{one + 1}/task" for one in (number % DIFFERENT, number))
    os.makedirs(late)  # noqa: PTH103 - a string stays one: there are millions
    for name in ("reward.json", "details.json"):
        os.link(f"{early}/{name}", f"{late}/{name}")


def grow(home: Path, sizes: list[int], most_folders: int, minutes: float) -> list[Measured]:
    """Measure every command at every size that can be begun in time."""
    until = time.monotonic() + minutes * 60
    per_trial = 0.0
    rows = write_tasks(home)
    found: list[Measured] = []
    folders = 0
    for size in sizes:
        start = time.monotonic()
        if start + per_trial * size > until:
            print(f"not measured: {size:,} trials, which would take longer than {minutes:g} minutes")
            continue
        ledger = home / f"{size}.db"
        known = write_manifest(home / "known.jsonl", rows, len(rows))
        measure("verifiers", len(rows), "run", known, "-e", "known", "--ledger", ledger, "--no-preflight")
        manifest = write_manifest(home / f"{size}.jsonl", rows, size)
        to = ("--ledger", ledger)
        found.append(measure("cached run", size, "run", manifest, "-e", "grown", *to, "--no-preflight"))
        found.append(measure("report", size, "report", *to))
        found.append(measure("ledger verify", size, "ledger", "verify", *to))
        found.append(measure("export", size, "export", "trials", *to, home / "exported.csv"))
        if size <= most_folders:
            for number in range(folders, size):
                write_folder(home / "artifacts", number)
            folders = size
            layout = ("--layout", "{agent}/{attempt}/{task}", "--ledger", home / f"{size}-ingested.db")
            found.append(measure("ingest", size, "ingest", home / "artifacts", "-e", "e", *layout))
        per_trial = (time.monotonic() - start) / size
    return found


def plots(found: list[Measured]) -> dict[str, str]:
    """A file's name and its picture: processor time, and memory."""
    names = dict.fromkeys(one.command for one in found)

    def lines(value: str) -> dict[str, list[tuple[float, float]]]:
        return {
            name: [(one.trials, getattr(one, value)) for one in found if one.command == name]
            for name in names
        }

    return {
        "growth-time.svg": log_log("Processor time of whole commands", lines("cpu_sec"), "s"),
        "growth-memory.svg": log_log("Peak memory of whole commands", lines("peak_mib"), "MiB"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--folders", type=int, default=DIFFERENT, help="ingest so many at most")
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--json", type=Path, help="add this run to a file of JSON lines")
    parser.add_argument("--plots", type=Path, help="write the pictures into this folder")
    chosen = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="adjudge-growth-") as name:
        home = Path(name)
        home.chmod(0o755)  # verifiers run as another user if this one is root
        found = grow(home, [int(size) for size in chosen.sizes.split(",")], chosen.folders, chosen.minutes)
    if chosen.json is not None:
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        told = {"version": __version__, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        machine = {"cores": len(os.sched_getaffinity(0)), "load": load, "python": sys.version.split()[0]}
        with chosen.json.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**told, **machine, "rows": [asdict(one) for one in found]}) + "\n")
    if chosen.plots is not None:
        chosen.plots.mkdir(parents=True, exist_ok=True)
        for file_name, picture in plots(found).items():
            (chosen.plots / file_name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
