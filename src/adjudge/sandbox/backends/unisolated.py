"""No sandbox at all, by explicit choice: the verifier runs as this user, on this machine, with this network.

For a machine that is itself thrown away, such as a container started for one job. The verifier's paths are
absolute, so they are made for real: `/tests`, `/logs` and the workspace must not exist yet, and are removed
afterwards. If they cannot be made, the run is refused. Of the limits only time and captured output hold;
a process that leaves its session is not found again; one run at a time.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from adjudge.contracts import Limit
from adjudge.errors import SandboxError
from adjudge.sandbox.files.artifacts import survey_folder
from adjudge.sandbox.files.place import open_folder, place_files
from adjudge.sandbox.job import MAX_ARTIFACTS, SandboxJob, SandboxOutcome, exit_code_of
from adjudge.sandbox.watching.capture import Capture
from adjudge.sandbox.watching.follow import follow

MIB = 1 << 20
_one_at_a_time = threading.Lock()


class UnisolatedSandbox(Struct, frozen=True):
    """Runs jobs below `root`, which is `/` but in tests."""

    name: str = "unisolated"
    root: Path = Path("/")

    def run(self, job: SandboxJob) -> SandboxOutcome:
        """Make the paths, run, remove the paths. Refuses jobs that ask for what only a sandbox can do."""
        if job.hide or job.cpus is not None or job.shown:
            raise SandboxError(
                "only a sandbox can hide programs or CPUs, or show packages",
                remedy="Use --sandbox bubblewrap.",
            )
        admission = job.admission()
        placed = replace(job, files=admission.files)
        with _one_at_a_time, _paths(self.root, placed), tempfile.TemporaryDirectory() as home:
            outcome = self._run(placed, home)
        return replace(outcome, left_out=admission.left_out, shadowing=admission.shadowing)

    def _run(self, job: SandboxJob, home: str) -> SandboxOutcome:
        limits = job.limits
        out, err = Capture(limits.captured_kb * 1024), Capture(limits.captured_kb * 1024)
        try:
            process = subprocess.Popen(
                job.command,
                cwd=self.root / job.workdir.lstrip("/"),
                env={**job.environment(), "HOME": home},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError("the command cannot be started", found=str(error)) from error
        with process:
            assert process.stdout is not None and process.stderr is not None  # noqa: S101, PT018 - as asked
            try:
                followed = follow(
                    process,
                    {process.stdout.fileno(): out, process.stderr.fileno(): err},
                    limits.wall_time_sec,
                )
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        size = limits.artifact_mb * MIB
        reading = survey_folder(
            self.root / job.collect.lstrip("/"),
            max_file_bytes=size,
            max_total_bytes=4 * size,
            max_files=MAX_ARTIFACTS,
        )
        hit = set() if reading.complete else {Limit.ARTIFACT_SIZE}
        if followed.status is None:
            hit.add(Limit.WALL_TIME)
        if out.exceeded or err.exceeded:
            hit.add(Limit.CAPTURED_OUTPUT)
        return SandboxOutcome(
            exit_code=None if followed.status is None else exit_code_of(followed.status),
            duration_sec=followed.duration_sec,
            limits_hit=tuple(limit for limit in Limit if limit in hit),
            stdout=out.value(),
            stderr=err.value(),
            artifacts=reading.artifacts,
        )


@contextlib.contextmanager
def _paths(root: Path, job: SandboxJob) -> Iterator[None]:
    """Everything the job needs below `root`, in top folders that are new and are removed again."""
    tops = {path.split("/")[1] for path in ("/tests", job.workdir, job.collect, *job.files)}
    standing = sorted(str(root / top) for top in tops if os.path.lexists(root / top))
    if standing:
        raise SandboxError(
            "without a sandbox this would have to be made, and it exists already",
            file=standing[0],
            remedy="Use --sandbox bubblewrap or container, or a machine on which they do not exist.",
        )
    try:
        shutil.copytree(job.tests, root / "tests", symlinks=True)
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for folder in (job.workdir, job.collect):
                os.close(open_folder(fd, folder, create=True))
            place_files(fd, job.files)
        finally:
            os.close(fd)
        yield
    except (OSError, shutil.Error) as error:
        raise SandboxError(
            "without a sandbox the job's paths cannot be made",
            found=str(error),
            remedy="Use --sandbox bubblewrap or container, or run as root on a machine that is thrown away.",
        ) from error
    finally:
        for top in tops:
            path = root / top
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
