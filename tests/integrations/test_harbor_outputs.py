"""Which artifact is the output, what the gates say of it, and whether it can be scored again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from adjudge.errors import LedgerError
from adjudge.integrations.harbor import import_jobs
from adjudge.ledger import open_ledger
from adjudge.runs import NOT_COLLECTED, restore_output
from adjudge.sandbox import choose_sandbox
from adjudge.scoring import score_output
from adjudge.tasks import load_task
from integrations.harbor_jobs import EXAMPLES, FIXTURES, imported

JOB = EXAMPLES.parent / "harbor" / "jobs" / "electrical"
TASK = "electrical/voltage-drop"


def oracle_trial(job: Path) -> Path:
    return next(
        path.parent
        for path in sorted(job.glob("voltage-drop__*/result.json"))
        if json.loads(path.read_text())["agent_info"]["name"] == "oracle"
    )


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """One trial of the recorded job, alone."""
    copy = tmp_path / "electrical"
    copy.mkdir()
    shutil.copy(JOB / "result.json", copy)
    trial = oracle_trial(JOB)
    shutil.copytree(trial, copy / trial.name)
    return copy


def test_a_kept_output_passes_the_gates_and_scores_the_same_again(job: Path, tmp_path: Path) -> None:
    """Shared mode, a verifier of today, in our sandbox: 1.0 as Harbor had it."""
    task = load_task(EXAMPLES / TASK, root=EXAMPLES)
    with open_ledger(tmp_path / "ledger.db") as ledger:
        import_jobs(ledger, [job], tasks=EXAMPLES)
        (record,) = ledger.iterate()
        output = restore_output(ledger, record, task)
    assert record.task_id == TASK
    assert record.output.path == "/workspace/output.md"
    assert record.evaluation.validity.schema_valid
    assert score_output(task, output, choose_sandbox()).result.reward == 1.0


def test_an_output_that_does_not_parse_earns_nothing(job: Path, tmp_path: Path) -> None:
    """The verifier claims 1.0; the gate says that there is no JSON in the answer."""
    answer = next(job.glob("*/artifacts/workspace/output.md"))
    answer.write_text("I could not do it.\n")
    record = imported(job, tmp_path, tasks=str(EXAMPLES))[TASK]
    assert not record.evaluation.validity.output_parseable
    assert record.evaluation.reward == 0.0
    assert any("does not count" in error for error in record.evaluation.validity.errors)


def test_an_output_that_nobody_kept_is_named(job: Path, tmp_path: Path) -> None:
    shutil.rmtree(next(job.glob("*/artifacts")))
    task = load_task(EXAMPLES / TASK, root=EXAMPLES)
    with open_ledger(tmp_path / "ledger.db") as ledger:
        import_jobs(ledger, [job], tasks=EXAMPLES)
        (record,) = ledger.iterate()
        assert record.evaluation.reward == 1.0
        assert record.output.path == f"{NOT_COLLECTED}: /workspace/output.md"
        with pytest.raises(LedgerError, match=r"--artifact /workspace/output\.md"):
            restore_output(ledger, record, task)


def test_an_output_that_was_looked_for_and_not_there_is_missing(tmp_path: Path) -> None:
    """The nop agent wrote nothing, and Harbor brought the whole workspace."""
    with open_ledger(tmp_path / "ledger.db") as ledger:
        import_jobs(ledger, [JOB], tasks=EXAMPLES)
        nothing = [r for r in ledger.iterate() if r.agent.name == "nop"]
    assert len(nothing) == 6
    assert not any(r.evaluation.validity.output_parseable for r in nothing)
    assert all("the output is missing" in r.evaluation.validity.errors[0] for r in nothing)


def test_where_the_task_is_not_known_a_lone_artifact_is_the_output(tmp_path: Path) -> None:
    record = imported(FIXTURES / "oracle", tmp_path)["with-details"]
    assert record.output.path == "/app/answer.json"
    assert record.output.sha256 is not None


def test_a_link_among_the_artifacts_is_not_followed(job: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    answer = next(job.glob("*/artifacts/workspace/output.md"))
    answer.unlink()
    answer.symlink_to(secret)
    with open_ledger(tmp_path / "ledger.db") as ledger:
        import_jobs(ledger, [job], tasks=EXAMPLES)
        (record,) = ledger.iterate()
        kept = [ledger.blob(digest) for digest in record.run.artifacts.values()]
    assert record.output.sha256 is None
    assert b"secret" not in kept
