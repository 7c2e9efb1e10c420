"""Verifiers in other languages and habits: broken ones judge nobody, working ones are taken at their word."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import Outcome
from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.scoring import outcome_of
from evidence.gallery import RIGHT, WRONG, Exhibit
from evidence.odd_verifiers import AGENTS_FAULT, LACKING, WORKING
from evidence.test_gallery import shown


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return choose_sandbox()


@pytest.mark.parametrize("exhibit", LACKING, ids=lambda exhibit: exhibit.name)
def test_a_right_answer_is_never_plainly_wrong(exhibit: Exhibit, tmp_path: Path, sandbox: Sandbox) -> None:
    result = shown(exhibit, tmp_path, sandbox, RIGHT).result
    # a machine that has the tool after all gives full marks
    assert outcome_of(result) in (Outcome.SUSPECTED, Outcome.MACHINERY_FAILED) or result.reward == 1.0


@pytest.mark.parametrize("exhibit", WORKING, ids=lambda exhibit: exhibit.name)
def test_a_working_verifier_tells_right_from_wrong(
    exhibit: Exhibit, tmp_path: Path, sandbox: Sandbox
) -> None:
    right = shown(exhibit, tmp_path / "right", sandbox, RIGHT)
    assert (right.result.reward, outcome_of(right.result)) == (1.0, Outcome.SCORED), right.run
    wrong = shown(exhibit, tmp_path / "wrong", sandbox, WRONG)
    assert (wrong.result.reward, outcome_of(wrong.result)) == (0.0, Outcome.WRONG), wrong.result


@pytest.mark.parametrize("exhibit", AGENTS_FAULT, ids=lambda exhibit: exhibit.name)
def test_a_program_of_the_agents_that_fails_is_wrong(
    exhibit: Exhibit, tmp_path: Path, sandbox: Sandbox
) -> None:
    found = shown(exhibit, tmp_path, sandbox, WRONG)
    assert outcome_of(found.result) is Outcome.WRONG, (found.result.error_taxonomy, found.run)
