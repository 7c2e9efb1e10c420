"""Answers that are programs: one that solves nothing earns nothing, whatever it prints, reads or writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause, Section, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task

_RUN = """
import json, os, subprocess, sys
def run(*words):
    program = [sys.executable, "/workspace/solve.py", *words]
    return subprocess.run(program, capture_output=True, text=True, timeout=5)
def write(reward):
    {clear}
    with open("/logs/verifier/{file}", "w") as file:
        json.dump({{"reward": float(reward)}}, file)
    {rename}
"""
_PLAIN = _RUN.format(clear="", file="reward.json", rename="")
_CAREFUL = _RUN.format(
    clear="", file=".new", rename='os.replace("/logs/verifier/.new", "/logs/verifier/reward.json")'
)
_SQUARES = "write(all(run(str(n)).stdout.strip() == str(n * n) for n in (3, 7, 12)))\n"
_RIGHT = "import sys\nprint(int(sys.argv[1]) ** 2)\n"


def causes(verify: str, sandbox: Sandbox, folder: Path, files: dict[str, str]) -> dict[str, Severity]:
    """What an audit of exploits finds about this verifier, by cause."""
    everything = {
        "task.toml": "",
        "instruction.md": "Write a program `/workspace/solve.py` that prints the square of its argument.\n",
        "tests/test.sh": "exec python3 -E -s -B /tests/verify.py\n",
        "tests/verify.py": verify,
        "goldens/pass/solve.py": _RIGHT,
        **files,
    }
    for name, text in everything.items():
        path = folder / "squares" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    task = load_task(folder / "squares")
    findings = audit_task(task, sandbox, sections=[Section.EXPLOITS]).certificate.findings
    return {f.cause: f.severity for f in findings if f.severity.rank <= Severity.MEDIUM.rank}


def test_an_exit_code_proves_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    verify = _CAREFUL + 'write(run("3").returncode == 0)\n'
    assert causes(verify, sandbox, tmp_path, {})[Cause.HOLLOW] is Severity.HIGH


def test_a_reference_beside_the_program_is_read(sandbox: Sandbox, tmp_path: Path) -> None:
    verify = _CAREFUL + 'write(run("3").stdout == open("/tests/expected.txt").read())\n'
    found = causes(verify, sandbox, tmp_path, {"tests/expected.txt": "9\n"})
    assert found[Cause.READS_REFERENCE] is Severity.HIGH


def test_a_reward_that_the_program_writes_stays(sandbox: Sandbox, tmp_path: Path) -> None:
    """The verifier cannot write over it and ends with an error, beside a reward that looks like its own."""
    assert causes(_PLAIN + _SQUARES, sandbox, tmp_path, {}) == {Cause.WRITES_REWARD: Severity.HIGH}


@pytest.mark.parametrize("verify", [_CAREFUL + _SQUARES])
def test_nothing_is_held_against_one_that_compares_results(
    verify: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    assert causes(verify, sandbox, tmp_path, {}) == {}
