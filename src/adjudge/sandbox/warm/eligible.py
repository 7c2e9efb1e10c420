"""May a job be run warm at all? Said by its script, its variables and its tests, without running anything."""

from __future__ import annotations

import os

from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.identity import drops_root, readable
from adjudge.sandbox.job import Sandbox, SandboxJob
from adjudge.sandbox.warm.preload import shadowing_names
from adjudge.sandbox.warm.script import PythonStart, read_script, steers_python

_MOST_BYTES = 1 << 16
_OURS = "BASH_FUNC_command_not_found_handle%%"
"""A function of the shell that only says what a script does not find."""


def warm_start(sandbox: Sandbox, job: SandboxJob) -> PythonStart | str:
    """What a server has to start for this job; else why the job needs a sandbox of its own, in words."""
    if not isinstance(sandbox, BubblewrapSandbox):
        return "only bubblewrap's sandboxes can stand"
    if problem := _problem_of_job(job):
        return problem
    try:
        start = read_script(_plain(job, job.command[1]), workdir=job.workdir, collect=job.collect)
        if isinstance(start, str):
            return start
        _plain(job, start.path)
        return _problem_of_tests(job) or start
    except OSError as error:
        return f"its tests cannot be read: {error.strerror}: {error.filename}"


def _problem_of_job(job: SandboxJob) -> str | None:
    if len(job.command) != 2 or job.command[0] != "bash" or not job.command[1].startswith("/tests/"):
        return "its command is not a script of the tests"
    if job.hide or job.cpus is not None:
        return "programs are hidden from it, or it has not all CPUs"
    named = [name for name in job.env if name != _OURS and steers_python(name)]
    return f"the task sets {named[0]}" if named else None


def _problem_of_tests(job: SandboxJob) -> str | None:
    if shadowing := shadowing_names(job.tests):
        return f"the tests hold a name of Python's own: {shadowing[0]}"
    if not readable(job.tests.resolve(), by_others=drops_root()):
        return "its tests have to be copied into each sandbox"
    return None


def _plain(job: SandboxJob, path: str) -> bytes:
    """The content of a file of the tests that is no link. Raises OSError."""
    descriptor = os.open(job.tests / path.removeprefix("/tests/"), os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_MOST_BYTES)
