"""What is run, and what came of it: the one contract that every backend keeps.

The place a command runs in is always the same: a copy of the tests as `/tests`, the given files where they
belong, an empty `/logs/verifier`, the workspace as the current directory, no network but its own loopback,
nothing of the host's environment. Writing is promised in the workspace, `/logs`, `/tmp`, `/var/tmp`, `/run`,
the home folder and, unless they are large (`own_tests`), the tests, all private and thrown away. Which of the
given files are placed, `admission` decides.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from adjudge.contracts import Limit, Limits
from adjudge.errors import UsageError
from adjudge.sandbox.files.admission import Admission, admit
from adjudge.sandbox.files.artifacts import Artifact
from adjudge.sandbox.files.layout import HOME, PYTHON_FOLDER

USER = "verifier"
UID = 1000
MAX_ARTIFACTS = 1000
"""Entries read back from `/logs/verifier`; more is a limit hit. `reward.json` is read before any other."""
WATCHING = "watching"
SHARED_MEMORY_MB = 64
"""Of `/dev/shm`, on top of `disk_mb`; the same as a container engine's default."""

FIXED_ENVIRONMENT: Mapping[str, str] = {
    "PATH": f"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:{PYTHON_FOLDER}",
    "HOME": HOME,
    "USER": USER,
    "LOGNAME": USER,
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "dumb",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # There is no network: npm asks three times, 70 s in all, before it says so.
    "NPM_CONFIG_FETCH_RETRIES": "0",
    "PIP_RETRIES": "0",
}
"""All a command finds in its environment, unless the job adds to it."""


class PlacedFile(Protocol):
    """A file to place before the start; `adjudge.gates.OutputFile` is one."""

    @property
    def data(self) -> bytes: ...
    @property
    def mode(self) -> int: ...
    @property
    def link(self) -> str | None: ...


class SandboxJob(Struct, frozen=True):
    """One command and the place it needs. Paths are those inside the sandbox, but for `tests`."""

    command: tuple[str, ...]
    tests: Path
    """A folder of this machine, never written to; what is seen as `/tests` is a copy (see `own_tests`)."""
    files: Mapping[str, PlacedFile]
    """By path inside the sandbox; all of them are taken for an agent's, and not trusted."""
    workdir: str
    """Created, writable, the current directory."""
    limits: Limits = field(default_factory=Limits)
    collect: str = "/logs/verifier"
    """Created empty; read back afterwards."""
    env: Mapping[str, str] = field(default_factory=dict)
    """On top of `FIXED_ENVIRONMENT`."""
    uid: int = UID
    """The user the command believes to be; it is an unprivileged one of the host in any case."""
    cpus: int | None = None
    """How many CPUs it may use; None leaves all."""
    hide: tuple[str, ...] = ()
    """Programs or folders of the host made unusable: a program cannot be run or read, a folder is empty."""
    shown: Mapping[str, Path] = field(default_factory=dict)
    """Further folders of this machine that anybody may read, by the path they are seen at, read-only."""

    asked_for: frozenset[str] = frozenset()
    """Names of a test runner's files that the task asks an agent for; see `runner_files`."""
    writable_tests: bool = True
    """May the command write to `/tests`, which is then a copy of its own? See `own_tests`."""
    answer_is_data: bool = False
    """Nothing that the agent wrote has to be run: then a runner of tests runs nothing of it; see there."""
    brought: frozenset[str] = frozenset()
    """Paths of files that are the task's own, as its image would hold them."""
    meanwhile: Callable[[], None] | None = None
    """Called once the command runs, for what the caller can do until it ends; only bubblewrap knows when."""

    def __post_init__(self) -> None:
        for path in (self.workdir, self.collect, *self.files, *self.hide, *self.shown):
            check_path(path)
        for name, value in self.env.items():
            if not name or "=" in name or "\0" in name + value:
                raise UsageError("not an environment variable", field="env", found=f"{name}={value}")
        if not self.command or any("\0" in part for part in self.command):
            raise UsageError("not a command", field="command", found=self.command)

    def admission(self) -> Admission:
        """Which of the files are placed; see `admission`."""
        return admit(
            self.files,
            workdir=self.workdir,
            collect=self.collect,
            tests=self.tests,
            asked_for=self.asked_for,
            answer_is_data=self.answer_is_data,
            brought=self.brought,
        )

    def limits_inside(self) -> str:
        """The limits that a sandbox is made with: all but how long it is waited for."""
        return self.limits.model_dump_json(exclude={"wall_time_sec"})

    def environment(self) -> dict[str, str]:
        """Everything the command finds in its environment."""
        return {**FIXED_ENVIRONMENT, **self.env}


class SandboxOutcome(Struct, frozen=True):
    """What happened. A limit that was hit is named even if the command ended by itself."""

    exit_code: int | None
    """None if a limit ended it; -N if signal N did (shells report that as 128 + N)."""
    duration_sec: float
    limits_hit: tuple[Limit, ...]
    stdout: bytes
    stderr: bytes
    artifacts: Mapping[str, Artifact]
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Files of the job that were not placed, by path, and why ("because it ...")."""
    shadowing: tuple[str, ...] = ()
    """Placed modules that bear the name of one of the verifier's or of the standard library."""
    memory_kept_by: str | None = None
    """Who held it to its memory: `cgroup v1`, `cgroup v2`, `watching`, `engine`; None if nobody did."""
    way: str = "cold"
    """`cold`, in a sandbox of its own; `warm`, on a server; with what there is to say about that."""


class Sandbox(Protocol):
    """Runs jobs. Safe to use from many threads at once."""

    @property
    def name(self) -> str: ...

    def run(self, job: SandboxJob) -> SandboxOutcome:
        """Run one job to its end; raises `SandboxError` only if the machinery failed."""
        ...


def check_path(path: str) -> None:
    """An absolute, normal path inside the sandbox that is not the root itself, or `UsageError`."""
    if not path.startswith("/") or path == "/" or "\0" in path or os.path.normpath(path) != path:
        raise UsageError(
            "not a path inside the sandbox", found=path, allowed="an absolute path without '..' or '//'"
        )


def exit_code_of(status: int) -> int:
    """A shell's way of naming the signal that ended its last command, 128 + N, becomes -N."""
    return -(status - 128) if 128 < status < 160 else status


def account_files(uid: int) -> dict[str, bytes]:
    """The few files in `/etc` that programs ask for: who am I, and what is localhost."""
    return {
        "/etc/passwd": (
            f"root:x:0:0:root:/root:/bin/sh\n{USER}:x:{uid}:{uid}:{USER}:{HOME}:/bin/sh\n"
            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
        ).encode(),
        "/etc/group": f"root:x:0:\n{USER}:x:{uid}:\nnogroup:x:65534:\n".encode(),
        "/etc/hosts": b"127.0.0.1 localhost adjudge\n::1 localhost\n",
        "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
    }
