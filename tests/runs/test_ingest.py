"""Artifact folders that others produced: N in, N out, and a reason for each that was set aside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.contracts import Limit
from adjudge.errors import UsageError
from adjudge.ledger import Ledger, open_ledger
from adjudge.runs import Ingested, Tally, artifact_folder, artifact_tree, ingest_folders, read_ahead
from adjudge.runs.artifact_folder import FolderReader
from adjudge.runs.artifact_tree import trial_folders
from adjudge.scoring import LIMIT_HIT
from support.helper_processes import wait_for_helpers


def put(folder: Path, reward: str | None = '{"reward": 0.5}', **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if reward is not None:
        (folder / "reward.json").write_text(reward)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)


def take(ledger: Ledger, root: Path, layout: str | None = None) -> tuple[Ingested, Tally]:
    tally = Tally()
    return ingest_folders(ledger, root, "old", tally=tally, layout=layout), tally


def test_every_folder_becomes_a_trial_or_says_why_not(tmp_path: Path, ledger: Ledger) -> None:
    put(tmp_path / "abacus/1/civil/mix")
    put(tmp_path / "abacus/2/civil/mix", '{"reward": 7}')
    put(tmp_path / "abacus/2/civil/none", None)
    put(tmp_path / "abacus/two/civil/mix")
    done, tally = take(ledger, tmp_path, "{agent}/{attempt}/{task}")
    assert done.found == 4
    assert tally.scored == 3
    (bad,) = done.quarantined
    assert bad.folder.endswith("abacus/two/civil/mix")
    assert "layout" in bad.reason
    found = {(r.agent.name, r.attempt, r.task_id): r for r in ledger.iterate()}
    assert found["abacus", 1, "civil/mix"].evaluation.reward == 0.5
    assert not found["abacus", 2, "civil/mix"].evaluation.validity.verifier_completed
    assert not found["abacus", 2, "civil/none"].evaluation.validity.verifier_completed


def test_ingesting_again_adds_nothing_and_a_change_adds_an_evaluation(tmp_path: Path, ledger: Ledger) -> None:
    put(tmp_path / "a")
    put(tmp_path / "b")
    take(ledger, tmp_path)
    _, again = take(ledger, tmp_path)
    assert (again.scored, again.already) == (0, 2)
    put(tmp_path / "b", '{"reward": 0.75}')
    _, changed = take(ledger, tmp_path)
    assert (changed.scored, changed.rescored, changed.already) == (1, 1, 1)
    assert sorted(r.evaluation.reward for r in ledger.iterate()) == [0.5, 0.75]


def test_a_label_says_whose_it_is(tmp_path: Path, ledger: Ledger) -> None:
    put(tmp_path / "x", trial_json='{"task": "t/1", "agent": "abacus", "model": "m", "attempt": 3}')
    put(tmp_path / "y", trial_json='{"task": "t/1", "agent": "abacus", "attempt": "3"}')
    put(tmp_path / "z", trial_json='{"task": "t/1", "agent": "abacus", "model": "m", "attempt": 3}')
    done, tally = take(ledger, tmp_path)
    assert tally.scored == 1
    (record,) = ledger.iterate()
    assert (record.task_id, record.agent.name, record.agent.model, record.attempt) == (
        "t/1",
        "abacus",
        "m",
        3,
    )
    reasons = {Path(bad.folder).name: bad.reason for bad in done.quarantined}
    assert "attempt" in reasons["y"]
    assert "the same trial" in reasons["z"]


@pytest.mark.parametrize(
    ("label", "complaint"),
    [
        ('{"task": "t", "agent": "a", "agent": "b"}', "trial.json: the key 'agent' stands twice"),
        (
            '{"task": "t", "agent": "a", "metadata": {"x": NaN}}',
            "trial.json: not JSON: NaN is not",
        ),
        ("", "trial.json: the file is empty"),
        ("[]", "trial.json: "),
    ],
)
def test_a_label_is_read_as_strictly_as_a_reward(
    tmp_path: Path, ledger: Ledger, label: str, complaint: str
) -> None:
    put(tmp_path / "x", trial_json=label)
    done, _ = take(ledger, tmp_path)
    (bad,) = done.quarantined
    assert bad.reason.startswith(complaint)


def test_a_label_may_begin_with_a_byte_order_mark(tmp_path: Path, ledger: Ledger) -> None:
    put(tmp_path / "x", trial_json='\ufeff{"task": "t", "agent": "a"}')
    take(ledger, tmp_path)
    assert [record.task_id for record in ledger.iterate()] == ["t"]


def test_a_folder_that_goes_while_others_are_read_is_no_trial(tmp_path: Path) -> None:
    """An empty one is, because a verifier that wrote nothing has failed."""
    put(tmp_path / "empty", None)
    reader = FolderReader(str(tmp_path), "old")
    empty, gone, gone_too = reader.read(
        [(str(tmp_path / "empty"), None), (str(tmp_path / "gone"), None), (str(tmp_path / "gone"), ["a"])]
    )
    assert not isinstance(empty, str)
    assert gone == gone_too == "the folder cannot be read: No such file or directory"


@pytest.mark.parametrize("others", [2, 200])
def test_what_is_left_out_is_said(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    """Whether the folder is read from its listing or listed again."""
    monkeypatch.setitem(artifact_folder._LIMITS, "max_file_bytes", 20)
    for number in range(others):
        put(tmp_path / "whole", **{f"x{number}": "x" * 20})
        put(tmp_path / "cut", **{f"x{number}": "x" * (20 + (number == 1))})
    take(ledger, tmp_path)
    found = {record.task_id: record for record in ledger.iterate()}
    assert found["whole"].run.limits_hit == []
    assert found["whole"].evaluation.error_taxonomy is None
    assert found["cut"].run.limits_hit == [Limit.ARTIFACT_SIZE]
    assert [tag.category for tag in found["cut"].evaluation.error_taxonomy or ()] == [LIMIT_HIT]
    assert found["cut"].evaluation.reward == 0.5


def test_links_are_not_followed(tmp_path: Path, ledger: Ledger) -> None:
    outside = tmp_path / "outside"
    put(outside)
    root = tmp_path / "root"
    put(root / "real")
    (root / "link").symlink_to(outside)
    (root / "planted").mkdir()
    (root / "planted/reward.json").symlink_to(outside / "reward.json")
    _, tally = take(ledger, root)
    assert tally.scored == 2
    rewards = {r.task_id: r.evaluation.reward for r in ledger.iterate()}
    assert rewards == {"real": 0.5, "planted": 0.0}


def test_a_folder_that_is_an_artifact_folder_itself_goes_by_its_name(tmp_path: Path, ledger: Ledger) -> None:
    put(tmp_path / "beam")
    done, tally = take(ledger, tmp_path / "beam")
    assert (done.found, tally.scored) == (1, 1)
    assert [record.task_id for record in ledger.iterate()] == ["beam"]


def test_a_layout_may_pass_over_several_folders(tmp_path: Path, ledger: Ledger) -> None:
    put(tmp_path / "logs/2026/abacus/civil/mix")
    _, tally = take(ledger, tmp_path, "*/*/{agent}/{task}")
    assert tally.scored == 1
    assert [(r.agent.name, r.task_id) for r in ledger.iterate()] == [("abacus", "civil/mix")]


def test_a_stopped_ingest_resumes(tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "CHUNK", 2)
    monkeypatch.setattr(artifact_tree, "_BATCH", 2)
    for number in range(5):
        put(tmp_path / f"t{number}")
    first, second = Tally(), Tally()
    done = ingest_folders(ledger, tmp_path, "old", tally=first, workers=1, should_stop=lambda: True)
    assert (done.found, first.scored, first.interrupted) == (2, 2, True)
    ingest_folders(ledger, tmp_path, "old", tally=second, workers=1)
    assert (second.already, second.scored, second.interrupted) == (2, 3, False)


def test_folders_that_hold_much_are_recorded_in_parts(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that memory is bounded by bytes and not by the number of folders."""
    monkeypatch.setattr(artifact_folder, "_MAX_HELD_BYTES", 3 * 15)  # a reward.json has 15 bytes
    for number in range(7):
        put(tmp_path / f"t{number}")
    reader = FolderReader(str(tmp_path), "old")
    parts = [len(part) for part in read_ahead.read_folders_ahead(reader, trial_folders(str(tmp_path)), 1)]
    assert parts == [3, 3, 1]
    _, tally = take(ledger, tmp_path)
    assert tally.scored == 7


def test_a_transaction_is_bounded_by_what_its_folders_hold(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_ahead, "CHUNK", 2)
    monkeypatch.setattr(artifact_tree, "_HELD_BYTES", 2000)
    for number in range(6):
        details = json.dumps({"field": "x" * 4000}) if number == 0 else "{}"
        put(tmp_path / f"t{number}", details_json=details)
    first, second = Tally(), Tally()
    ingest_folders(ledger, tmp_path, "old", tally=first, workers=1, should_stop=lambda: True)
    ingest_folders(ledger, tmp_path, "old", tally=second, workers=1)
    assert (first.scored, second.already, second.scored) == (2, 2, 4)


def test_several_processes_give_the_same_ledger_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same order, same numbers, same names: only the time of scoring differs."""
    monkeypatch.setattr(read_ahead, "CHUNK", 5)
    monkeypatch.setattr(read_ahead, "ALONE", 5)
    monkeypatch.setattr(artifact_tree, "_BATCH", 5)
    wait_for_helpers(monkeypatch)
    root = tmp_path / "root"
    for number in range(40):
        put(root / f"abacus/{number + 1}/mix", json.dumps({"reward": number % 11 / 10}))
    put(root / "abacus/attempt-7/mix")  # the same trial as abacus/7/mix, many chunks away
    put(root / "abacus/none/mix")
    seen = []
    for workers in (1, 3):
        tally = Tally()
        with open_ledger(str(tmp_path / f"{workers}.db")) as book:
            done = ingest_folders(
                book, root, "old", tally=tally, layout="{agent}/{attempt}/{task}", workers=workers
            )
            assert book.verify().intact
            records = [r.model_copy(update={"scored_at": None}) for r in book.iterate()]
        seen.append((records, done, tally))
        assert (done.found, tally.scored, len(done.quarantined)) == (42, 40, 2)
        assert any("the same trial as an earlier folder" in bad.reason for bad in done.quarantined)
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    "layout", ["{agent}/{attempt}", "run-{attempt}/{task}", "{task}-{agent}", "{task}/x}"]
)
def test_a_layout_that_has_no_meaning_is_refused(tmp_path: Path, ledger: Ledger, layout: str) -> None:
    with pytest.raises(UsageError, match="layout"):
        take(ledger, tmp_path, layout)


def test_a_path_too_long_for_a_name_is_quarantined(tmp_path: Path, ledger: Ledger) -> None:
    put(tmp_path / "/".join(["x" * 200] * 3))
    put(tmp_path / "fine")
    done, tally = take(ledger, tmp_path)
    assert tally.scored == 1
    (bad,) = done.quarantined
    assert "at most 500 characters" in bad.reason
