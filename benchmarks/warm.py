"""A bare `bash tests/test.sh`, the same verifier cold and the same warm, in turns, in one run.

Wall time per trial (best and median) and processor time per trial, everything included: the sandbox, the
verifier and our own. The verifier is that of an example that uses the authoring kit; the bare script gets the
same tests and writes to a folder of its own.

    python -m benchmarks.warm --repeats 100
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from adjudge.gates import OutputFile
from adjudge.sandbox import SandboxJob, SandboxOutcome, bytecode_for, choose_sandbox, frozen_tests, warm_start
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.warm.server import WarmServer, start_server
from adjudge.tasks import load_task
from benchmarks.processor_time import processor_clock

TASK = Path("examples/tasks/electrical/voltage-drop")
WARM_UP, SETTLE_SEC = 3, 0.005


@dataclass
class Contender:
    """One way to run the verifier."""

    name: str
    run: Callable[[], object]
    wall: list[float] = field(default_factory=list)
    used: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=60)
    repeats = parser.parse_args().repeats
    processor, everywhere = processor_clock()
    task = load_task(TASK)
    sandbox = choose_sandbox("bubblewrap")
    assert isinstance(sandbox, BubblewrapSandbox)
    answer = next((TASK / "goldens" / "pass").iterdir()).read_bytes()
    with frozen_tests(task) as tests, tempfile.TemporaryDirectory() as logs:
        for _ in range(3):
            shown = bytecode_for(tests, sandbox)
        job = SandboxJob(
            ("bash", "/tests/test.sh"),
            tests,
            {"/workspace/output.md": OutputFile(answer)},
            "/workspace",
            task.limits,
            shown=shown,
        )
        start = warm_start(sandbox, job)
        assert not isinstance(start, str), start
        begin = time.perf_counter()
        server = start_server(sandbox, job, start)
        print(f"a server starts in {(time.perf_counter() - begin) * 1000:.0f} ms")
        bare = ["python3", "-s", "-B", str(tests / "verify.py")]
        contenders = [
            Contender("bare", lambda: _bare(bare, logs)),
            Contender("cold", lambda: sandbox.run(job)),
            Contender("warm", lambda: _warm(server, job)),
        ]
        for number in range(repeats + WARM_UP):
            for one in contenders:
                _take_turn(one, processor, counts=number >= WARM_UP)
        server.close()
    _print(contenders, repeats)
    if not everywhere:
        print("this machine does not tell the processor time of what runs in a sandbox: it is left out above")


def _take_turn(one: Contender, processor: Callable[[], float], *, counts: bool) -> None:
    used, begin = processor(), time.perf_counter()
    one.run()
    took = time.perf_counter() - begin
    time.sleep(SETTLE_SEC)  # what a trial leaves to be torn down is its own
    if counts:
        one.wall.append(took * 1000)
        one.used += processor() - used


def _print(contenders: list[Contender], repeats: int) -> None:
    bare = contenders[0]
    print(f"{'':6}{'best ms':>9}{'median ms':>11}{'processor ms':>14}{'throughput, bare = 1':>22}")
    for one in contenders:
        best, median = min(one.wall), statistics.median(one.wall)
        ratio = statistics.median(bare.wall) / median
        print(f"{one.name:6}{best:9.2f}{median:11.2f}{one.used / repeats * 1000:14.2f}{ratio:22.2f}")


def _bare(command: list[str], logs: str) -> None:
    subprocess.run(
        command,
        env={"ADJUDGE_LOGS": logs, "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        check=False,
    )


def _warm(server: WarmServer, job: SandboxJob) -> None:
    assert isinstance(server.run(job), SandboxOutcome)


if __name__ == "__main__":
    main()
