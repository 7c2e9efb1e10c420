"""The same run again adds nothing; a changed verifier adds evaluations; a bad row costs only itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.ledger import Ledger, TrialFilter
from support.run_folders import HALVED, echo_task, run_manifest, write_manifest


def test_a_run_records_every_row_with_its_reward(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo")
    tally = run_manifest(ledger, write_manifest(tmp_path, 12))
    assert (tally.scored, tally.already, tally.bad_rows) == (12, 0, [])
    rewards = {record.attempt: record.evaluation.reward for record in ledger.iterate()}
    assert rewards == {number + 1: (number % 11) / 10 for number in range(12)}
    record = next(record for record in ledger.iterate() if record.attempt == 1)
    assert record.task_id == "echo"
    assert record.run.stdout == "saw 0.0\n"
    assert ledger.blob(str(record.output.sha256)) == b'{"r": 0.0}'
    assert ledger.blob(record.run.artifacts["reward.json"]) == b'{"reward": 0.0}\n'


def test_running_again_adds_nothing(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 5)
    run_manifest(ledger, manifest)
    again = run_manifest(ledger, manifest)
    assert (again.scored, again.already) == (0, 5)
    assert ledger.count() == 5


def test_a_changed_verifier_adds_evaluations_not_trials(tmp_path: Path, ledger: Ledger) -> None:
    task = echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 3)
    run_manifest(ledger, manifest)
    echo_task(task, HALVED)
    second = run_manifest(ledger, manifest)
    assert (second.scored, second.rescored, ledger.count()) == (3, 3, 3)
    for record in ledger.iterate():
        newest, oldest = ledger.history(record.trial_id)
        assert newest.evaluation.reward == 0.5
        assert oldest.evaluation.reward == (record.attempt - 1) / 10
        assert newest.task_digest != oldest.task_digest
    echo_task(task)  # the verifier goes back to what it was: what counts is today's
    third = run_manifest(ledger, manifest)
    assert third.rescored == 3
    assert {r.attempt: r.evaluation.reward for r in ledger.iterate()} == {1: 0.0, 2: 0.1, 3: 0.2}


def test_a_stopped_run_resumes_where_it_was(tmp_path: Path, ledger: Ledger) -> None:
    from adjudge.runs import run
    from support.run_folders import here

    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 10)
    asked = iter(range(1000))
    first = run(
        manifest,
        experiment="trial-run",
        ledger=ledger,
        executor=here(1),
        should_stop=lambda: next(asked) > 4,
    )
    assert first.interrupted
    assert 0 < first.scored < 10
    assert ledger.count() == first.scored
    second = run_manifest(ledger, manifest)
    assert (second.already, second.scored) == (first.scored, 10 - first.scored)


def test_bad_rows_are_named_and_the_rest_goes_on(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 2)
    with manifest.open("a") as rows:
        rows.write("not json\n")
        rows.write('{"task": "tasks/none", "output": "outputs/0.json", "agent": "a"}\n')
        rows.write('{"task": "tasks/echo", "output": "outputs/0.json", "agent": "a", "attempt": "2"}\n')
        rows.write('{"task": "tasks/echo", "output": "outputs/0.json", "agent": "a", "colour": 1}\n')
        rows.write('{"task": "tasks/echo", "output": "outputs/gone.json", "agent": "a"}\n')
    tally = run_manifest(ledger, manifest)
    assert tally.scored == 3
    json_row, task_row, type_row, extra_row = tally.bad_rows
    assert "manifest.jsonl:3" in json_row
    assert "manifest.jsonl:4" in task_row
    assert "no such folder" in task_row
    assert "manifest.jsonl:5: attempt" in type_row
    assert "found '2'" in type_row
    assert "colour" in extra_row
    # An output that is not there is no bad row: the agent produced nothing, and that counts.
    assert ledger.count(TrialFilter(tag=("output missing",))) == 1


def test_a_row_that_repeats_a_trial_is_told_apart_from_one_that_was_there(
    tmp_path: Path, ledger: Ledger
) -> None:
    """Two tries that gave the same output need two attempts; else one would vanish without a word."""
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 2)
    manifest.write_text(manifest.read_text() + manifest.read_text().splitlines()[0] + "\n")
    first = run_manifest(ledger, manifest)
    assert (first.scored, first.already, first.repeated) == (2, 0, [f"{manifest}:3"])
    assert first.done == 3
    again = run_manifest(ledger, manifest)
    assert (again.scored, again.already, len(again.repeated)) == (0, 2, 1)


def test_an_id_cannot_stand_for_two_trials(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo")
    write_manifest(tmp_path, 2)
    manifest = tmp_path / "ids.jsonl"
    row = '{"task": "tasks/echo", "output": "outputs/%d.json", "agent": "a", "trial_id": "mine"}\n'
    manifest.write_text(row % 0 + row % 1)
    first = run_manifest(ledger, manifest)
    assert first.scored == 1
    assert "mine is in the ledger with output" in first.bad_rows[0]
    again = run_manifest(ledger, manifest)
    assert (again.already, again.bad_rows) == (1, first.bad_rows), "a resume says the same, and not `already`"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"agent": "b"}, "agent 'a', not 'b'"),
        ({"model": "m"}, "model None, not 'm'"),
        ({"attempt": 2}, "attempt 1, not 2"),
        ({"output": "outputs/1.json"}, "output '"),
        ({"output": "outputs/none.json"}, "output '"),
    ],
)
def test_a_known_id_under_which_something_else_stands_is_a_bad_row(
    tmp_path: Path, ledger: Ledger, change: dict[str, object], said: str
) -> None:
    echo_task(tmp_path / "tasks/echo")
    write_manifest(tmp_path, 2)
    manifest = tmp_path / "ids.jsonl"
    row = {"task": "tasks/echo", "output": "outputs/0.json", "agent": "a", "trial_id": "mine"}
    manifest.write_text(json.dumps(row))
    run_manifest(ledger, manifest)
    manifest.write_text(json.dumps({**row, **change}))
    (message,) = run_manifest(ledger, manifest).bad_rows
    assert f"ids.jsonl:1: trial mine is in the ledger with {said}" in message


def test_a_row_with_an_id_of_its_own_can_repeat_too(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo")
    write_manifest(tmp_path, 1)
    manifest = tmp_path / "ids.jsonl"
    manifest.write_text(
        '{"task": "tasks/echo", "output": "outputs/0.json", "agent": "a", "trial_id": "mine"}\n' * 2
    )
    tally = run_manifest(ledger, manifest)
    assert (tally.scored, tally.already, len(tally.repeated)) == (1, 0, 1)
