"""What we write, Harbor reads: its own models load every file, and its viewer shows the trials."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from harbor.models.job.result import JobResult
from harbor.models.trial.config import TrialConfig
from harbor.models.trial.result import TrialResult
from harbor_runs import adjudge, surroundings

FIXTURES = Path(__file__).parents[1] / "integrations" / "fixtures" / "harbor"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every recorded job, imported and written again."""
    folder = tmp_path_factory.mktemp("exported")
    adjudge(folder, "import", "harbor", str(FIXTURES))
    done = adjudge(folder, "export", "harbor", "jobs")
    assert "trials written, 0 were there already" in done.stdout
    return folder


def test_harbors_models_load_every_file(exported: Path) -> None:
    jobs = sorted((exported / "jobs").iterdir())
    assert len(jobs) > 10
    for job in jobs:
        result = JobResult.model_validate_json((job / "result.json").read_text())
        trials = [path for path in job.iterdir() if path.is_dir()]
        assert result.n_total_trials == len(trials)
        for trial in trials:
            loaded = TrialResult.model_validate_json((trial / "result.json").read_text())
            assert loaded.trial_name == trial.name
            TrialConfig.model_validate_json((trial / "config.json").read_text())
            # an agent that ran out of time has both: Harbor verifies what it left
            assert loaded.exception_info is not None or loaded.verifier_result is not None


def test_exporting_again_adds_nothing(exported: Path) -> None:
    done = adjudge(exported, "export", "harbor", "jobs")
    assert done.stdout.startswith("0 trials written")


def test_the_viewer_lists_jobs_and_trials(exported: Path) -> None:
    """`harbor view` on loopback, asked over HTTP."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        str(Path(sys.executable).with_name("harbor")),
        "view",
        "jobs",
        "--port",
        str(port),
        "--host",
        "127.0.0.1",
    ]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=exported, env=surroundings(exported), stdout=quiet, stderr=quiet
    ) as viewer:
        try:
            jobs = _ask(f"http://127.0.0.1:{port}/api/jobs")
            names = {job["name"] for job in jobs["items"]}
            trials = _ask(f"http://127.0.0.1:{port}/api/jobs/priced/trials")
        finally:
            viewer.terminate()
    assert {"priced", "rewards", "multi-step"} <= names
    assert len(trials["items"]) == 6
    assert {trial["reward"] for trial in trials["items"]} == {1.0}


def _ask(url: str) -> dict[str, list[dict[str, object]]]:
    end = time.monotonic() + 180
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - loopback
                return json.loads(answer.read())  # type: ignore[no-any-return]
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
