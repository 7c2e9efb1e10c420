"""The container backend: the same place, made by docker or podman from an image.

One container per job. Its first process only waits, a little longer than the job may take, and the container
goes with it: it outlives a killed adjudge by minutes, never for good. It buries the dead, so that a fork bomb
that was killed leaves room for what reads the artifacts. The job is run beside it by a shell that kills
everything else in the container as soon as the command ends, and only then are the artifacts read, as a tar
stream.

All that can be written is memory of limited size; the image itself is read-only. What is written counts as
memory here, so the engine's memory limit is the sum of the job's memory and disk. Each folder that can be
written may hold as much as all of them; if they hold more together, the job has hit its limit of disk.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from adjudge._spawn import public_environment
from adjudge.contracts import Limit, Limits
from adjudge.errors import SandboxError
from adjudge.sandbox.backends.engine import Engine
from adjudge.sandbox.files.admission import Admission
from adjudge.sandbox.files.artifacts import READ_FIRST, FolderReading
from adjudge.sandbox.files.import_order import FOLDERS_FILE, TELL, folders_file, image_covers
from adjudge.sandbox.files.layout import HOSTNAME, TESTS, WRITABLE
from adjudge.sandbox.files.own_tests import copied_size
from adjudge.sandbox.files.tarball import pack, unpack
from adjudge.sandbox.identity import public_folder, readable_by_all
from adjudge.sandbox.job import (
    MAX_ARTIFACTS,
    SHARED_MEMORY_MB,
    SandboxJob,
    SandboxOutcome,
    account_files,
    exit_code_of,
)
from adjudge.sandbox.watching.capture import Capture
from adjudge.sandbox.watching.follow import follow

_asking = threading.Lock()
_covers: dict[tuple[Engine, str], dict[str, bytes]] = {}
DEFAULT_IMAGE = "docker.io/library/python:3.12-slim"
IMAGE_VARIABLE = "ADJUDGE_IMAGE"
MIB = 1 << 20
_SPARE_SEC = 120
_OWN_PROCESSES = 8
"""The first one and what reads the artifacts."""
_NO_ROOM = ("fork", "temporarily unavailable", "read init-p: connection reset")
"""How a shell, a kernel and runc say that a container at its limit of processes can start no other."""
_KILLED = 128 + signal.SIGKILL
_TRIES, _PAUSE_SEC, _LAST_WORDS_SEC, _MOST_SAID = 40, 0.25, 10, 4000
_WAIT = 'exec 3<> <(:); read -r -t "$0" -u 3'
"""What the first process does: bash waits for words that never come, and takes in every dead child meanwhile.
It starts nothing, so that it needs no room for a process."""
_TMPFS = "rw,exec,nosuid,nodev,mode=1777"
_DISK_USED = "disk_used"
_KILL_OTHERS = "kill -9 -1 2>/dev/null"
_RUN = f'unset SHLVL; exec 3>&2 2>/dev/null; "$@" 2>&3 3>&-; code=$?; {_KILL_OTHERS}; exit $code'
"""Until the engine has told that the command ended, what it left behind would have a tenth of a second."""
_SEND_ARTIFACTS = (
    'cd "$0" 2>/dev/null || exit 1; first=""; for name; do [ -f "$name" ] && first="$first ./$name"; done; '
    "exec tar -cf - $first . 2>/dev/null"
)
_READ_COUNTERS = (
    "cd /sys/fs/cgroup 2>/dev/null || exit 0; "
    "echo oom_kills $(grep -s oom_kill memory.events memory/memory.oom_control); "
    "echo refused_forks $(cat pids.events pids/pids.events 2>/dev/null); "
    f'df -kP "$@" 2>/dev/null | while read -r _ size used _; do echo {_DISK_USED} "$size" "$used"; done'
)


class ContainerSandbox(Struct, frozen=True):
    """Runs jobs in containers of one image."""

    engine: Engine
    image: str = DEFAULT_IMAGE
    name: str = "container"

    def run(self, job: SandboxJob) -> SandboxOutcome:
        """Run one job in a container of its own."""
        if not job.tests.is_dir():
            raise SandboxError("the tests are not a folder", file=job.tests)
        if job.hide:
            raise SandboxError("an image's programs cannot be hidden", found=job.hide)
        admission = job.admission()
        tests = job.tests.resolve()
        is_own = copied_size(job) is not None
        with (
            contextlib.nullcontext(tests) if is_own else readable_by_all(tests) as shown,
            _mounted(self._own_files(job, admission)) as mounts,
            self._container(job, {**({} if is_own else {TESTS: shown}), **job.shown, **mounts}) as container,
        ):
            unpack_files = ["exec", "--interactive", container, "tar", "-xpf", "-", "-C", "/"]
            packed = pack(job.collect, admission.files, {TESTS: tests} if is_own else {})
            self.engine.call(unpack_files, stdin=packed)
            outcome = self._run(job, container)
        return replace(
            outcome,
            left_out=admission.left_out,
            shadowing=admission.shadowing,
            memory_kept_by="engine",
        )

    def _own_files(self, job: SandboxJob, admission: Admission) -> dict[str, bytes]:
        """What stands in the container beside the job's: accounts, and Python's import order."""
        accounts = {path: account_files(job.uid)[path] for path in ("/etc/passwd", "/etc/group")}
        covers = self._python_covers(replace(job, files={}))
        return {**accounts, **covers, FOLDERS_FILE: folders_file(admission.folders)}

    def _python_covers(self, job: SandboxJob) -> dict[str, bytes]:
        """Asked of the image once, in a container of its own: its Python is not this machine's."""
        with _asking:
            if (self.engine, self.image) not in _covers:
                with self._container(job, {}) as container:
                    try:
                        told = self.engine.call(["exec", container, "python3", "-I", "-c", TELL])
                    except SandboxError:  # it has no Python, and needs no order of imports
                        told = b""
                _covers[self.engine, self.image] = image_covers(told)
            return _covers[self.engine, self.image]

    @contextlib.contextmanager
    def _container(self, job: SandboxJob, mounts: Mapping[str, Path]) -> Iterator[str]:
        name = f"adjudge-{uuid.uuid4().hex}"
        try:
            options = run_options(job, mounts, name, self.engine)
            self.engine.call(["run", *options, self.image, "-c", _WAIT, str(_lifetime(job))])
            yield name
        finally:
            with contextlib.suppress(SandboxError):  # gone already, and --rm removes what is not
                self.engine.call(["rm", "--force", name])

    def _run(self, job: SandboxJob, container: str) -> SandboxOutcome:
        limits = job.limits
        out, err = Capture(limits.captured_kb * 1024), Capture(limits.captured_kb * 1024)
        variables = [a for name, value in job.environment().items() for a in ("--env", f"{name}={value}")]
        with subprocess.Popen(
            self.engine.command(
                *("exec", "--workdir", job.workdir, *variables, container),
                *("bash", "-c", _RUN, "bash", *job.command),
            ),
            env=public_environment(),
            cwd=tempfile.gettempdir(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                assert process.stdout is not None and process.stderr is not None  # noqa: S101, PT018 - as asked
                streams = {process.stdout.fileno(): out, process.stderr.fileno(): err}
                followed = follow(process, streams, limits.wall_time_sec)
            finally:
                process.kill()
        hit = {Limit.WALL_TIME} if followed.status is None else set()
        reading = self._collect(job, container)
        hit |= self._limits_hit(job, container)
        if not reading.complete:
            hit.add(Limit.ARTIFACT_SIZE)
        if out.exceeded or err.exceeded:
            hit.add(Limit.CAPTURED_OUTPUT)
        code = None if followed.status is None else exit_code_of(followed.status)
        if code == -signal.SIGXFSZ:
            hit.add(Limit.FILE_SIZE)
        return SandboxOutcome(
            exit_code=None if code and Limit.MEMORY in hit else code,
            duration_sec=followed.duration_sec,
            limits_hit=tuple(limit for limit in Limit if limit in hit),
            stdout=out.value(),
            stderr=err.value(),
            artifacts=reading.artifacts,
        )

    def _collect(self, job: SandboxJob, container: str) -> FolderReading:
        """Kill what still runs, then read the artifacts.

        Again while the dead leave no room to start that, or while what still runs kills it first.
        """
        for _ in range(_TRIES):
            reading, code, said = self._send_artifacts(job, container)
            if reading.artifacts or (code != _KILLED and not any(words in said for words in _NO_ROOM)):
                break
            time.sleep(_PAUSE_SEC)
        return reading

    def _send_artifacts(self, job: SandboxJob, container: str) -> tuple[FolderReading, int | None, str]:
        """The artifacts, how what sent them ended, and what the engine said, which quotes no verifier."""
        script = f"{_KILL_OTHERS}; {_SEND_ARTIFACTS}"
        command = ["exec", container, "sh", "-c", script, job.collect, *READ_FIRST]
        size = job.limits.artifact_mb * MIB
        with (
            tempfile.TemporaryFile() as said,
            subprocess.Popen(
                self.engine.command(*command),
                env=public_environment(),
                cwd=tempfile.gettempdir(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
            ) as process,
        ):
            try:
                assert process.stdout is not None  # noqa: S101 - as asked for two lines above
                reading = unpack(
                    process.stdout, max_file_bytes=size, max_total_bytes=4 * size, max_files=MAX_ARTIFACTS
                )
                process.stdout.close()  # what is left unread must not keep the sender waiting
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_LAST_WORDS_SEC)
                said.seek(0)
                return reading, process.returncode, said.read(_MOST_SAID).decode("utf-8", "replace")
            finally:
                process.kill()

    def _limits_hit(self, job: SandboxJob, container: str) -> set[Limit]:
        """What the engine's own accounting says, and what was written; nothing if nobody counts."""
        ask = ["exec", container, "sh", "-c", _READ_COUNTERS, "sh", *writable_folders(job)]
        try:
            return limits_told(self.engine.call(ask), job.limits.disk_mb + _tests_mb(job))
        except SandboxError as error:
            if any(words in str(error) for words in _NO_ROOM):
                return {Limit.PROCESSES}  # no room for the asking
            raise


@contextlib.contextmanager
def _mounted(contents: Mapping[str, bytes]) -> Iterator[dict[str, Path]]:
    """Files of this machine with these contents, by where they are mounted, while the container lives."""
    with tempfile.TemporaryDirectory(prefix="adjudge-mounts-", dir=public_folder()) as place:
        Path(place).chmod(0o755)
        files: dict[str, Path] = {}
        for number, (path, content) in enumerate(contents.items()):
            files[path] = Path(place) / str(number)
            files[path].write_bytes(content)
            files[path].chmod(0o644)
        yield files


def default_image() -> str:
    """The image of a sandbox for which none was named."""
    return os.environ.get(IMAGE_VARIABLE) or DEFAULT_IMAGE


def limits_told(counters: bytes, disk_mb: int) -> set[Limit]:
    """The limits that `oom_kills … N`, `refused_forks … N` and `disk_used SIZE USED` speak of.

    A line without a number speaks of none. A full folder is past the limit of disk, and so are all together.
    """
    limits = {"oom_kills": Limit.MEMORY, "refused_forks": Limit.PROCESSES}
    hit: set[Limit] = set()
    written = 0
    for line in counters.decode("ascii", "replace").splitlines():
        label, *words = line.split() or [""]
        if label == _DISK_USED and len(words) == 2 and words[0].isdecimal() and words[1].isdecimal():
            written += int(words[1])
            if 0 < int(words[0]) <= int(words[1]):
                hit.add(Limit.DISK)
        if label in limits and words and words[-1].isdecimal() and int(words[-1]) > 0:
            hit.add(limits[label])
    if written > disk_mb << 10:
        hit.add(Limit.DISK)
    return hit


def run_options(job: SandboxJob, mounts: Mapping[str, Path], name: str, engine: Engine) -> list[str]:
    """The options of `docker run` that make the place: pure, and nearly the same for podman.

    After ours come the user's; a `--ulimit` among them takes the place of ours of the same name.
    """
    limits = job.limits
    disk = {TESTS: f"{limits.disk_mb + _tests_mb(job)}m"}
    memory = f"{limits.memory_mb + limits.disk_mb + _tests_mb(job)}m"
    return [
        "--detach",
        "--rm",
        *("--name", name),
        *("--network", "none"),
        "--read-only",
        *("--user", f"{job.uid}:{job.uid}"),
        *("--cap-drop", "ALL"),
        *("--security-opt", "no-new-privileges"),
        *("--memory", memory, "--memory-swap", memory),
        *("--pids-limit", str(limits.processes + _OWN_PROCESSES)),
        *_ulimits(limits, engine.run_options),
        # The first process only waits, and as such is deaf to every signal that it may refuse.
        *("--stop-signal", "SIGKILL"),
        *("--shm-size", f"{min(SHARED_MEMORY_MB, limits.disk_mb)}m"),
        *("--hostname", HOSTNAME),
        *([] if job.cpus is None else ["--cpus", str(job.cpus)]),
        *(
            argument
            for target, source in mounts.items()
            for argument in ("--mount", f"type=bind,source={source},target={target},readonly")
        ),
        *(
            argument
            for folder in writable_folders(job)
            for argument in ("--tmpfs", f"{folder}:{_TMPFS},size={disk.get(folder, f'{limits.disk_mb}m')}")
        ),
        *engine.run_options,
        *("--entrypoint", "bash"),
    ]


def _ulimits(limits: Limits, more: tuple[str, ...]) -> list[str]:
    size = limits.file_size_mb * MIB
    ours = {"core": "0:0", "fsize": f"{size}:{size}", "nofile": "4096:4096"}
    theirs = [word.removeprefix("--ulimit=").partition("=")[0] for word in more]
    return [a for name, value in ours.items() if name not in theirs for a in ("--ulimit", f"{name}={value}")]


def writable_folders(job: SandboxJob) -> list[str]:
    """Every folder that needs memory of its own: those promised, and those that files are placed in."""
    folders = [*WRITABLE, job.workdir, *([] if copied_size(job) is None else [TESTS])]
    for path in (f"{job.collect}/-", *job.files):
        if not any(path.startswith(f"{folder}/") for folder in folders):
            parent = path.rpartition("/")[0]
            if not parent:
                raise SandboxError(
                    "a container cannot hold an output at its root", found=path, allowed="a path in a folder"
                )
            folders.append(parent)
    return sorted(set(folders))


def _tests_mb(job: SandboxJob) -> int:
    """What the verifier's own copy of its tests takes, on top of what it may write."""
    return -(-(copied_size(job) or 0) // MIB)


def _lifetime(job: SandboxJob) -> int:
    return int(job.limits.wall_time_sec) + _SPARE_SEC
