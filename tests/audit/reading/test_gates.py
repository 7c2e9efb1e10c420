"""Tests whose failure costs nothing, and the ways in which a failure may still be counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from adjudge.audit.reading import Remark, read_sources
from adjudge.tasks import load_task

_RUN = "pytest /tests/test_plan.py -q --tb=short || true"
_CHECKS = """
import json, pytest

def plan():
    with open("/workspace/plan.json") as file:
        return json.load(file)

def test_all_days():
    assert sorted(plan()) == ["fri", "mon"]

def test_no_overlap():
    given = plan()
    if given["mon"] == given["fri"]:
        pytest.fail("twice the same")
"""
_SCORE = """
def test_score():
    right = sum(plan().get(day) == want for day, want in (("mon", "A"), ("fri", "C")))
    with open("/logs/verifier/reward.txt", "w") as file:
        file.write(str(right / 2))
"""
_KEPT = _CHECKS.replace("import json, pytest\n", "import json, pytest\nPASSED = []\n").replace(
    '["fri", "mon"]\n', '["fri", "mon"]\n    PASSED.append("days")\n'
)
FLAWED = {
    "thrown-away": (_RUN, _CHECKS + _SCORE),
    "over-two-lines": (
        "cd /tests && pytest test_plan.py \\\n    --no-header || echo failed",
        _CHECKS + _SCORE,
    ),
}
SOUND = {
    "exit-code-counts": (
        _RUN.replace("|| true", "|| failed=1") + '\n[ -z "$failed" ] || exit 3',
        _CHECKS + _SCORE,
    ),
    "asked-later": (
        "set +e\npytest /tests/test_plan.py\n[ $? = 0 ] || echo 0 > /logs/verifier/reward.txt",
        _CHECKS,
    ),
    "a-report-is-read": (_RUN.replace("-q", "--ctrf /logs/verifier/ctrf.json"), _CHECKS + _SCORE),
    "a-log-is-read": (
        _RUN.replace(" || ", " > /tmp/run.log || ") + "\ngrep -c PASSED /tmp/run.log",
        _CHECKS + _SCORE,
    ),
    "kept-for-the-score": (
        _RUN,
        _KEPT.replace("    if given", '    PASSED.append("rooms")\n    if given') + _SCORE,
    ),
    "one-test": (_RUN, _CHECKS.partition("def test_no_overlap")[0] + _SCORE),
}


def _remarks(folder: Path, run: str, checks: str) -> list[Remark]:
    tests = folder / "tests"
    tests.mkdir(parents=True)
    (tests / "test_plan.py").write_text(checks)
    (tests / "test.sh").write_text(f"#!/bin/bash\n{run}\n")
    (folder / "task.toml").write_text("[verifier]\ntimeout_sec = 20\n")
    (folder / "instruction.md").write_text("Write the plan to `/workspace/plan.json`: mon and fri.\n")
    return [remark for remark in read_sources(load_task(folder))[1] if remark.cause is Cause.UNSCORED]


@pytest.mark.parametrize("name", FLAWED)
def test_checks_that_cost_nothing_are_remarked_on(name: str, tmp_path: Path) -> None:
    [found] = _remarks(tmp_path, *FLAWED[name])
    assert found.title.startswith("2 tests such as `test_all_days` change neither the score")


@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_remarked_on_beside_it(name: str, tmp_path: Path) -> None:
    assert _remarks(tmp_path, *SOUND[name]) == []
