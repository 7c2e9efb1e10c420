"""The verifier's own `/tests`: a copy that it may write to, made for one trial and thrown away with it.

Verifiers in the wild run `cd /tests && npm test`, compile beside their sources, or copy the answer next to
their modules. On a read-only folder some of them fail, and some fail without a word: they would give a right
answer a zero. So each trial has a copy of the frozen tests in its sandbox's memory, with the same names,
content, modes and times. What is written to it no other trial sees, and the frozen copy is never touched.

A folder that is too large to be copied for every trial is shown read-only.
"""

from __future__ import annotations

from pathlib import Path

from adjudge.sandbox.files.place import folder_size

MOST_BYTES = 16 << 20
MOST_FILES = 512
"""Of 1,200 public tasks the largest tests had 1.1 MB, and the most files were 11."""


def copied_size(tests: Path) -> int | None:
    """The memory that a trial's own copy takes; None if the tests are too large to have one."""
    size = folder_size(tests.resolve(), most_files=MOST_FILES)
    return size if size <= MOST_BYTES else None
