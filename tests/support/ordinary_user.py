"""Run sandbox jobs as an ordinary user of this machine, whoever runs the tests.

A helper process imports everything while it may still read it, gives up root for good, and then runs one
pickled job after another. The user has no name, no home and no rights; nothing has to be set up for it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.errors import AdjudgeError
from adjudge.sandbox import SandboxJob, SandboxOutcome, choose_sandbox

sys.path.insert(0, str(Path(__file__).parents[1]))  # it is also started as a program

from support.warm_server import WarmSandbox, as_python

UID = 60123


class OrdinaryUser:
    """A sandbox like any other, but run by somebody without rights."""

    name = "bubblewrap"

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parent,
        )

    def run(self, job: SandboxJob) -> SandboxOutcome:
        return self.ask(job, warm=False)

    @property
    def warm(self) -> WarmUser:
        """The same user, with a warm server for each job."""
        return WarmUser(self)

    def ask(self, job: SandboxJob, *, warm: bool) -> SandboxOutcome:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        pickle.dump((job, warm), self.process.stdin)
        self.process.stdin.flush()
        answer: Any = pickle.load(self.process.stdout)  # noqa: S301 - from this very file
        if isinstance(answer, SandboxOutcome):
            return answer
        raise RuntimeError(answer)

    def close(self) -> None:
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()
            self.process.wait(10)


@dataclass(frozen=True)
class WarmUser:
    """A sandbox like any other, for trials of warm servers that somebody without rights starts."""

    user: OrdinaryUser
    name: str = "bubblewrap"

    def run(self, job: SandboxJob) -> SandboxOutcome:
        as_python(job.tests)  # the tests are those of whoever runs the tests
        return self.user.ask(job, warm=True)


def serve() -> None:
    # What is imported late, or comes with a job, must be imported before root is gone.
    import adjudge.gates
    import adjudge.sandbox
    import adjudge.sandbox.backends.unisolated
    from adjudge.sandbox.choose import trial

    for face in (adjudge.gates, adjudge.sandbox):
        for name in face.__all__:
            getattr(face, name)
    trial(choose_sandbox("bubblewrap"))
    if os.geteuid() == 0:
        choose_sandbox.__globals__["_working"].clear()
        os.setgroups([])
        os.setresgid(UID, UID, UID)
        os.setresuid(UID, UID, UID)
    sandbox = choose_sandbox("bubblewrap")
    while True:
        try:
            job, warm = pickle.load(sys.stdin.buffer)  # noqa: S301 - from this very file
        except EOFError:
            return
        try:
            answer: object = WarmSandbox().run(job) if warm else sandbox.run(job)
        except AdjudgeError as error:
            answer = f"{type(error).__name__}: {error}"
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
