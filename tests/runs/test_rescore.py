"""Today's verifiers on stored outputs: history stays, and what changed is told with its cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.ledger import Disconnected, Ledger, TrialFilter
from adjudge.reports import Terminal, terminal
from adjudge.runs import FieldChange, Rescored, Tally, rescore
from adjudge.tasks import load_tasks
from support.run_folders import HALVED, echo_task, here, run_manifest, write_manifest
from support.task_folders import write_task


def rescore_all(ledger: Ledger, tasks: Path, *, again: bool = False) -> tuple[Rescored, Tally]:
    tally = Tally()
    known = {task.id: task for task in load_tasks(tasks)}
    return rescore(ledger, TrialFilter(), known, here(), tally=tally, again=again), tally


def test_outputs_are_scored_from_the_ledger_alone(tmp_path: Path, ledger: Ledger) -> None:
    task = echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 3)
    run_manifest(ledger, manifest)
    for output in (tmp_path / "outputs").iterdir():
        output.unlink()
    echo_task(task, HALVED)
    done, tally = rescore_all(ledger, tmp_path / "tasks")
    assert tally.rescored == 3
    changes = sorted(done.changes, key=lambda change: change.before)
    assert [(c.before, c.after) for c in changes] == [(0.0, 0.5), (0.1, 0.5), (0.2, 0.5)]
    assert changes[1].fields == (FieldChange("value", 0.1, 0.5),)
    assert all(len(ledger.history(c.trial_id)) == 2 for c in done.changes)


def test_an_unchanged_task_is_left_alone_unless_asked(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo")
    run_manifest(ledger, write_manifest(tmp_path, 2))
    done, tally = rescore_all(ledger, tmp_path / "tasks")
    assert (done.unchanged_task, tally.scored) == (2, 0)
    done, tally = rescore_all(ledger, tmp_path / "tasks", again=True)
    assert tally.scored == 2
    assert not any(change.flipped for change in done.changes)


def test_a_flip_that_is_no_score_says_why(tmp_path: Path, ledger: Ledger) -> None:
    task = echo_task(tmp_path / "tasks/echo")
    run_manifest(ledger, write_manifest(tmp_path, 2))
    echo_task(task, "#!/bin/bash\nexit 3\n")
    done, _ = rescore_all(ledger, tmp_path / "tasks")
    assert all("the verifier wrote no reward" in str(change.problem) for change in done.changes)
    lines = terminal.render_rescore(done, Terminal(400)).splitlines()
    assert "(wrong -> machinery failed): /logs/verifier/reward.json: the verifier wrote no reward" in lines[4]
    assert "exit code 3; value 0.00 -> none" in lines[4]
    assert lines[0].split() == ["agent", "trials", "before", "after", "difference", "flipped", "failed"]
    assert lines[1].split()[-6:] == ["1", "0.0000", "0.0000", "+0.0000", "1", "1"]
    echo_task(task)
    done, _ = rescore_all(ledger, tmp_path / "tasks")
    assert terminal.render_rescore(done, Terminal(400)).splitlines()[0].split()[-1] == "flipped"


def test_a_rescore_with_nothing_to_do_can_be_stopped_and_watched(tmp_path: Path, ledger: Ledger) -> None:
    """Thousands of trials that are left alone make no job, so no executor would ask."""
    echo_task(tmp_path / "tasks/echo")
    run_manifest(ledger, write_manifest(tmp_path, 2))
    known = {task.id: task for task in load_tasks(tmp_path / "tasks")}
    tally, shown = Tally(), []
    rescore(ledger, TrialFilter(), known, here(), tally=tally, on_change=lambda: shown.append(tally.done))
    assert shown == [2]
    stopped = Tally()
    rescore(ledger, TrialFilter(), known, here(), tally=stopped, should_stop=lambda: True)
    assert (stopped.already, stopped.interrupted) == (0, True)


def test_what_cannot_be_scored_again_is_named(tmp_path: Path, ledger: Ledger) -> None:
    echo_task(tmp_path / "tasks/echo")
    run_manifest(ledger, write_manifest(tmp_path, 2))
    done, _ = rescore_all(ledger, write_task(tmp_path / "others/else").parent)
    assert done.no_task == {"echo": 2}


def test_a_workspace_folder_comes_back_whole(tmp_path: Path, ledger: Ledger) -> None:
    script = (
        '#!/bin/bash\ncd /workspace\n[ "$(./tool)" = hi ] && [ "$(cat sub/link)" = deep ] && r=1 || r=0\n'
    )
    script += 'echo "{\\"reward\\": $r}" > /logs/verifier/reward.json\n'
    task = write_task(tmp_path / "tasks/folder", script=script)
    workspace = tmp_path / "work"
    (workspace / "sub").mkdir(parents=True)
    (workspace / "answer.json").write_text("{}")
    (workspace / "tool").write_text("#!/bin/sh\necho hi\n")
    (workspace / "tool").chmod(0o755)
    (workspace / "sub/data").write_text("deep")
    (workspace / "sub/link").symlink_to("data")
    manifest = tmp_path / "m.jsonl"
    manifest.write_text('{"task": "tasks/folder", "output": "work", "agent": "a"}\n')
    assert run_manifest(ledger, manifest).reward_sum == 1
    (task / "tests/note").write_text("the task is another one now")
    done, _ = rescore_all(ledger, tmp_path / "tasks")
    assert [change.after for change in done.changes] == [1.0]


def test_an_output_that_could_not_be_kept_is_unusable_still_and_not_missing(
    tmp_path: Path, ledger: Ledger
) -> None:
    task = echo_task(tmp_path / "tasks/echo", toml="[output]\nmax_mb = 1\n")
    write_manifest(tmp_path, 1)
    (tmp_path / "outputs/link.json").symlink_to("0.json")
    (tmp_path / "outputs/large.json").write_bytes(b"1" * ((1 << 20) + 1))
    row = '{"task": "tasks/echo", "output": "outputs/%s.json", "agent": "%s"}\n'
    manifest = tmp_path / "three.jsonl"
    manifest.write_text("".join(row % (name, name) for name in ("link", "large", "gone")))
    run_manifest(ledger, manifest)
    before = {record.agent.name: record.evaluation for record in ledger.iterate()}
    done, _ = rescore_all(ledger, tmp_path / "tasks", again=True)
    after = {record.agent.name: record.evaluation for record in ledger.iterate()}
    assert after == before
    assert {name: (result.error_taxonomy or [])[0].category for name, result in after.items()} == {
        "link": "output unusable",
        "large": "output unusable",
        "gone": "output missing",
    }
    assert not any(change.flipped for change in done.changes)
    echo_task(task, toml="[output]\nmax_mb = 2\n")  # today the large one would do, but it was not kept
    done, tally = rescore_all(ledger, tmp_path / "tasks")
    assert tally.rescored == 2
    assert [("was not kept" in why) for why in done.not_kept.values()] == [True]


def test_a_database_that_goes_away_is_not_taken_for_an_output_that_was_not_kept(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo_task(tmp_path / "tasks/echo")
    run_manifest(ledger, write_manifest(tmp_path, 2))

    def gone(trial_id: str) -> str:
        raise Disconnected("the database cannot be reached")

    monkeypatch.setattr(ledger, "output_blob", gone)
    with pytest.raises(Disconnected):
        rescore_all(ledger, tmp_path / "tasks", again=True)
