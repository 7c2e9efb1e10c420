"""The verifier's own `/tests`: a copy that it may write to, made for one trial and thrown away with it.

Verifiers in the wild run `cd /tests && npm test`, compile beside their sources, or copy the answer next to
their modules. On a read-only folder some of them fail, and some fail without a word: they would give a right
answer a zero. So each trial has a copy of the frozen tests in its sandbox's memory, with the same names,
content, modes and times. What is written to it no other trial sees, and the frozen copy is never touched.

Two kinds are shown read-only: a folder that is too large to be copied for every trial, and the tests of a job
that says so (`SandboxJob.writable_tests`), since its verifier runs a program of the agent's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.sandbox.files.place import folder_size

if TYPE_CHECKING:
    from adjudge.sandbox.job import SandboxJob

MOST_BYTES = 16 << 20
MOST_FILES = 512
"""Of 1,200 public tasks the largest tests had 1.1 MB, and the most files were 11."""


def copied_size(job: SandboxJob) -> int | None:
    """The memory that a trial's own copy takes; None if it has none."""
    if not job.writable_tests:
        return None
    size = folder_size(job.tests.resolve(), most_files=MOST_FILES)
    return size if size <= MOST_BYTES else None
