"""What scoring costs beside what it is made of, as ratios within one run: `python -m benchmarks.scoring`.

    start-up    `adjudge --version` against a bare interpreter
    command     `adjudge score` on the voltage-drop task against the same verifier run by bash alone
    ingestion   `read_artifacts` on a folder against reading and parsing the same files with nothing else

Each pair is measured in turns, and the fastest of each counts: what others on the machine add is not ours.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TASK = ROOT / "examples/tasks/electrical/voltage-drop"
ADJUDGE = Path(sys.executable).with_name("adjudge")
FOLDERS = 300


def fastest(*actions: Callable[[], object], repeats: int) -> list[float]:
    """The shortest time of each action in seconds, measured in turns."""
    best = [float("inf")] * len(actions)
    for _ in range(repeats):
        for place, action in enumerate(actions):
            start = time.perf_counter()
            action()
            best[place] = min(best[place], time.perf_counter() - start)
    return best


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def command(*words: object, cwd: Path | None = None, **environment: str) -> Callable[[], object]:
    """Run a program to its end; bytecode may be written, as on anybody's machine."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"} | environment
    arguments = [str(word) for word in words]
    return lambda: subprocess.run(arguments, capture_output=True, check=True, env=env, cwd=cwd)


def start_up() -> None:
    bare, version = fastest(command(sys.executable, "-c", "pass"), command(ADJUDGE, "--version"), repeats=15)
    times = f"{version / bare:.1f} times a bare interpreter's {ms(bare)}"
    print(f"start-up    adjudge --version {ms(version)}, {times}; at most about 200 ms")


def whole_command(folder: Path) -> None:
    """The verifier alone gets the paths written into a copy of it that the sandbox would have given it."""
    output = next(iter(sorted((TASK / "goldens/pass").iterdir())))
    shutil.copytree(TASK / "tests", folder / "tests")
    verifier = folder / "tests/verify.py"
    text = verifier.read_text(encoding="utf-8").replace("/workspace/output.md", str(output))
    verifier.write_text(text, encoding="utf-8")
    logs = folder / "logs"
    logs.mkdir()
    alone, whole = fastest(
        command(sys.executable, verifier, cwd=folder, ADJUDGE_LOGS=str(logs), PYTHONHASHSEED="0"),
        command(ADJUDGE, "score", TASK, output, "--json"),
        repeats=10,
    )
    assert (logs / "reward.json").is_file(), "the verifier alone wrote no reward"
    print(
        f"command     adjudge score {ms(whole)}, {whole / alone:.1f} times its verifier's {ms(alone)} "
        f"({ms(whole - alone)} more; at most about 250)"
    )


def ingestion(folder: Path) -> None:
    from adjudge.scoring import read_artifacts

    details = {
        f"field_{i}": {
            "score": i / 6,
            "max_score": 1.0,
            "evidence": "within 2 % of the reference value of 4.68 V",
        }
        for i in range(7)
    }
    folders = [folder / str(number) for number in range(FOLDERS)]
    for one in folders:
        one.mkdir()
        (one / "reward.json").write_text('{"reward": 0.5}', encoding="utf-8")
        (one / "details.json").write_text(json.dumps(details), encoding="utf-8")

    def parse() -> None:
        for one in folders:
            json.loads((one / "reward.json").read_bytes())
            json.loads((one / "details.json").read_bytes())

    def read() -> None:
        for one in folders:
            assert read_artifacts(one).reward == 0.5

    bare, ours = fastest(parse, read, repeats=20)
    print(
        f"ingestion   read_artifacts {FOLDERS / ours:,.0f} folders/s, {bare / ours:.2f} of the speed of "
        f"bare json ({FOLDERS / bare:,.0f}/s; at least 0.5)"
    )


def main() -> None:
    start_up()
    for part in (whole_command, ingestion):
        with tempfile.TemporaryDirectory() as name:
            part(Path(name))


if __name__ == "__main__":
    main()
