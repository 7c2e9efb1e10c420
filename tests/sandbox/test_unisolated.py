"""Without a sandbox: the same paths, made for real, and only where they are nobody else's."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from adjudge.contracts import Limit
from adjudge.errors import SandboxError
from adjudge.sandbox.backends.unisolated import UnisolatedSandbox
from support.patience import wait_until
from support.sandbox_jobs import host_processes, job_for


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Stands for `/`: no test makes folders at the real one."""
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def test_the_contract_holds_below_its_root(root: Path, tmp_path: Path) -> None:
    job = job_for(tmp_path / "t", "", {"/workspace/output.md": "answer"})
    script = (
        f"cat output.md; cat {root}/tests/test.sh; pwd; echo r > {root}/logs/verifier/reward.json; exit 4"
    )
    job = type(job)(("bash", "-c", script), job.tests, job.files, job.workdir, job.limits)
    outcome = UnisolatedSandbox(root=root).run(job)
    assert outcome.stdout.decode() == f"answer{root}/workspace\n"
    assert outcome.exit_code == 4
    assert outcome.artifacts["reward.json"].data == b"r\n"
    assert list(root.iterdir()) == []


def test_it_is_stopped_in_time(root: Path, tmp_path: Path) -> None:
    marker = str(uuid.uuid4())
    job = job_for(tmp_path / "t", "", limits={"wall_time_sec": 0.2})
    script = f"(exec -a {marker} sleep 600) & exec -a {marker} sleep 600"
    job = type(job)(("bash", "-c", script), job.tests, {}, "/workspace", job.limits)
    outcome = UnisolatedSandbox(root=root).run(job)
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.WALL_TIME,))
    assert wait_until(lambda: not host_processes(marker)), "killed, but a process needs a moment to end"


@pytest.mark.parametrize("standing", ["tests", "logs", "workspace"])
def test_it_refuses_where_a_path_is_somebody_elses(root: Path, tmp_path: Path, standing: str) -> None:
    (root / standing).mkdir()
    (root / standing / "precious").touch()
    with pytest.raises(SandboxError, match=f"/{standing}: without a sandbox this would have to be made"):
        UnisolatedSandbox(root=root).run(job_for(tmp_path / "t", "true"))
    assert (root / standing / "precious").exists()


def test_it_refuses_what_only_a_sandbox_can_do(root: Path, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="only a sandbox"):
        UnisolatedSandbox(root=root).run(job_for(tmp_path / "t", "true", hide=("/usr/bin/python3",)))
