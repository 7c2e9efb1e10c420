"""Nothing outlives a run: no process, no file, no descriptor; not even if adjudge itself is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import pytest

from adjudge.sandbox import ArtifactKind, Sandbox
from adjudge.sandbox.watching import janitor
from support.patience import HANG_SEC, wait_until
from support.sandbox_jobs import Verify, everyone, host_processes, job_for


def wait_until_gone(marker: str) -> list[int]:
    wait_until(lambda: not host_processes(marker))
    return host_processes(marker)


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@everyone
def test_no_process_is_left_behind(verify: Verify) -> None:
    """Forked twice, in a session of its own, with its streams closed, deaf to hang-ups."""
    marker = str(uuid.uuid4())
    outcome = verify(
        f"(setsid bash -c 'trap \"\" HUP TERM; touch /tmp/up; sleep 600; : {marker}' <&- >&- 2>&- &)\n"
        "until [ -e /tmp/up ]; do sleep 0.01; done; echo started"
    )
    assert outcome.stdout == b"started\n"
    assert host_processes(marker) == []


def test_a_background_process_does_not_hold_up_the_end(verify: Verify) -> None:
    """It keeps the streams open; the run ends with the command all the same."""
    outcome = verify("sleep 600 & echo done")
    assert (outcome.exit_code, outcome.stdout, outcome.limits_hit) == (0, b"done\n", ())


def test_artifacts_do_not_change_while_they_are_read(verify: Verify) -> None:
    """A process left in the background rewrites the reward as fast as it can; what is read is whole."""
    outcome = verify(
        "cd /logs/verifier; (while :; do printf '%01000d' 1 > x; mv x reward.json; done) & "
        "until [ -e reward.json ]; do :; done"
    )
    assert outcome.artifacts["reward.json"].size == 1000


def test_a_link_is_never_followed(verify: Verify) -> None:
    outcome = verify(
        "cd /logs/verifier; ln -s /etc/passwd reward.json; ln -s /etc etc; ln -s /proc/self/fd/0 details.json"
    )
    assert {name: a.kind for name, a in outcome.artifacts.items()} == dict.fromkeys(
        ["reward.json", "details.json", "etc"], ArtifactKind.LINK
    )
    assert all(a.data is None for a in outcome.artifacts.values())


@pytest.mark.parametrize(
    "trick", ["ln -s /etc verifier", "mkdir o; ln -s . verifier", "touch verifier", "true"]
)
def test_a_folder_swapped_for_something_else_gives_nothing(verify: Verify, trick: str) -> None:
    """The folder itself becomes a link into the host's `/etc`, one to another folder, a file, nothing."""
    assert verify(f"rmdir /logs/verifier; cd /logs; {trick}").artifacts == {}


def test_a_link_above_the_folder_gives_nothing(verify: Verify) -> None:
    assert verify("mv /logs /gone; ln -s /etc /logs").artifacts == {}


def test_no_file_or_descriptor_is_left_behind(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the tests had to be copied for a user who cannot read them."""
    job = job_for(tmp_path / "tests", "exit 1")
    (tmp_path / "tests/test.sh").chmod(0o600)
    sandbox.run(job)  # whatever is cached is cached now
    fds = open_descriptors()
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", place)
        for _ in range(5):
            sandbox.run(job)
        assert list(Path(place).iterdir()) == []
    assert open_descriptors() == fds


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_survives_adjudge(sandbox: Sandbox, tmp_path: Path, end: signal.Signals) -> None:
    """adjudge is killed while a thread of a pool runs a job; interrupted, while its main thread does."""
    marker = str(uuid.uuid4())
    (tmp_path / "test.sh").write_text(f"setsid bash -c 'trap \"\" TERM; sleep 600; : {marker}'")
    code = f"""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from adjudge.sandbox import SandboxJob, choose_sandbox
job = SandboxJob(("bash", "/tests/test.sh"), Path({str(tmp_path)!r}), {{}}, "/workspace")
if {end is signal.SIGINT}:
    choose_sandbox().run(job)
with ThreadPoolExecutor(2) as pool:
    pool.submit(lambda: 1).result()
    pool.submit(choose_sandbox().run, job).result()
"""
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    try:
        assert wait_until(lambda: bool(host_processes(f": {marker}"))), "the verifier never started"
        process.send_signal(end)
        process.wait(HANG_SEC)
    finally:
        process.kill()
        process.wait()
    assert wait_until_gone(marker) == []


def test_nothing_survives_adjudge_killed_while_it_starts_sandboxes(sandbox: Sandbox) -> None:
    """Forty processes that start one sandbox after another from two threads, each killed a little later.

    A sandbox half built has no supervisor yet; it must take itself down instead of hanging or running on.
    """
    marker = str(uuid.uuid4())
    code = f"""
import os, signal, tempfile, threading, time
from pathlib import Path
from adjudge.sandbox import SandboxJob, choose_sandbox
with tempfile.TemporaryDirectory() as place:
    Path(place).chmod(0o755)
    job = SandboxJob(("bash", "-c", ": {marker}"), Path(place), {{}}, "/workspace")
    sandbox = choose_sandbox("bubblewrap")
    def run():
        while True: sandbox.run(job)
    for number in range(40):
        pid = os.fork()
        if pid == 0:
            threading.Thread(target=run).start()
            run()
        time.sleep(0.02 + number * 0.0007)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG_SEC)
    assert wait_until_gone(marker) == []


def test_a_group_that_is_killed_whole_leaves_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """As a CI runner ends a job: SIGKILL to the whole process group."""
    marker = str(uuid.uuid4())
    code = f"""
from pathlib import Path
from adjudge.sandbox import SandboxJob, choose_sandbox
job = SandboxJob(("bash", "-c", "sleep 600; : {marker}"), Path({str(tmp_path)!r}), {{}}, "/workspace")
choose_sandbox("bubblewrap").run(job)
"""
    process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    assert wait_until(lambda: len(host_processes(f"sleep 600; : {marker}")) >= 3)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert wait_until_gone(marker) == []


@pytest.mark.parametrize("same", [True, False], ids=["the same process", "another of that number"])
def test_the_janitor_knows_a_sandbox_by_when_it_was_started(same: bool, tmp_path: Path) -> None:
    """Not by its name, which is anybody's, nor by its number alone, which may be another's by now."""
    (tmp_path / "group").mkdir()
    with subprocess.Popen(["sleep", "600"]) as process, subprocess.Popen(["sleep", "600"]) as last:
        try:
            started = janitor.start_time(process.pid) + (0 if same else 1)
            pipe = janitor._start()
            os.write(pipe, f"in {tmp_path}\n+ {process.pid}:{started}:group\n".encode())
            os.write(pipe, f"+ {last.pid}:{janitor.start_time(last.pid)}:\n".encode())
            os.close(pipe)
            last.wait(HANG_SEC)  # it is killed after the other one, or after that one was spared
            wait_until(lambda: not (tmp_path / "group").exists())
            if same:
                process.wait(HANG_SEC)  # raises if it is still there
            else:
                assert process.poll() is None
        finally:
            process.kill()
            last.kill()
    assert not (tmp_path / "group").exists()
