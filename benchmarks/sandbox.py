"""What the sandbox adds to a bare `bash tests/test.sh`, measured side by side in one run.

The two are run in turns, so that whatever else the machine does falls on both. Containers are measured too
where an engine answers. Prints the best of all turns, which a busy machine disturbs least, and the median;
`--check` exits with 1 where the best turn is past the target of 10 ms.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from adjudge.errors import SandboxError, SandboxUnavailable
from adjudge.gates import OutputFile
from adjudge.sandbox import Sandbox, SandboxJob, choose_sandbox

TARGET_MS = 10.0
SCRIPTS = {
    "shell": "true",
    "python": "python3 -c 'import json; json.load(open(\"output.json\"))'",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--check", action="store_true", help="exit with 1 past the target")
    options = parser.parse_args()
    worst = 0.0
    print(f"{'verifier':10}{'backend':14}{'turn':10}{'bare ms':>9}{'boxed ms':>10}{'adds ms':>9}{'ratio':>7}")
    for backend in ("bubblewrap", "container"):
        try:
            sandbox = choose_sandbox(backend)
        except SandboxUnavailable:
            print(f"{'':10}{backend:14}does not work here")
            continue
        for name, script in SCRIPTS.items():
            repeats = options.repeats if backend == "bubblewrap" else 5
            try:
                turns = compare(sandbox, script, repeats)
            except SandboxError as error:  # an engine that answers may still be unable to start anything
                print(f"{'':10}{backend:14}does not work here: {str(error)[:100]}")
                break
            for word, pick in (("best", min), ("median", statistics.median)):
                bare, boxed = (pick(taken) for taken in turns)
                line = f"{bare:9.2f}{boxed:10.2f}{boxed - bare:9.2f}{boxed / bare:7.2f}"
                print(f"{name:10}{backend:14}{word:10}{line}")
                if backend == "bubblewrap" and pick is min:
                    worst = max(worst, boxed - bare)
    print(f"target: at most about {TARGET_MS:.0f} ms added by bubblewrap; worst seen {worst:.2f} ms")
    return int(options.check and worst > TARGET_MS)


def compare(sandbox: Sandbox, script: str, repeats: int) -> tuple[list[float], list[float]]:
    """Milliseconds of the bare script and of the same in the sandbox, run in turns."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        tests, workspace = Path(place, "tests"), Path(place, "workspace")
        tests.mkdir()
        workspace.mkdir()
        (tests / "test.sh").write_text(script)
        (workspace / "output.json").write_text("{}")
        files = {"/workspace/output.json": OutputFile(data=b"{}")}
        job = SandboxJob(("bash", "/tests/test.sh"), tests, files, "/workspace")

        def bare() -> None:
            subprocess.run(
                ["bash", tests / "test.sh"],
                cwd=workspace,
                capture_output=True,
                check=True,
                env={"PATH": "/usr/bin"},
            )

        def boxed() -> None:
            outcome = sandbox.run(job)
            assert outcome.exit_code == 0, outcome.stderr

        times: dict[Callable[[], None], list[float]] = {bare: [], boxed: []}
        for _ in range(repeats + 3):
            for function, taken in times.items():
                begin = time.perf_counter()
                function()
                taken.append((time.perf_counter() - begin) * 1000)
        return times[bare][3:], times[boxed][3:]  # the first turns fill caches


if __name__ == "__main__":
    sys.exit(main())
