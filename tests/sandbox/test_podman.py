"""The container backend against a real podman, if one can really start a container here.

Needs root, Debian's `podman` and `runc`, and an image with `bash`, `tar` and `python3`, whose
name is in ADJUDGE_TEST_IMAGE. To make one:

    debootstrap --variant=minbase --include=python3 bookworm root
    tar -C root -c . | podman import - localhost/adjudge-test-python

Skipped by name otherwise.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from adjudge.contracts import Limit
from adjudge.errors import SandboxError
from adjudge.gates import read_output
from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.sandbox.backends.engine import find_engine
from adjudge.scoring import score_output
from adjudge.tasks import golden_paths, load_task
from support.sandbox_jobs import job_for
from support.skips import skip_by_name

EXAMPLES = sorted(
    path.parent for path in (Path(__file__).parents[2] / "examples" / "tasks").rglob("task.toml")
)
ENGINE_OPTIONS = "--runtime runc --cgroup-manager=cgroupfs"
RUN_OPTIONS = "--ulimit nofile=1024:1024 --ulimit nproc=1024:1024"


@pytest.fixture(scope="module")
def podman(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    image = os.environ.get("ADJUDGE_TEST_IMAGE")
    if image is None or shutil.which("podman") is None:
        skip_by_name("needs podman, and an image in ADJUDGE_TEST_IMAGE")
    sandbox = choose_sandbox("container", image=image, engine_options=ENGINE_OPTIONS, run_options=RUN_OPTIONS)
    try:
        outcome = sandbox.run(job_for(tmp_path_factory.mktemp("tests"), "echo started"))
    except SandboxError as error:
        skip_by_name(f"needs a podman that can start a container: {error}")
    assert outcome.stdout == b"started\n"
    return sandbox


def test_a_verifier_runs_in_its_image(podman: Sandbox, tmp_path: Path) -> None:
    script = "cat output.md; pwd; id -u; echo '{\"reward\": 0.5}' > /logs/verifier/reward.json; exit 3"
    outcome = podman.run(job_for(tmp_path / "tests", script, {"/workspace/output.md": "answer"}))
    assert (outcome.exit_code, outcome.limits_hit) == (3, ())
    assert outcome.stdout.startswith(b"answer/workspace\n1000\n")
    assert outcome.artifacts["reward.json"].data == b'{"reward": 0.5}\n'
    assert outcome.memory_kept_by == "engine"


def test_no_module_of_the_workspace_runs_in_place_of_another(podman: Sandbox, tmp_path: Path) -> None:
    """Not even of one that this image's small Python lacks."""
    files = {f"/workspace/{name}.py": "print('forged')" for name in ("json", "re")}
    files["/workspace/mine.py"] = "print('mine')"
    script = "python3 -c 'import re, mine'; python3 -c 'import json' || true"
    assert podman.run(job_for(tmp_path / "tests", script, files)).stdout == b"mine\n"


def test_every_promised_folder_can_be_written(podman: Sandbox, tmp_path: Path) -> None:
    """But for `/run` itself, which podman gives to root whatever it is told."""
    script = "for d in /workspace /tmp /var/tmp /logs $HOME; do echo x > $d/x && echo $d; done"
    promised = [b"/workspace", b"/tmp", b"/var/tmp", b"/logs", b"/run/verifier"]
    assert podman.run(job_for(tmp_path / "tests", script)).stdout.split() == promised


def test_a_fork_bomb_gives_a_result(podman: Sandbox, tmp_path: Path) -> None:
    """And what was written before is read: the first process buries the dead, so that there is room."""
    script = "echo kept > /logs/verifier/note; bomb() { bomb | bomb & }; bomb; sleep 2"
    outcome = podman.run(job_for(tmp_path / "tests", script))
    assert Limit.PROCESSES in outcome.limits_hit
    assert outcome.artifacts["note"].data == b"kept\n"


def test_the_disk_is_limited_in_total(podman: Sandbox, tmp_path: Path) -> None:
    script = "head -c 6M /dev/zero > /tmp/a; head -c 6M /dev/zero > /workspace/b"
    outcome = podman.run(job_for(tmp_path / "tests", script, limits={"disk_mb": 8}))
    assert Limit.DISK in outcome.limits_hit
    alone = podman.run(job_for(tmp_path / "tests", "head -c 6M /dev/zero > /tmp/a", limits={"disk_mb": 8}))
    assert alone.limits_hit == ()


@pytest.mark.parametrize("task", EXAMPLES, ids=lambda path: path.name)
def test_every_example_has_the_same_results_as_in_bubblewrap(podman: Sandbox, task: Path) -> None:
    loaded = load_task(task)
    bubblewrap = choose_sandbox("bubblewrap")
    for kind in ("pass", "fail"):
        for golden in golden_paths(loaded, kind)[:1]:
            output = read_output(loaded, golden)
            inside, here = (score_output(loaded, output, box).result for box in (podman, bubblewrap))
            assert inside == here, (kind, golden.name)


def test_the_users_own_limits_are_not_displaced(podman: Sandbox, tmp_path: Path) -> None:
    assert podman.run(job_for(tmp_path / "tests", "ulimit -n")).stdout == b"1024\n"


def test_it_is_stopped_in_time_and_leaves_nothing(podman: Sandbox, tmp_path: Path) -> None:
    script = "trap '' TERM; echo kept > /logs/verifier/note; sleep 600"
    outcome = podman.run(job_for(tmp_path / "tests", script, limits={"wall_time_sec": 5}))
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.WALL_TIME,))
    assert outcome.artifacts["note"].data == b"kept\n"
    engine, _ = find_engine(ENGINE_OPTIONS)
    assert engine is not None
    assert b"adjudge-" not in engine.call(["ps", "--all", "--format", "{{.Names}}"])


def test_there_is_no_network(podman: Sandbox, tmp_path: Path) -> None:
    assert podman.run(job_for(tmp_path / "tests", "grep -c : /proc/net/dev")).stdout == b"1\n"
