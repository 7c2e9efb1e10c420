"""The table of known hacks, what trivial agents earn, and what a certificate says that it stands on."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Cause, HackClass, Section, audit_task
from adjudge.reports import html
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.gullible import GULLIBLE


def test_each_class_has_a_row(sandbox: Sandbox, tmp_path: Path) -> None:
    """A verifier that evaluates the output: one class is broken, those that were not tried say so."""
    exhibit = next(e for e in GULLIBLE if e.name == "evaluates-the-output")
    task = load_task(build(exhibit, tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.EXPLOITS]).certificate
    rows = {row.hack: row for row in certificate.hacks}
    assert list(rows) == [hack.value for hack in HackClass]
    assert (rows[HackClass.EXECUTED].status, rows[HackClass.EXECUTED].why) == ("broken", Cause.CODE)
    assert rows[HackClass.PERMISSIONS].status == "held"
    assert rows[HackClass.MODEL].status == "not applicable"
    assert rows[HackClass.LOGIC].status == "not probed"
    assert "discrimination" in rows[HackClass.LOGIC].why
    assert html.render_badge([certificate]).count("0 of 1 sound, 1 unsound") == 2


def test_a_verifier_that_asks_a_model_is_not_called_safe(sandbox: Sandbox, tmp_path: Path) -> None:
    exhibit = Exhibit("asks", files={"tests/judge.py": "import openai\n"})
    certificate = audit_task(load_task(build(exhibit, tmp_path)), sandbox, sections=[]).certificate
    assert {row.status for row in certificate.hacks if row.hack == HackClass.MODEL} == {"not probed"}


def test_a_verifier_that_never_answers_has_held_against_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """Without any reward no probe could have shown a flaw, so no class of hacks counts as tried."""
    silent = Exhibit("silent", test_sh="python3 -c 'import a_module_that_is_not_here'\n")
    sections = [Section.TRIVIAL, Section.EXPLOITS]
    certificate = audit_task(load_task(build(silent, tmp_path)), sandbox, sections=sections).certificate
    assert "held" not in {row.status for row in certificate.hacks}
    assert {report.status for report in certificate.sections} == {"not run"}
    assert {report.reason for report in certificate.sections} == {
        "the verifier gave no reward in any run, which shows nothing"
    }


def test_what_trivial_agents_earn(sandbox: Sandbox, tmp_path: Path) -> None:
    """The base line of every agent, by name; a sound verifier gives none of them anything."""
    task = load_task(
        build(Exhibit("sound", files={"environment/data/input.md": "# Input\n\n12\n"}), tmp_path)
    )
    certificate = audit_task(task, sandbox, sections=[Section.TRIVIAL]).certificate
    assert set(certificate.baselines) == {
        *("nothing", "note", "empty-object", "instruction", "example", "zeros", "everything", "echo-input.md")
    }
    assert set(certificate.baselines.values()) == {0.0}
    assert certificate.statement() == "Nothing found by 15 probes of 1 kind (trivial agents)."
    assert len(certificate.digest) == 64
    assert certificate.sandbox == "bubblewrap"
