"""The exhibits of `gallery/settled.py`, and how values of an answer move to what they are compared with."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause, Section, audit_task
from adjudge.audit.answers.marks import Met, Place, moved_by
from adjudge.audit.answers.settled import told_values
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.judged import assert_found, assert_in_peace
from audit.gallery.settled import CARRIED_FORWARD, NOT_SETTLED, SETTLED


@pytest.mark.parametrize("exhibit", SETTLED, ids=str)
def test_the_flaw_is_found(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    assert_found(exhibit, sandbox, tmp_path)


@pytest.mark.parametrize("exhibit", NOT_SETTLED, ids=str)
def test_its_neighbour_is_left_in_peace(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    assert_in_peace(exhibit, sandbox, tmp_path)


def test_marks_that_are_carried_forward_are_meant(sandbox: Sandbox, tmp_path: Path) -> None:
    task = load_task(build(CARRIED_FORWARD, tmp_path))
    found = audit_task(task, sandbox, sections=[Section.TRIVIAL]).certificate.findings
    assert {f.severity for f in found if f.cause == Cause.AGREES} == {Severity.LOW}


def test_a_right_answer_of_given_values_is_put_together(sandbox: Sandbox, tmp_path: Path) -> None:
    task = load_task(build(SETTLED[1], tmp_path))
    answer = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate.answer
    assert answer == "what tests/ compares an answer with"


def test_givens_are_told_by_their_words_and_units() -> None:
    told = """Water at 85 degC has a density of 968.6 kg/m3. The level is 1.60 m above the pump, the pipe of
82.5 mm bore. Loss coefficient of the line, all in, K = 4.7; 32 m3/h flow.
Weights: speed 0.2, head 0.2.
"""
    keys = ("density_kg_m3", "level_m", "bore_mm", "k_loss", "flow_m3_h", "speed_m_s", "head_m")
    found = told_values(told, dict.fromkeys(keys, 0.0))
    assert {path[0]: number for path, number in found.items()} == {
        "density_kg_m3": 968.6,
        "level_m": 1.6,
        "bore_mm": 82.5,
        "k_loss": 4.7,
        "flow_m3_h": 32.0,
    }


def test_a_value_moves_to_what_it_is_held_against() -> None:
    given: dict[Place, float] = {("opening",): 3.1417, ("interest",): 3.2988, ("next",): 3.4637}
    met = [Met("close", 3.2988, 0.0157), Met("close", 3.4637, 3.1417), Met("close", 3.1417, 3.4637)]
    assert moved_by(met, given) == {("interest",): 0.0157, ("next",): 3.1417}
