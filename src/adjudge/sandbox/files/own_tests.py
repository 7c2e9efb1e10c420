"""The verifier's own `/tests`: a copy that it may write to, made for one trial and thrown away with it.

Verifiers in the wild run `cd /tests && npm test`, compile beside their sources, or copy the answer next to
their modules. On a read-only folder some of them fail, and some fail without a word: they would give a right
answer a zero. So each trial has a copy of the frozen tests in its sandbox's memory, with the same names,
content, modes and times. What is written to it no other trial sees, and the frozen copy is never touched.

Two kinds are shown read-only: a folder that is too large to be copied for every trial, and the tests of a job
that says so (`SandboxJob.writable_tests`), since its verifier runs a program of the agent's.

Small tests are read once and kept, as long as nothing in their folder has changed. The kernel sets the time
of each change; it is taken for a sign only once it is well past, since two changes may have the same.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.sandbox.files.place import ReadFolder, kept_folders

if TYPE_CHECKING:
    from adjudge.sandbox.job import SandboxJob

MOST_BYTES = 16 << 20
MOST_FILES = 512
"""Of 1,200 public tasks the largest tests had 1.1 MB, and the most files were 11."""
_KEPT_BYTES = 1 << 20
_MOST_KEPT = 8
_PAST_NS = 1_000_000_000

_Signature = tuple[tuple[str, int, int, int], ...]


class OwnTests(Struct, frozen=True):
    """What a trial's own copy is made of."""

    size: int
    """At least the memory that it takes."""
    folders: list[ReadFolder]
    """All that is in it."""


_guard = threading.Lock()
_kept: dict[str, tuple[_Signature, list[ReadFolder]]] = {}
"""By folder, the least recently used first."""


def own_tests(job: SandboxJob) -> OwnTests | None:
    """The copy for a trial of this job; None if it has none."""
    if not job.writable_tests:
        return None
    tests = os.fspath(job.tests)
    found = _look_at(tests)
    if found is None:
        return None
    signature, size = found
    with _guard:
        kept = _kept.pop(tests, None)
        if kept is not None and kept[0] == signature:
            _kept[tests] = kept
            return OwnTests(size, kept[1])
    folders = kept_folders(job.tests)
    past = time.time_ns() - max(changed for _, _, changed, _ in signature) > _PAST_NS
    if past and size <= _KEPT_BYTES:
        with _guard:
            _kept[tests] = signature, folders
            while len(_kept) > _MOST_KEPT:
                del _kept[next(iter(_kept))]
    return OwnTests(size, folders)


def copied_size(job: SandboxJob) -> int | None:
    """The memory that a trial's own copy takes; None if it has none."""
    found = _look_at(os.fspath(job.tests)) if job.writable_tests else None
    return None if found is None else found[1]


def _look_at(tests: str) -> tuple[_Signature, int] | None:
    """What the folder looks like, and how much memory a copy takes; None if that is too much."""
    here = os.stat(tests)  # noqa: PTH116 - once for each trial
    found = [(tests, here.st_ino, here.st_ctime_ns, 0)]
    size = 4096
    waiting = [tests]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                found.append((entry.path, status.st_ino, status.st_ctime_ns, status.st_size))
                size += 4096
                if stat.S_ISDIR(status.st_mode):
                    size += 4096
                    waiting.append(entry.path)
                else:
                    size += status.st_size
                if size > MOST_BYTES or len(found) > MOST_FILES:
                    return None
    return tuple(found), size


def _after_fork() -> None:
    """The parent may hold the old lock."""
    global _guard  # noqa: PLW0603
    _guard = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
