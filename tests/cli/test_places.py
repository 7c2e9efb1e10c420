"""`--rootfs`, `--packages` and `--image` on every command that runs verifiers: score, run, rescore, audit.

This machine's own root stands for another system's, a small index of wheels made here for the user's, and
podman is the real one, if it can start a container here (the image is named in ADJUDGE_TEST_IMAGE).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from adjudge.audit import Certificate
from support.patience import HANG_SEC
from support.skips import skip_by_name
from support.task_folders import write_task
from support.wheel_index import write_index

ADJUDGE = Path(sys.executable).with_name("adjudge")
ENGINE = {
    "ADJUDGE_ENGINE_OPTIONS": "--runtime runc --cgroup-manager=cgroupfs",
    "ADJUDGE_ENGINE_RUN_OPTIONS": "--ulimit nofile=1024:1024 --ulimit nproc=1024:1024",
}
VERIFY = """#!/bin/bash
exec python3 - <<'EOF'
import json
{imports}
try:
    flow = json.load(open("/workspace/answer.json"))["flow"]
except (OSError, ValueError, KeyError, TypeError, RecursionError):
    flow = None
right = type(flow) in (int, float) and abs(flow - 4.2) < 0.01
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({{"reward": 1.0 if right else 0.0}}, file)
EOF
"""


class Place(NamedTuple):
    """The options that choose a place, what the verifier needs there, and how a record names it."""

    options: tuple[str, ...]
    imports: str
    backend: str
    env: dict[str, str]


def index_env(folder: Path) -> dict[str, str]:
    return {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(write_index(folder / "index")),
    }


@pytest.fixture(params=["rootfs", "packages", "image"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "rootfs":
        yield Place(("--rootfs", "/"), "", "bubblewrap", {})
    elif request.param == "packages":
        with tempfile.TemporaryDirectory(prefix="adjudge-test-cache-", dir="/tmp") as cache:
            Path(cache).chmod(0o755)
            env = {**index_env(tmp_path), "XDG_CACHE_HOME": cache}
            wanted = ("--packages", "numpy_of_ours")
            yield Place(wanted, "import numpy_of_ours", "bubblewrap with packages", env)
    else:
        image = os.environ.get("ADJUDGE_TEST_IMAGE")
        if image is None or shutil.which("podman") is None:
            skip_by_name("needs podman, and an image in ADJUDGE_TEST_IMAGE")
        yield Place(("--sandbox", "container", "--image", image), "", "container", ENGINE)


def adjudge(cwd: Path, place: Place, *arguments: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(ADJUDGE), *map(str, arguments), *place.options],
        capture_output=True,
        text=True,
        timeout=4 * HANG_SEC,  # an audit is some 170 probes, each with a container of its own
        cwd=cwd,
        env={**os.environ, **place.env},
    )
    if "no container can be started" in done.stderr:
        skip_by_name(f"needs a podman that can start a container: {done.stderr}")
    return done


@pytest.fixture
def folder(tmp_path: Path, place: Place) -> Path:
    """One task with a right and a wrong answer, and outputs of one agent for it."""
    write_task(
        tmp_path / "tasks" / "flow",
        toml='[output]\nformat = "json"\n',
        script=VERIFY.format(imports=place.imports),
        files={"goldens/pass/right.json": '{"flow": 4.2}', "goldens/fail/wrong.json": '{"flow": 7}'},
    )
    for attempt, flow in (("1", "4.2"), ("2", "7")):
        output = tmp_path / "outputs" / "agent" / attempt / "flow" / "answer.json"
        output.parent.mkdir(parents=True)
        output.write_text(f'{{"flow": {flow}}}')
    return tmp_path


def test_score(folder: Path, place: Place) -> None:
    task = folder / "tasks" / "flow"
    for kind, reward in (("pass/right", 1.0), ("fail/wrong", 0.0)):
        done = adjudge(folder, place, "score", task, task / "goldens" / f"{kind}.json", "--json")
        assert json.loads(done.stdout)["reward"] == reward, done.stderr


def test_run_and_rescore(folder: Path, place: Place) -> None:
    done = adjudge(folder, place, "run", "outputs", "--tasks", "tasks", "-e", "pilot", "--no-preflight")
    assert done.returncode == 0, done.stderr
    listed = [str(ADJUDGE), "trials", "--json"]
    shown = subprocess.run(listed, capture_output=True, text=True, cwd=folder, check=True).stdout
    trials = [json.loads(line) for line in shown.splitlines()]
    assert sorted(trial["evaluation"]["reward"] for trial in trials) == [0.0, 1.0]
    assert all(trial["run"]["backend"].startswith(place.backend) for trial in trials)
    again = adjudge(folder, place, "rescore", "--tasks", "tasks", "--again", "--no-preflight", "--json")
    assert json.loads(again.stdout)["outcomes"] == {"scored": 1, "wrong": 1}, again.stderr


@pytest.mark.journey
def test_audit(folder: Path, place: Place) -> None:
    done = adjudge(folder, place, "audit", "tasks", "--budget", "600", "--no-ledger", "--json")
    certificate = Certificate.model_validate_json(done.stdout)
    sandbox, with_packages, _ = place.backend.partition(" with packages")
    assert certificate.sandbox.startswith(sandbox)
    names = {package.partition("==")[0].replace("-", "_") for package in certificate.packages}
    assert ("numpy_of_ours" in names) is bool(with_packages)
    assert (certificate.answer_reward, certificate.discrimination) == (1.0, 1.0)
    assert certificate.deterministic
