"""A verifier known to be deterministic is not run twice on the same output, and the record says so."""

from __future__ import annotations

from pathlib import Path

from adjudge.ledger import Ledger
from adjudge.tasks import load_task
from run_folders import echo_task, run_manifest, write_manifest

DECLARED = "[verifier]\ndeterministic = true\n"


def same_output_twice(base: Path) -> Path:
    write_manifest(base, 1)
    manifest = base / "twice.jsonl"
    row = '{"task": "tasks/echo", "output": "outputs/0.json", "agent": "%s"}\n'
    manifest.write_text(row % "first" + row % "second")
    return manifest


def test_a_declared_verifier_is_reused(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo", toml=DECLARED)
    run_manifest(ledger, write_manifest(tmp_path, 1))
    tally = run_manifest(ledger, same_output_twice(tmp_path))
    assert (tally.scored, tally.reused) == (0, 2)
    original, first, second = ledger.iterate()
    assert first.evaluation == second.evaluation == original.evaluation
    assert str(first.run.reused_from).startswith(original.trial_id)
    assert first.run.reused_from == second.run.reused_from
    assert original.run.reused_from is None


def test_no_cache_runs_it_again(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo", toml=DECLARED)
    run_manifest(ledger, write_manifest(tmp_path, 1))
    tally = run_manifest(ledger, same_output_twice(tmp_path), cache=False)
    assert (tally.scored, tally.reused) == (2, 0)


def test_an_undeclared_verifier_is_run_each_time_until_its_audit_passes(
    tmp_path: Path, ledger: Ledger
) -> None:
    task = echo_task(tmp_path / "tasks/echo")
    run_manifest(ledger, write_manifest(tmp_path, 1))
    manifest = same_output_twice(tmp_path)
    first, second = manifest.read_text().splitlines(keepends=True)
    manifest.write_text(first)
    assert run_manifest(ledger, manifest).scored == 1
    ledger.add_certificate(load_task(task).digest, {"passed": True}, deterministic=True)
    manifest.write_text(second)
    assert run_manifest(ledger, manifest).reused == 1
