"""A verifier known to be deterministic is not run twice on the same output, and the record says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import pytest

from adjudge.contracts import ErrorSource, ErrorTag, TrialRecord
from adjudge.ledger import Ledger
from adjudge.runs import Executor, FailedTrial, FinishedTrial, Trial, Workers, plan
from adjudge.tasks import load_task
from support.run_folders import ECHO, echo_task, here, run_manifest, write_manifest

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


def test_what_was_found_once_is_not_asked_again(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are planned some hundred at a time, and those that follow often repeat the same outputs."""
    echo_task(tmp_path / "tasks/echo", toml=DECLARED)
    run_manifest(ledger, write_manifest(tmp_path, 2))
    manifest = tmp_path / "many.jsonl"
    row = '{"task": "tasks/echo", "output": "outputs/%d.json", "agent": "a", "attempt": %d}\n'
    manifest.write_text("".join(row % (number % 2, number + 7) for number in range(10)))
    asked: list[int] = []
    find = ledger.find_evaluations

    def counted(task_digest: str, outputs: Iterable[str]) -> dict[str, tuple[str, TrialRecord]]:
        wanted = list(outputs)
        asked.append(len(wanted))
        return find(task_digest, wanted)

    monkeypatch.setattr(ledger, "find_evaluations", counted)
    monkeypatch.setattr(plan, "CHUNK_ROWS", 2)
    tally = run_manifest(ledger, manifest)
    assert (tally.scored, tally.reused, asked) == (0, 10, [2])
    first, second, *others = ledger.iterate()
    assert {str(one.run.reused_from).partition("@")[0] for one in others} == {first.trial_id, second.trial_id}
    assert ledger.verify().intact


def test_no_cache_runs_it_again(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo", toml=DECLARED)
    run_manifest(ledger, write_manifest(tmp_path, 1))
    tally = run_manifest(ledger, same_output_twice(tmp_path), cache=False)
    assert (tally.scored, tally.reused) == (2, 0)


def test_one_run_shows_the_same_output_to_a_deterministic_verifier_once(
    tmp_path: Path, ledger: Ledger
) -> None:
    echo_task(tmp_path / "tasks/echo", toml=DECLARED)
    tally = run_manifest(ledger, same_output_twice(tmp_path))
    assert (tally.scored, tally.reused) == (1, 1)
    first, second = ledger.iterate()
    assert (first.agent.name, second.agent.name) == ("first", "second")
    assert second.evaluation == first.evaluation
    assert str(second.run.reused_from).startswith(f"{first.trial_id}@")
    assert ledger.blob(str(second.output.sha256)) == (tmp_path / "outputs/0.json").read_bytes()


def fails_first(count: int) -> Executor:
    """The real executor, but the first trials come back as failures of the machinery."""

    @contextmanager
    def ready() -> Iterator[Workers[Future[FinishedTrial]]]:
        failures = iter([True] * count)

        def result(future: Future[FinishedTrial], trial: Trial) -> FinishedTrial:
            return FailedTrial(trial, "no luck") if next(failures, False) else future.result()

        with here(1)() as workers:
            workers._result = result
            yield workers

    return ready


def test_who_waited_for_a_verifier_that_failed_is_scored_on_its_own(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo", toml=DECLARED)
    tally = run_manifest(ledger, same_output_twice(tmp_path), fails_first(1))
    assert (tally.scored, tally.reused, tally.machinery) == (2, 0, {"no luck": 1})
    assert [record.evaluation.validity.verifier_completed for record in ledger.iterate()] == [False, True]
    retried = run_manifest(ledger, same_output_twice(tmp_path), retry_failed=True)
    assert (retried.reused, retried.already) == (1, 1)


@pytest.mark.parametrize("ending", ["kill -SEGV $$\n", "head -c 99999999 /dev/zero\n"])
def test_a_result_that_the_machine_had_a_hand_in_is_not_reused(
    tmp_path: Path, ledger: Ledger, ending: str
) -> None:
    """A reward from a verifier that crashed or ran into a limit may be another one next time."""
    echo_task(tmp_path / "tasks/echo", ECHO + ending, toml=DECLARED)
    assert run_manifest(ledger, same_output_twice(tmp_path)).scored == 2
    assert all(record.evaluation.validity.verifier_completed for record in ledger.iterate())
    run_manifest(ledger, write_manifest(tmp_path, 1))
    assert all(record.run.reused_from is None for record in ledger.iterate())


def test_what_people_said_of_the_earlier_trial_is_not_reused(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo", toml=DECLARED)
    run_manifest(ledger, write_manifest(tmp_path, 1))
    (record,) = ledger.iterate()
    ledger.add_tags(record.trial_id, [ErrorTag(category="cheated", source=ErrorSource.HUMAN)])
    assert run_manifest(ledger, same_output_twice(tmp_path)).reused == 2
    tags = {r.agent.name: r.evaluation.error_taxonomy for r in ledger.iterate()}
    assert (tags["first"], tags["second"]) == (record.evaluation.error_taxonomy,) * 2
    assert tags["a0"] != tags["first"]


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
