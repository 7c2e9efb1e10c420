"""What an imported trial says: who, with what, at what cost, how it ended, and what was kept of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.integrations.harbor import import_jobs
from adjudge.ledger import open_ledger
from adjudge.scoring import VERIFIER_FAILURE, breakdown_rows
from integrations.harbor_jobs import FIXTURES, copy_job, imported, tags_of, trial_of


def test_agent_model_cost_and_times(tmp_path: Path) -> None:
    """The priced agent said 1200 tokens in (200 of them cached), 34 out, 0.0125 dollars."""
    record = imported(FIXTURES / "priced", tmp_path)["with-details"]
    assert (record.agent.name, record.agent.model) == ("priced", "acme/tiny-1")
    assert record.agent.config["version"] == "2.0"
    assert record.cost is not None
    assert (record.cost.usd, record.cost.input_tokens, record.cost.cached_tokens) == (0.0125, 1200, 200)
    assert record.cost.output_tokens == 34
    assert record.cost.seconds is not None
    assert record.cost.seconds > 0
    assert record.started_at is not None
    assert record.finished_at is not None
    assert record.started_at < record.finished_at
    assert record.run.duration_sec is not None
    assert record.run.backend == "imported"
    assert record.run.stdout == "checked\n"


def test_where_it_comes_from(tmp_path: Path) -> None:
    harbor = imported(FIXTURES / "priced", tmp_path)["with-details"].metadata["harbor"]
    assert harbor["job"] == "priced"
    assert harbor["trial"].startswith("with-details__")
    assert harbor["version"] == "0.25.0"
    assert harbor["verifier_mode"] == "shared"
    assert harbor["task_path"] == "tasks/with-details"


@pytest.mark.parametrize(
    ("task", "fields"),
    [
        ("with-details", {"voltage_drop_v": 1.0}),
        ("with-reward-details", {"reward.voltage": 1.0}),
        ("with-ctrf", {"test_exists": 1.0, "test_value": 1.0}),
    ],
)
def test_every_kind_of_details_is_a_breakdown(tmp_path: Path, task: str, fields: dict[str, float]) -> None:
    """Ours, rewardkit's, and a CTRF test report."""
    record = imported(FIXTURES / "oracle", tmp_path)[task]
    rows = breakdown_rows(record.evaluation.breakdown or {})
    assert {row.field: row.score for row in rows} == fields
    assert not tags_of(record)


def test_trajectory_artifacts_and_result_are_kept(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        import_jobs(ledger, [FIXTURES / "priced"])
        record = next(r for r in ledger.iterate() if r.task_id == "with-details")
        kept = {name: ledger.blob(digest) for name, digest in record.run.artifacts.items()}
    assert json.loads(kept["agent/trajectory.json"])["session_id"] == "fixture"
    assert json.loads(kept["artifacts/app/answer.json"]) == {"voltage_drop_v": 3.1}
    assert json.loads(kept["result.json"])["agent_info"]["name"] == "priced"
    assert json.loads(kept["reward.json"]) == {"reward": 1.0}
    assert record.experiment == "priced"


def test_a_crashed_step_is_not_hidden_by_a_mean(tmp_path: Path) -> None:
    """Harbor recorded 1.0 and no exception: step 1 gave 1.0, step 2 crashed, step 3 never ran."""
    records = imported(FIXTURES / "multi-step", tmp_path)
    crashed = records["crashed-step"]
    assert crashed.evaluation.reward == 0.0
    assert not crashed.evaluation.validity.verifier_completed
    assert {VERIFIER_FAILURE, "harbor: verifier failed", "harbor: record disagrees with files"} <= tags_of(
        crashed
    )
    assert "step 'second'" in crashed.evaluation.validity.errors[0]
    breakdown = crashed.evaluation.breakdown or {}
    assert (breakdown["first"]["score"], breakdown["second"]["score"]) == (1.0, None)


def test_steps_that_all_have_rewards(tmp_path: Path) -> None:
    """(1.0 + 0.75 + 0.5) / 3 = 0.75, as Harbor has it."""
    record = imported(FIXTURES / "multi-step", tmp_path)["good-steps"]
    assert record.evaluation.reward == 0.75
    scores = [row.score for row in breakdown_rows(record.evaluation.breakdown or {})]
    assert scores == [1.0, 0.75, 0.5]
    assert not tags_of(record)


def test_the_final_steps_rule_is_recognised(tmp_path: Path) -> None:
    """A record whose reward is the last step's, 0.5, and not the mean, was made by the strategy `final`."""
    job = copy_job("multi-step", tmp_path)
    path = trial_of(job, "good-steps") / "result.json"
    result = json.loads(path.read_text())
    result["verifier_result"] = {"rewards": {"reward": 0.5}}
    path.write_text(json.dumps(result))
    record = imported(job, tmp_path)["good-steps"]
    assert record.evaluation.reward == 0.5
    assert not tags_of(record)


@pytest.mark.parametrize(
    ("job", "task", "tag"),
    [
        ("failures", "verifier-timeout", "harbor: verifier failed"),
        ("failures", "needs-image", "harbor: sandbox failed"),
        ("agent-raises", "plain", "harbor: unclassified"),
        ("killed", "b-slow", "harbor: trial unfinished"),
        ("nan-verifier", "plain", VERIFIER_FAILURE),
    ],
)
def test_failures_of_the_machine_say_nothing_of_the_agent(
    tmp_path: Path, job: str, task: str, tag: str
) -> None:
    record = imported(FIXTURES / job, tmp_path)[task]
    assert {tag, VERIFIER_FAILURE} <= tags_of(record)
    assert not record.evaluation.validity.verifier_completed
    assert record.evaluation.reward == 0.0


def test_an_agent_out_of_time_is_still_verified(tmp_path: Path) -> None:
    record = imported(FIXTURES / "agent-timeout", tmp_path)["plain"]
    assert record.evaluation.reward == 1.0
    assert tags_of(record) == {"harbor: agent exhausted budget"}


def test_a_reward_beside_a_verifier_that_never_ran_does_not_count(tmp_path: Path) -> None:
    """The agent raised, so Harbor never verified; whoever wrote this file, the verifier did not."""
    job = copy_job("agent-raises", tmp_path)
    folder = trial_of(job, "plain") / "verifier"
    folder.mkdir(exist_ok=True)
    (folder / "reward.json").write_text('{"reward": 1}')
    record = imported(job, tmp_path)["plain"]
    assert record.evaluation.reward == 0.0
    assert "reward.json found there is not its own" in record.evaluation.validity.errors[0]


def test_a_reward_written_before_the_verifier_timed_out_does_not_count(tmp_path: Path) -> None:
    job = copy_job("failures", tmp_path)
    verifier = trial_of(job, "verifier-timeout") / "verifier"
    verifier.mkdir(exist_ok=True)  # empty as it was recorded, and so not among the files of a checkout
    (verifier / "reward.txt").write_text("1\n")
    record = imported(job, tmp_path)["verifier-timeout"]
    assert record.evaluation.reward == 0.0
    assert "does not count" in record.evaluation.validity.errors[0]


def test_a_custom_verifiers_reward_is_in_the_record_alone(tmp_path: Path) -> None:
    """A verifier class writes no file; 0.5 in result.json is what it said."""
    job = copy_job("nan-verifier", tmp_path)
    path = trial_of(job, "plain") / "result.json"
    path.write_text(path.read_text().replace('"reward": null', '"reward": 0.5'))
    record = imported(job, tmp_path)["plain"]
    assert record.evaluation.reward == 0.5
    assert "NanVerifier" in record.evaluation.validity.errors[0]


def test_files_count_where_the_record_says_otherwise(tmp_path: Path) -> None:
    job = copy_job("oracle", tmp_path)
    (trial_of(job, "with-details") / "verifier" / "reward.json").write_text('{"reward": 0.25}')
    records = imported(job, tmp_path)
    changed = [r for r in records.values() if "harbor: record disagrees with files" in tags_of(r)]
    assert [record.evaluation.reward for record in changed] == [0.25]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b'{"id": {}}', b"[" * 5000, b'{"config": 3}']
)
def test_a_broken_result_costs_that_trial_only(tmp_path: Path, content: bytes) -> None:
    job = copy_job("oracle", tmp_path)
    (trial_of(job, "with-details") / "result.json").write_bytes(content)
    with open_ledger(tmp_path / "ledger.db") as ledger:
        summary = import_jobs(ledger, [job])
        records = list(ledger.iterate())
    assert summary.trials == 6
    assert sum(record.evaluation.validity.verifier_completed for record in records) == 5


def test_a_killed_job_says_what_is_missing(tmp_path: Path) -> None:
    """Three trials were planned: one done, one cut off, one never begun."""
    with open_ledger(tmp_path / "ledger.db") as ledger:
        summary = import_jobs(ledger, [FIXTURES / "killed"])
    assert summary.trials == 2
    assert any("1 of 3 trials have no folder" in note for note in summary.notes)
    assert any("has not finished" in note for note in summary.notes)
