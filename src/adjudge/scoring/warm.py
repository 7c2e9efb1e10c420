"""Cold or warm: chosen for each task by what was seen of it, remembered, and kept under watch.

A trial runs in a sandbox of its own (cold) until its task has earned the other way:
1. What its verifier starts can be started once for all (`warm_start`), and it is quick enough to gain by it.
2. So many trials of it were scored, or are known to come, that the check pays for itself (`CHECK_AFTER`).
3. The check (`equivalence`) finds no difference. That is kept in the user's cache folder for this digest,
   sandbox and what is installed in it; another process then begins warm after `START_AFTER` trials, or at
   once if so many are to come.

A warm run that does not end by itself, within all limits, does not count: the trial is run cold. That is a
second chance, so whoever could bring it about must not know whether it needs one: a task whose verifier runs
the agent's program is never warm, and if a cold run ends well after a warm one did not, no other trial of the
task is run warm in this process. A share of warm trials, chosen at random, is run cold as well. If that gives
anything else, the cold result counts, both are told on the record, and the task is cold from then on.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge._kept import keep, key_of, recall
from adjudge._version import __version__
from adjudge.contracts import Task
from adjudge.errors import MachineryError
from adjudge.evidence import surroundings_of
from adjudge.gates import OutputFile
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome
from adjudge.scoring.equivalence import difference, ended_by_itself, unlike

START_AFTER = 4
"""Starting a server costs about as much processor time as so many cold runs."""
CHECK_AFTER = 24
"""The check costs about as much as so many cold runs."""
SLOWEST_SEC = 1.0
"""A verifier that takes longer gains too little: what is saved is the start of Python, some 20 ms."""
SHARE = 0.02
"""Of warm trials that are run cold as well; `ADJUDGE_WARM_CHECKED` sets another."""
_VERSION = 4
_KIND = "warm"
_DIFFERED = "a warm and a cold run of one trial differed in"
_random = random.SystemRandom()


class _Known(Struct):
    """What is known of one task in one sandbox."""

    uses: int = 0
    seconds: float = 0.0
    admitted: bool = False
    refused: str | None = None
    recalled: bool = False
    checking: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


_known: dict[str, _Known] = {}
_guard = threading.Lock()


def run_either_way(task: Task, job: SandboxJob, sandbox: Sandbox, *, expected: int = 0) -> SandboxOutcome:
    """Run a job cold or warm. Raises `SandboxError` if the machine fails, as a cold run does."""
    if task.runs_output:
        return sandbox.run(job)
    known = _known_of(task, job, sandbox)
    with known.lock:
        known.uses += 1
        uses = known.uses
    if known.refused is None and uses + expected > START_AFTER:
        _decide(known, task, job, sandbox, uses + expected)
    if not known.admitted or known.refused is not None:
        return _run_cold(known, job, sandbox)
    found = _run_warm(job, sandbox)
    if isinstance(found, str):
        return _run_again(known, job, sandbox, found)
    if _random.random() >= checked_share():
        return found
    return _compare(known, task, job, sandbox, found)


def differed(outcome: SandboxOutcome) -> bool:
    """Was this trial run both ways, and did that not give the same? Earlier warm ones are in doubt then."""
    return _DIFFERED in outcome.way


def checked_share() -> float:
    """The share of warm trials that are run cold as well."""
    try:
        share = float(os.environ.get("ADJUDGE_WARM_CHECKED", SHARE))
    except ValueError:
        return 1.0  # whoever wanted something else gets the careful way
    return share if 0 <= share <= 1 else 1.0


def _run_cold(known: _Known, job: SandboxJob, sandbox: Sandbox) -> SandboxOutcome:
    outcome = sandbox.run(job)
    with known.lock:
        known.seconds = max(known.seconds * 0.9, outcome.duration_sec)
    return outcome


def _run_warm(job: SandboxJob, sandbox: Sandbox) -> SandboxOutcome | str:
    from adjudge.sandbox import run_warm  # late: few processes score so many trials of one task

    return run_warm(sandbox, job)


def _run_again(known: _Known, job: SandboxJob, sandbox: Sandbox, doubt: str) -> SandboxOutcome:
    """Run a trial cold whose warm run does not count."""
    cold = sandbox.run(job)
    if ended_by_itself(cold):
        with known.lock:
            known.admitted, known.refused = False, f"a cold run ended well after a warm one did not: {doubt}"
    return replace(cold, way=f"cold: {doubt}")


def _compare(
    known: _Known, task: Task, job: SandboxJob, sandbox: Sandbox, warm: SandboxOutcome
) -> SandboxOutcome:
    """Run a trial cold as well; a difference ends warm runs of its task, here and in other processes."""
    cold = sandbox.run(job)
    told = unlike(cold, warm)
    if told is None:
        return replace(warm, way="warm, and cold as a check: the same")
    reason = f"{_DIFFERED} {told}"
    with known.lock:
        known.admitted, known.refused = False, reason
    keep(_KIND, _cache_key(task, job, sandbox), {"refused": reason})
    return replace(cold, way=f"cold: {reason}; trials of this task are not run warm any more")


def _decide(known: _Known, task: Task, job: SandboxJob, sandbox: Sandbox, uses: int) -> None:
    """Look whether the task was admitted before, or check it once that pays. Others go on cold meanwhile."""
    with known.lock:
        if known.checking or known.admitted or known.refused is not None:
            return
        if known.recalled and (uses < CHECK_AFTER or not known.seconds):
            return
        if known.seconds > SLOWEST_SEC:
            return
        known.checking = True
    try:
        if not known.recalled:
            from adjudge.sandbox import warm_start

            start = warm_start(sandbox, job)
            admitted, refused = (
                (False, start) if isinstance(start, str) else _recall(_cache_key(task, job, sandbox))
            )
        else:
            admitted, refused = _check(task, job, sandbox)
        with known.lock:
            known.recalled, known.admitted, known.refused = True, admitted, refused
    finally:
        known.checking = False


def _check(task: Task, job: SandboxJob, sandbox: Sandbox) -> tuple[bool, str | None]:
    def job_of(files: Mapping[str, OutputFile]) -> SandboxJob:
        return replace(job, files=files)

    try:
        refused = difference(
            task, lambda files: sandbox.run(job_of(files)), lambda files: _run_warm(job_of(files), sandbox)
        )
    except (MachineryError, OSError) as error:
        return False, f"it could not be checked: {error}"  # in this process; the next may fare better
    keep(_KIND, _cache_key(task, job, sandbox), {"refused": refused})
    return refused is None, refused


def _known_of(task: Task, job: SandboxJob, sandbox: Sandbox) -> _Known:
    key = key_of(*_place(task, job, sandbox))
    with _guard:
        return _known.setdefault(key, _Known())


def _place(task: Task, job: SandboxJob, sandbox: Sandbox) -> list[object]:
    """All that decides what a trial finds, but for the output and for how long it is waited for."""
    settings = [job.workdir, job.collect, sorted(job.env.items()), job.limits_inside()]
    return [task.digest, repr(sandbox), *settings]


def _cache_key(task: Task, job: SandboxJob, sandbox: Sandbox) -> str:
    from adjudge.sandbox import pythons

    around = surroundings_of(sandbox)
    installed = None if around is None else around.digest
    here = [_VERSION, __version__, os.uname().release, os.geteuid(), installed, pythons(sandbox)]
    return key_of(*here, *_place(task, job, sandbox))


def _recall(key: str) -> tuple[bool, str | None]:
    """Whether the task was admitted, or why it was refused; neither if it was not checked yet."""
    kept = recall(_KIND, key)
    if kept is None or "refused" not in kept:
        return False, None
    refused = kept["refused"]
    return (True, None) if refused is None else (False, str(refused))


def _after_fork() -> None:
    """A forked process has frozen tests, servers and locks of its own."""
    global _guard  # noqa: PLW0603 - its parent may hold the old one
    _guard = threading.Lock()
    _known.clear()


os.register_at_fork(after_in_child=_after_fork)
