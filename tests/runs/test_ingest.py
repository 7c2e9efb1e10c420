"""Artifact folders that others produced: N in, N out, and a reason for each that was set aside."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.ledger import Ledger
from adjudge.runs import Ingested, Tally, ingest_folders


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


def test_a_layout_without_a_task_is_refused(tmp_path: Path, ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="layout"):
        take(ledger, tmp_path, "{agent}/{attempt}")
