"""Trials as Harbor job folders: what comes back in is what went out, and no name leads out of the folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import UsageError
from adjudge.integrations.harbor import export_jobs, import_jobs
from adjudge.integrations.harbor.exporter import trial_name
from adjudge.ledger import TrialEntry, TrialFilter, open_ledger
from adjudge.scoring import outcome_of
from integrations.harbor_jobs import FIXTURES, bring

NAMES = sorted(path.name for path in FIXTURES.iterdir() if path.name != "regraded")


def test_out_and_in_again(tmp_path: Path) -> None:
    """Reward and outcome of every trial survive; so do agent, model and cost."""
    with open_ledger(tmp_path / "one.db") as one, open_ledger(tmp_path / "two.db") as two:
        bring(one, *NAMES)
        done = export_jobs(one, TrialFilter(), tmp_path / "jobs")
        import_jobs(two, [tmp_path / "jobs"])
        sides = [
            sorted(
                (
                    r.task_id,
                    r.agent.name,
                    r.agent.model or "",
                    r.evaluation.reward,
                    outcome_of(r.evaluation).value,
                )
                for r in ledger.iterate()
            )
            for ledger in (one, two)
        ]
        costs = {r.cost.usd for r in two.iterate() if r.agent.model and r.cost}
    assert done.trials == len(sides[0]) > 80
    assert sides[0] == sides[1]
    assert costs == {0.0125}


def test_a_failure_of_the_machine_is_an_exception_and_no_reward(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        bring(ledger, "failures")
        export_jobs(ledger, TrialFilter(), tmp_path / "jobs")
    for path in (tmp_path / "jobs" / "test").glob("*/result.json"):
        result = json.loads(path.read_text())
        assert result["verifier_result"] is None
        assert result["exception_info"]["exception_message"]
        assert not (path.parent / "verifier" / "reward.json").exists()
    stats = json.loads((tmp_path / "jobs" / "test" / "result.json").read_text())["stats"]
    assert stats["n_errored_trials"] == stats["n_completed_trials"] == 2


def test_an_artifacts_name_does_not_lead_out(tmp_path: Path) -> None:
    """A verifier may call its artifact anything; these are not written anywhere."""
    with open_ledger(tmp_path / "ledger.db") as ledger:
        bring(ledger, "oracle")
        record = next(iter(ledger.iterate()))
        digest = ledger.add_blob(b"evil")
        hostile = dict.fromkeys(("../../evil", "/evil", "a/../../../evil", "artifacts/../../evil"), digest)
        run = record.run.model_copy(update={"artifacts": hostile})
        changed = record.model_copy(update={"trial_id": "hostile", "experiment": "../evil", "run": run})
        ledger.record([TrialEntry(changed)])
        export_jobs(ledger, TrialFilter(), tmp_path / "deep" / "jobs")
    assert [p for p in tmp_path.rglob("*") if p.is_file() and p.read_bytes() == b"evil"] == []
    names = sorted(p.name for p in (tmp_path / "deep" / "jobs").iterdir())
    assert [name.partition("-")[0] for name in names] == ["evil", "test"]


def test_two_experiments_never_share_a_folder(tmp_path: Path) -> None:
    """a/b and a-b are two names, and so are their folders."""
    with open_ledger(tmp_path / "ledger.db") as ledger:
        for experiment in ("a/b", "a-b"):
            import_jobs(ledger, [FIXTURES / "oracle"], experiment=experiment)
        done = export_jobs(ledger, TrialFilter(), tmp_path / "jobs")
    assert len(set(done.jobs.values())) == 2
    assert [len(list(job.glob("*/result.json"))) for job in (tmp_path / "jobs").iterdir()] == [6, 6]


def test_a_folder_where_our_file_goes_is_left_out(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        bring(ledger, "oracle")
        record = next(iter(ledger.iterate()))
        odd = dict.fromkeys(("reward.json/x", "verifier/adjudge.json/x", "kept/x"), ledger.add_blob(b"odd"))
        run = record.run.model_copy(update={"artifacts": odd})
        ledger.record(
            [TrialEntry(record.model_copy(update={"trial_id": "odd", "experiment": "e", "run": run}))]
        )
        export_jobs(ledger, TrialFilter(experiment=("e",)), tmp_path)
    (trial,) = (path.parent for path in (tmp_path / "e").glob("*/result.json"))
    assert json.loads((trial / "verifier" / "reward.json").read_text()) == {
        "reward": record.evaluation.reward
    }
    assert (trial / "verifier" / "kept" / "x").read_bytes() == b"odd"


def test_nothing_to_export_is_said(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger, pytest.raises(UsageError, match="no trial matches"):
        export_jobs(ledger, TrialFilter(), tmp_path / "jobs")


def test_what_the_job_was_stays(tmp_path: Path) -> None:
    """All reward keys, step results, exception types, agents, datasets and totals, as Harbor had them."""
    kept = ("exception_info", "step_results", "source", "agent_info", "agent_execution")
    with open_ledger(tmp_path / "ledger.db") as ledger:
        for name in ("agent-timeout", "agent-raises", "multi-step", "priced", "rewards"):
            import_jobs(ledger, [FIXTURES / name])
        export_jobs(ledger, TrialFilter(), tmp_path / "jobs")
        trials = [(r.experiment, r.metadata["harbor"]["trial"], trial_name(r)) for r in ledger.iterate()]
    compared = 0
    for job, name, ours in trials:
        was = json.loads((FIXTURES / job / name / "result.json").read_text())
        now = json.loads((tmp_path / "jobs" / job / ours / "result.json").read_text())
        for key in kept:
            if was.get(key) is not None:
                compared += 1
                assert known_parts(now[key]) == known_parts(was[key]), (name, key)
        if now["verifier_result"] is not None:
            before = (was["verifier_result"] or {}).get("rewards") or {}
            assert set(before) <= set(now["verifier_result"]["rewards"])
    assert compared > 20
    priced = json.loads((tmp_path / "jobs" / "priced" / "result.json").read_text())["stats"]
    assert priced["cost_usd"] == pytest.approx(6 * 0.0125)
    config = json.loads((tmp_path / "jobs" / "priced" / "config.json").read_text())
    assert len(config["agents"]) == 1
    assert config["agents"][0]["model_name"]
    assert config["datasets"]


def known_parts(value: Any) -> Any:
    """Without what is not there, and what a step used, of which only the sums are kept."""
    if isinstance(value, dict):
        return {k: known_parts(v) for k, v in value.items() if v is not None and k != "agent_result"}
    return [known_parts(v) for v in value] if isinstance(value, list) else value
