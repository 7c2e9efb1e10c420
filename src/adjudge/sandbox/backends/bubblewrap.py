"""The bubblewrap backend: one throwaway set of namespaces per job, no daemon, no root, nothing left behind.

The course of a run:
1. bubblewrap builds the sandbox and waits at a latch (`start`).
2. Its root is opened through `/proc`, the files are placed, and the kernel's limits are set on it.
3. The latch opens; the command runs; its streams are drained and its use of memory watched (`watch`).
4. The sandbox's first process is killed, and with it, by the kernel, every other. Only then are the artifacts
   read, through the descriptor that kept the file system alive: nothing can change them any more.

Invariants: nothing is ever written to a disk of the host; if this process dies, so does the sandbox.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from adjudge._files import is_machines_failure
from adjudge.contracts import Limit, Limits
from adjudge.errors import SandboxError
from adjudge.sandbox.backends.binary import startable
from adjudge.sandbox.backends.seccomp import filter_program
from adjudge.sandbox.backends.start import LATCH, start
from adjudge.sandbox.files.admission import Admission
from adjudge.sandbox.files.artifacts import FolderReading, survey_folder
from adjudge.sandbox.files.gathered import gathered
from adjudge.sandbox.files.import_order import FOLDERS_FILE, folders_file, python_covers
from adjudge.sandbox.files.layout import (
    TESTS,
    WRITABLE,
    Mount,
    covered,
    environment,
    hidden,
    isolation,
    programs,
    root_folder,
)
from adjudge.sandbox.files.own_tests import OwnTests, own_tests
from adjudge.sandbox.files.place import folder_size, open_folder, place_files, place_folders, read_folders
from adjudge.sandbox.identity import as_sandbox_user, drops_root, readable
from adjudge.sandbox.job import (
    MAX_ARTIFACTS,
    SHARED_MEMORY_MB,
    WATCHING,
    SandboxJob,
    SandboxOutcome,
    account_files,
    exit_code_of,
)
from adjudge.sandbox.watching.capture import Capture
from adjudge.sandbox.watching.cgroup import ControlGroup, make_group
from adjudge.sandbox.watching.usage import holds_file_of
from adjudge.sandbox.watching.watch import Ending, RunningSandbox, drain, watch

MIB = 1 << 20
_STEP = 1 << 16
_EXEC_FAILED = b"bwrap: execvp "


class FilesNotPlacedError(SandboxError):
    """It is the job's files that cannot be placed; nothing is wrong with the sandbox."""


@dataclass(frozen=True)
class BubblewrapSandbox:
    """Runs jobs with one `bwrap` program, on the host's programs or those of a root file system."""

    program: Path
    rootfs: Path | None = None
    name: str = "bubblewrap"
    warm: bool = field(default=False, repr=False, compare=False)
    """May who scores with it run trials warm (`sandbox/warm`)? `run` itself is always cold."""

    def run(self, job: SandboxJob) -> SandboxOutcome:
        """Run one job. The calling thread waits; many threads may run jobs at once."""
        if not job.tests.is_dir():
            raise SandboxError("the tests are not a folder", file=job.tests)
        try:
            return self._run(job)
        except OSError as error:  # no descriptor, no memory, no process left
            raise SandboxError(
                "this machine failed while a verifier was run",
                found=str(error),
                remedy="It says nothing of the output. `ulimit -a` shows what this process may have.",
            ) from error

    def _run(self, job: SandboxJob) -> SandboxOutcome:
        with contextlib.ExitStack() as stack:
            admission = job.admission()
            shown = programs(self.rootfs)
            own = own_tests(job)
            tests = job.tests if own is not None else job.tests.resolve()
            closed = own is None and not readable(tests, by_others=drops_root())
            fds: list[int] = []

            def descriptor(content: bytes) -> int:
                fd = os.memfd_create("content")
                stack.callback(os.close, fd)
                os.write(fd, content)
                os.lseek(fd, 0, os.SEEK_SET)
                fds.append(fd)
                return fd

            arguments = [
                *isolation(uid=job.uid),
                *root_folder(
                    size=disk_size(job, admission) + (0 if own is None else own.size),
                    shared_memory=shared_memory_size(job.limits),
                    mounts=[
                        *(shown if job.hide else gathered(shown)),
                        *([] if closed or own is not None else [Mount(TESTS, source=tests)]),
                        *(Mount(target, source=source) for target, source in job.shown.items()),
                    ],
                ),
                *(["--size", str(folder_size(tests)), "--tmpfs", TESTS] if closed else []),
                *covered(python_covers(self.rootfs), descriptor),
                *hidden(job.hide, lambda: descriptor(b""), self.rootfs),
                *environment(job.environment()),
                *("--chdir", job.workdir),
            ]
            if (refused := filter_program()) is not None:
                arguments += ["--seccomp", str(descriptor(refused))]
            group = make_group(hard_limit(job.limits))
            if group is not None:
                stack.callback(group.remove)
            sandbox = start(
                startable(self.program),
                arguments,
                job.command,
                ready=job.collect,
                then=["--remount-ro", TESTS] if closed else [],
                fds=fds,
                group=group,
            )
            stack.callback(sandbox.close)
            if closed:
                place_folders(read_folders(tests), sandbox.root, TESTS)
            with as_sandbox_user():  # root in a container often may not limit others' processes
                os.unlink(LATCH, dir_fd=sandbox.root)
                furnish(sandbox.root, job, admission, own)
                limit(sandbox.init_pid, job)
                os.close(open_folder(sandbox.root, job.collect, create=True))  # the sign to go ahead
            return run_to_end(sandbox, job, admission, group)


class FurnishedSandbox(RunningSandbox, Protocol):
    """Everything is in place, and the command waits to be released."""

    @property
    def stdout(self) -> int: ...
    @property
    def stderr(self) -> int: ...

    def release(self) -> None: ...
    def kill(self) -> None: ...


def run_to_end(
    sandbox: FurnishedSandbox, job: SandboxJob, admission: Admission, group: ControlGroup | None
) -> SandboxOutcome:
    """Release the command, follow it to its end or a limit, kill what is left, read what was written."""
    limits = job.limits
    streams = {fd: Capture(limits.captured_kb * 1024) for fd in (sandbox.stdout, sandbox.stderr)}
    released = time.monotonic()
    sandbox.release()
    if job.meanwhile is not None:
        job.meanwhile()
    ending = watch(sandbox, limits, streams, group, since=released)
    sandbox.kill()
    for fd, stream in streams.items():
        drain(fd, stream)
    out, err = streams.values()
    stderr = err.value()
    with as_sandbox_user():
        reading = _collect(sandbox.root, job.collect, limits)
        hit = ending.limits_hit | _limits_seen_afterwards(sandbox.root, ending, limits)
    if group is not None and group.killed():
        hit.add(Limit.MEMORY)
    if not reading.complete:
        hit.add(Limit.ARTIFACT_SIZE)
    if out.exceeded or err.exceeded:
        hit.add(Limit.CAPTURED_OUTPUT)
    code = None if ending.status is None else exit_code_of(ending.status)
    if code == 1 and stderr.startswith(_EXEC_FAILED):
        code = 127  # bubblewrap says 1 for a command that does not exist; shells and containers say 127
    return SandboxOutcome(
        exit_code=None if code and Limit.MEMORY in hit else code,
        duration_sec=ending.duration_sec,
        limits_hit=tuple(limit for limit in Limit if limit in hit),
        stdout=out.value(),
        stderr=stderr,
        artifacts=reading.artifacts,
        left_out=admission.left_out,
        shadowing=admission.shadowing,
        memory_kept_by=WATCHING if group is None else f"cgroup v{group.version}",
    )


class _OwnFile(NamedTuple):
    """A file of the sandbox's own."""

    data: bytes
    mode: int = 0o444
    link: str | None = None


def furnish(root: int, job: SandboxJob, admission: Admission, own: OwnTests | None = None) -> None:
    """Make the folders and place the files while the sandbox waits; `own` are tests of its own."""
    try:
        if own is not None:
            place_folders(own.folders, root, TESTS)
        with as_sandbox_user():
            ours = {**account_files(job.uid), FOLDERS_FILE: folders_file(admission.folders)}
            place_files(root, {path: _OwnFile(content) for path, content in ours.items()})
            os.chmod("etc", 0o555, dir_fd=root)  # noqa: S103 - inside the sandbox, as everywhere
            for folder in (*WRITABLE, job.workdir):
                os.close(open_folder(root, folder, create=True))
            os.chmod("tmp", 0o1777, dir_fd=root)  # noqa: S103
            place_files(root, admission.files)
    except OSError as error:
        if is_machines_failure(error) and error.errno != errno.ENOSPC:
            raise
        raise FilesNotPlacedError(
            "a file of the job cannot be placed in the sandbox",
            found=f"{error.strerror}: {error.filename}",
            remedy="Every file of the output needs a path of its own, outside the folders of the system.",
        ) from error


def limit(pid: int, job: SandboxJob, *, count_processes: bool = True) -> None:
    """Set the kernel's own limits on the waiting process; everything it starts inherits them.

    Without `count_processes` their number is left alone: it would be that of all trials of a warm server.
    """
    limits = job.limits
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: limits.file_size_mb * MIB,
        resource.RLIMIT_NOFILE: 4096,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 4096,
        # Only a net below `watch`: address space is not memory, and runtimes reserve more than they use.
        resource.RLIMIT_DATA: 2 * limits.memory_mb * MIB + 2048 * MIB,
    }
    if count_processes and (processes := process_limit(limits)):
        wanted[resource.RLIMIT_NPROC] = processes
    try:
        for kind, value in wanted.items():
            _, hard = resource.prlimit(pid, kind)
            allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.prlimit(pid, kind, (allowed, allowed))
        if job.cpus is not None:
            os.sched_setaffinity(pid, sorted(os.sched_getaffinity(0))[: max(1, job.cpus)])
        # Should the whole machine run out of memory, the kernel is to take the sandbox first.
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
    except OSError as error:
        raise SandboxError("the sandbox's limits cannot be set", found=str(error)) from error


def process_limit(limits: Limits) -> int:
    """What the kernel is told: room for bubblewrap's own, and for one to be seen by; 0 is no limit.

    Since Linux 5.14; before, a user's processes all over the machine would count against the sandbox.
    """
    major, minor = os.uname().release.split(".")[:2]
    return limits.processes + 2 if (int(major), int(minor.split("-")[0])) >= (5, 14) else 0


def _collect(root: int, path: str, limits: Limits) -> FolderReading:
    """The artifacts; none if the folder is gone, a link, or closed even to its owner."""
    try:
        folder = open_folder(root, path, create=False)
    except OSError as error:
        if is_machines_failure(error):
            raise
        return FolderReading({}, complete=True)
    try:
        size = limits.artifact_mb * MIB
        return survey_folder(folder, max_file_bytes=size, max_total_bytes=4 * size, max_files=MAX_ARTIFACTS)
    finally:
        os.close(folder)


def _limits_seen_afterwards(root: int, ending: Ending, limits: Limits) -> set[Limit]:
    """What the dead sandbox still shows: a full disk, a file as large as allowed, the signal for that."""
    hit: set[Limit] = set()
    disk = os.fstatvfs(root)
    if disk.f_bavail == 0:
        hit.add(Limit.DISK)
    largest = limits.file_size_mb * MIB
    used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    signalled = ending.status is not None and exit_code_of(ending.status) == -signal.SIGXFSZ
    if signalled or (used >= largest and holds_file_of(root, largest)):
        hit.add(Limit.FILE_SIZE)
    return hit


def hard_limit(limits: Limits) -> int:
    """For a control group: everything that is written is memory too, and bubblewrap needs a little."""
    return (limits.memory_mb + limits.disk_mb + 32) * MIB + shared_memory_size(limits)


def disk_size(job: SandboxJob, admission: Admission) -> int:
    """What the verifier may write, and room for what is placed before, in steps: few outputs differ in it."""
    placed = sum((len(f.data) // 4096 + 1) * 4096 for f in admission.files.values())
    return job.limits.disk_mb * MIB + -(-placed // _STEP) * _STEP


def shared_memory_size(limits: Limits) -> int:
    """Of `/dev/shm`."""
    return min(SHARED_MEMORY_MB, limits.disk_mb) * MIB
