"""The page on packages, with real ones: pytest and numpy from the index that pip is configured for here."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import adjudge
from adjudge.errors import MachineryError
from adjudge.gates import read_output
from adjudge.packages import named_packages, provide
from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.scoring import Outcome, outcome_of, score_output
from evidence.gallery import BY_STATUS, RIGHT, TEST_PY, WRONG
from support.doc_pages import ROOT, Step, blocks, steps
from support.patience import HANG_SEC
from support.skips import skip_by_name
from support.task_folders import write_task

PAGE = ROOT / "docs" / "packages.md"
BLOCKS = list(blocks(PAGE))
[NUMPY] = [block.text for block in BLOCKS if block.language == "bash" and "import numpy" in block.text]
ADJUDGE = Path(sys.executable).with_name("adjudge")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A cache of its own, so that what is fetched is fetched here."""
    with tempfile.TemporaryDirectory(prefix="adjudge-test-cache-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
        yield


def with_packages(*requirements: str, stand_ins: bool = False) -> Sandbox:
    try:
        return provide(choose_sandbox(), requirements, stand_ins=stand_ins)
    except MachineryError as error:
        skip_by_name(f"no package index: {error}")


def outcomes(folder: Path, script: str, files: dict[str, str | bytes], sandbox: Sandbox) -> list[object]:
    task = adjudge.load_task(write_task(folder / "task", script=script, files=files))
    found: list[object] = []
    for text in (RIGHT, WRONG):
        (folder / "answer.json").write_text(text)
        result = score_output(task, read_output(task, folder / "answer.json"), sandbox).result
        found += [result.reward, outcome_of(result)]
    return found


def test_pytest_as_the_usual_line_installs_it(tmp_path: Path) -> None:
    script = f"#!/bin/bash\nuvx -w pytest pytest /tests/test_outputs.py -rA{BY_STATUS}"
    files: dict[str, str | bytes] = {"tests/test_outputs.py": TEST_PY}
    task = adjudge.load_task(write_task(tmp_path / "named", script=script, files=dict(files)))
    sandbox = with_packages(*named_packages(task).requirements, stand_ins=True)
    assert outcomes(tmp_path, script, files, sandbox) == [1.0, Outcome.SCORED, 0.0, Outcome.WRONG]


def shown_steps() -> list[Step]:
    """What the page shows and no test of the docs runs, since it fetches packages."""
    shown = [block for block in BLOCKS if block.not_run == "needs a package index"]
    return [step for block in shown for step in steps(block)]


def test_the_examples_of_the_page(tmp_path: Path) -> None:
    """pytest and numpy, as they are written there."""
    write_task(tmp_path / "flow", script=NUMPY)
    (tmp_path / "answer.json").write_text(RIGHT)
    commands = shown_steps()
    assert [step.command.split()[1] for step in commands] == ["init", "score", "score", "score"]
    for step in commands:
        words = [str(ADJUDGE), *shlex.split(step.command)[1:]]
        done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=HANG_SEC)
        if "not prepared" in done.stderr or "pip" in done.stderr:
            skip_by_name(f"no package index: {done.stderr}")
        assert done.returncode == 0, done.stderr
        if reward := re.search(r"reward \d\.\d\d", step.shown or ""):
            assert reward[0] in done.stdout
