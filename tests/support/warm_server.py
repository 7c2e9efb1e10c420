"""A sandbox for tests that runs every job on a warm server of its own, however the job ends.

The job's script becomes a file that a Python verifier turns into: so every attack that is written in a few
words of shell runs in the place of a warm trial.
"""

from __future__ import annotations

from pathlib import Path

from adjudge.sandbox import SandboxJob, SandboxOutcome, choose_sandbox, warm_start
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.warm.server import start_server

START = "exec python3 -B /tests/become.py\n"
BECOME = """\
import os
os.execvp("bash", ["bash", "/tests/attack.sh"])
"""


class WarmSandbox:
    """Runs a job as one trial of a warm server; nothing falls back to a cold run."""

    name = "bubblewrap"

    def run(self, job: SandboxJob) -> SandboxOutcome:
        sandbox = choose_sandbox("bubblewrap")
        assert isinstance(sandbox, BubblewrapSandbox)
        as_python(job.tests)
        start = warm_start(sandbox, job)
        assert not isinstance(start, str), start
        server = start_server(sandbox, job, start)
        try:
            return server.attempt(job)[0]
        finally:
            server.close()


def as_python(tests: Path) -> None:
    """Have the tests start Python, which becomes the script that they were."""
    script = (tests / "test.sh").read_text()
    if script != START:
        (tests / "attack.sh").write_text(script)
        (tests / "become.py").write_text(BECOME)
        (tests / "test.sh").write_text(START)
