"""Whatever stands in a trial's folder, the import makes one valid record of it and never raises."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.contracts import TrialRecord
from adjudge.integrations.harbor import files, import_jobs
from adjudge.integrations.harbor.record import JobInfo, Options, read_trial
from adjudge.ledger import open_ledger
from integrations.harbor_jobs import FIXTURES, copy_job, trial_of

REAL = {
    name: json.loads((trial_of(FIXTURES / job, task) / "result.json").read_text())
    for name, job, task in (
        ("single", "priced", "with-details"),
        ("steps", "multi-step", "good-steps"),
        ("failed", "failures", "verifier-timeout"),
    )
}
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**308).map(lambda number: number * 10**80)
    | st.floats()
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def paths(document: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document."""
    found = [prefix] if prefix else []
    items = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document if isinstance(document, list) else ())
    )
    for key, value in items:
        found += paths(value, (*prefix, key))
    return found


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(document))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), name=st.sampled_from(sorted(REAL)), reward=st.binary(max_size=40))
def test_any_field_may_hold_anything(data: st.DataObject, name: str, reward: bytes) -> None:
    """One field of a real result is replaced by arbitrary JSON, and the reward file by arbitrary bytes."""
    path = data.draw(st.sampled_from(paths(REAL[name])))
    document = replaced(REAL[name], path, data.draw(ANYTHING))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "verifier").mkdir()
        (folder / "result.json").write_text(json.dumps(document))
        (folder / "verifier" / "reward.json").write_bytes(reward)
        record = read_trial(place, JobInfo("job"), Options("test")).record
    assert TrialRecord.model_validate_json(record.model_dump_json()) == record


def test_a_step_cannot_name_its_way_out(tmp_path: Path) -> None:
    """A step called ../../secret is a step without files, not a way to read them."""
    secret = tmp_path / "secret" / "verifier"
    secret.mkdir(parents=True)
    (secret / "reward.json").write_text('{"reward": 1}')
    trial = tmp_path / "trial"
    (trial / "steps").mkdir(parents=True)
    document = replaced(REAL["steps"], ("step_results", 0, "step_name"), "../../secret")
    (trial / "result.json").write_text(json.dumps(document))
    record = read_trial(str(trial), JobInfo("job"), Options("test")).record
    assert not record.evaluation.validity.verifier_completed
    assert (record.evaluation.breakdown or {})["../../secret"]["score"] is None


def test_pipes_and_links_are_named_and_not_opened(tmp_path: Path) -> None:
    (tmp_path / "verifier").mkdir()
    os.mkfifo(tmp_path / "verifier" / "reward.json")
    os.mkfifo(tmp_path / "result.json")
    (tmp_path / "config.json").symlink_to("/etc/passwd")
    record = read_trial(str(tmp_path), JobInfo("job"), Options("test")).record
    assert not record.evaluation.validity.verifier_completed
    assert "pipe" in record.evaluation.validity.errors[0]


def test_two_folders_are_two_trials_whatever_they_call_themselves(tmp_path: Path) -> None:
    """A copied trial says that it is the other one; both are in the ledger, and the copy says what is odd."""
    job = copy_job("oracle", tmp_path)
    original = trial_of(job, "with-ctrf")
    shutil.copytree(original, job / "copied")
    with open_ledger(tmp_path / "ledger.db") as ledger:
        assert import_jobs(ledger, [job]).trials == 7
        (copy,) = (r for r in ledger.iterate() if r.metadata["harbor"]["trial"] == "copied")
    assert original.name in copy.evaluation.validity.errors[0]


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    job = copy_job("oracle", tmp_path)
    trial_of(job, "with-ctrf").rename(job / os.fsdecode(b"with-ctrf__\xff"))
    with open_ledger(tmp_path / "ledger.db") as ledger:
        assert import_jobs(ledger, [job]).trials == 6
        names = {r.metadata["harbor"]["trial"] for r in ledger.iterate()}
    assert "with-ctrf__\\xff" in names


def test_a_verifiers_folder_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    """Nobody's files are copied into the ledger because a job points at them."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "reward.json").write_text('{"reward": 1}')
    job = copy_job("oracle", tmp_path)
    for name in ("verifier", "artifacts"):
        shutil.rmtree(trial_of(job, "with-ctrf") / name)
        (trial_of(job, "with-ctrf") / name).symlink_to(secret)
    record = read_trial(str(trial_of(job, "with-ctrf")), JobInfo("job"), Options("test")).record
    assert not record.evaluation.validity.verifier_completed
    assert set(record.run.artifacts) <= {"result.json", "agent/trajectory.json"}


def test_a_flood_of_files_does_not_hide_the_reward_and_keeps_no_part_of_a_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 20)
    monkeypatch.setattr(files, "MAX_TOTAL_BYTES", 1000)
    job = copy_job("oracle", tmp_path)
    trial = trial_of(job, "with-ctrf")
    for folder in (trial / "verifier", trial / "artifacts" / "app"):
        for number in range(30):
            (folder / f"a{number}").write_bytes(bytes(100))
    entry = read_trial(str(trial), JobInfo("job", version="0.25.0"), Options("test"))
    assert entry.record.evaluation.reward == 1.0
    assert entry.output_blob is None
    assert "too many or too large" in entry.record.output.path
    assert entry.record.metadata["harbor"]["too_large_to_keep"]


def test_a_verifiers_own_result_is_not_taken_for_harbors(tmp_path: Path) -> None:
    job = copy_job("oracle", tmp_path)
    trial = trial_of(job, "with-ctrf")
    (trial / "verifier" / "result.json").write_text("{}")
    (trial / "result.json").unlink()
    record = read_trial(str(trial), JobInfo("job"), Options("test")).record
    assert "verifier/result.json" in record.run.artifacts
    assert "result.json" not in record.run.artifacts


def test_steps_that_are_none_are_no_steps(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps({**REAL["steps"], "step_results": [1, None]}))
    record = read_trial(str(tmp_path), JobInfo("job"), Options("test")).record
    assert not record.evaluation.validity.verifier_completed
    assert record.evaluation.validity.errors
