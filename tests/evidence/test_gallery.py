"""A verifier that cannot work here judges nobody; one that can is taken at its word."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import adjudge
from adjudge.contracts import Outcome
from adjudge.gates import read_output
from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.scoring import Scored, outcome_of, score_output
from evidence import reports, runners, with_runtime, without_runtime
from evidence.gallery import RIGHT, WRONG, Exhibit
from support.task_folders import write_task

BROKEN = [*without_runtime.BROKEN, *runners.BROKEN, *reports.BROKEN]
SOUND = [*with_runtime.SOUND, *runners.SOUND, *reports.SOUND]


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return choose_sandbox()


def shown(exhibit: Exhibit, folder: Path, sandbox: Sandbox, answer: str) -> Scored:
    if exhibit.needs is not None and shutil.which(exhibit.needs) is None:
        pytest.skip(f"{exhibit.needs} is not installed here")
    parts = {} if exhibit.instruction is None else {"instruction": exhibit.instruction}
    home = write_task(
        folder / "task", script=exhibit.script, files=dict(exhibit.files), toml=exhibit.toml, **parts
    )
    task = adjudge.load_task(home)
    output = folder / Path(task.verifier.expected_output_path).name
    folder.mkdir(exist_ok=True)
    output.write_text(exhibit.answer or answer)
    return score_output(task, read_output(task, output), sandbox)


@pytest.mark.parametrize("exhibit", BROKEN, ids=lambda exhibit: exhibit.name)
def test_a_right_answer_is_never_wrong(exhibit: Exhibit, tmp_path: Path, sandbox: Sandbox) -> None:
    found = shown(exhibit, tmp_path, sandbox, RIGHT)
    assert outcome_of(found.result) in (Outcome.SUSPECTED, Outcome.MACHINERY_FAILED), found.run


@pytest.mark.parametrize("exhibit", SOUND, ids=lambda exhibit: exhibit.name)
def test_a_wrong_answer_is_never_suspected(exhibit: Exhibit, tmp_path: Path, sandbox: Sandbox) -> None:
    found = shown(exhibit, tmp_path, sandbox, WRONG)
    assert outcome_of(found.result) in (Outcome.WRONG, Outcome.SCORED), (
        found.result.error_taxonomy,
        found.run,
    )


def test_the_gallery_is_large_enough() -> None:
    assert len(BROKEN) >= 125
    assert len(SOUND) >= 90
