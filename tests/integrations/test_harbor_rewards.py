"""Every row of the reference's tables of reward files, as real Harbor recorded it: one record each."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import TrialRecord
from adjudge.scoring import VERIFIER_FAILURE, Outcome, outcome_of
from integrations.harbor_jobs import FIXTURES, copy_job, imported, tags_of, trial_of
from integrations.harbor_rows import DEEP_NEST, ROWS, Row


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TrialRecord]:
    """The recorded job, with the 200 KB of brackets that were left out of it put back."""
    folder = tmp_path_factory.mktemp("rewards")
    job = copy_job("rewards", folder)
    (trial_of(job, "deep-nest") / "verifier" / "reward.json").write_bytes(DEEP_NEST)
    return imported(job, folder)


def test_one_record_a_row(records: dict[str, TrialRecord]) -> None:
    """51 rows and the deep nest: nothing is dropped, nothing is there twice."""
    assert set(records) == {row.name for row in ROWS} | {"deep-nest"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(records: dict[str, TrialRecord], row: Row) -> None:
    """A usable reward is taken; anything else is a failed verifier with words for what was found."""
    evaluation = records[row.name].evaluation
    if row.reward is not None:
        assert evaluation.reward == row.reward
        assert evaluation.validity.verifier_completed
        assert not evaluation.validity.errors
        return
    assert evaluation.reward == 0.0
    assert not evaluation.validity.verifier_completed
    assert VERIFIER_FAILURE in tags_of(records[row.name])
    assert outcome_of(evaluation) is Outcome.MACHINERY_FAILED
    assert row.file in " ".join(evaluation.validity.errors) or row.name == "missing"
    assert row.says in " ".join(evaluation.validity.errors)


def test_a_nest_of_100000_lists_is_one_bad_reward(records: dict[str, TrialRecord]) -> None:
    """Harbor itself ends in a RecursionError, which it records as such."""
    record = records["deep-nest"]
    assert any("nested deeper" in error for error in record.evaluation.validity.errors)
    assert "harbor: unclassified" in tags_of(record)


def test_the_integer_that_crashes_a_whole_harbor_job_is_one_bad_reward(tmp_path: Path) -> None:
    """401 digits: Harbor's job died of it; here it is out of range."""
    (record,) = imported(FIXTURES / "huge-integer", tmp_path).values()
    assert not record.evaluation.validity.verifier_completed
    assert "out of range" in record.evaluation.validity.errors[0]


@pytest.mark.parametrize("name", ["true", "too-large", "duplicate-keys", "txt-underscore", "link", "bom"])
def test_what_harbor_accepted_and_we_do_not_is_said(records: dict[str, TrialRecord], name: str) -> None:
    """Harbor took 1.0, 17.5, 1, 1000 and 1 for these, and refused the last, which is a plain 1."""
    assert "harbor: record disagrees with files" in tags_of(records[name])


@pytest.mark.parametrize("name", ["plain", "float", "several-keys", "negative-zero", "txt-padded", "missing"])
def test_where_harbor_and_the_files_agree_nothing_is_said(records: dict[str, TrialRecord], name: str) -> None:
    assert "harbor: record disagrees with files" not in tags_of(records[name])


def test_another_key_can_be_the_reward(tmp_path: Path) -> None:
    """`--reward-key accuracy` reads {"accuracy": 0.5, "style": 1}; the others then have no such key."""
    records = imported(FIXTURES / "rewards", tmp_path, reward_key="accuracy")
    assert records["no-reward-key"].evaluation.reward == 0.5
    assert not tags_of(records["no-reward-key"])
    assert not records["plain"].evaluation.validity.verifier_completed


def test_old_harbor_read_the_text_file_first(tmp_path: Path) -> None:
    """Recorded with 0.6.6: reward.txt says 0, reward.json says 1, and 0 was what counted then."""
    records = imported(FIXTURES / "old-0.6.6", tmp_path)
    assert records["both-files"].evaluation.reward == 0.0
    assert records["both-files"].evaluation.validity.verifier_completed
    assert not tags_of(records["both-files"])
    assert records["json-only"].evaluation.reward == 0.5
    assert not records["txt-nan"].evaluation.validity.verifier_completed


def test_the_same_two_files_from_a_new_harbor(tmp_path: Path) -> None:
    """With a lock that says 0.25 the JSON file counts: 1.0."""
    job = copy_job("old-0.6.6", tmp_path)
    lock = job / "lock.json"
    lock.write_text(lock.read_text().replace('"0.6.6"', '"0.25.0"'))
    records = imported(job, tmp_path)
    assert records["both-files"].evaluation.reward == 1.0
    assert "harbor: record disagrees with files" in tags_of(records["both-files"])
