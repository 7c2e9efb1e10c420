"""Everything that users wait for, against the bare script and against others, as ratios of one run.

    python -m benchmarks.side_by_side [--rounds 9] [--trials 200] [--folders 4000] [--samples 1000]
        [--peers FOLDER] [--container COMMAND] [--json F]

Contenders of one group take turns in one process, after a warm-up; what counts is the median of all rounds,
with its spread. On a machine that others use, only processor time says something; it stands beside wall time
if the system counts it for us (`processor_time.py`). A group is held against its first row, the floor, and is
printed as soon as it is measured:

- *verify*: one output by a verifier that uses the authoring kit. The floor is `bash tests/test.sh` as it is,
  with no sandbox, no checks and no record, and with Python's own cache of byte code. With `--container`
  (or `ADJUDGE_BENCH_CONTAINER`), such as `podman run --rm --network none IMAGE`, a container that only runs
  `true` takes part: what a container engine costs before any verifier.
- *run*: many such outputs, all different. The floor is `xargs -P` over the same script; `adjudge run` is the
  whole command, from its start to the last record, cold and warm. Whatever processor time it takes beyond the
  floor's is ours, the sandbox's included.
- *ingest*: artifact folders that all differ, some with rewards that contradict their details. The floor reads
  and parses the same files in one process and keeps nothing.
- *again*: outputs whose results are known, scored again. The first row is `inspect score` over a log of as
  many samples, in process and without a sandbox; ours is `adjudge run` with every result in the ledger, which
  reads and hashes each output, looks its result up and records a trial. Both are whole commands.
- *start*: `--help` of each program. The floor is `python -c pass`.

Others come from virtual environments below `--peers` (one folder per name on PyPI, such as `inspect-ai`);
`make bench-peers` makes them if their packages can be had. Whoever is not there is named as such.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from adjudge._version import __version__
from benchmarks.processor_time import processor_clock

ROOT = Path(__file__).resolve().parent.parent
KIT = ROOT / "src" / "adjudge_kit.py"
PEERS = {"inspect-ai": "inspect", "harbor-rewardkit": "rewardkit", "verifiers": "vf-eval"}
"""Name on PyPI and the program it brings."""
SCRIPT = "python3 {tests}/verify.py {arguments}\n"
VERIFY = """\
import sys
from adjudge_kit import Verifier
output, logs = sys.argv[1:] or ("/workspace/answer.json", "/logs/verifier")
with Verifier.from_file(output, logs=logs) as v:
    v.number("voltage_drop_v", 3.04, rel=0.02, unit="V")
    v.number("voltage_drop_pct", 1.32, rel=0.02, weight=2)
    v.choice("compliance", "compliant", among=["compliant", "non-compliant"])
"""


RIGHT = {"voltage_drop_v": 3.04, "voltage_drop_pct": 1.32, "compliance": "compliant"}
BARE = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
"""Of bare scripts: the sandbox's `python3`, with its cache of byte code."""


@dataclass(frozen=True)
class Row:
    """One contender of a group, in milliseconds for one thing done."""

    group: str
    name: str
    wall_ms: float
    wall_spread_ms: float
    wall_ratio: float
    cpu_ms: float | None
    """Of the contender and all its children; None if some of them are not counted."""
    cpu_ratio: float | None


def measure(
    group: str,
    contenders: Mapping[str, Callable[[], object]],
    rounds: int,
    *,
    per: int = 1,
    sandboxed: bool = False,
) -> list[Row]:
    """Medians of contenders that take turns, for one of the `per` things that a round does.

    Ratios are to the first contender. Of what is `sandboxed` not every machine tells the processor time.
    """
    wall: dict[str, list[float]] = {name: [] for name in contenders}
    cpu: dict[str, list[float]] = {name: [] for name in contenders}
    processor_time, everywhere = processor_clock()
    counted = not sandboxed or everywhere
    for number in range(rounds + 1):
        for name, work in contenders.items():
            before, start = processor_time(), time.perf_counter()
            work()
            taken, after = time.perf_counter() - start, processor_time()
            if number:  # the first round warms up
                wall[name].append(taken * 1000 / per)
                cpu[name].append((after - before) * 1000 / per)
    floor = next(iter(contenders))
    least = max(statistics.median(cpu[floor]), 1e-9)
    return [
        Row(
            group,
            name,
            round(statistics.median(wall[name]), 3),
            round(max(wall[name]) - min(wall[name]), 3),
            round(statistics.median(wall[name]) / statistics.median(wall[floor]), 2),
            round(statistics.median(cpu[name]), 3) if counted else None,
            round(statistics.median(cpu[name]) / least, 2) if counted else None,
        )
        for name in contenders
    ]


def write_task(folder: Path) -> Path:
    """A task with a short verifier that uses the kit, and a golden, so that it may be run warm.

    Its `bare.sh`, for no sandbox at all, is the same script with other paths.
    """
    (folder / "tests").mkdir(parents=True)
    (folder / "goldens/pass").mkdir(parents=True)
    (folder / "goldens/pass/reference.json").write_text(json.dumps(RIGHT))
    (folder / "instruction.md").write_text("Write `/workspace/answer.json`.\n")
    (folder / "tests/test.sh").write_text(SCRIPT.format(tests="/tests", arguments=""))
    (folder / "bare.sh").write_text(SCRIPT.format(tests=folder / "tests", arguments='"$@"'))
    (folder / "tests/verify.py").write_text(VERIFY)
    shutil.copyfile(KIT, folder / "tests" / KIT.name)
    return folder


def answer(number: int) -> str:
    """Another answer for each number: some right, some off by a little, some by a unit."""
    drawn = random.Random(number)  # noqa: S311 - not a secret
    drop = 3.04 * drawn.choice((1.0, 1.0, 1.004, 1.3, 1000.0))
    return json.dumps({**RIGHT, "voltage_drop_v": drop, "n": number})


def adjudge(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "adjudge", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 3):
        raise SystemExit(f"adjudge {' '.join(map(str, arguments))}: {done.stderr}")


def verify(home: Path, rounds: int, container: str | None) -> list[Row]:
    from adjudge.gates import read_output
    from adjudge.sandbox import choose_sandbox
    from adjudge.scoring import score_output
    from adjudge.tasks import load_task

    task = write_task(home / "tasks/verify")
    output = home / "answer.json"
    output.write_text(json.dumps(RIGHT))
    loaded, sandbox = load_task(task), choose_sandbox("auto")
    logs = home / "logs"
    logs.mkdir()

    def bare() -> None:
        command = ["bash", str(task / "bare.sh"), str(output), str(logs)]
        subprocess.run(command, env=BARE, check=True, capture_output=True)

    contenders: dict[str, Callable[[], object]] = {
        "bash tests/test.sh": bare,
        f"adjudge.score, {sandbox.name}": lambda: score_output(loaded, read_output(loaded, output), sandbox),
        "adjudge score, the command": lambda: adjudge("score", task, output),
    }
    if container is not None:
        empty = [*shlex.split(container), "true"]
        contenders["an empty container"] = lambda: subprocess.run(empty, check=True, capture_output=True)
    return measure("verify", contenders, rounds, sandboxed=True)


def run(home: Path, rounds: int, trials: int) -> list[Row]:
    task = write_task(home / "tasks/run")
    outputs = home / "outputs"
    outputs.mkdir()
    for number in range(trials):
        (outputs / f"{number}.json").write_text(answer(number))
    rows = [
        {"task": str(task), "output": str(outputs / f"{n}.json"), "agent": "a", "attempt": n + 1}
        for n in range(trials)
    ]
    manifest = home / "manifest.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    cores = len(os.sched_getaffinity(0))
    logs = home / "run-logs"
    logs.mkdir()

    def bare() -> None:
        places = "\n".join(str(outputs / f"{n}.json") for n in range(trials))
        command = ["xargs", f"-P{cores}", "-I{}", "bash", str(task / "bare.sh"), "{}", str(logs)]
        subprocess.run(command, env=BARE, input=places, text=True, check=True, capture_output=True)

    def ours(*options: str) -> None:
        with tempfile.TemporaryDirectory(dir=home) as place:
            ledger = f"{place}/bench.db"
            adjudge("run", manifest, "-e", "bench", "--ledger", ledger, "--no-preflight", *options)

    contenders: dict[str, Callable[[], object]] = {
        f"xargs -P{cores}": bare,
        "adjudge run --cold": lambda: ours("--cold"),
        "adjudge run": ours,
    }
    return measure("run", contenders, max(1, rounds // 3), per=trials, sandboxed=True)


def again(home: Path, rounds: int, trials: int, peers: Path) -> tuple[list[Row], list[str]]:
    """Rows, and who is not there."""
    task = write_task(home / "tasks/again")
    (task / "task.toml").write_text("[verifier]\ndeterministic = true\n")
    rows = []
    for number in range(trials):
        output = home / f"again-{number % 40}.json"
        output.write_text(answer(number % 40))
        rows.append({"task": str(task), "output": str(output), "agent": "a", "attempt": number + 1})
    first, manifest = home / "again-first.jsonl", home / "again.jsonl"
    first.write_text("".join(json.dumps(row) + "\n" for row in rows[:40]))
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ledger = home / "again.db"
    adjudge("run", first, "-e", "first", "--ledger", ledger, "--no-preflight")

    def ours() -> None:
        with tempfile.TemporaryDirectory(dir=home) as place:
            shutil.copyfile(ledger, f"{place}/again.db")
            adjudge("run", manifest, "-e", "again", "--ledger", f"{place}/again.db", "--no-preflight")

    contenders: dict[str, Callable[[], object]] = {}
    python, program = (peers / "inspect-ai/bin" / name for name in ("python", "inspect"))
    absent = [] if program.exists() else [f"inspect score: {program} is not there (make bench-peers)"]
    if program.exists():
        script = str(ROOT / "benchmarks/peer_log.py")
        made = subprocess.run(
            [str(python), script, str(home / "inspect"), str(trials)],
            capture_output=True,
            text=True,
            check=True,
        )
        log = made.stdout.strip().splitlines()[-1]
        command = [str(program), "score", log, "--scorer", "match", "--overwrite"]
        command += ["--action", "overwrite", "--display", "none"]
        contenders["inspect score"] = lambda: subprocess.run(command, capture_output=True, check=True)
    contenders["adjudge run, results known"] = ours
    return measure("again", contenders, max(1, rounds // 3), per=trials), absent


def artifact_folder(root: Path, number: int) -> None:
    """What a verifier left behind, another for each number; one of twenty rewards contradicts its details."""
    drawn = random.Random(number)  # noqa: S311 - not a secret
    scores = [round(drawn.random(), 3) for _ in range(4)]
    reward = sum(scores) / 4 if number % 20 else 1.0
    folder = root / f"agent/{number + 1}/task"
    folder.mkdir(parents=True)
    (folder / "reward.json").write_text(json.dumps({"reward": round(reward, 4)}))
    fields = {
        f"field_{k}": {"score": score, "max_score": 1.0, "evidence": f"{drawn.getrandbits(160):x}"}
        for k, score in enumerate(scores)
    }
    (folder / "details.json").write_text(json.dumps(fields))


def ingest(home: Path, rounds: int, folders: int) -> list[Row]:
    root = home / "artifacts"
    for number in range(folders):
        artifact_folder(root, number)

    def floor() -> None:
        for folder, _, names in os.walk(root):
            for name in names:
                with open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123 - the quickest way
                    json.loads(file.read())

    def ours() -> None:
        with tempfile.TemporaryDirectory(dir=home) as place:
            layout = "{agent}/{attempt}/{task}"
            adjudge("ingest", root, "-e", "bench", "--layout", layout, "--ledger", f"{place}/bench.db")

    contenders: dict[str, Callable[[], object]] = {"read and parse": floor, "adjudge ingest": ours}
    return measure("ingest", contenders, max(1, rounds // 3), per=folders)


def starts(rounds: int, peers: Path) -> tuple[list[Row], list[str]]:
    """Rows, and who is not there."""

    def call(*command: str | Path) -> Callable[[], object]:
        return lambda: subprocess.run(list(map(str, command)), capture_output=True, check=False)

    contenders: dict[str, Callable[[], object]] = {"python -c pass": call(sys.executable, "-c", "pass")}
    for words in ("--help", "score --help", "trials --help", "audit --help"):
        contenders[f"adjudge {words}"] = call(sys.executable, "-m", "adjudge", *words.split())
    absent = []
    for package, program in PEERS.items():
        path = peers / package / "bin" / program
        if path.exists():
            contenders[f"{program} --help"] = call(path, "--help")
        else:
            absent.append(f"{package}: {path} is not there (make bench-peers)")
    return measure("start", contenders, max(1, rounds // 2)), absent


def show(rows: list[Row], absent: list[str]) -> None:
    """One group, now: the next may take minutes."""
    for row in rows:
        wall = f"{row.wall_ms:10.2f}{row.wall_spread_ms:10.2f}{row.wall_ratio:8.2f}"
        cpu = "" if row.cpu_ms is None else f"{row.cpu_ms:10.2f}{row.cpu_ratio:8.2f}"
        print(f"{row.group:8}{row.name:32}{wall}{cpu}", flush=True)
    for line in absent:
        print(f"not measured: {line}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--folders", type=int, default=4000)
    parser.add_argument("--samples", type=int, default=1000, help="scored again, by Inspect too")
    parser.add_argument("--peers", type=Path, default=ROOT / "benchmarks/results/peers")
    parser.add_argument(
        "--container",
        default=os.environ.get("ADJUDGE_BENCH_CONTAINER"),
        help="all but the program",
    )
    parser.add_argument("--json", type=Path, help="add this run to a file of JSON lines")
    chosen = parser.parse_args()
    load = os.getloadavg()[0]
    rows: list[Row] = []
    print(f"load average {load:.1f}; medians, in milliseconds per thing done\n")
    print(f"{'':8}{'':32}{'wall ms':>10}{'spread':>10}{'ratio':>8}{'cpu ms':>10}{'ratio':>8}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        home.chmod(0o755)
        groups: list[Callable[[], tuple[list[Row], list[str]]]] = [
            lambda: (verify(home, chosen.rounds, chosen.container), []),
            lambda: (run(home, chosen.rounds, chosen.trials), []),
            lambda: (ingest(home, chosen.rounds, chosen.folders), []),
            lambda: again(home, chosen.rounds, chosen.samples, chosen.peers),
            lambda: starts(chosen.rounds, chosen.peers),
        ]
        for group in groups:
            found, absent = group()
            show(found, absent)
            rows += found
    print(f"load average {os.getloadavg()[0]:.1f} at the end")
    if chosen.json is not None:
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        told = {"version": __version__, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        machine = {"cores": len(os.sched_getaffinity(0)), "load": load, "python": sys.version.split()[0]}
        with chosen.json.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**told, **machine, "rows": [asdict(row) for row in rows]}) + "\n")


if __name__ == "__main__":
    main()
