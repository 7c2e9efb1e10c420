"""Whatever stands in a trial's folder, the import makes one valid record of it and never raises."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.contracts import TrialRecord
from adjudge.integrations.harbor.record import JobInfo, Options, read_trial
from integrations.harbor_jobs import FIXTURES, trial_of

REAL = {
    name: json.loads((trial_of(FIXTURES / job, task) / "result.json").read_text())
    for name, job, task in (
        ("single", "priced", "with-details"),
        ("steps", "multi-step", "good-steps"),
        ("failed", "failures", "verifier-timeout"),
    )
}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
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
