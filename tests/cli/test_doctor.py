"""`adjudge doctor` says what works, what does not, and what to install."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib

import pytest

from adjudge.errors import SandboxUnavailable
from adjudge.sandbox import Health, HealthCheck, can_score, choose_sandbox
from support.command_line import run_adjudge
from support.doc_pages import ROOT


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "adjudge", "doctor", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_json_names_every_limit_and_each_was_really_tried() -> None:
    try:
        choose_sandbox("bubblewrap")
    except SandboxUnavailable as error:
        pytest.skip(f"needs bubblewrap: {error}")
    done = run("--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["can_score"]) == (0, True)
    health = {finding["name"]: finding["health"] for finding in report["sandbox"]}
    for name in (
        "bubblewrap",
        "time limit",
        "memory limit",
        "process limit",
        "disk limit",
        "file size limit",
    ):
        assert health[name] == "works", report["sandbox"]
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for_users = set(declared["optional-dependencies"]) - {"all", "dev", "fuzz"}
    assert {finding["name"] for finding in report["extras"]} == for_users


@pytest.mark.parametrize("width", ["40", "80", "160"])
def test_it_fits_the_terminal_and_has_no_colour_in_a_pipe(width: str) -> None:
    done = run(COLUMNS=width)
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= int(width)
    assert "Sandbox\n" in done.stdout


def test_without_a_sandbox_it_says_what_to_install_and_exits_with_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    findings = [
        HealthCheck("bubblewrap", Health.MISSING, "no bwrap program was found", "apt install bubblewrap")
    ]
    monkeypatch.setattr("adjudge.sandbox.diagnose", lambda: findings)
    done = run_adjudge("doctor")
    told = done.stdout
    assert done.code == 1
    assert "missing" in told
    assert "apt install bubblewrap" in told
    assert "Scoring is not possible here" in told


@pytest.mark.parametrize(
    ("findings", "possible"),
    [
        ([], False),
        ([HealthCheck("bubblewrap", Health.WORKS, "")], True),
        ([HealthCheck("container engine", Health.WORKS, "")], True),
        (
            [
                HealthCheck("bubblewrap", Health.DEGRADED, ""),
                HealthCheck("user namespaces", Health.WORKS, ""),
            ],
            False,
        ),
    ],
)
def test_scoring_is_possible_with_any_working_backend(findings: list[HealthCheck], possible: bool) -> None:
    assert can_score(findings) is possible
